# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""A window for `render_mode="human"`, with what Python brings along: tkinter."""

from __future__ import annotations

import time
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray


class Window:
    """Shows pictures. Opens with the first one; once the user has closed it, it stays closed."""

    def __init__(self, title: str, fps: float) -> None:
        self._title = title
        self._pause = 1.0 / fps
        self._root: Any = None
        self._label: Any = None
        self._image: Any = None
        self._is_closed = False
        self._last = 0.0

    def show(self, pixels: NDArray[np.uint8]) -> None:
        """Shows a picture, at most so many per second."""
        if self._is_closed:
            return
        if self._root is None and not self._open():
            return
        import tkinter

        height, width, _ = pixels.shape
        header = f"P6 {width} {height} 255 ".encode()
        self._image = tkinter.PhotoImage(
            width=width, height=height, data=header + pixels.tobytes(), format="PPM"
        )
        self._label.configure(image=self._image)
        self._root.update()
        time.sleep(max(0.0, self._last + self._pause - time.monotonic()))
        self._last = time.monotonic()

    def close(self) -> None:
        """Closes the window. Closing twice is fine."""
        self._is_closed = True
        if self._root is not None:
            self._root.destroy()
            self._root = None

    def __reduce__(self) -> tuple[Any, ...]:
        return Window, (self._title, 1.0 / self._pause)  # a copy has a window of its own

    def _open(self) -> bool:
        """False, with a warning, if there is no screen: a program may also run without one."""
        try:
            import tkinter

            self._root = tkinter.Tk(className="jbw")
        except ImportError:
            return self._give_up("tkinter is missing: install python3-tk")
        except tkinter.TclError as error:
            return self._give_up(str(error))
        self._root.title(self._title)
        self._root.protocol("WM_DELETE_WINDOW", self.close)
        self._label = tkinter.Label(self._root, borderwidth=0)
        self._label.pack()
        return True

    def _give_up(self, reason: str) -> bool:
        self._is_closed = True
        gymnasium.logger.warn(f'render_mode="human" shows nothing: {reason}')
        return False
