# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The tables in docs/environments.md say what is there; test_docs.py runs its code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from jbw.envs import REGISTRATIONS, JellyBeanWorldEnv
from jbw.envs.options import EnvOptions

PAGE = Path(__file__).resolve().parents[2] / "docs" / "environments.md"

pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="the docs are not here")


def test_all_ids_are_in_the_table() -> None:
    text = PAGE.read_text()
    for registration in REGISTRATIONS:
        name = registration.id.removeprefix("jbw/").removesuffix("-v0")
        number = re.fullmatch(r"FieldOfView(\d+)", name)
        assert f"`{number[1]}`" in text or f"`jbw/{name}-v0`" in text if number else name in text


def test_all_arguments_are_in_the_table() -> None:
    text = PAGE.read_text()
    code = JellyBeanWorldEnv.__init__.__code__
    names = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
    assert len(EnvOptions.__annotations__) > 8
    for name in (*names, *EnvOptions.__annotations__):
        assert f"`{name}`" in text, name
