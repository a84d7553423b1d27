"""Draw docs/assets/ties.png, questions with ties and without: `python -m benchmarks.ties_figure`.

The figures are in docs/assets/ties.json, with the command that printed them.
"""

from __future__ import annotations

import json
from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("agg")
from matplotlib import pyplot as plt

FOLDER = Path(__file__).parents[1] / "docs" / "assets"


def main() -> None:
    """Two bars for each share of the sentences."""
    found = json.loads((FOLDER / "ties.json").read_text(encoding="utf-8"))["questions"]
    tied, untied = np.array(list(found.values())).T
    places = np.arange(len(found))
    figure, axes = plt.subplots(figsize=(6, 3), layout="constrained")
    axes.bar(places - 0.2, untied, 0.4, color="#b9b9b9", label="types and relations apart")
    axes.bar(places + 0.2, tied, 0.4, color="#2f6f9f", label="tied")
    axes.set_xticks(places, [f"{float(share):.1%}" for share in found])
    axes.set_xlabel("sentences predicted wholly right")
    axes.set_ylabel("yes/no questions")
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(FOLDER / "ties.png", dpi=110)


if __name__ == "__main__":
    main()
