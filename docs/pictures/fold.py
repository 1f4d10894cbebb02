# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Draws maps of how many items lie in each cell of a patch, over all patches of some worlds.

    build/release/test_seams --world paper-code --fold JellyBean > invariant.txt
    build/release/test_seams --world paper-code --fold JellyBean --frontier > frontier.txt
    python docs/pictures/fold.py folded.png frontier=frontier.txt invariant=invariant.txt
"""

import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np


def smooth(counts: np.ndarray, radius: int = 2) -> np.ndarray:
    """The mean over a square around each cell; a patch goes on where it ends."""
    total = np.zeros_like(counts, dtype=float)
    for dy in range(-radius, radius + 1):
        for dx in range(-radius, radius + 1):
            total += np.roll(counts, (dy, dx), axis=(0, 1))
    return total / (2 * radius + 1) ** 2


def main() -> None:
    """Reads the tables named on the command line and writes one picture."""
    output, *tables = sys.argv[1:]
    figure, axes = plt.subplots(1, len(tables), figsize=(3.6 * len(tables), 3.6), squeeze=False)
    for axis, table in zip(axes[0], tables, strict=True):
        title, path = table.split("=", 1)
        counts = np.loadtxt(path)
        half = counts.shape[0] // 2
        shown = np.roll(smooth(counts / counts.mean()), (half, half), axis=(0, 1))
        image = axis.imshow(shown, origin="lower", vmin=0.4, vmax=1.6, cmap="RdBu_r")
        axis.set_title(title)
        axis.set_xticks([0, half, counts.shape[0] - 1], [f"-{half}", "border", f"{half}"])
        axis.set_yticks([0, half, counts.shape[0] - 1], [f"-{half}", "border", f"{half}"])
    figure.colorbar(image, ax=axes, shrink=0.7, label="density over its mean")
    figure.savefig(output, dpi=110, bbox_inches="tight")


if __name__ == "__main__":
    main()
