# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Errors in the input of an experiment, and missing optional libraries."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class ExperimentError(Exception):
    """Bad input: a case, an option or a folder. The message is meant for the user."""


class MissingLibrary(ExperimentError):
    """An optional library is not installed."""


def need(module: str, extra: str, what: str) -> Any:
    """Imports an optional library. If that fails, the error says how to install it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingLibrary(
            f"{what} needs {module.partition('.')[0]}, which cannot be imported ({error}): "
            f"pip install 'jbw[{extra}]'"
        ) from error
