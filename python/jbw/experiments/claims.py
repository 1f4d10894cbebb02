# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The paper's claims, and what committed results say about each: agree, disagree or cannot tell.

Only finished runs in the case's own world count, and those that last long enough for what a claim
is about: a life of a million steps tells about the first million of ten. Conditions are compared in
pairs, seed by seed, in the same worlds: the difference of two rates per seed, its mean, and
Student's 95 % interval over seeds (`evaluate.paired_difference`). A claim that one rate is higher
is right if that interval lies above zero, wrong if it lies below, and otherwise open; fewer than
three seeds never tell.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from jbw import evaluate
from jbw.experiments.agents import LABELS
from jbw.experiments.case import read_case
from jbw.experiments.results import Results, StudyFolder, describe
from jbw.experiments.summary import END, read_groups

AGREE, DISAGREE, OPEN = "agree", "disagree", "cannot tell"

#: Fewer seeds never tell anything.
LEAST_SEEDS = 3

#: "Alike" means that the interval of the difference is within this part of the larger mean.
ALIKE = 0.2

#: "Unable" means less than this part of what the greedy agent earns in the same worlds.
UNABLE = 0.1

#: Figures by seed.
Rates = Mapping[int, float]


@dataclass(frozen=True)
class Finding:
    """What the results say about one claim."""

    case: str
    claim: str
    agent: str
    overrides: Mapping[str, Any]
    """The keys of the world that differ from the case's."""
    verdict: str
    figures: str


class Lives:
    """The finished runs of a case, in its own world or with some keys of it overridden."""

    def __init__(
        self, results: Results, case: str, overrides: Mapping[str, Any] | None = None
    ) -> None:
        self._steps = read_case(case).steps
        studies = studies_of(results, case, overrides)
        self._groups = [(study, group) for study in studies for group in read_groups(study)]

    @property
    def variants(self) -> list[str]:
        """Those in which anybody has lived."""
        return list(dict.fromkeys(group.variant for _, group in self._groups))

    def has(self, agent: str) -> bool:
        """Whether there is a life of this agent, of any length."""
        return any(group.agent == agent for _, group in self._groups)

    def rates(
        self, agent: str, variant: str = "main", begin: float = 1 - END, end: float = 1.0
    ) -> Rates:
        """The reward per step by seed, from one part of the case's steps to another, as fractions
        of them: from the longest life of each seed, if it lasts until then."""
        found: dict[int, float] = {}
        for study, group in reversed(self._groups):  # the longest ones last, so that they count
            every = study.about["every"]
            first, last = round(begin * self._steps / every), round(end * self._steps / every)
            is_meant = (group.agent, group.variant) == (agent, variant)
            if not is_meant or group.complete < len(group.seeds):
                continue
            if first < last <= group.rewards.shape[1]:
                means = group.rewards[:, first:last].sum(axis=1) / ((last - first) * every)
                found.update(zip(group.seeds, means.tolist(), strict=True))
        return found


def studies_of(
    results: Results, case: str, overrides: Mapping[str, Any] | None = None
) -> list[StudyFolder]:
    """The studies of a case in its own world, but for these keys of it, the longest first."""
    about = read_case(case)
    settings = (about.variants[0].world, about.parameters, dict(overrides or {}))
    found = [
        study
        for study in results.studies(case)
        if (study.about["world"], study.about["parameters"], study.overrides) == settings
        and study.about["steps"] <= about.steps
    ]
    return sorted(found, key=lambda study: -study.about["steps"])


def main_study(results: Results, case: str) -> StudyFolder | None:
    """The study of a case with all its own settings; None if there is none."""
    found = studies_of(results, case)
    return found[0] if found and found[0].about["steps"] == read_case(case).steps else None


# --- single comparisons ---------------------------------------------------------------------------


def pair(first: Rates, second: Rates) -> evaluate.Paired | None:
    """The difference in the worlds that both have; None if there are none."""
    common = sorted(set(first) & set(second))
    if not common:
        return None
    return evaluate.paired_difference([first[s] for s in common], [second[s] for s in common])


def higher(first: Rates, second: Rates) -> tuple[str, str]:
    """Whether the first is higher, and the figures."""
    found = pair(first, second)
    if found is None or found.seeds < LEAST_SEEDS:
        verdict = OPEN
    else:
        verdict = AGREE if found.low > 0 else DISAGREE if found.high < 0 else OPEN
    return verdict, figures(first, second, found)


def alike(first: Rates, second: Rates) -> tuple[str, str]:
    """Whether both are the same but for a margin: the interval is within it; wrong if outside."""
    found = pair(first, second)
    verdict = OPEN
    if found is not None and found.seeds >= LEAST_SEEDS:
        margin = ALIKE * max(abs(_mean(first)), abs(_mean(second)))
        if found.low > -margin and found.high < margin:
            verdict = AGREE
        elif found.low > margin or found.high < -margin:
            verdict = DISAGREE
    return verdict, figures(first, second, found)


def below(first: Rates, second: Rates) -> tuple[str, str]:
    """Whether the first is below a small part of the second."""
    limits = {seed: UNABLE * rate for seed, rate in second.items()}
    verdict, _ = higher(limits, first)
    return verdict, figures(first, second, pair(first, second))


def figures(first: Rates, second: Rates, found: evaluate.Paired | None) -> str:
    """Both means over their common seeds, the difference, its interval and its effect size."""
    if found is None:
        return "no runs" if not first and not second else "no runs to compare with"
    common = set(first) & set(second)
    one = _mean({seed: first[seed] for seed in common})
    two = _mean({seed: second[seed] for seed in common})
    text = f"{one:.4f} against {two:.4f}: {_signed(found.estimate)}"
    if found.seeds > 1:
        text += f" [{_signed(found.low)}, {_signed(found.high)}]"
    if math.isfinite(found.effect):
        text += f", g = {found.effect:.1f}"
    return f"{text}, {found.seeds} seed{'' if found.seeds == 1 else 's'}"


def together(parts: Sequence[tuple[str, str, str]]) -> tuple[str, str]:
    """Of several (name, verdict, figures): all must agree; one that disagrees is enough."""
    verdicts = [verdict for _, verdict, _ in parts]
    verdict = (
        DISAGREE
        if DISAGREE in verdicts
        else AGREE
        if all(one == AGREE for one in verdicts)
        else OPEN
    )
    texts = list(dict.fromkeys(text for _, _, text in parts))
    if len(texts) == 1:
        return verdict, texts[0]
    return verdict, "; ".join(f"{name} {text}" for name, _, text in parts)


def _mean(rates: Rates) -> float:
    return float(np.mean(list(rates.values()))) if rates else math.nan


def _signed(number: float) -> str:
    return f"{number:+.4f}".replace("-", "−")


# --- the claims -----------------------------------------------------------------------------------


def _against(
    name: str, verdict_of: Callable[[Rates, Rates], tuple[str, str]], one: Rates, two: Rates
) -> tuple[str, str, str]:
    return (name, *verdict_of(one, two))


def _learns_first(lives: Lives, agent: str) -> tuple[str, str]:
    early = lives.rates(agent, begin=0.09, end=0.1)
    return higher(early, lives.rates("random", begin=0.09, end=0.1))


def _fails_later(lives: Lives, agent: str) -> tuple[str, str]:
    return higher(lives.rates(agent, begin=0.09, end=0.1), lives.rates(agent))


def _stops_earning(lives: Lives, agent: str) -> tuple[str, str]:
    return below(lives.rates(agent), lives.rates("greedy"))


def _from_scratch(lives: Lives, agent: str) -> tuple[str, str]:
    """Each task comes every fifth of a run; the first time it is new."""
    parts = []
    for number, task in enumerate(("first task", "second task")):
        begins = [0.1 * (2 * visit + number) for visit in range(5)]
        visits = [lives.rates(agent, begin=at, end=at + 0.1) for at in begins]
        seeds = set(visits[0])
        later = {s: float(np.mean([visit[s] for visit in visits[1:]])) for s in seeds}
        # the claim is that experience does not help: the first visit is as good as later ones
        verdict, text = higher(later, visits[0])
        turned = {AGREE: DISAGREE, DISAGREE: AGREE}.get(verdict, OPEN)
        parts.append((task, turned, text))
    return together(parts)


def _collects_first_faster(lives: Lives, agent: str) -> tuple[str, str]:
    first = lives.rates(agent, "collect-first", 0.1, 0.5)
    return together(
        [
            _against("over the full task:", higher, first, lives.rates(agent, "direct", 0.1, 0.5)),
            _against("over avoiding:", higher, first, lives.rates(agent, "avoid-first", 0.1, 0.5)),
        ]
    )


def _curricula_end_alike(lives: Lives, agent: str) -> tuple[str, str]:
    direct = lives.rates(agent, "direct")
    return together(
        [
            _against("collecting first:", alike, lives.rates(agent, "collect-first"), direct),
            _against("avoiding first:", alike, lives.rates(agent, "avoid-first"), direct),
        ]
    )


def _sees_more_earns_more(lives: Lives, agent: str) -> tuple[str, str]:
    """The least-squares slope over the four views, by seed, is above zero."""
    views = [lives.rates(agent, f"fov-{angle}") for angle in (60, 90, 180, 360)]
    seeds = set.intersection(*(set(view) for view in views))
    slopes = {s: float(np.polyfit(range(4), [view[s] for view in views], 1)[0]) for s in seeds}
    verdict, _ = higher(slopes, dict.fromkeys(slopes, 0.0))
    if not seeds:
        return OPEN, "no runs"
    means = ", ".join(f"{_mean({s: view[s] for s in seeds}):.4f}" for view in views)
    found = pair(slopes, dict.fromkeys(slopes, 0.0))
    assert found is not None
    text = f"60° to 360°: {means}; slope {_signed(found.estimate)} a view"
    if found.seeds > 1:
        text += f" [{_signed(found.low)}, {_signed(found.high)}]"
    return verdict, f"{text}, {found.seeds} seed{'' if found.seeds == 1 else 's'}"


def _occlusion_is_harder(lives: Lives, agent: str) -> tuple[str, str]:
    return higher(lives.rates(agent, "clear"), lives.rates(agent, "occluded"))


def _best_sense(best: str, others: Sequence[str]) -> Callable[[Lives, str], tuple[str, str]]:
    def check(lives: Lives, agent: str) -> tuple[str, str]:
        return together(
            [
                _against(
                    f"over {other}:", higher, lives.rates(agent, best), lives.rates(agent, other)
                )
                for other in others
            ]
        )

    return check


def _more_is_possible(lives: Lives, agent: str) -> tuple[str, str]:
    for variant in lives.variants:
        oracle, other = lives.rates("oracle", variant), lives.rates(agent, variant)
        if oracle and other:
            return higher(oracle, other)
    return higher({}, {})


@dataclass(frozen=True)
class Claim:
    case: str
    text: str
    agents: tuple[str, ...]
    check: Callable[[Lives, str], tuple[str, str]]


#: The paper's learner, and two others: the paper says that its findings hold for any.
_LEARNERS = ("ppo", "ppo-fast", "dqn")

#: Worlds in which some cases were run again: the same but for these keys.
OTHER_WORLDS: tuple[dict[str, Any], ...] = ({"generation": "invariant"},)

CLAIMS = (
    Claim(
        "non-episodic",
        "learners learn for a million steps: they earn more than random agents",
        _LEARNERS,
        _learns_first,
    ),
    Claim("non-episodic", "later they do worse than at that time", ("ppo",), _fails_later),
    Claim(
        "non-episodic",
        "in the end they earn nothing: less than a tenth of greedy",
        ("ppo",),
        _stops_earning,
    ),
    Claim(
        "cyclical",
        "they learn each task from scratch: later visits earn no more than the first",
        _LEARNERS,
        _from_scratch,
    ),
    Claim(
        "cyclical",
        "in the end they fail at both tasks: less than a tenth of greedy",
        _LEARNERS,
        _stops_earning,
    ),
    Claim(
        "curricula",
        "who collects first learns fastest: from step 100,000 to 500,000 it earns most",
        ("ppo",),
        _collects_first_faster,
    ),
    Claim("curricula", "in the end all perform alike: within 20 %", ("ppo",), _curricula_end_alike),
    Claim(
        "field-of-view",
        "a smaller field of view makes the task harder",
        ("ppo", "greedy"),
        _sees_more_earns_more,
    ),
    Claim("occlusion", "occlusion makes the task harder", ("ppo",), _occlusion_is_harder),
    Claim(
        "occlusion", "the greedy agent cannot handle occlusion", ("greedy",), _occlusion_is_harder
    ),
    Claim(
        "modalities",
        "vision alone is better than scent alone, and than both",
        ("ppo",),
        _best_sense("vision", ("scent", "both")),
    ),
    Claim(
        "scent-world",
        "scent alone is better than vision alone, and than both",
        ("ppo",),
        _best_sense("scent", ("vision", "both")),
    ),
    *(
        Claim(
            case,
            "greedy is a lower bound on the optimum: the oracle earns more",
            ("greedy",),
            _more_is_possible,
        )
        for case in (
            *("non-episodic", "cyclical", "curricula"),
            *("field-of-view", "occlusion", "modalities", "scent-world"),
        )
    ),
)


def check_claims(results: Results) -> list[Finding]:
    """What the results say about each claim, for each agent that it is about; in other worlds, too,
    if the agent has lived there."""
    worlds: list[dict[str, Any]] = [{}, *OTHER_WORLDS]
    lives = [{c.case: Lives(results, c.case, world) for c in CLAIMS} for world in worlds]
    return [
        Finding(
            claim.case, claim.text, agent, world, *claim.check(lives[number][claim.case], agent)
        )
        for claim in CLAIMS
        for agent in claim.agents
        for number, world in enumerate(worlds)
        if not world or lives[number][claim.case].has(agent)
    ]


def claims_table(results: Results) -> str:
    """The findings as a Markdown table."""
    lines = ["| case | claim of the paper | agent | verdict | figures |", "| --- " * 5 + "|"]
    before = ("", "")
    for one in check_claims(results):
        case = "" if one.case == before[0] else f"`{one.case}`"
        claim = "" if (one.case, one.claim) == before else one.claim
        before = (one.case, one.claim)
        verdict = one.verdict if one.verdict == OPEN else f"**{one.verdict}**"
        agent = describe(LABELS.get(one.agent, one.agent), one.overrides)
        lines.append(f"| {case} | {claim} | {agent} | {verdict} | {one.figures} |")
    return "\n".join(lines) + "\n"
