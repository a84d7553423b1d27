"""The graph of an ontology's labels, with the known and probable labels of one item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..logic.errors import CorollaryError, nearest
from ..logic.language.constraints import Subsumes
from ..logic.language.notation import render_constraint
from ..logic.ontology import Ontology
from .axes import axes_or_new, need_matplotlib
from .graph import LOOKS, Drawing
from .layout import GROUPS, above, groups_of, parents_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: More labels than this cannot be read in one figure.
MOST = 80
NOTES = 6  # constraints that are written under the graph


def ontology(
    onto: Ontology,
    facts: Mapping[str, bool] | npt.ArrayLike | None = None,
    *,
    beliefs: Mapping[str, float] | npt.ArrayLike | None = None,
    labels: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the labels as a graph: broader ones to the left, exclusive groups as brackets.

    Constraints that are neither lines nor brackets are written below.

    Parameters
    ----------
    onto
        The labels, and the constraints between them.
    facts
        The known labels of one item, by name or as a row with -1 for unknown. Each label is then
        drawn as yes, no, implied or open.
    beliefs
        The probabilities of one item. Open labels then show their posterior.
    labels
        The labels to draw, with all labels above them. By default all are drawn.
    ax
        The axes to draw on; by default those of a new figure.

    Raises
    ------
    CorollaryError
        If a label is unknown, or the axes are too small.
    """
    need_matplotlib()
    shown = _shown(onto, labels)
    states = _states(onto, facts, beliefs)
    parents = parents_of(shown, onto.constraints)
    groups = groups_of(shown, onto.constraints)
    notes = _notes(onto, parents)
    drawing = Drawing(parents, groups, notes, {label: states[label] for label in shown})
    ax = axes_or_new(ax, width=drawing.width, height=drawing.height)
    drawing.draw(ax)
    return ax


def _shown(onto: Ontology, labels: Sequence[str] | None) -> list[str]:
    if labels is None:
        shown = list(onto.labels)
    else:
        for label in labels:
            if label not in onto:
                raise CorollaryError(f"unknown label {label!r}{nearest(str(label), onto.labels)}")
        parents = parents_of(onto.labels, onto.constraints)
        wanted = set(labels).union(*(above(label, parents) for label in labels))
        shown = [label for label in onto.labels if label in wanted]
    if not shown:
        raise CorollaryError("there are no labels to draw")
    if len(shown) > MOST:
        raise CorollaryError(
            f"{len(shown):,} labels cannot be read in one figure, at most {MOST} can: pass labels= with those to draw; "
            "all that they are under comes along"
        )
    return shown


def _states(onto: Ontology, facts: Any, beliefs: Any) -> dict[str, tuple[str, str]]:
    """Of each label its state, as LOOKS has it, and the sign that says so; nothing where nothing was asked for."""
    if facts is None and beliefs is None:
        return dict.fromkeys(onto.labels, ("", ""))
    answered = _answered(onto, facts)
    known = onto.propagate(answered)
    signs = {} if beliefs is None else _percents(onto, beliefs, known)
    states = {}
    for label in onto.labels:
        state = "open"
        if label in known:
            state = ("yes" if known[label] else "no") + ("" if label in answered else ", implied")
        states[label] = (state, signs.get(label, LOOKS[state].sign))
    return states


def _answered(onto: Ontology, facts: Any) -> dict[str, bool]:
    if facts is None or isinstance(facts, Mapping):
        return dict(facts or {})
    row = onto.check_facts(_one_row(onto, facts, "facts")[None])[0]
    return {label: bool(value) for label, value in zip(onto.labels, row, strict=True) if value >= 0}


def _percents(onto: Ontology, beliefs: Any, known: Mapping[str, bool]) -> dict[str, str]:
    """Return the posterior of open labels as `62 %`, never as 0 or 100 %."""
    if isinstance(beliefs, Mapping):
        if missing := [label for label in onto.labels if label not in beliefs]:
            raise CorollaryError(
                f"beliefs must be those of all labels; there is none of {missing[0]!r}"
            )
        beliefs = [beliefs[label] for label in onto.labels]
    facts = np.array([[known.get(label, -1) for label in onto.labels]], np.int8)
    posterior = onto.posterior(_one_row(onto, beliefs, "beliefs")[None], facts)[0].tolist()
    words = {
        label: "<1 %" if p < 0.005 else ">99 %" if p > 0.995 else f"{100 * p:.0f} %"
        for label, p in zip(onto.labels, posterior, strict=True)
    }
    return {label: word for label, word in words.items() if label not in known}


def _one_row(onto: Ontology, values: npt.ArrayLike, what: str) -> npt.NDArray[Any]:
    row = np.asarray(values)
    if row.shape != (len(onto),):
        raise CorollaryError(
            f"{what} are those of one item: {len(onto)} numbers, or by label; got shape {row.shape}"
        )
    return row


def _notes(onto: Ontology, parents: Mapping[str, Sequence[str]]) -> list[str]:
    """The constraints that lines and brackets cannot show, as they are written."""
    inside = {label: above(label, parents) for label in parents}
    notes = []
    for one in onto.constraints:
        if not parents.keys() >= set(one.labels):
            continue  # labels= left it out; the last line says so
        if isinstance(one, Subsumes):
            circle = [child for child in one.children if one.parent not in inside[child]]
            notes += [f"{child} implies {one.parent}, in a circle" for child in circle]
        elif not isinstance(one, tuple(GROUPS)) or len(one.labels) < 2:
            notes.append(_short(render_constraint(one)))
    if len(notes) > NOTES:
        notes[NOTES:] = [f"and {len(notes) - NOTES} more constraints that are not drawn"]
    if len(parents) < len(onto):
        notes.append(f"{len(parents)} of {len(onto)} labels")
    return notes


def _short(text: str) -> str:
    return text if len(text) <= 90 else text[:89] + "…"
