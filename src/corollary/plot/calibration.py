"""Reliability curves: the share of true cells among those predicted with 70 %."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..experiment.metrics import brier_score, expected_calibration_error
from ..experiment.metrics import reliability as points_of
from ..learning.session.session import Session
from ..logic.arrays import check_facts
from ..logic.engines import Floats
from ..logic.errors import CorollaryError
from ..logic.labelled import like_frame, same_rows
from .axes import axes_or_new, our_style, quiet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKERS = "osD^v"
Z = 1.96  # standard deviations on either side, for 95 %
#: Where the bars of the counts stand, under the curve: left, bottom, width and height as shares of the axes.
BELOW = (0.0, -0.27, 1.0, 0.2)


def reliability(
    beliefs: Session | Mapping[str, npt.ArrayLike] | npt.ArrayLike,
    truth: npt.ArrayLike,
    *,
    bins: int = 10,
    ax: Axes | None = None,
) -> Axes:
    """Draw the share of true cells against the predicted probability.

    Thin lines are 95 % intervals. Below are the numbers of cells, the Brier score and the ECE.

    Parameters
    ----------
    beliefs
        Probabilities, items x labels, or several by name, or a session: then its classifier's
        beliefs and its posterior on open cells.
    truth
        The true labels: 0 or 1, and -1 for cells to leave out.
    bins
        The number of bins of equal width.
    ax
        The axes to draw on; by default those of a new figure.

    Raises
    ------
    CorollaryError
        If the shapes differ, or no cell is left to draw.
    """
    if isinstance(beliefs, Session):
        own = same_rows("truth", truth, "the session", beliefs.item_ids)
        truth = check_facts(own, beliefs.onto.labels, what="truth")
        truth = (
            np.where(beliefs.facts < 0, truth, -1) if truth.shape == beliefs.facts.shape else truth
        )
    cells = {
        name: _cells(theta, _truth(like_frame("truth", truth, "beliefs", theta)), name)
        for name, theta in _named(beliefs).items()
    }
    ax = axes_or_new(ax, width=6, height=6.5)
    counts = ax.inset_axes(BELOW)
    ax.plot([0, 1], [0, 1], color="#888888", linewidth=1, linestyle=":", label="as predicted")
    for n, (name, (theta, true)) in enumerate(cells.items()):
        points = points_of(theta, true, bins=bins)
        figures = f"Brier {brier_score(theta, true):.3f}, ECE {expected_calibration_error(theta, true, bins=bins):.3f}"
        style = {**our_style(n), "marker": MARKERS[n % len(MARKERS)], "markersize": 5}
        label = f"{name} ({figures})" if name else figures
        ax.plot(points.belief, points.frequency, label=label, clip_on=False, **style)
        ax.vlines(
            points.belief,
            *_interval(points.frequency, points.cells),
            color=style["color"],
            alpha=0.35,
        )
        _bars(counts, theta, n, len(cells), bins)
    _dress(ax, counts, len(next(iter(cells.values()))[0]))
    return ax


def _interval(share: Floats, cells: npt.NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Where the true share lies with 95 %, had the cells been drawn one by one (Wilson): wide where they are few."""
    n = cells + Z**2
    middle = (share * cells + Z**2 / 2) / n
    half = Z / n * np.sqrt(share * (1 - share) * cells + Z**2 / 4)
    return middle - half, middle + half


def _bars(counts: Axes, theta: Floats, n: int, of: int, bins: int) -> None:
    """Draw the number of cells in each bin, beside the bars of the other curves."""
    cells, edges = np.histogram(theta, bins=bins, range=(0, 1))
    width = 0.8 / bins / of
    counts.bar(
        edges[:-1] + 0.1 / bins + n * width,
        cells,
        width=width,
        align="edge",
        color=our_style(n)["color"],
    )


def _dress(ax: Axes, counts: Axes, n_cells: int) -> None:
    room = 0.06 * len(ax.get_lines()) + 0.04  # for the legend: inside, it would hide points
    ax.set(
        xlim=(0, 1),
        ylim=(0, 1 + room),
        yticks=[0, 0.2, 0.4, 0.6, 0.8, 1],
        ylabel="share that is true",
    )
    ax.tick_params(labelbottom=False)
    counts.set_xlim(0, 1)
    counts.set_yscale("symlog", linthresh=1)
    counts.set_yticks([0, 10 ** int(np.log10(max(n_cells, 10)))])
    counts.minorticks_off()
    counts.set_xlabel(f"belief ({n_cells:,} cells)")
    counts.set_ylabel("cells")
    quiet(ax)
    quiet(counts)
    ax.legend(loc="upper left", handlelength=3, fontsize="small", frameon=False)


def _named(beliefs: Any) -> dict[str, npt.ArrayLike]:
    if isinstance(beliefs, Session):
        return {"classifier's beliefs": beliefs.beliefs, "posterior": beliefs.posterior}
    if isinstance(beliefs, Mapping):
        if not beliefs:
            raise CorollaryError("there are no beliefs to draw")
        return dict(beliefs)
    return {"": beliefs}


def _truth(truth: npt.ArrayLike) -> npt.NDArray[np.int8]:
    found = np.asarray(truth)
    if found.dtype == object or not np.isin(found, (-1, 0, 1)).all():
        raise CorollaryError("truth must be 0 or 1, or -1 where it is not known")
    return found.astype(np.int8)


def _cells(
    beliefs: npt.ArrayLike, truth: npt.NDArray[np.int8], name: str
) -> tuple[Floats, npt.NDArray[np.int8]]:
    """The cells whose truth is known, as one column."""
    theta = np.asarray(beliefs, np.float64)
    if theta.shape != truth.shape:
        of = f" of {name!r}" if name else ""
        raise CorollaryError(
            f"beliefs{of} and truth must have one shape, got {theta.shape} and {truth.shape}"
        )
    known = truth >= 0
    if not known.any():
        raise CorollaryError(
            "there is no cell to draw: all cells are known already, or truth is -1 everywhere"
        )
    return theta[known][:, None], truth[known][:, None]
