# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The folders of results: one per run, never overwritten.

    results/CASE/STUDY/study.json            what all its runs have in common
    results/CASE/STUDY/VARIANT/AGENT/seed-7/
        run.json          everything that determines the run
        world.yaml        its complete world file
        sessions.jsonl    one line per session: time, machine and versions
        metrics.parquet   one row per `every` steps, see `Meter`
        status.json       progress; {"done": true, ...} with hashes of the worlds at the end
        checkpoints/      the latest checkpoints
        inherited.json    the run whose checkpoint this one began with, if it did
        error.txt         why the run failed, if it did

The path of a run follows from its settings: the same command finds the same folders, and resumes
unfinished runs. Other steps, windows, worlds or options lead to other folders.
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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import jbw
from jbw.experiments.case import Run, Study
from jbw.experiments.errors import ExperimentError, need

#: Libraries that a run may depend on.
LIBRARIES = ("numpy", "gymnasium", "torch", "stable_baselines3", "sb3_contrib", "pyarrow", "ray")

#: How long to wait for another process that has locked the same run.
LOCK_SECONDS = 60.0


class RunFolder:
    """The folder of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def run(self) -> Run:
        """The run of this folder."""
        return Run.from_json((self.path / "run.json").read_text(encoding="utf-8"))

    def prepare(self, run: Run) -> None:
        """Creates the folder, or checks that it belongs to the same run."""
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
        """Locks the folder. The lock of a killed process is released."""
        with (self.path / "lock").open("w") as file:
            # a worker that has just been orphaned will notice and release it
            give_up = time.monotonic() + LOCK_SECONDS
            while True:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError as error:
                    if time.monotonic() > give_up:
                        raise ExperimentError(
                            f"{self.path} is locked by another process"
                        ) from error
                    time.sleep(0.1)
            yield

    def status(self) -> dict[str, Any]:
        """The progress of the run: {"steps", "done", ...}."""
        try:
            found: dict[str, Any] = json.loads((self.path / "status.json").read_bytes())
        except FileNotFoundError:
            return {"steps": 0, "done": False}
        return found

    def set_status(self, **values: Any) -> None:
        """Replaces the status."""
        write_atomically(self.path / "status.json", json.dumps(values).encode(), flush=False)

    def begin_session(self, step: int, allow_other_versions: bool) -> None:
        """Adds a session. Raises ExperimentError if the versions of libraries have changed."""
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
                    f"{self.path} was started with other versions ({', '.join(changed)}), so "
                    "results may differ. --other-versions resumes it nevertheless"
                )
        session = {
            "begun": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "step": step,
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "versions": now,
        }
        with (self.path / "sessions.jsonl").open("a", encoding="utf-8") as out:
            # on a new line, even after a line that a kill has cut off
            out.write("\n" + json.dumps(session) + "\n")

    def sessions(self) -> list[dict[str, Any]]:
        """All sessions of the run."""
        file = self.path / "sessions.jsonl"
        found = []
        for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
            with contextlib.suppress(json.JSONDecodeError):
                found.append(json.loads(line))
        return found

    # checkpoints

    def checkpoints(self) -> list[tuple[int, Path]]:
        """(step, file), oldest first."""
        files = (self.path / "checkpoints").glob("step-*.pickle")
        return sorted((int(file.stem.removeprefix("step-")), file) for file in files)

    def save_checkpoint(self, step: int, state: Mapping[str, Any], keep: int) -> None:
        """Writes a checkpoint atomically, and deletes all but the latest `keep`."""
        data = pickle.dumps(dict(state), protocol=5)
        write_atomically(self.path / "checkpoints" / f"step-{step:012}.pickle", data)
        for _, file in self.checkpoints()[: -max(keep, 1)]:
            file.unlink()

    def load_checkpoint(self, step: int | None = None) -> dict[str, Any] | None:
        """The latest checkpoint, or that of a given step; None if there is none.

        Checkpoints are pickles: load only those that you or people you trust have made.
        """
        found = [file for at, file in self.checkpoints() if step in (None, at)]
        if not found:
            return None
        with found[-1].open("rb") as file:
            state: dict[str, Any] = pickle.load(file)
        return state

    def inherit(self, results: Path) -> None:
        """Takes over the longest checkpoint that any run of the same life has in a folder of
        results, with its sessions. So a life that two cases have in common is lived once, and a
        longer run continues a shorter one."""
        run = self.run
        found: list[tuple[int, Path]] = []
        for file in results.glob(f"*/*/*/{run.agent_folder}/seed-{run.seed}/run.json"):
            kin = RunFolder(file.parent)
            if kin.path != self.path and kin.run.is_same_life(run):
                most = min(run.steps, kin.run.steps)  # rows end where a run does
                found += [(step, path) for step, path in kin.checkpoints() if step <= most]
        for step, path in sorted(found, reverse=True):
            folder = path.parent.parent
            # a run that is under way deletes its old checkpoints
            with contextlib.suppress(FileNotFoundError):
                data = path.read_bytes()
                sessions = (folder / "sessions.jsonl").read_bytes()
                write_atomically(self.path / "sessions.jsonl", sessions)
                source = {"from": str(folder.relative_to(results)), "step": step}
                write_atomically(self.path / "inherited.json", json.dumps(source).encode())
                write_atomically(self.path / "checkpoints" / path.name, data)
                return

    def adopt(self, finished: RunFolder) -> None:
        """Takes over the results of a finished run of the same life and length, without its
        checkpoints."""
        metrics = finished.metrics()
        rows = [
            dict(zip(metrics, values, strict=True))
            for values in zip(*(column.tolist() for column in metrics.values()), strict=True)
        ]
        self.write_metrics(rows)
        sessions = "".join(json.dumps(session) + "\n" for session in finished.sessions())
        write_atomically(self.path / "sessions.jsonl", sessions.encode())
        run = finished.run
        source = {"from": f"{run.case}, {run.variant}", "step": run.steps}
        write_atomically(self.path / "inherited.json", json.dumps(source).encode())
        self.set_status(**finished.status())

    # metrics

    def write_metrics(self, rows: Sequence[Mapping[str, float]]) -> None:
        """Replaces the table of metrics with a longer one of the same run."""
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
        """The columns of the table of metrics."""
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
    """The folder of a study: all runs with the same settings."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.about: dict[str, Any] = json.loads((path / "study.json").read_bytes())

    @property
    def case(self) -> str:
        """The name of the case."""
        return str(self.about["case"])

    @property
    def overrides(self) -> dict[str, Any]:
        """The keys of the world that differ from the case's."""
        return dict(self.about.get("overrides", {}))

    @property
    def label(self) -> str:
        """The case, and what differs from it in the world, as Markdown."""
        return describe(f"`{self.case}`", self.overrides)

    @property
    def variants(self) -> dict[str, dict[str, Any]]:
        """The label, reward, observation, changes and fresh variant of each variant."""
        found: dict[str, dict[str, Any]] = self.about["variants"]
        return found

    def runs(self, variant: str, agent: str) -> list[RunFolder]:
        """The runs of an agent in a variant, by seed."""
        found = (self.path / variant / agent).glob("seed-*/run.json")
        return sorted((RunFolder(file.parent) for file in found), key=lambda f: f.run.seed)

    def agent_names(self, variant: str) -> Iterable[str]:
        """The names of the folders of agents in a variant, in any order."""
        return (folder.name for folder in (self.path / variant).glob("*") if folder.is_dir())

    def agents(self, variant: str) -> list[str]:
        """The names of the folders of agents in a variant, learners first."""
        last = ["oracle", "greedy", "forward", "random"]
        return sorted(
            sorted(self.agent_names(variant)),
            key=lambda name: last.index(name) if name in last else -1,
        )

    def all_runs(self) -> list[RunFolder]:
        """All runs of the study."""
        return [
            folder
            for variant in self.variants
            for agent in self.agents(variant)
            for folder in self.runs(variant, agent)
        ]


class Results:
    """A folder of results."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def folder(self, study: Study, run: Run) -> RunFolder:
        """The folder of a run."""
        where = self.path / study.case.name / study.folder / run.variant / run.agent_folder
        return RunFolder(where / f"seed-{run.seed}")

    def prepare(self, study: Study) -> StudyFolder:
        """Creates the folder of a study."""
        path = self.path / study.case.name / study.folder
        path.mkdir(parents=True, exist_ok=True)
        file = path / "study.json"
        if not file.exists():
            text = json.dumps(study.to_dict(), indent=2, ensure_ascii=False)
            write_atomically(file, text.encode())
        return StudyFolder(path)

    def studies(self, case: str | None = None) -> list[StudyFolder]:
        """All studies, or those of a case, latest last."""
        files = self.path.glob(f"{case or '*'}/*/study.json")
        by_age = sorted(files, key=lambda file: (file.stat().st_mtime, str(file)))
        return [read_study(file.parent) for file in by_age]

    def finished(self, run: Run) -> RunFolder | None:
        """A finished run of the same life and length, in any case; None if there is none."""
        for study in self.studies():
            for variant in study.variants:
                for folder in study.runs(variant, run.agent_folder):
                    kin = folder.run
                    if kin.seed != run.seed or kin.steps != run.steps:
                        continue
                    if kin.is_same_life(run) and folder.status().get("done"):
                        return folder
        return None


def describe(name: str, overrides: Mapping[str, Any]) -> str:
    """A name, and the keys of the world that are overridden, as Markdown."""
    return ", ".join([name, *(f"`{key}: {value}`" for key, value in overrides.items())])


def read_study(path: Path) -> StudyFolder:
    """The study in a folder, be it of results or of an archive."""
    from jbw.experiments.archive import ArchivedStudy

    return ArchivedStudy(path) if ArchivedStudy.is_at(path) else StudyFolder(path)


def write_atomically(path: Path, data: bytes, flush: bool = True) -> None:
    """Replaces a file atomically: a killed process leaves the old file or the new one."""
    new = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with new.open("wb") as file:
            file.write(data)
            if flush:
                file.flush()
                os.fsync(file.fileno())
        new.replace(path)
    except OSError:
        new.unlink(missing_ok=True)  # an incomplete file on a full disk
        raise


def versions() -> dict[str, str]:
    """The versions that a run depends on."""
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
