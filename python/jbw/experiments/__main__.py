# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The command `jbw experiments`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from jbw.experiments.agents import KNOWN, agent_class
from jbw.experiments.case import Case, Study, case_names, make_study, read_case, study_order
from jbw.experiments.engines import Engine, Progress, Task
from jbw.experiments.errors import ExperimentError
from jbw.experiments.results import Results, StudyFolder
from jbw.experiments.runner import Keeping


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit codes: 0 success, 1 some of the work failed, 2 bad usage or bad input."""
    options = _parser().parse_args(arguments)
    try:
        code: int = options.do(options)
    except ExperimentError as error:
        print(f"experiments: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        # a full disk or an unwritable folder: no complete file is lost
        print(f"experiments: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped; the same command resumes from the latest checkpoints", file=sys.stderr)
        return 130
    return code


_EXAMPLES = """\
examples:
  jbw experiments list
  jbw experiments run scent-world --steps 20000 --seeds 3 --agent greedy,random
  jbw experiments run all --seeds 3            the whole study, which takes days
  jbw experiments run scent-world --steps 20000 --seeds 3 --agent mine.py:Mine
  jbw experiments plot scent-world
  jbw experiments report
"""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="jbw experiments",
        description="Runs, plots and reports the paper's case studies, and your own.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verbs = parser.add_subparsers(metavar="VERB", required=True)

    lists = verbs.add_parser("list", help="list the cases")
    lists.set_defaults(do=_list)
    _add_run(verbs)

    plot = verbs.add_parser("plot", help="plot reward rates like the paper, as PNG, SVG and PDF")
    plot.add_argument("case", help='a name, or "all"')
    plot.add_argument("--window", type=_count, help="in steps (default: the study's)")
    plot.add_argument("--out", metavar="FOLDER", help="default: the study's folder")
    _add_results(plot)
    plot.set_defaults(do=_plot)

    archive = verbs.add_parser(
        "archive",
        help="add finished runs to a small folder that can be committed",
        description="Adds the finished runs of a case to an archive: settings, rows and hashes, "
        "without checkpoints. The other verbs read an archive with --results. A run that is there "
        "already must have the same results.",
    )
    archive.add_argument("case", help='a name, or "all"')
    archive.add_argument("--into", required=True, metavar="FOLDER", help="the archive")
    _add_results(archive)
    archive.set_defaults(do=_archive)

    freeze = verbs.add_parser(
        "freeze",
        help="compare continued learning with a frozen copy",
        description="Continues each finished run of an agent twice from its latest checkpoint, in "
        "two clones of its world: one copy keeps learning, the other does not.",
    )
    freeze.add_argument("case", help="a name")
    freeze.add_argument("--steps", type=_count, required=True, help="steps to continue")
    freeze.add_argument("--agent", default="ppo", help="the agent's folder (default: ppo)")
    _add_results(freeze)
    freeze.set_defaults(do=_freeze)

    board = verbs.add_parser(
        "leaderboard",
        help="print a table of all agents, best first",
        description="Prints a Markdown table of the finished runs of all agents: reward per step "
        "over the last fifth, with a 95 % interval over seeds.",
    )
    board.add_argument("cases", nargs="*", metavar="CASE", help="default: all")
    board.add_argument("--into", metavar="PAGE", help="put it into a page, between its two marks")
    _add_results(board)
    board.set_defaults(do=_leaderboard)

    claims = verbs.add_parser(
        "claims",
        help="print what results say about the paper's claims",
        description="Prints a Markdown table: for each claim of the paper agree, disagree or "
        "cannot tell, with figures. Runs of the same seeds are compared in pairs.",
    )
    _add_results(claims)
    claims.set_defaults(do=_claims)

    stuck = verbs.add_parser(
        "stuck",
        help="print who got stuck, how, and for how long",
        description="Prints a Markdown table of finished runs: the share of steps in rows with "
        "next to no new cells, by what the agent did instead.",
    )
    _add_results(stuck)
    stuck.set_defaults(do=_stuck)

    document = verbs.add_parser(
        "document",
        help="draw all figures and write all tables of a folder of documentation again",
        description="Draws the figure of each case, and writes the tables of case_studies.md and "
        "leaderboard.md, from results of the cases' own length.",
    )
    document.add_argument("--docs", default="docs", metavar="FOLDER", help="default: docs")
    _add_results(document)
    document.set_defaults(do=_document)

    report = verbs.add_parser("report", help="write one HTML page about all results")
    report.add_argument("cases", nargs="*", metavar="CASE", help="default: all")
    report.add_argument("--out", default="report.html", metavar="FILE", help="default: report.html")
    _add_results(report)
    report.set_defaults(do=_report)
    return parser


def _add_run(verbs: Any) -> None:
    run = verbs.add_parser(
        "run",
        help="run a case, or resume it",
        usage="%(prog)s CASE [--steps N] [--seeds N] [--agent NAMES] [OPTION ...]",
        description="Executes the runs of a case. Finished runs are skipped, interrupted ones "
        "resume from their latest checkpoint. Defaults are the case's.",
    )
    run.add_argument("case", metavar="CASE", help='a name, the path of a YAML file, or "all"')

    what = run.add_argument_group("what to run")
    what.add_argument("--steps", type=_count, metavar="N", help="steps of each run; 1e6 works, too")
    what.add_argument("--seeds", metavar="N", help="how many (20), or which (0,3,7)")
    what.add_argument(
        "--agent",
        metavar="NAMES",
        help=f"{', '.join(KNOWN)}, file.py:Class or module:Class; separate several by commas",
    )
    what.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="an option of the agents, such as learning_rate=0.0003",
    )
    what.add_argument("--variant", metavar="NAMES", help="run only these, separated by commas")
    what.add_argument("--window", type=_count, metavar="N", help="of the reward rate, in steps")
    what.add_argument(
        "--with",
        dest="parameters",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a parameter of the case, such as period=20000",
    )
    what.add_argument("--world", help="the name of a shipped world, or a path")
    what.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="set a key of the world, such as agent.vision_range=5",
    )
    what.add_argument("--reward", help="the reward of all variants")

    how = run.add_argument_group("how to run it; none of this affects results")
    how.add_argument(
        "--engine",
        choices=("local", "ray"),
        default="local",
        help="processes on this machine (default), or a Ray cluster",
    )
    how.add_argument("--address", help="address of a Ray cluster; auto finds one on this machine")
    how.add_argument(
        "--jobs", type=_count, metavar="N", help="runs at a time (default: one per processor)"
    )
    how.add_argument(
        "--checkpoint-every",
        type=_count,
        metavar="N",
        help="in steps (default: a tenth of the run, at most 100,000)",
    )
    how.add_argument(
        "--keep", type=_count, default=2, metavar="N", help="checkpoints to keep (default: 2)"
    )
    how.add_argument(
        "--other-versions", action="store_true", help="resume even if versions have changed"
    )
    how.add_argument(
        "--archive",
        metavar="FOLDER",
        help="take runs that are finished there, in any case, instead of repeating them",
    )
    how.add_argument("--quiet", action="store_true", help="report only failures")
    _add_results(how)
    run.set_defaults(do=_run)


def _add_results(parser: Any) -> None:
    parser.add_argument(
        "--results", default="results", metavar="FOLDER", help="folder (default: results)"
    )


def _count(text: str) -> int:
    """A whole number above zero; 1e6 and 1_000_000 work, too."""
    try:
        number = float(text.replace("_", ""))
        if number < 1 or number != int(number):
            raise ValueError
    except (ValueError, OverflowError) as error:
        message = f"{text!r} is not a whole number above zero"
        raise argparse.ArgumentTypeError(message) from error
    return int(number)


def _parameters(texts: Sequence[str], cases: Sequence[Case]) -> dict[str, int]:
    """The values of --with: whole numbers, each a parameter of some case."""
    found: dict[str, int] = {}
    known = {name for case in cases for name in case.parameters}
    for name, value in _pairs(texts).items():
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = f", did you mean {near[0]!r}?" if near else ""
            raise ExperimentError(f"--with {name}: no such parameter{hint}")
        try:
            found[name] = _count(str(value))
        except argparse.ArgumentTypeError as error:
            raise ExperimentError(f"--with {name}: {error}") from error
    return found


def _pairs(texts: Sequence[str]) -> dict[str, Any]:
    """Parses KEY=VALUE. A value that is not JSON is text."""
    found: dict[str, Any] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals:
            raise ExperimentError(f"{text!r} is not KEY=VALUE")
        try:
            found[key] = json.loads(value)
        except json.JSONDecodeError:
            found[key] = value
    return found


def _seeds(text: str | None) -> list[int] | None:
    if text is None:
        return None
    try:
        seeds = [int(part) for part in text.split(",") if part]
    except ValueError as error:
        raise ExperimentError(f"--seeds {text}: expected how many, or which") from error
    if "," not in text:
        seeds = list(range(seeds[0])) if seeds else []
    if not seeds:
        raise ExperimentError(f"--seeds {text}: expected at least one")
    if min(seeds) < 0:
        raise ExperimentError(f"--seeds {text}: seeds must not be negative")
    return list(dict.fromkeys(seeds))


def _names(text: str | None) -> list[str] | None:
    return None if text is None else [name for name in text.split(",") if name]


def _list(options: argparse.Namespace) -> int:
    for name in case_names():
        case = read_case(name)
        print(f"{name:14} {case.title}")
        print(f"{'':14} {case.about}")
        print(
            f"{'':14} {case.steps:,} steps, window {case.window:,}, {case.seeds} seeds, "
            f"agents {', '.join(case.agents)}"
        )
        variants = [variant.name for variant in case.variants]
        if variants != ["main"]:
            print(f"{'':14} variants {', '.join(variants)}")
        for parameter, value in case.parameters.items():
            print(f"{'':14} --with {parameter}={value}")
    return 0


def _run(options: argparse.Namespace) -> int:
    agents = _names(options.agent)
    if agents is not None:
        # workers may have another working directory
        agents = [
            str(Path(name.rpartition(":")[0]).resolve()) + ":" + name.rpartition(":")[2]
            if name.rpartition(":")[0].endswith(".py")
            else name
            for name in agents
        ]
    results = Results(Path(options.results).resolve())
    agent_options = _pairs(options.option)
    tasks: list[Task] = []
    cases = [read_case(name) for name in _case_names(options.case)]
    given = _parameters(options.parameters, cases)
    for case in cases:
        parameters = {name: value for name, value in given.items() if name in case.parameters}
        study = make_study(
            case,
            steps=options.steps,
            window=options.window,
            world=options.world,
            reward=options.reward,
            overrides=_pairs(options.set),
            parameters=parameters,
        )
        runs = study.runs(_seeds(options.seeds), agents, _names(options.variant), agent_options)
        if not options.quiet:
            _tell(study, len(runs), results.path / case.name / study.folder)
        results.prepare(study)
        tasks += [Task(run, results.folder(study, run).path) for run in runs]
    for agent in {task.run.agent for task in tasks}:
        agent_class(agent)  # report import errors at once

    archive = None if options.archive is None else Path(options.archive).resolve()
    if archive is not None and not archive.is_dir():
        raise ExperimentError(f"--archive: there is no folder {options.archive}")
    keeping = Keeping(
        options.checkpoint_every,
        options.keep,
        options.other_versions,
        results.path,
        archive,
        agent_options,
    )
    with Progress(tasks, options.quiet) as progress:
        failed = _engine(options)(tasks, keeping, progress)
    for task_name, message in failed.items():
        print(f"{task_name}: {message}", file=sys.stderr)
    if not options.quiet:
        print(f"{len(tasks) - len(failed)} of {len(tasks)} runs finished")
        if not failed:
            where = "" if options.results == "results" else f" --results {options.results}"
            print(f"to see them: jbw experiments report{where}")
    return 1 if failed else 0


def _case_names(name: str) -> list[str]:
    return study_order() if name == "all" else [name]


def _tell(study: Study, count: int, folder: Path) -> None:
    """Prints what is about to run."""
    name = study.case.name
    runs = "1 run" if count == 1 else f"{count} runs"
    print(f"{name}: {runs} of {study.steps:,} steps, window {study.window:,}, in {folder}")
    unchanged = [
        variant.name
        for variant in study.case.variants
        if (variant.change_every or variant.change_at)
        and not study.runs_by_variant[variant.name].changes
    ]
    if unchanged:
        print(f"{name}: the task does not change within {study.steps:,} steps; see --with")


def _engine(options: argparse.Namespace) -> Engine:
    if options.engine == "ray":
        from jbw.experiments.engines.cluster import RayEngine

        return RayEngine(options.address, options.jobs)
    from jbw.experiments.engines.local import LocalEngine

    return LocalEngine(options.jobs)


def _plot(options: argparse.Namespace) -> int:
    from jbw.experiments.plots import plot_study

    for study in _studies(options):
        for path in plot_study(study, Path(options.out or study.path), options.window):
            print(path)
    return 0


def _archive(options: argparse.Namespace) -> int:
    from jbw.experiments.archive import archive_study

    for study in _studies(options):
        new, count = archive_study(study, Path(options.into))
        print(f"{study.case}: {new} new, {count} in {options.into}")
    return 0


def _studies(options: argparse.Namespace) -> list[StudyFolder]:
    """The studies of the chosen case."""
    results = Results(options.results)
    studies = results.studies(None if options.case == "all" else options.case)
    if not studies:
        raise ExperimentError(f"{results.path} has no results of {options.case}")
    return studies


def _freeze(options: argparse.Namespace) -> int:
    from jbw.experiments.freeze import freeze_study

    for study in _studies(options):
        for line in freeze_study(study, options.agent, options.steps):
            print(line)
    return 0


def _claims(options: argparse.Namespace) -> int:
    from jbw.experiments.claims import claims_table

    print(claims_table(_some(options)), end="")
    return 0


def _stuck(options: argparse.Namespace) -> int:
    from jbw.experiments.stuck import stuck_table

    print(stuck_table(_some(options)), end="")
    return 0


def _document(options: argparse.Namespace) -> int:
    from jbw.experiments.pages import write_documents

    for path in write_documents(_some(options), Path(options.docs)):
        print(path)
    return 0


def _some(options: argparse.Namespace) -> Results:
    """Results that are there."""
    results = Results(options.results)
    if not results.studies():
        raise ExperimentError(f"{results.path} has no results")
    return results


def _leaderboard(options: argparse.Namespace) -> int:
    from jbw.experiments.leaderboard import leaderboard, write_leaderboard

    table = leaderboard(Results(options.results), options.cases)
    if options.into:
        write_leaderboard(table, Path(options.into))
    else:
        print(table, end="")
    return 0


def _report(options: argparse.Namespace) -> int:
    from jbw.experiments.report import write_report

    write_report(Results(options.results), options.cases, Path(options.out))
    print(options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
