"""How labels were settled as questions were asked: what each event added, under the ontology now in force."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from .events import ANSWER, SKIP, UNDO, Event

#: Finds how many more labels are known after each event about some items, by seq.
Find = Callable[[Mapping[str, Sequence[Event]]], dict[int, int]]


class Curve:
    """What each event about an item settled; found for the whole log when first needed, then kept up to date."""

    def __init__(self, find: Find):
        self._find = find
        self._gains: dict[int, int] | None = None

    @property
    def ready(self) -> bool:
        """Whether the whole log was gone through."""
        return self._gains is not None

    def note(self, seq: int, gain: int) -> None:
        """An event settled so many labels, or opened them again."""
        if self._gains is not None:
            self._gains[seq] = gain

    def take(self, gains: dict[int, int], said: Mapping[str, Sequence[Event]]) -> None:
        """Take over what was found for the events of a moment ago; items of which more was said are found again."""
        self._gains = gains | self._find({item: e for item, e in said.items() if e[-1].seq not in gains})

    def points(self, events: Sequence[Event], said: Mapping[str, Sequence[Event]]) -> tuple[list[int], list[int]]:
        """Questions asked and labels settled at the start and after each event about an item."""
        if self._gains is None:
            self._gains = self._find(said)
        asked, settled = [0], [0]
        for event in events:
            if (gain := self._gains.get(event.seq)) is not None:
                asked.append(asked[-1] + _questions(event, events))
                settled.append(settled[-1] + gain)
        return asked, settled


def _questions(event: Event, events: Sequence[Event]) -> int:
    """How many more questions an event counts as asked: one for an answer, one less for its undo."""
    if event.kind == UNDO and event.refers is not None:
        return -_questions(events[event.refers - 1], events)
    return int(event.kind == ANSWER and event.value != SKIP)
