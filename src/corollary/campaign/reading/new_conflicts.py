"""Which conflicts an event of the log brought about, told from the log alone, however long ago that was."""

from __future__ import annotations

from collections.abc import Sequence

from ...logic.errors import Contradiction
from ...logic.ontology import Ontology
from ..events import ACCEPT, ANSWER, DECISION, FACT, GOLD, UNDO, Event
from ..labels.statements import Statements
from ..state.standing import Conflict, standing

#: Events after which an item may have a conflict that it had not before.
MAY_CONFLICT = (ANSWER, FACT, DECISION, GOLD, UNDO, ACCEPT)


def new_conflicts(
    event: Event, of_item: Sequence[Event], onto: Ontology, statements: Statements
) -> list[Conflict]:
    """The conflicts that stood after an event and did not before; `of_item` are events of its item, in order."""
    upto = [one for one in of_item if one.seq <= event.seq]
    if event.kind not in MAY_CONFLICT or len(upto) < 2:
        return []
    try:
        before = {_about(conflict) for conflict in standing(upto[:-1], onto, statements).conflicts}
        return [
            one for one in standing(upto, onto, statements).conflicts if _about(one) not in before
        ]
    except (
        Contradiction
    ):  # decisions that this ontology does not allow: there is nothing to settle in it
        return []


def _about(conflict: Conflict) -> tuple[str, frozenset[str]]:
    return conflict.kind, frozenset(conflict.labels)
