# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""What is compared: environments of other packages, with the versions that were measured."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent

#: One virtual environment per peer.
FOLDER = ROOT / "build" / "peers"


@dataclass(frozen=True)
class Peer:
    """A package that offers environments, and the one that is measured."""

    name: str
    """Of its virtual environment, and of what measures it: measure_<name>.py."""
    title: str
    """The package and its environment, as the table names them."""
    requirements: tuple[str, ...]
    """What pip is asked to install; nothing for those that cannot be had."""
    is_endless: bool
    """The world has no border, and is not a small map that wraps around."""
    persists: bool
    """A life may go on forever in the same world, and what was changed in it stays changed."""
    absent: str = ""
    """Why it is not measured."""

    @property
    def python(self) -> Path:
        """The interpreter that runs it."""
        return FOLDER / self.name / "bin" / "python"

    @property
    def script(self) -> Path:
        return HERE / f"measure_{self.name}.py"


PEERS = (
    Peer(
        "foragax",
        "continual-foragax, `ForagaxBig-v5`",
        ("continual-foragax==0.58.0", "gymnax==0.0.9", "jax==0.10.2", "six==1.17.0"),
        is_endless=False,
        persists=True,
    ),
    Peer(
        "craftax",
        "Craftax, `Craftax-Symbolic-v1`",
        ("craftax==1.6.1", "jax==0.10.2"),
        is_endless=False,
        persists=False,
    ),
    Peer(
        "xminigrid",
        "XLand-MiniGrid, `MiniGrid-FourRooms`",
        ("xminigrid==0.9.3", "jax==0.10.2"),
        is_endless=False,
        persists=False,
    ),
    Peer(
        "jumanji",
        "Jumanji, `Snake-v1`",
        ("jumanji==1.1.2", "jax==0.10.2"),
        is_endless=False,
        persists=False,
    ),
    Peer(
        "minigrid",
        "MiniGrid, `MiniGrid-FourRooms-v0`",
        ("minigrid==3.2.0",),
        is_endless=False,
        persists=False,
    ),
    Peer(
        "envpool",
        "EnvPool, `MiniGrid-FourRooms-v0`",
        ("envpool==1.2.5",),
        is_endless=False,
        persists=False,
    ),
    Peer(
        "pufferlib",
        "PufferLib, `puffer_snake`",
        # The newest release that has a wheel. All that it says it needs would take packages of an
        # age that have to be built; this is what the snake needs.
        (
            "--no-deps",
            "pufferlib==2.0.2",
            "numpy==1.26.4",
            "psutil==5.9.5",
            "gymnasium==0.29.1",
            "cloudpickle==3.1.1",
            "farama-notifications==0.0.4",
            "typing_extensions==4.12.2",
            "gym==0.23.0",
            "gym-notices==0.0.8",
        ),
        is_endless=False,
        persists=True,
    ),
    Peer(
        "forager",
        "Forager (Numba)",
        (),
        is_endless=False,
        persists=True,
        absent="the package index has no release of it (`forager` is something else)",
    ),
)
