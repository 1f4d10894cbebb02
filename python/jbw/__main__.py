# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The command `python -m jbw`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from jbw import bench, play


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit codes: 0 success, 1 the work failed, 2 bad usage or bad input."""
    parser = argparse.ArgumentParser(
        prog="python -m jbw", description="Jelly Bean World from the command line."
    )
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    play.add_arguments(verbs.add_parser("play", help="play in the terminal", **play.HELP))
    bench.add_arguments(verbs.add_parser("bench", help="measure the environments", **bench.HELP))
    options = parser.parse_args(arguments)
    return play.run(options) if options.verb == "play" else bench.run(options)


if __name__ == "__main__":
    sys.exit(main())
