# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Where results are kept: one folder per run, which nothing ever overwrites.

    results/CASE/STUDY/study.json            what all its runs have in common
    results/CASE/STUDY/VARIANT/AGENT/seed-7/
        run.json          all that decides what happens in this run
        world.yaml        its world, complete
        sessions.jsonl    when, where and with which versions it was worked on: one line each time
        metrics.parquet   a row for every so many steps, see `Meter`
        status.json       how far it is; {"done": true, ...} with hashes of the worlds in the end
        checkpoints/      the latest ones
        error.txt         why it failed, if it did

A run's place follows from what it is: the same command finds the same folders, and goes on with
what is not done. Other steps, windows, worlds or options lead to other folders.
"""

from __future__ import annotations

import contextlib
import fcntl
import io
import json
import os
import pickle
import platform
import socket
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import jbw
from jbw.experiments.case import Run, Study
from jbw.experiments.errors import ExperimentError, need

#: Libraries that decide what happens in a run.
LIBRARIES = ("numpy", "gymnasium", "torch", "stable_baselines3", "sb3_contrib", "pyarrow", "ray")

#: How long to wait for somebody else who works on the same run.
LOCK_SECONDS = 60.0


class RunFolder:
    """The folder of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def run(self) -> Run:
        """What the folder is about."""
        return Run.from_json((self.path / "run.json").read_text(encoding="utf-8"))

    def prepare(self, run: Run) -> None:
        """Makes the folder, or checks that it is that of the same run."""
        (self.path / "checkpoints").mkdir(parents=True, exist_ok=True)
        file = self.path / "run.json"
        if file.exists():
            if self.run != run:
                raise ExperimentError(f"{self.path} holds another run: nothing is overwritten")
            return
        write_atomically(self.path / "world.yaml", run.world.encode())
        write_atomically(file, run.to_json().encode())

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Keeps others away from the folder; a killed process lets go by itself."""
        with (self.path / "lock").open("w") as file:
            # one who was orphaned a moment ago will notice, and let go
            give_up = time.monotonic() + LOCK_SECONDS
            while True:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError as error:
                    if time.monotonic() > give_up:
                        raise ExperimentError(
                            f"{self.path} is being worked on by somebody else"
                        ) from error
                    time.sleep(0.1)
            yield

    def status(self) -> dict[str, Any]:
        """How far the run is: {"steps", "done", ...}."""
        try:
            found: dict[str, Any] = json.loads((self.path / "status.json").read_bytes())
        except FileNotFoundError:
            return {"steps": 0, "done": False}
        return found

    def set_status(self, **values: Any) -> None:
        """Replaces what `status` tells."""
        write_atomically(self.path / "status.json", json.dumps(values).encode(), flush=False)

    def begin_session(self, step: int, allow_other_versions: bool) -> None:
        """Writes down who goes on with the run; refuses if the libraries have changed since."""
        now = versions()
        sessions = self.sessions()
        if sessions and step > 0 and not allow_other_versions:
            before = sessions[-1]["versions"]
            changed = [
                f"{name} {before.get(name)} -> {now.get(name)}"
                for name in sorted({*before, *now} - {"pyarrow", "ray"})
                if before.get(name) != now.get(name)
            ]
            if changed:
                raise ExperimentError(
                    f"{self.path} was begun with other versions ({', '.join(changed)}): it would "
                    "not go on exactly. --other-versions goes on all the same"
                )
        session = {
            "begun": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "step": step,
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "versions": now,
        }
        with (self.path / "sessions.jsonl").open("a", encoding="utf-8") as out:
            # a line of its own, also behind one that a kill has cut off
            out.write("\n" + json.dumps(session) + "\n")

    def sessions(self) -> list[dict[str, Any]]:
        """All times the run was worked on."""
        file = self.path / "sessions.jsonl"
        found = []
        for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
            with contextlib.suppress(json.JSONDecodeError):
                found.append(json.loads(line))
        return found

    # checkpoints

    def checkpoints(self) -> list[tuple[int, Path]]:
        """(step, file), the oldest first."""
        files = (self.path / "checkpoints").glob("step-*.pickle")
        return sorted((int(file.stem.removeprefix("step-")), file) for file in files)

    def save_checkpoint(self, step: int, state: Mapping[str, Any], keep: int) -> None:
        """Writes one, completely or not at all, and lets go of older ones than the latest."""
        data = pickle.dumps(dict(state), protocol=5)
        write_atomically(self.path / "checkpoints" / f"step-{step:012}.pickle", data)
        for _, file in self.checkpoints()[: -max(keep, 1)]:
            file.unlink()

    def load_checkpoint(self, step: int | None = None) -> dict[str, Any] | None:
        """The latest, or that of a step; None if there is none.

        Checkpoints are pickles: load only those that you, or somebody you trust, have made.
        """
        found = [file for at, file in self.checkpoints() if step in (None, at)]
        if not found:
            return None
        with found[-1].open("rb") as file:
            state: dict[str, Any] = pickle.load(file)
        return state

    # metrics

    def write_metrics(self, rows: Sequence[Mapping[str, float]]) -> None:
        """Replaces the table of rows by a longer one of the same run."""
        if not rows:
            return
        parquet = need("pyarrow.parquet", "experiments", "writing results")
        arrow = need("pyarrow", "experiments", "writing results")
        columns: dict[str, list[float]] = {name: [row[name] for row in rows] for name in rows[0]}
        table = arrow.table(
            {
                name: arrow.array(values, arrow.int64() if name == "step" else arrow.float64())
                for name, values in columns.items()
            }
        )
        out = io.BytesIO()
        parquet.write_table(table, out)
        write_atomically(self.path / "metrics.parquet", out.getvalue())

    def metrics(self) -> dict[str, NDArray[np.float64]]:
        """The columns of the table."""
        parquet = need("pyarrow.parquet", "experiments", "reading results")
        file = self.path / "metrics.parquet"
        if not file.exists():
            return {}
        table = parquet.read_table(file)
        return {
            name: np.asarray(table.column(name).to_numpy(), np.float64)
            for name in table.column_names
        }


class StudyFolder:
    """The folder of one study: all runs with the same settings."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.about: dict[str, Any] = json.loads((path / "study.json").read_bytes())

    @property
    def case(self) -> str:
        """The name of the case."""
        return str(self.about["case"])

    @property
    def variants(self) -> dict[str, dict[str, Any]]:
        """Label, reward, observation, changes and fresh of each variant."""
        found: dict[str, dict[str, Any]] = self.about["variants"]
        return found

    def runs(self, variant: str, agent: str) -> list[RunFolder]:
        """The runs of an agent's folder, by seed."""
        found = (self.path / variant / agent).glob("seed-*/run.json")
        return sorted((RunFolder(file.parent) for file in found), key=lambda f: f.run.seed)

    def agents(self, variant: str) -> list[str]:
        """The folders of agents that a variant has runs of: learners first."""
        names = sorted(folder.name for folder in (self.path / variant).glob("*") if folder.is_dir())
        last = ["greedy", "forward", "random"]
        return sorted(names, key=lambda name: last.index(name) if name in last else -1)

    def all_runs(self) -> list[RunFolder]:
        """Everything."""
        return [
            folder
            for variant in self.variants
            for agent in self.agents(variant)
            for folder in self.runs(variant, agent)
        ]


class Results:
    """All results in a folder."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def folder(self, study: Study, run: Run) -> RunFolder:
        """Where a run belongs."""
        where = self.path / study.case.name / study.folder / run.variant / run.agent_folder
        return RunFolder(where / f"seed-{run.seed}")

    def prepare(self, study: Study) -> StudyFolder:
        """Makes the folder of a study."""
        path = self.path / study.case.name / study.folder
        path.mkdir(parents=True, exist_ok=True)
        file = path / "study.json"
        if not file.exists():
            text = json.dumps(study.to_dict(), indent=2, ensure_ascii=False)
            write_atomically(file, text.encode())
        return StudyFolder(path)

    def studies(self, case: str | None = None) -> list[StudyFolder]:
        """All studies, or those of a case, the latest last."""
        files = self.path.glob(f"{case or '*'}/*/study.json")
        by_age = sorted(files, key=lambda file: (file.stat().st_mtime, str(file)))
        return [StudyFolder(file.parent) for file in by_age]


def write_atomically(path: Path, data: bytes, flush: bool = True) -> None:
    """The file is complete, or as it was before, whenever the process is killed."""
    new = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with new.open("wb") as file:
            file.write(data)
            if flush:
                file.flush()
                os.fsync(file.fileno())
        new.replace(path)
    except OSError:
        new.unlink(missing_ok=True)  # half of a file on a full disk
        raise


def versions() -> dict[str, str]:
    """What a run depends on."""
    found = {
        "jbw": jbw.__version__,
        "python": platform.python_version(),
        "machine": platform.machine(),
        "system": sys.platform,
    }
    for name in LIBRARIES:
        with contextlib.suppress(PackageNotFoundError):
            found[name] = version(name)
    return found
