"""Axes to draw on, colours that all kinds of eyesight tell apart, and a quiet frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..logic.errors import CorollaryError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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
    {"color": "#0072B2", "linestyle": "-."},
    {"color": "#009E73", "linestyle": (0, (6, 2))},
)


def our_style(n: int) -> dict[str, Any]:
    """How the n-th line that is not one of the paper's is drawn."""
    return OUR_STYLES[n % len(OUR_STYLES)]


def axes_or_new(ax: Axes | None, *, width: float, height: float) -> Axes:
    """The axes given, or those of a new figure of this size, in inches, which a notebook shows."""
    need_matplotlib()
    if ax is not None:
        return ax
    from matplotlib import pyplot as plt

    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def need_matplotlib() -> None:
    """An error that says what to install, where matplotlib is missing."""
    try:
        import matplotlib  # noqa: F401
    except ModuleNotFoundError as error:
        raise CorollaryError(
            "figures need the package matplotlib: pip install 'corollary[plots]'"
        ) from error


def empty_figure(width: float, height: float) -> Figure:
    """An empty figure that no window knows of: for files."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def quiet(ax: Axes) -> None:
    """A quiet frame."""
    ax.grid(color="#dddddd", linewidth=0.7)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)


def thousands(ax: Axes) -> None:
    """Thousands along x as 1k."""
    from matplotlib.ticker import FuncFormatter

    ax.xaxis.set_major_formatter(
        FuncFormatter(lambda x, _: f"{x / 1000:g}k" if x >= 1000 else f"{x:g}")
    )
