"""Figures of a comparison: the curves of each data set, and the ratios to the paper's best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..logic.engines import Floats
from .comparison import Curves, Overall, Standing
from .report import Report, decimals, title
from .simulation import Curve

#: Okabe and Ito's colours, which all kinds of eyesight tell apart, and dashes for those who see none.
#: A method without propagation has the colour of its twin with it, dotted.
PAPER_STYLES: dict[str, dict[str, Any]] = {
    "RANDOM": {"color": "#888888", "linestyle": ":"},
    "RANDOM-CP": {"color": "#888888", "linestyle": "-"},
    "ENTROPY": {"color": "#E69F00", "linestyle": ":"},
    "ENTROPY-CP": {"color": "#E69F00", "linestyle": "-"},
    "PROBABILITY-CP": {"color": "#0072B2", "linestyle": "--"},
    "LOG-CP": {"color": "#009E73", "linestyle": "-."},
    "LINEAR-CP": {"color": "#56B4E9", "linestyle": (0, (5, 1, 1, 1, 1, 1))},
}
#: Of the others, in their order; then from the first again.
OUR_STYLES: tuple[dict[str, Any], ...] = (
    {"color": "#D55E00", "linestyle": "-"},
    {"color": "#CC79A7", "linestyle": "--"},
    {"color": "#000000", "linestyle": (0, (1, 1))},
)
#: An AUC of 1 is drawn this far from it, on an axis of what is missing to 1.
LEAST = 1e-4


def draw_all(curves: Curves, report: Report, folder: Path) -> list[str]:
    """All figures as PNG and SVG in the folder; the names of the PNG files."""
    import matplotlib as mpl

    # Agg: no display is needed; the salt: the same curves give the same file
    with mpl.rc_context({"backend": "Agg", "svg.hashsalt": "corollary"}):
        names = [draw_ratios(report, target, folder) for target in report.targets]
        return names + [draw_curves(dataset, by_name, report, folder) for dataset, by_name in curves.items()]


def draw_curves(dataset: str, by_name: Mapping[str, Mapping[int, Curve]], report: Report, folder: Path) -> str:
    """The test AUC against the questions, and what is missing to 1: the mean over the seeds; of the best, the range."""
    standings = [one for one in report.standings if one.dataset == title(dataset)]
    ranged = {*report.ours, *(one.best for one in standings)}
    figure = new_figure(14, 5)
    left, right = figure.subplots(1, 2)
    for name, style in styles(report).items():
        grid, values = on_one_grid(list(by_name[name].values()))
        for axes, heights in ((left, values), (right, np.maximum(1 - values, LEAST))):
            axes.plot(grid, heights.mean(axis=0), label=name, **style)
            if name in ranged:  # the ranges of all would hide one another
                low, high = heights.min(axis=0), heights.max(axis=0)
                axes.fill_between(grid, low, high, color=style["color"], alpha=0.15, linewidth=0)
    last = furthest(by_name, standings, report.ours)
    left.set_ylabel("average AUC on the test part")
    right.set_ylabel("1 - AUC")
    right.set_yscale("log")
    for target in report.targets:
        right.axhline(max(1 - target, LEAST), color="#555555", linewidth=0.8)
        right.text(last, max(1 - target, LEAST), f"{target:g}", ha="right", va="bottom", fontsize=9)
    for axes in (left, right):
        axes.set_xlim(0, last)  # RANDOM goes on for long: the tables tell how long
        axes.set_xlabel("questions asked")
        quiet(axes)
    figure.suptitle(title(dataset), fontweight="bold")
    handles, names = left.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=5, frameon=False, handlelength=3.5)
    return save(figure, folder, title(dataset))


def draw_ratios(report: Report, target: float, folder: Path) -> str:
    """Bars: the questions of each contender over those of the paper's best; whiskers are the seeds."""
    standings = report.to_target(target)
    summed = {one.name: one for one in report.overall if one.target == target}
    names = [*(one.dataset for one in standings), "geometric mean"]
    height = 0.8 / len(report.ours)
    figure = new_figure(9, 1.5 + 0.35 * len(names) * max(1, len(report.ours)))
    axes = figure.subplots()
    for n, name in enumerate(report.ours):
        color = our_style(n)["color"]
        rows: list[Standing | Overall] = [*standings, summed[name]]
        for row, one in enumerate(rows):
            at = row + (n - (len(report.ours) - 1) / 2) * height
            bar(axes, at, height * 0.9, one, name, color)
        axes.barh(0, 0, color=color, label=name)
    axes.axvline(1, color="#555555", linewidth=1)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlim(0, 1.15 * max(1.0, axes.get_xlim()[1]))
    axes.set_xlabel(f"questions to AUC {target:g} on the test part, over those of the paper's best")
    figure.legend(loc="outside lower center", ncols=4, frameon=False)
    quiet(axes)
    return save(figure, folder, f"ratios-{target:g}")


def bar(axes: Any, at: float, height: float, one: Standing | Overall, name: str, color: str) -> None:
    """One ratio with its range over the seeds, or a word on why there is none."""
    found = one.of(name) if isinstance(one, Standing) else one
    if found.ratio is None:
        no_question = isinstance(one, Standing) and one.needed == 0
        axes.text(0.01, at, "no question needed" if no_question else "–", va="center", fontsize=8)
        return
    axes.barh(at, found.ratio, height=height, color=color, alpha=1.0 if isinstance(one, Standing) else 0.5)
    end = found.ratio
    if isinstance(one, Standing):
        seeds = [ratio for ratio in one.of(name).ratios if ratio is not None]
        axes.plot([min(seeds), max(seeds)], [at, at], color="black", linewidth=1.2)
        end = max(end, *seeds)
    axes.text(end, at, f" {decimals(found.ratio)}", va="center", fontsize=8)


# -- the same for all ------------------------------------------------------------------------------------------------


def styles(report: Report) -> dict[str, dict[str, Any]]:
    """How each contender is drawn: the paper's thin, the others on top of them and thick."""
    ours = {name: {"linewidth": 2.4, **our_style(n)} for n, name in enumerate(report.ours)}
    theirs = {name: {"linewidth": 1.3, **PAPER_STYLES[name]} for name in report.names if name in PAPER_STYLES}
    return theirs | ours


def our_style(n: int) -> dict[str, Any]:
    """How the n-th contender beside the paper's is drawn."""
    return OUR_STYLES[n % len(OUR_STYLES)]


def on_one_grid(curves: Sequence[Curve]) -> tuple[Floats, Floats]:
    """The numbers of questions at which any run was measured, and each run's test AUC there; (P,) and (runs, P)."""
    grid = np.unique(np.concatenate([curve.asked for curve in curves])).astype(np.float64)
    return grid, np.array([np.interp(grid, curve.asked, curve.auc_test) for curve in curves])


def furthest(by_name: Mapping[str, Mapping[int, Curve]], standings: Sequence[Standing], ours: Sequence[str]) -> float:
    """Where the axis of questions ends: where the paper's best has reached every target and all others are done."""
    ends = [float(curve.asked[-1]) for name in ours for curve in by_name[name].values()]
    ends += [float(max(filter(None, one.of(one.best).questions), default=0)) for one in standings if one.best]
    return 1.1 * max(*ends, 1.0)


def new_figure(width: float, height: float) -> Any:
    """An empty figure that no window knows of."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def quiet(axes: Any) -> None:
    """A quiet frame, and thousands as 1k."""
    from matplotlib.ticker import FuncFormatter

    axes.grid(color="#dddddd", linewidth=0.7)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x / 1000:g}k" if x >= 1000 else f"{x:g}"))


def save(figure: Any, folder: Path, name: str) -> str:
    """The figure as PNG and SVG; the name of the PNG."""
    figure.savefig(folder / f"{name}.png", dpi=110)
    figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
    return f"{name}.png"
