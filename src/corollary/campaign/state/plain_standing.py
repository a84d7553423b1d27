"""What stands of an item of which people only said yes or no, and agree: nearly all of a long log, told at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..events import ANSWER, Event
from .standing import IMPORT, Opinion, Said, Standing


def plain_standing(
    events: Sequence[Event], index: Mapping[str, int], moved: frozenset[int] = frozenset()
) -> Standing | None:
    """The same as `standing`, unless logic is against it; None where there is more to an item than answers that agree.

    Everybody said yes or no of labels that there are (`index`), each of a label once, and nothing was taken back.
    Labels of the versions `moved` may have other names now.
    """
    opinions: dict[str, dict[str, Opinion]] = {}
    effect: dict[str, Opinion] = {}
    made = tuple.__new__  # an opinion without the words for it: a million of them are made
    for event in events:
        who = event.who
        label = event.label
        value = event.value
        if (
            event.kind != ANSWER
            or (value is not True and value is not False)
            or label not in index
            or who == IMPORT
            or (moved and event.ontology in moved)
        ):
            return None
        assert label is not None
        opinion = made(Opinion, (who, label, value, event.seq, False, None))
        first = effect.get(label)
        if first is None:
            effect[label] = opinion
            opinions[label] = {who: opinion}
        elif first.value is value and who not in opinions[label]:
            opinions[label][who] = opinion
        else:
            return None
    return Standing(Said(opinions, asked=len(events)), effect)
