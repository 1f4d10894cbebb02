# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The paper's case studies, and your own: run, resume, plot and report with one command each.

    jbw experiments list | run NAME | plot NAME | freeze NAME | report

    case (YAML) --overrides--> study --variants, agents, seeds--> runs --engine--> folders --> plots

A run is one agent in one world for a number of steps. Derive your own agents from
`jbw.experiments.agents.Agent`.
"""

from jbw.experiments.agents import Agent
from jbw.experiments.case import Case, Run, Study, case_names, read_case
from jbw.experiments.life import Life
from jbw.experiments.results import Results
from jbw.experiments.runner import live

__all__ = [
    "Agent",
    "Case",
    "Life",
    "Results",
    "Run",
    "Study",
    "case_names",
    "live",
    "read_case",
]
