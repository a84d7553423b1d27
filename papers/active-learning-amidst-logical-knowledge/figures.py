"""Draw one figure for each data set, with the paper's three panels: `python figures.py [--quick]`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from curves import HERE, METHODS, Results, auc_at

mpl.use("Agg")
mpl.rcParams["svg.hashsalt"] = "corollary"  # the same results give the same file

import matplotlib.pyplot as plt  # noqa: E402 (after the choice of the backend)
from matplotlib.ticker import FuncFormatter  # noqa: E402

#: Okabe and Ito's colours, which all kinds of eyesight tell apart, and dashes for those who see none.
#: A method without propagation has the colour of its twin with it, dotted.
STYLES: dict[str, dict[str, Any]] = {
    "RANDOM": {"color": "#888888", "linestyle": ":"},
    "RANDOM-CP": {"color": "#888888", "linestyle": "-"},
    "ENTROPY": {"color": "#E69F00", "linestyle": ":"},
    "ENTROPY-CP": {"color": "#E69F00", "linestyle": "-"},
    "PROBABILITY-CP": {
        "color": "#0072B2",
        "linestyle": "--",
        "linewidth": 2.2,
    },  # `expected` often lies on top of it
    "LOG-CP": {"color": "#009E73", "linestyle": "-."},
    "LINEAR-CP": {"color": "#56B4E9", "linestyle": (0, (5, 1, 1, 1, 1, 1))},
    "expected": {"color": "#CC79A7", "linestyle": (0, (2, 3))},
    "posterior": {"color": "#D55E00", "linestyle": "-", "linewidth": 2.4},
    "gain": {"color": "#000000", "linestyle": (0, (1, 1))},
}
NOTES = {
    "nell-7": "rebuilt from NELL-995",
    "nell-11": "rebuilt from NELL-995",
    "nell-13": "rebuilt from NELL-995; the constraints are a conjecture",
}
COUNT = FuncFormatter(lambda x, _: f"{x / 1000:g}k" if x >= 1000 else f"{x:g}")


def main() -> None:
    """All figures of a run, as PNG and SVG."""
    parser = argparse.ArgumentParser(description="Draw the figures.")
    parser.add_argument("--quick", action="store_true", help="of the quick run")
    folder = HERE / ("quick" if parser.parse_args().quick else "results")
    results = Results(folder)
    for dataset in results.datasets:
        draw(results, dataset, folder)
    print(f"{len(results.datasets)} figures in {folder}")


def draw(results: Results, dataset: str, folder: Path) -> None:
    """The three panels of one data set."""
    figure, (left, middle, right) = plt.subplots(
        1, 3, figsize=(15, 4.8), width_ratios=(1.15, 1, 1), layout="constrained"
    )
    bars(left, results, dataset)
    lines(middle, right, results, dataset)
    note = f" ({NOTES[dataset]})" if dataset in NOTES else ""
    figure.suptitle(f"{dataset}{note}", fontsize=14, fontweight="bold")
    handles, names = middle.get_legend_handles_labels()
    figure.legend(
        handles, names, loc="outside lower center", ncols=len(names), frameon=False, handlelength=3
    )
    figure.savefig(folder / f"{dataset}.png", dpi=110)
    figure.savefig(folder / f"{dataset}.svg", metadata={"Date": None})
    plt.close(figure)


def bars(axes: Any, results: Results, dataset: str) -> None:
    """Questions to the target on the test part and on all data, mean and range over the seeds."""
    axes.set_title("questions until AUC ≥ 0.999")
    for row, method in enumerate(METHODS):
        for part, offset, alpha in (("test", -0.2, 1.0), ("full", 0.2, 0.45)):
            found = results.questions(dataset, method, part=part)
            if found is None:
                axes.text(0, row + offset, " not reached", va="center", fontsize=8)
                continue
            axes.barh(
                row + offset, found.mean, height=0.38, color=STYLES[method]["color"], alpha=alpha
            )
            if found.n > 1:
                axes.plot([found.low, found.high], [row + offset] * 2, color="black", linewidth=1.2)
            axes.text(
                max(found.mean, found.high),
                row + offset,
                f" {found.mean:,.0f}",
                va="center",
                fontsize=8,
            )
    axes.set_yticks(range(len(METHODS)), METHODS)
    axes.invert_yaxis()
    axes.set_xlim(0, axes.get_xlim()[1] * 1.1)
    axes.set_xlabel("solid: test part; pale: all data; black line: range over seeds")
    finish(axes, grid="x")
    axes.xaxis.set_major_formatter(COUNT)


def lines(auc: Any, fixed: Any, results: Results, dataset: str) -> None:
    """AUC on the test part and known cells against the questions asked: mean and range over the seeds."""
    lowest = 1.0
    for method in METHODS:
        curves = list(results.curves(dataset, method).values())
        if not curves:
            continue
        style = {"linewidth": 1.6, **STYLES[method]}
        grid = np.unique(np.concatenate([curve.asked for curve in curves])).astype(float)
        values = np.array([auc_at(curve, grid) for curve in curves])
        auc.plot(grid, values.mean(axis=0), label=method, **style)
        auc.fill_between(
            grid,
            values.min(axis=0),
            values.max(axis=0),
            color=style["color"],
            alpha=0.13,
            linewidth=0,
        )
        lowest = min(lowest, float(np.quantile(values.mean(axis=0), 0.02)))
        common = grid[
            grid <= min(curve.asked[-1] for curve in curves)
        ]  # all seeds are still asking
        known = np.array([np.interp(common, curve.asked, curve.fixed) for curve in curves])
        fixed.plot(common, known.mean(axis=0), **style)
        fixed.fill_between(
            common,
            known.min(axis=0),
            known.max(axis=0),
            color=style["color"],
            alpha=0.13,
            linewidth=0,
        )
        fixed.plot(
            common[-1], known.mean(axis=0)[-1], marker="o", markersize=4, color=style["color"]
        )
    ends = [
        results.curves(dataset, method) for method in METHODS if not method.startswith("RANDOM")
    ]
    last = 1.1 * max(int(curve.asked[-1]) for curves in ends for curve in curves.values())
    auc.set_title("average AUC on the test part")
    auc.set_ylim(max(0.0, lowest - 0.02), 1.005)
    fixed.set_title("known cells of the test part")
    fixed.yaxis.set_major_formatter(COUNT)
    for axes in (auc, fixed):
        axes.set_xlim(-0.02 * last, last)  # RANDOM goes on for long: the bars show how long
        axes.set_xlabel("questions asked")
        axes.xaxis.set_major_formatter(COUNT)
        finish(axes, grid="both")


def finish(axes: Any, *, grid: str) -> None:
    """A quiet frame."""
    axes.grid(axis=grid, color="#dddddd", linewidth=0.7)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


if __name__ == "__main__":
    main()
