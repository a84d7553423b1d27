"""A graph of labels on matplotlib axes: boxes with signs, lines to their parents, brackets beside groups, a legend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..logic.errors import CorollaryError
from .layout import GROUPS, Group, Place, places

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Sizes in inches at FONT points: a row, a letter, the space between two columns, and between two lines of groups.
ROW = 0.30
LETTER = 0.076
GAP = 0.45
LINE = 0.11
# of a line of text below, and of an entry of the legend
NOTE = 0.18
ENTRY = 1.65
FONT = 9.0
SMALLEST = 5.0
LARGEST = 14.0
LONGEST = 28  # letters of a name
#: How a group is drawn beside its labels.
DASHES: dict[str, Any] = {
    "at most one": "-",
    "exactly one": "-",
    "at least one": ":",
    "all or none": "--",
}
WIDTHS = {"at most one": 1.2, "exactly one": 3.0, "at least one": 1.6, "all or none": 1.2}
LINES = "#555555"
THIN = "#999999"


class Look(NamedTuple):
    """How a label is drawn: not by colour alone, but by a sign and by the line around it."""

    sign: str
    fill: str
    edge: str
    dashes: Any


#: A label that was answered, that follows from answers, that is open; white text on the dark ones has contrast enough.
LOOKS = {
    "yes": Look("✓", "#00765a", "#00432f", "-"),
    "no": Look("✗", "#b34a00", "#662a00", "-"),
    "yes, implied": Look("✓", "#c5ebdf", "#009E73", "--"),
    "no, implied": Look("✗", "#fbdcc6", "#D55E00", "--"),
    "open": Look("?", "#ffffff", "#888888", "-"),
}
NO_STATE = Look("", "#f2f2f2", "#888888", "-")


class Drawing:
    """The graph in inches, at a size of text that can be read."""

    def __init__(
        self,
        parents: Mapping[str, Sequence[str]],
        groups: Sequence[Group],
        notes: Sequence[str],
        states: Mapping[str, tuple[str, str]],
    ):
        self.parents = parents
        self.groups = groups
        self.notes = notes
        self.looks = {label: LOOKS.get(state, NO_STATE) for label, (state, _) in states.items()}
        self.signs = {label: sign for label, (_, sign) in states.items()}
        self.places = places(parents)
        self.slots = _slots(groups, self.places)
        self.texts = {
            label: label if len(label) <= LONGEST else label[: LONGEST - 1] + "…"
            for label in parents
        }
        longest = max(map(len, self.signs.values()))
        self.sign_width = longest + 1.2 if longest else 0.0
        n_columns = 1 + max(place.column for place in self.places.values())
        self.widths = [self._width(column) for column in range(n_columns)]
        self.lefts = [0.0]
        for column, width in enumerate(self.widths):
            n_lines = 1 + max(
                (slot for (at, _), slot in self.slots.items() if at == column), default=-1
            )
            self.lefts.append(self.lefts[-1] + width + LINE * (n_lines + 1) + GAP)
        signs = {
            self.looks[label]: "%" if "%" in sign else sign for label, sign in self.signs.items()
        }
        self.legend = _legend(signs, groups, self.places, lines=any(parents.values()))
        self.width = max(self.lefts[-1] - GAP, 3 * ENTRY, LETTER * max(map(len, notes), default=0))
        self.legend_columns = int(self.width / ENTRY)
        legend_rows = -(-len(self.legend) // self.legend_columns)
        self.bottom = -ROW * (1 + max(place.row for place in self.places.values()))
        self.height = -self.bottom + NOTE * (len(notes) + 1.2 * legend_rows + 1)

    def _width(self, column: int) -> float:
        longest = max(
            len(self.texts[label]) for label, place in self.places.items() if place.column == column
        )
        return LETTER * (longest + self.sign_width + 1.6)

    def draw(self, ax: Axes) -> None:
        """Lines, brackets, the labels on top of them; below, constraints in words and the legend."""
        size = self._font(ax)
        for label, own in self.parents.items():
            for parent in own:
                self._line(ax, parent, label)
        for (column, n), slot in self.slots.items():
            self._bracket(ax, column, n, slot, size)
        for label in self.parents:
            self._label(ax, label, size)
        for n, note in enumerate(self.notes):
            y = self.bottom - NOTE * (n + 0.5)
            ax.text(
                0, y, note, fontsize=size * 0.85, va="center", color="#333333", parse_math=False
            )
        if self.legend:
            ax.legend(
                handles=self.legend,
                loc="upper left",
                bbox_to_anchor=(-0.05, self.bottom - NOTE * len(self.notes)),
                bbox_transform=ax.transData,
                ncols=self.legend_columns,
                frameon=False,
                borderaxespad=0.2,
                prop={"family": ["DejaVu Sans"], "size": size * 0.85},
            )
        ax.set(xlim=(-0.05, self.width), ylim=(-self.height, 0.05))
        ax.set_aspect("equal", anchor="NW")
        ax.set_axis_off()

    def _font(self, ax: Axes) -> float:
        """Return the size of text that fits the axes, or raise an error with the size they need."""
        ax.figure.canvas.figure.draw_without_rendering()  # so that the axes have their final size
        area = ax.get_window_extent().transformed(ax.figure.dpi_scale_trans.inverted())
        size = min(LARGEST, FONT * min(area.width / self.width, area.height / self.height))
        if size < SMALLEST:
            least = SMALLEST / FONT
            raise CorollaryError(
                f"{len(self.parents)} labels cannot be read on axes of {area.width:.1f} x {area.height:.1f} inches; "
                f"they need {self.width * least:.1f} x {self.height * least:.1f}: make the figure larger, leave ax "
                "out, or pass labels= to draw a part"
            )
        return size

    def _y(self, label: str) -> float:
        return -ROW * (self.places[label].row + 0.5)

    def _label(self, ax: Axes, label: str, size: float) -> None:
        from matplotlib.patches import FancyBboxPatch

        look = self.looks[label]
        column = self.places[label].column
        left = self.lefts[column]
        y = self._y(label)
        half = ROW * 0.36
        box = FancyBboxPatch(
            (left, y - half),
            self.widths[column],
            2 * half,
            boxstyle="round,pad=0,rounding_size=0.06",
            facecolor=look.fill,
            edgecolor=look.edge,
            linestyle=look.dashes,
            linewidth=1.2,
            zorder=3,
        )
        ax.add_patch(box)
        ink = "#ffffff" if look in (LOOKS["yes"], LOOKS["no"]) else "#111111"
        start = left + 0.5 * LETTER
        if self.signs[label]:  # a font that has the signs, whatever the text is set in
            ax.text(
                start,
                y,
                self.signs[label],
                fontsize=size,
                va="center",
                color=ink,
                zorder=4,
                family="DejaVu Sans",
                fontweight="bold",
                gid=f"sign of {label}",
            )
            start += LETTER * self.sign_width
        ax.text(
            start,
            y,
            self.texts[label],
            fontsize=size,
            va="center",
            color=ink,
            zorder=4,
            gid=label,
            parse_math=False,
        )

    def _line(self, ax: Axes, parent: str, child: str) -> None:
        """A curve from a parent's right side to a child's left side."""
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        x0 = self.lefts[self.places[parent].column] + self.widths[self.places[parent].column]
        x1 = self.lefts[self.places[child].column]
        y0 = self._y(parent)
        y1 = self._y(child)
        bend = x1 - 0.75 * GAP  # after the brackets of the parent's column
        points = [(x0, y0), (max(x0, bend - 0.1), y0), (x1 - 0.6 * GAP, y1), (x1, y1)]
        path = Path(points, [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
        line = PathPatch(
            path,
            facecolor="none",
            edgecolor=THIN,
            linewidth=0.9,
            zorder=1,
            gid=f"{child} implies {parent}",
        )
        ax.add_patch(line)

    def _bracket(self, ax: Axes, column: int, n: int, slot: int, size: float) -> None:
        """A line beside the labels of a group that stand in one column; a letter where others stand elsewhere."""
        group = self.groups[n]
        ys = [self._y(label) for label in group.labels if self.places[label].column == column]
        edge = self.lefts[column] + self.widths[column]
        x = edge + LINE * (slot + 1)
        style: dict[str, Any] = {
            "color": LINES,
            "linestyle": DASHES[group.kind],
            "linewidth": WIDTHS[group.kind],
        }
        ax.plot(
            [x, x], [min(ys), max(ys)], zorder=2, gid=f"group {n}", solid_capstyle="butt", **style
        )
        for y in ys:
            ax.plot([edge, x], [y, y], zorder=2, color=LINES, linewidth=0.8)
        if any(self.places[label].column != column for label in group.labels):
            ax.text(
                x + 0.02,
                max(ys) + 0.01,
                _letter(n),
                fontsize=size * 0.8,
                va="bottom",
                color=LINES,
                zorder=5,
            )


def _slots(groups: Sequence[Group], at: Mapping[str, Place]) -> dict[tuple[int, int], int]:
    """Return the distance of each group's bracket in each column, so that none covers another."""
    taken: dict[int, list[float]] = {}
    slots = {}
    spans = []
    for n, group in enumerate(groups):
        for column in {at[label].column for label in group.labels}:
            rows = [at[label].row for label in group.labels if at[label].column == column]
            spans.append((column, min(rows), max(rows), n))
    for column, first, last, n in sorted(spans):
        ends = taken.setdefault(column, [])
        slot = next((slot for slot, end in enumerate(ends) if end < first - 0.4), len(ends))
        ends[slot:] = [last, *ends[slot + 1 :]]
        slots[column, n] = slot
    return slots


def _letter(n: int) -> str:
    """A, B, ..., Z, A1, ..."""
    return chr(ord("A") + n % 26) + (str(n // 26) if n >= 26 else "")


def _legend(
    signs: Mapping[Look, str], groups: Sequence[Group], at: Mapping[str, Place], *, lines: bool
) -> list[Any]:
    """What a legend says of all that occurs; `signs` are those of the looks."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = [
        Patch(
            facecolor=look.fill,
            edgecolor=look.edge,
            linestyle=look.dashes,
            label=f"{signs[look]} {state}",
        )
        for state, look in LOOKS.items()
        if look in signs
    ]
    if lines:
        handles.append(Line2D([], [], color=THIN, linewidth=0.9, label="implies, right to left"))
    handles += [
        Line2D([], [], color=LINES, linestyle=DASHES[kind], linewidth=WIDTHS[kind], label=kind)
        for kind in GROUPS.values()
        if any(group.kind == kind for group in groups)
    ]
    apart = [
        n for n, group in enumerate(groups) if len({at[label].column for label in group.labels}) > 1
    ]
    if apart:
        mark = f"${_letter(apart[0])}$"
        handles.append(
            Line2D([], [], color=LINES, linestyle="", marker=mark, label="same letter: one group")
        )
    return handles
