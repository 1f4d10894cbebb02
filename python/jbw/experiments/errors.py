# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""What can be wrong with an experiment that is nobody's bug, and libraries that may be missing."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class ExperimentError(Exception):
    """Bad input: a case, an option or a folder. The message is for the person who gave it."""


class MissingLibrary(ExperimentError):
    """An optional library is not installed."""


def need(module: str, extra: str, what: str) -> Any:
    """Imports an optional library, or says who needs it and how to get it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingLibrary(
            f"{what} needs {module.partition('.')[0]}, which cannot be imported ({error}): "
            f"pip install 'jbw[{extra}]'"
        ) from error
