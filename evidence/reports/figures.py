"""Figures of a comparison as files: the curves of each data set, the ratios to the paper's best, reliability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corollary.experiment.simulation import Curve
from corollary.plot.axes import empty_figure, need_matplotlib, our_style, quiet, thousands
from corollary.plot.calibration import reliability
from corollary.plot.runs import curves as draw_on

from .comparison import DEFAULT, Curves, Overall, Standing
from .reliability import Trust
from .report import Report, decimals, make_report, title

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_all(
    curves: Curves, report: Report, folder: Path, *, trusts: Mapping[str, Trust] | None = None
) -> list[str]:
    """All figures as PNG and SVG in the folder; the names of the PNG files. `trusts` are by data set."""
    need_matplotlib()
    names = [draw_ratios(report, target, folder) for target in report.targets]
    names += [
        draw_curves(dataset, by_name, report, folder, report.ours)
        for dataset, by_name in curves.items()
    ]
    return names + [
        draw_reliability(dataset, one, folder) for dataset, one in (trusts or {}).items()
    ]


def draw_choice(
    curves: Curves, targets: Sequence[float], folder: Path, ours: str = DEFAULT
) -> list[str]:
    """Of methods that differ in their choice alone the curves of each data set, in the same way."""
    need_matplotlib()
    report = make_report(curves, targets=targets, about={})
    return [
        draw_curves(dataset, by_name, report, folder, [ours]) for dataset, by_name in curves.items()
    ]


def draw_curves(
    dataset: str,
    by_name: Mapping[str, Mapping[int, Curve]],
    report: Report,
    folder: Path,
    ours: Sequence[str],
) -> str:
    """The test AUC against the questions, and what is missing to 1: the mean over the seeds; of the best, the range.

    The range is that of `ours` and of the paper's best; where these are done the figure ends.
    """
    standings = [one for one in report.standings if one.dataset == title(dataset)]
    shaded = {
        *ours,
        *(one.best for one in standings if one.best is not None),
    }  # all would hide one another
    figure = empty_figure(14, 5)
    left, right = figure.subplots(1, 2)
    draw_on(by_name, ax=left, shaded=shaded, legend=False)
    draw_on(by_name, ax=right, shaded=shaded, missing=True, targets=report.targets, legend=False)
    last = furthest(by_name, standings, ours)
    for axes in (left, right):
        axes.set_xlim(0, last)  # RANDOM goes on for long: the tables tell how long
    figure.suptitle(title(dataset), fontweight="bold")
    handles, names = left.get_legend_handles_labels()
    figure.legend(
        handles, names, loc="outside lower center", ncols=5, frameon=False, handlelength=3.5
    )
    return save(figure, folder, title(dataset))


def draw_ratios(report: Report, target: float, folder: Path) -> str:
    """Bars: the questions of each contender over those of the paper's best; whiskers are the seeds."""
    standings = report.to_target(target)
    summed = {one.name: one for one in report.overall if one.target == target}
    names = [*(one.dataset for one in standings), "geometric mean"]
    height = 0.8 / len(report.ours)
    figure = empty_figure(9, 1.5 + 0.35 * len(names) * max(1, len(report.ours)))
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
    thousands(axes)
    return save(figure, folder, f"ratios-{target:g}")


def bar(
    axes: Axes, at: float, height: float, one: Standing | Overall, name: str, color: str
) -> None:
    """One ratio with its range over the seeds, or a word on why there is none."""
    found = one.of(name) if isinstance(one, Standing) else one
    if found.ratio is None:
        no_question = isinstance(one, Standing) and one.needed == 0
        axes.text(0.01, at, "no question needed" if no_question else "–", va="center", fontsize=8)
        return
    axes.barh(
        at, found.ratio, height=height, color=color, alpha=1.0 if isinstance(one, Standing) else 0.5
    )
    end = found.ratio
    if isinstance(one, Standing):
        seeds = [ratio for ratio in one.of(name).ratios if ratio is not None]
        axes.plot([min(seeds), max(seeds)], [at, at], color="black", linewidth=1.2)
        end = max(end, *seeds)
    axes.text(end, at, f" {decimals(found.ratio)}", va="center", fontsize=8)


def draw_reliability(dataset: str, trust: Trust, folder: Path) -> str:
    """What came true of what was believed, before and after."""
    figure = empty_figure(6.5, 7)
    reliability(trust.beliefs, trust.truth, ax=figure.subplots())
    figure.suptitle(f"{title(dataset)}, {trust.learnt_from:,} items known", fontweight="bold")
    return save(figure, folder, f"reliability-{title(dataset)}")


def furthest(
    by_name: Mapping[str, Mapping[int, Curve]], standings: Sequence[Standing], ours: Sequence[str]
) -> float:
    """Where the axis of questions ends: where the paper's best has reached every target and ours are done."""
    ends = [float(curve.asked[-1]) for name in ours for curve in by_name[name].values()]
    ends += [
        float(max(filter(None, one.of(one.best).questions), default=0))
        for one in standings
        if one.best
    ]
    return 1.1 * max(*ends, 1.0)


def save(figure: Any, folder: Path, name: str) -> str:
    """The figure as PNG and SVG; the name of the PNG."""
    import matplotlib as mpl

    figure.savefig(folder / f"{name}.png", dpi=110)
    with mpl.rc_context({"svg.hashsalt": "corollary"}):  # the same curves give the same file
        figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
    return f"{name}.png"
