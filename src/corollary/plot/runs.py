"""Learning curves: the quality of each method against the number of questions."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from ..experiment.runs import results
from ..experiment.simulation import Curve, Part
from ..logic.engines import Floats
from ..logic.errors import CorollaryError
from .axes import OUR_STYLES, PAPER_STYLES, axes_or_new, our_style, quiet, thousands

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The runs of one method: one, or one for each seed.
Runs = Curve | Sequence[Curve] | Mapping[int, Curve]
#: An AUC of 1 is drawn this far from 1, on the logarithmic axis of 1 - AUC.
LEAST = 1e-4


def curves(
    runs: Runs | Mapping[str, Runs] | str | PathLike[str],
    *,
    ax: Axes | None = None,
    part: Part = "test",
    missing: bool = False,
    targets: Sequence[float] = (),
    shaded: Collection[str] | None = None,
    legend: bool = True,
) -> Axes:
    """Draw the AUC against the questions asked.

    Each method's mean over its seeds, their range shaded.

    Parameters
    ----------
    runs
        Curves of `simulate`, or the file of `corollary simulate --out`, grouped by method. Or
        curves by a name of your own, one for each seed.
    missing
        Whether the axis is 1 - AUC, logarithmic, where good methods differ.
    targets
        Values of the AUC to mark by lines.
    shaded
        The methods whose range is shown; by default all of them.
    ax
        The axes to draw on; by default those of a new figure.
    """
    named = _by_name(runs)
    if part not in ("test", "full"):
        raise CorollaryError(f"part must be 'test' or 'full', got {part!r}")
    ax = axes_or_new(ax, width=8, height=5)
    for name, style in styles(named).items():
        grid, auc = on_one_grid(named[name], part=part)
        heights = np.maximum(1 - auc, LEAST) if missing else auc
        ax.plot(grid, heights.mean(axis=0), label=name, **style)
        if len(heights) > 1 and (shaded is None or name in shaded):
            ax.fill_between(
                grid,
                heights.min(axis=0),
                heights.max(axis=0),
                color=style["color"],
                alpha=0.15,
                linewidth=0,
            )
    for target in targets:
        _mark(ax, max(1 - target, LEAST) if missing else target, f"{target:g}")
    where = "the test part" if part == "test" else "all items"
    ax.set_ylabel("1 - AUC" if missing else f"average AUC on {where}")
    ax.set_xlabel("questions asked")
    ax.set_xlim(left=0)
    if missing:
        ax.set_yscale("log")
    quiet(ax)
    thousands(ax)
    if legend:
        ax.legend(frameon=False, handlelength=3.5)
    return ax


def styles(names: Collection[str]) -> dict[str, dict[str, Any]]:
    """How each method is drawn: the paper's thin, the others on top of them and thick, as long as their styles last."""
    theirs = {
        name: {"linewidth": 1.3, **PAPER_STYLES[name]} for name in names if name in PAPER_STYLES
    }
    others = [name for name in names if name not in PAPER_STYLES]
    widths = [2.4 if n < len(OUR_STYLES) else 1.3 for n in range(len(others))]
    return theirs | {
        name: {"linewidth": widths[n], **our_style(n)} for n, name in enumerate(others)
    }


def on_one_grid(curves: Sequence[Curve], *, part: Part = "test") -> tuple[Floats, Floats]:
    """The numbers of questions at which any run was measured, and each run's AUC there; (P,) and (runs, P)."""
    grid = np.unique(np.concatenate([curve.asked for curve in curves])).astype(np.float64)
    auc = [curve.auc_test if part == "test" else curve.auc_full for curve in curves]
    return grid, np.array(
        [np.interp(grid, curve.asked, one) for curve, one in zip(curves, auc, strict=True)]
    )


def _mark(ax: Axes, height: float, text: str) -> None:
    ax.axhline(height, color="#555555", linewidth=0.8)
    ax.text(
        1, height, text, ha="right", va="bottom", fontsize=9, transform=ax.get_yaxis_transform()
    )


def _by_name(runs: Runs | Mapping[str, Runs] | str | PathLike[str]) -> dict[str, list[Curve]]:
    """The curves of each method, one for each seed."""
    if isinstance(runs, str | PathLike):
        found = [curve for _, curve in results(runs)]
        if not found:
            raise CorollaryError(
                f"there are no runs in {runs}; `corollary simulate DATASET --out FILE` makes such a file"
            )
        return _by_method(found)
    if not isinstance(runs, Mapping) or all(isinstance(name, int) for name in runs):
        return _by_method(_listed(runs))
    named = {str(name): _listed(some) for name, some in runs.items()}
    empty = next((name for name, some in named.items() if not some), None)
    if empty is not None or not named:
        raise CorollaryError(
            f"there are no curves to draw{'' if empty is None else f' of {empty!r}'}"
        )
    return named


def _by_method(found: Sequence[Curve]) -> dict[str, list[Curve]]:
    """Curves by their method, and by their learner too where there are several."""
    if not found:
        raise CorollaryError("there are no curves to draw")
    datasets = dict.fromkeys(str(curve.settings.get("dataset")) for curve in found)
    if len(datasets) > 1:
        raise CorollaryError(
            f"these are curves of several data sets ({', '.join(datasets)}), whose mean says nothing: draw each on "
            "axes of its own"
        )
    several = len({curve.settings.get("learner") for curve in found}) > 1
    named: dict[str, list[Curve]] = {}
    for curve in found:
        method = str(curve.settings.get("method", "run"))
        own = several and method not in PAPER_STYLES
        named.setdefault(f"{method} ({curve.settings['learner']})" if own else method, []).append(
            curve
        )
    return named


def _listed(runs: object) -> list[Curve]:
    some: list[Any] = [runs]
    if isinstance(runs, Mapping):
        some = list(runs.values())
    elif isinstance(runs, Sequence):
        some = list(runs)
    for one in some:
        if not isinstance(one, Curve):
            raise CorollaryError(f"a learning curve is what simulate returns, got {one!r}")
    return some
