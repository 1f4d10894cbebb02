# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""What the package's own docstring shows does run, and everything public has one."""

import doctest

import jbw


def test_docstring() -> None:
    assert doctest.testmod(jbw).failed == 0
    assert doctest.testmod(jbw.rewards).failed == 0


def test_everything_public_is_explained() -> None:
    for name in jbw.__all__:
        thing = getattr(jbw, name)
        if not isinstance(thing, type) or thing.__module__ not in ("jbw._core", "jbw.config"):
            continue
        assert thing.__doc__
        for part, value in vars(thing).items():
            if not part.startswith(("_", "n_")) and not isinstance(value, tuple | int):
                assert value.__doc__, f"{name}.{part}"
