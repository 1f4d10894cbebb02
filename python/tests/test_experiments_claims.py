# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Verdicts about the paper's claims, from made-up results whose answers are known; who got stuck;
and that docs/case_studies.md follows from docs/results."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("yaml", reason="PyYAML is not installed: pip install 'jbw[experiments]'")

from jbw import evaluate
from jbw.experiments import read_case
from jbw.experiments.__main__ import main
from jbw.experiments.case import make_study
from jbw.experiments.claims import (
    AGREE,
    CLAIMS,
    DISAGREE,
    OPEN,
    Finding,
    Lives,
    alike,
    below,
    check_claims,
    higher,
    together,
)
from jbw.experiments.errors import ExperimentError
from jbw.experiments.pages import fill
from jbw.experiments.plots import draw
from jbw.experiments.results import Results
from jbw.experiments.stuck import count_stuck, stuck_table
from jbw.experiments.summary import read_groups

DOCS = Path(__file__).parents[2] / "docs"

#: The reward per step of an agent in a variant, given the seed and the part of the run.
Rate = Callable[[str, str, int, float], float | None]


def by_seed(*rates: float) -> dict[int, float]:
    return dict(enumerate(rates))


# --- single comparisons ---------------------------------------------------------------------------


def test_worlds_that_differ_do_not_hide_a_difference_in_all_of_them() -> None:
    worlds = by_seed(0.1, 0.5, 0.9, 0.3)
    better = {seed: rate + 0.01 + 0.001 * seed for seed, rate in worlds.items()}
    assert higher(better, worlds)[0] == AGREE
    assert higher(worlds, better)[0] == DISAGREE
    # the same figures in other worlds tell nothing
    mixed = by_seed(*sorted(better.values(), reverse=True))
    assert higher(mixed, worlds)[0] == OPEN
    # only common seeds count
    assert higher({**better, 9: -5.0}, {**worlds, 8: 5.0}) == higher(better, worlds)


def test_few_seeds_never_tell() -> None:
    assert higher({}, {}) == (OPEN, "no runs")
    assert higher(by_seed(1.0), {}) == (OPEN, "no runs to compare with")
    assert higher(by_seed(0.2), by_seed(0.1)) == (OPEN, "0.2000 against 0.1000: +0.1000, 1 seed")
    assert higher(by_seed(0.2, 0.2), by_seed(0.1, 0.1))[0] == OPEN
    verdict, text = higher(by_seed(0.21, 0.2, 0.19), by_seed(0.1, 0.1, 0.1))
    assert verdict == AGREE and text.endswith("3 seeds") and "g = " in text


def test_alike_and_below() -> None:
    base = by_seed(1.0, 1.0, 1.0)
    assert alike(by_seed(1.01, 0.99, 1.0), base)[0] == AGREE
    assert alike(by_seed(2.01, 1.99, 2.0), base)[0] == DISAGREE
    assert alike(by_seed(0.5, 1.5, 1.0), base)[0] == OPEN  # not different is not alike
    assert alike(by_seed(1.01), by_seed(1.0))[0] == OPEN
    assert below(by_seed(0.01, 0.0, 0.02), base)[0] == AGREE
    assert below(by_seed(0.51, 0.5, 0.52), base)[0] == DISAGREE
    assert below(by_seed(0.0, 0.1, 0.2), base)[0] == OPEN


def test_all_parts_must_agree() -> None:
    parts = {name: (name, name, "figures") for name in (AGREE, DISAGREE, OPEN)}
    assert together([parts[AGREE], parts[AGREE]])[0] == AGREE
    assert together([parts[AGREE], parts[OPEN]])[0] == OPEN
    assert together([parts[DISAGREE], parts[OPEN]])[0] == DISAGREE
    assert together([("a", AGREE, "1"), ("b", OPEN, "2")])[1] == "a 1; b 2"


# --- whole claims ---------------------------------------------------------------------------------


def make_up(
    folder: Path,
    case: str,
    agents: list[str],
    seeds: int,
    rate: Rate,
    steps: int | None = None,
    overrides: dict[str, str] | None = None,
) -> None:
    """An archive of a case with made-up rewards, in rows as long as a tenth of its window."""
    study = make_study(read_case(case), steps=steps, overrides=overrides)
    path = folder / case / study.folder
    path.mkdir(parents=True)
    (path / "study.json").write_text(json.dumps(study.to_dict()))
    runs, rows = [], []
    for variant, run in study.runs_by_variant.items():
        (path / f"{variant}.yaml").write_text(run.world)
        for agent in agents:
            for seed in range(seeds):
                if rate(agent, variant, seed, 0.0) is None:
                    continue
                key = {"variant": variant, "agent": agent, "seed": seed}
                runs.append(
                    {
                        **key,
                        **{"name": agent, "options": "{}", "steps": study.steps},
                        **{"world_hashes": "0", "agent_facts": "{}", "versions": "{}"},
                        **{"begun": "then", "seconds": "1.0", "environment_seconds": "0.0"},
                    }
                )
                for step in range(study.every, study.steps + 1, study.every):
                    paid = rate(agent, variant, seed, (step - study.every / 2) / study.steps)
                    assert paid is not None
                    row = {**key, "step": step, "reward": paid * study.every}
                    row.update(moves=study.every, turns=0, new_cells=study.every)
                    row.update(since_new_cell=0, turning=0)
                    rows.append(row)
    for name, lines in (("runs.csv", runs), ("rows.csv", rows)):
        with (path / name).open("w", newline="") as file:
            writer = csv.DictWriter(file, list(lines[0]))
            writer.writeheader()
            writer.writerows(lines)


def world(seed: int) -> float:
    """How rich the world of a seed is: it differs more than agents do."""
    return [0.05, 0.09, 0.02, 0.07][seed]


def verdicts(folder: Path, case: str, agent: str = "ppo") -> list[str]:
    found: list[Finding] = check_claims(Results(folder))
    return [f.verdict for f in found if (f.case, f.agent, f.overrides) == (case, agent, {})]


@pytest.mark.parametrize(("sign", "verdict"), [(1, AGREE), (-1, DISAGREE), (0, OPEN)])
def test_the_best_sense(sign: int, verdict: str, tmp_path: Path) -> None:
    bonus = {"vision": 0.01 * sign, "scent": 0.0, "both": 0.0}

    def rate(agent: str, variant: str, seed: int, part: float) -> float:
        wobble = 0.0003 * ((seed * 7 + len(variant) * (1 - abs(sign))) % 3 - 1)
        return world(seed) + bonus[variant] + wobble

    make_up(tmp_path, "modalities", ["ppo"], 4, rate)
    assert verdicts(tmp_path, "modalities") == [verdict]
    assert verdicts(tmp_path, "scent-world") == [OPEN]  # there are no runs


def test_a_view_that_helps(tmp_path: Path) -> None:
    views = {"fov-60": 0.0, "fov-90": 0.01, "fov-180": 0.02, "fov-360": 0.018}

    def rate(agent: str, variant: str, seed: int, part: float) -> float:
        good = views[variant] if agent == "ppo" else -views[variant]
        return world(seed) + good * (1 + 0.1 * seed)

    make_up(tmp_path, "field-of-view", ["ppo", "greedy"], 4, rate)
    assert verdicts(tmp_path, "field-of-view") == [AGREE]
    assert verdicts(tmp_path, "field-of-view", "greedy")[0] == DISAGREE


def test_lives_that_fail(tmp_path: Path) -> None:
    def rate(agent: str, variant: str, seed: int, part: float) -> float:
        if agent == "greedy":
            return 0.08 + 0.001 * seed
        if agent == "random":
            return -0.004
        return 0.03 * (part < 0.3) + 0.0001 * seed

    make_up(tmp_path, "non-episodic", ["ppo", "greedy", "random"], 3, rate)
    assert verdicts(tmp_path, "non-episodic")[:3] == [AGREE, AGREE, AGREE]
    assert verdicts(tmp_path, "non-episodic", "dqn") == [OPEN]
    # a million steps are enough for the first claim, and compared with the same time of long lives
    make_up(tmp_path, "non-episodic", ["dqn", "ppo"], 3, rate, steps=1_000_000)
    assert verdicts(tmp_path, "non-episodic", "dqn") == [AGREE]
    found = check_claims(Results(tmp_path))
    text = next(f.figures for f in found if (f.case, f.agent) == ("non-episodic", "dqn"))
    assert text.startswith("0.0001 against -0.0040")  # of 0.9 to 1 of its own steps
    assert verdicts(tmp_path, "non-episodic")[:3] == [AGREE, AGREE, AGREE]


@pytest.mark.parametrize("remembers", [False, True])
def test_from_scratch_or_not(remembers: bool, tmp_path: Path) -> None:
    def rate(agent: str, variant: str, seed: int, part: float) -> float:
        if agent == "greedy":
            return world(seed)
        visit = int(part * 10) // 2
        gain = 0.005 if remembers else -0.005
        return world(seed) / 2 + gain * visit * (1 + 0.2 * seed)

    make_up(tmp_path, "cyclical", ["ppo", "greedy"], 4, rate)
    assert verdicts(tmp_path, "cyclical")[0] == (DISAGREE if remembers else AGREE)


def test_curricula(tmp_path: Path) -> None:
    early = {"direct": 0.0, "collect-first": 0.02, "avoid-first": -0.005}

    def rate(agent: str, variant: str, seed: int, part: float) -> float:
        return 0.1 + world(seed) / 10 + early[variant] * (part < 0.5) * (1 + 0.1 * seed)

    make_up(tmp_path, "curricula", ["ppo"], 3, rate)
    assert verdicts(tmp_path, "curricula") == [AGREE, AGREE]


def test_other_worlds_are_told_apart(tmp_path: Path) -> None:
    def clear_is_better(agent: str, variant: str, seed: int, part: float) -> float:
        return 0.1 * (variant == "clear") + seed / 99

    def occluded_is_better(agent: str, variant: str, seed: int, part: float) -> float:
        return -clear_is_better(agent, variant, seed, part)

    invariant = {"generation": "invariant"}
    make_up(tmp_path, "occlusion", ["ppo"], 3, clear_is_better)
    make_up(tmp_path, "occlusion", ["ppo"], 3, occluded_is_better, overrides=invariant)
    found = [
        f for f in check_claims(Results(tmp_path)) if (f.case, f.agent) == ("occlusion", "ppo")
    ]
    assert [(f.overrides, f.verdict) for f in found] == [({}, AGREE), (invariant, DISAGREE)]
    page = fill("<!-- occlusion begin -->\n<!-- occlusion end -->", Results(tmp_path))
    assert "(pictures/case-occlusion.png)" in page
    assert "Also run, `occlusion`, `generation: invariant`, 500,000 steps:" in page
    assert "(pictures/case-occlusion-invariant.png)" in page
    (tmp_path / "case_studies.md").write_text(page)
    board = "<!-- the leaderboard begins: `jbw experiments leaderboard` writes it -->\n"
    (tmp_path / "leaderboard.md").write_text(f"{board}<!-- the leaderboard ends -->\n")
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    assert main(["document", "--results", str(tmp_path), "--docs", str(tmp_path)]) == 0
    names = {path.name for path in tmp_path.glob("pictures/*.png")}
    assert names == {"case-occlusion.png", "case-occlusion-invariant.png"}
    titles = {
        draw(study, read_groups(study)).axes[0].get_title(loc="left")
        for study in Results(tmp_path).studies()
    }
    begin = "Case study 3: occlusion (world: paper-code"
    assert titles == {f"{begin})", f"{begin}, generation: invariant)"}
    rows = (tmp_path / "leaderboard.md").read_text()
    assert "| `occlusion` | no occlusion |" in rows
    assert "| `occlusion`, `generation: invariant` | no occlusion |" in rows


@pytest.mark.parametrize(("steps", "verdict"), [(500_000, AGREE), (400_000, OPEN)])
def test_shorter_studies_tell_nothing_about_the_end(
    steps: int, verdict: str, tmp_path: Path
) -> None:
    def rate(agent: str, variant: str, seed: int, part: float) -> float:
        return 0.1 * (variant == "clear") + seed / 99

    make_up(tmp_path, "occlusion", ["greedy"], 3, rate, steps=steps)
    assert verdicts(tmp_path, "occlusion", "greedy")[0] == verdict


def test_short_lives_tell_about_the_beginning_of_long_ones(tmp_path: Path) -> None:
    def rate(agent: str, variant: str, seed: int, part: float) -> float:
        return 0.1 * (agent == "ppo") + seed / 99

    make_up(tmp_path, "non-episodic", ["ppo", "random"], 1, rate)
    assert verdicts(tmp_path, "non-episodic") == [OPEN, OPEN, OPEN], "one seed"
    make_up(tmp_path, "non-episodic", ["ppo", "random"], 3, lambda *_: 0.0, steps=1_000_000)
    rates = Lives(Results(tmp_path), "non-episodic").rates("ppo", begin=0.09, end=0.1)
    assert rates == {0: pytest.approx(0.1), 1: 0.0, 2: 0.0}, "the longest life of each seed"
    assert Lives(Results(tmp_path), "non-episodic").rates("ppo") == {0: pytest.approx(0.1)}


# --- statistics as statistics ---------------------------------------------------------------------


@pytest.mark.parametrize("seeds", [3, 5, 10])
def test_verdicts_are_wrong_as_rarely_as_they_say(seeds: int) -> None:
    """No difference: Student's interval misses zero once in twenty times, the bootstrap far more
    often with three seeds. A large one is found."""
    generator = np.random.default_rng(seeds)
    tries = 400
    wrong = wrong_by_bootstrap = found = 0
    for _ in range(tries):
        worlds = generator.normal(0, 5, seeds)
        one, two = worlds + generator.normal(0, 1, (2, seeds))
        quick = evaluate.paired_difference(one, two)
        wrong += not quick.low <= 0 <= quick.high
        wrong_by_bootstrap += not quick.bootstrap.low <= 0 <= quick.bootstrap.high
        found += evaluate.paired_difference(one + 8, two).low > 0
    assert abs(wrong / tries - 0.05) < 0.03
    assert wrong_by_bootstrap > wrong and (seeds > 3 or wrong_by_bootstrap / tries > 0.2)
    assert found / tries > 0.9


def test_student_s_quantiles() -> None:
    table = {1: 12.7062, 2: 4.30265, 3: 3.18245, 4: 2.77645, 9: 2.26216, 30: 2.04227}
    for freedom, value in table.items():
        assert evaluate.student_quantile(0.975, freedom) == pytest.approx(value, rel=1e-5)
        assert evaluate.student_quantile(0.025, freedom) == pytest.approx(-value, rel=1e-5)
    assert evaluate.student_quantile(0.5, 3) == pytest.approx(0, abs=1e-9)
    with pytest.raises(ValueError, match="no quantile"):
        evaluate.student_quantile(1.0, 3)


def test_a_paired_difference_by_hand() -> None:
    found = evaluate.paired_difference([2.0, 4.0, 9.0], [1.0, 2.0, 6.0])
    assert (found.estimate, found.seeds) == (2.0, 3)
    assert found.high - 2 == pytest.approx(4.30265 / np.sqrt(3), rel=1e-5)
    # g = J d with d = 2 / 1 and J = Gamma(1) / Gamma(1/2)
    assert found.effect == pytest.approx(2 / np.sqrt(np.pi))
    alone = evaluate.paired_difference([2.0], [1.0])
    assert alone.estimate == 1 and np.isnan(alone.low) and np.isnan(alone.effect)
    with pytest.raises(ValueError, match="cannot be paired"):
        evaluate.paired_difference([1.0, 2.0], [1.0])


# --- stuck ----------------------------------------------------------------------------------------


def test_ways_of_being_stuck(tmp_path: Path) -> None:
    make_up(tmp_path, "non-episodic", ["ppo", "random"], 1, lambda a, v, s, p: 0.0)
    rows = next(tmp_path.glob("non-episodic/*/rows.csv"))
    with rows.open() as file:
        lines = list(csv.DictReader(file))
    ways = {10: (6000, 3000), 11: (2000, 7000), 12: (0, 100), 999: (0, 10000)}
    for number, (moves, turns) in ways.items():
        lines[number].update(moves=str(moves), turns=str(turns), new_cells="99")
    lines[20].update(moves="0", turns="10000", new_cells="100")  # just enough new cells
    with rows.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(lines[0]))
        writer.writeheader()
        writer.writerows(lines)
    study = Results(tmp_path).studies()[0]
    group = next(group for group in read_groups(study) if group.agent == "ppo")
    found = count_stuck(group, study.about["every"])
    assert (found.runs, found.at_end, found.longest) == (1, 1, 30_000)
    assert found.shares == {"roaming": 0.001, "rotating": 0.002, "pushing": 0.001}
    make_up(tmp_path, "non-episodic", ["ppo"], 2, lambda a, v, s, p: 0.0, steps=1_000_000)
    assert stuck_table(Results(tmp_path)).splitlines()[2:] == [
        "| `non-episodic` |  | PPO | 2 | 1,000,000 | 0 | 0.0 % | 0.0 % | 0.0 % | 0 |",
        "|  |  | PPO | 1 | 10,000,000 | 1 | 0.1 % | 0.2 % | 0.1 % | 30,000 |",
    ]


# --- pages ----------------------------------------------------------------------------------------


def test_blocks_of_pages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_up(tmp_path, "occlusion", ["greedy"], 3, lambda a, v, s, p: 0.1 * (v == "clear") + s / 99)
    results = Results(tmp_path)
    page = "# A\n\n<!-- occlusion begin -->\nold\n<!-- occlusion end -->\n\nB\n"
    filled = fill(page, results)
    assert filled.startswith("# A\n\n<!-- occlusion begin -->\n\n![") and filled.endswith("\n\nB\n")
    assert "old" not in filled and "0 of 40 runs of PPO" in filled
    assert fill(filled, results) == filled
    nothing = fill(page.replace("occlusion", "cyclical"), results)
    assert "No run of 1,000,000 steps has been finished yet" in nothing
    with pytest.raises(ExperimentError, match="no block 'x'"):
        fill("<!-- x begin -->\n<!-- x end -->", results)
    for verb in ("claims", "stuck"):
        assert main([verb, "--results", str(tmp_path)]) == 0
        assert capsys.readouterr().out.startswith("| case |")
        assert main([verb, "--results", str(tmp_path / "nowhere")]) == 2
    assert len({(claim.case, claim.text) for claim in CLAIMS}) == len(CLAIMS)


@pytest.mark.skipif(not (DOCS / "results").is_dir(), reason="only the repository has results")
def test_the_page_follows_from_the_committed_results(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    text = (DOCS / "case_studies.md").read_text(encoding="utf-8")
    again = "jbw experiments document --results docs/results"
    assert fill(text, Results(DOCS / "results")) == text, again
    for name in ("case_studies.md", "leaderboard.md"):
        (tmp_path / name).write_text((DOCS / name).read_text(encoding="utf-8"), encoding="utf-8")
    assert main(["document", "--results", str(DOCS / "results"), "--docs", str(tmp_path)]) == 0
    for picture in tmp_path.glob("pictures/*.png"):
        assert (DOCS / "pictures" / picture.name).is_file(), again
        assert picture.stat().st_size > 5000
