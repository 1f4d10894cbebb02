# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Movies of recordings, written by ffmpeg. `jbw.Recording.movie` is the way to make one."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from typing import IO, Any

from jbw import _core
from jbw.errors import ArgumentError, FileError, UnsupportedError

#: A GIF has 256 colours, chosen from the whole movie; for the rest, players need even sides.
GIF = "split[a][b];[a]palettegen=stats_mode=full[p];[b][p]paletteuse=dither=none"
OTHERS = "pad=ceil(iw/2)*2:ceil(ih/2)*2,format=yuv420p"


def write_movie(
    recording: _core.Recording, path: str | os.PathLike[str], *, fps: int = 30, **options: Any
) -> None:
    """Writes the frames of a recording; the options are those of `Recording.frames`."""
    name = os.fspath(path)
    if not 1 <= fps <= 240:
        raise ArgumentError(f"fps is {fps}, expected 1 to 240")
    if not os.path.splitext(name)[1]:
        raise ArgumentError(f"{name}: expected a name such as life.mp4 or life.gif")
    frames = recording.frames(**options)
    ffmpeg = shutil.which("ffmpeg")
    if ffmpeg is None:
        raise UnsupportedError("ffmpeg not found: install it, or use Recording.frames")
    height, width, _ = frames.shape
    command = [
        *(ffmpeg, "-loglevel", "error", "-y"),
        *("-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", str(fps)),
        *("-i", "-", "-vf", GIF if name.lower().endswith(".gif") else OTHERS, f"file:{name}"),
    ]
    with tempfile.TemporaryFile("w+", errors="replace") as words:
        encoder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=words, stderr=words)
        assert encoder.stdin is not None
        try:
            _send(frames, encoder.stdin)
        finally:
            code = encoder.wait()
        if code != 0:
            words.seek(0)
            raise FileError(f"{name}: ffmpeg: {words.read().strip() or code}")


def _send(frames: _core.Film, pipe: IO[bytes]) -> None:
    """Sends all frames and closes the pipe. If ffmpeg stops early, it says why."""
    try:
        with pipe:
            for frame in frames:
                pipe.write(frame.data)
    except BrokenPipeError:
        pass
