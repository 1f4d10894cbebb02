# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""What an observation consists of: which of the parts in `Model.parts`, and in which form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from jbw import _core
from jbw.envs.common import ObservationForm, VisionKind, check_choice


@dataclass(frozen=True, slots=True)
class Layout:
    """The parts of an observation, from the keys that they have in a dict to their names.

    The form is "dict", "flat" (one float32 vector of all parts in their order) or "plain" (the only
    part). `_core.Env` and `_core.Observer` take both as they are.
    """

    form: Literal["dict", "flat", "plain"]
    parts: Mapping[str, str]

    def assemble(self, values: Mapping[str, NDArray[Any]]) -> Any:
        """An observation from the parts by their names, as `_core.Observer` makes it."""
        if self.form == "flat":
            return np.concatenate([np.ravel(values[part]) for part in self.parts.values()]).astype(
                np.float32, copy=False
            )
        found = {key: _value(values[part]) for key, part in self.parts.items()}
        return found if self.form == "dict" else next(iter(found.values()))


def make_layout(model: _core.Model, observation: ObservationForm, vision: VisionKind) -> Layout:
    """The layout that the arguments of an environment stand for; ValueError if there is none."""
    check_choice("observation", observation, ObservationForm)
    check_choice("vision", vision, VisionKind)
    seen = "vision" if vision == "color" else "item_vision"
    if observation == "vision":
        return Layout("plain", {"vision": seen})
    has_scent = model.scent_dimensions > 0
    if observation == "scent":
        if not has_scent:
            raise ValueError('observation is "scent", but this world has no scent dimensions')
        return Layout("plain", {"scent": "scent"})
    scent = {"scent": "scent"} if has_scent else {}
    return Layout(observation, {"vision": seen, **scent, "moved": "moved"})


def _value(part: NDArray[Any]) -> Any:
    """Single whole numbers are numpy.int64, as in Gymnasium's Discrete spaces."""
    return np.int64(part) if part.ndim == 0 and part.dtype.kind in "iu" else part
