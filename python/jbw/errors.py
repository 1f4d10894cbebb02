# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Exceptions. Each is a jbw.Error and also the built-in exception for such a case.

Running out of memory raises Python's MemoryError, a value of the wrong type a TypeError.
"""

from __future__ import annotations

import errno
from typing import NamedTuple


class Problem(NamedTuple):
    """A problem in a text. Lines and columns count from one; zero means none."""

    source: str
    line: int
    column: int
    text: str

    def __str__(self) -> str:
        place = self.source
        if self.line:
            place += f":{self.line}:{self.column}"
        return f"{place}: {self.text}"


class Error(Exception):
    """The base class of all errors of Jelly Bean World."""


class ArgumentError(Error, ValueError):
    """An argument is not valid."""


class ConfigError(Error, ValueError):
    """A world file, or a Config, is not valid. ``problems`` lists all problems."""

    def __init__(self, problems: list[Problem] | str) -> None:
        if isinstance(problems, str):
            problems = [Problem("<config>", 0, 0, problems)]
        super().__init__(problems)
        self.problems: list[Problem] = problems

    @property
    def line(self) -> int:
        """Of the first problem."""
        return self.problems[0].line if self.problems else 0

    @property
    def column(self) -> int:
        """Of the first problem."""
        return self.problems[0].column if self.problems else 0

    def __str__(self) -> str:
        return "\n".join(map(str, self.problems))


class RewardError(Error, ValueError):
    """A reward text is not valid; ``line`` and ``column`` say where."""

    def __init__(self, text: str, line: int = 0, column: int = 0) -> None:
        super().__init__(text, line, column)
        self.text = text
        self.line = line
        self.column = column

    def __str__(self) -> str:
        return f"{self.line}:{self.column}: {self.text}" if self.line else self.text


class NotFoundError(Error, LookupError):
    """The requested object does not exist."""


class NoSuchAgentError(NotFoundError):
    """The agent does not exist, or was removed."""


class CellBlockedError(Error, ValueError):
    """The cell is blocked, or taken."""


class OutOfRangeError(Error, ValueError):
    """A position is too far from the origin, or a world has reached the end of time."""


class FileError(Error, OSError):
    """A file could not be read or written; ``filename`` names it."""

    def __init__(self, text: str, filename: str | None = None, errno: int = errno.EIO) -> None:
        super().__init__(errno, text, filename)
        self.text = text

    def __str__(self) -> str:
        return f"{self.filename}: {self.text}" if self.filename else self.text

    def __reduce__(self) -> tuple[type[FileError], tuple[object, ...]]:
        return type(self), (self.text, self.filename)


class NoSuchFileError(FileError, FileNotFoundError):
    """There is no such file, and no shipped world with that name."""

    def __init__(self, text: str, filename: str | None = None) -> None:
        super().__init__(text, filename, errno.ENOENT)


class DataError(Error, ValueError):
    """A snapshot or a recording is damaged, or the data are of another kind."""


class UnsupportedError(Error, NotImplementedError):
    """This build, or this world, cannot do that."""


class BusyError(Error, RuntimeError):
    """The world is in use: under way in a batch, or in the step that called you."""


class NoConnectionError(Error, ConnectionError):
    """There is no connection to the server, or it was lost during the call."""


class TimedOutError(Error, TimeoutError):
    """The server did not answer in time."""


class NotPermittedError(Error, PermissionError):
    """The token does not permit this."""
