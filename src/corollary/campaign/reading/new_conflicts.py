"""The conflicts that an event caused, found from the log alone, however old the event is."""

from __future__ import annotations

from collections.abc import Sequence

from ...logic.errors import Contradiction
from ...logic.ontology import Ontology
from ..events import ACCEPT, ANSWER, DECISION, FACT, GOLD, UNDO, Event
from ..labels.statements import Statements
from ..state.standing import Conflict, standing

#: Kinds of events that can cause a conflict.
MAY_CONFLICT = (ANSWER, FACT, DECISION, GOLD, UNDO, ACCEPT)


def new_conflicts(
    event: Event, of_item: Sequence[Event], onto: Ontology, statements: Statements
) -> list[Conflict]:
    """Return the conflicts after an event that were not there before it.

    `of_item` are the events of its item, in order.
    """
    upto = [one for one in of_item if one.seq <= event.seq]
    if event.kind not in MAY_CONFLICT or len(upto) < 2:
        return []
    try:
        before = {_about(conflict) for conflict in standing(upto[:-1], onto, statements).conflicts}
        return [
            one for one in standing(upto, onto, statements).conflicts if _about(one) not in before
        ]
    except Contradiction:  # the decisions contradict this ontology: there is nothing to settle
        return []


def _about(conflict: Conflict) -> tuple[str, frozenset[str]]:
    return conflict.kind, frozenset(conflict.labels)
