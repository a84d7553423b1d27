"""What a campaign tells people in return: what an answer settled, what an undo took back, what to settle."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ...learning.question import Settled
from ...logic.explanation import Explanation
from ...logic.readable import Names
from ..events import Event
from ..state.standing import Conflict, Opinion, conflict_in_words


@dataclass(frozen=True)
class Reply:
    """What an answer did. Each settled label has its reason as `why`, in plain words by `str`.

    `second_opinion`: its cell was settled before, or others gave theirs. `conflict`: what it cannot be true with.
    """

    event: Event
    settled: tuple[Settled, ...] = ()
    opened: tuple[tuple[str, bool], ...] = ()
    second_opinion: bool = False
    conflict: Conflict | None = None
    item_done: bool = False
    counts: dict[str, Any] = field(default_factory=dict)

    @property
    def seq(self) -> int:
        """The place of the answer in the log."""
        return self.event.seq


@dataclass(frozen=True)
class Undone:
    """What an undo took back: the event, and the labels that are open again, or settled once more."""

    event: Event
    undone: Event
    opened: tuple[tuple[str, bool], ...]
    settled: tuple[Settled, ...]
    counts: dict[str, Any] = field(default_factory=dict)

    @property
    def seq(self) -> int:
        """The place of the undo in the log."""
        return self.event.seq


@dataclass(frozen=True)
class ToSettle:
    """A conflict of an item for the lead, with what annotators noted about it; `waiting` labels are held back."""

    item: str
    conflict: Conflict
    doubts: tuple[Event, ...]
    waiting: int


@dataclass(frozen=True)
class Why:
    """Why a cell is what it is: the explanation, and who said the answers behind it; None if it is open."""

    item: str
    label: str
    value: bool | None
    explanation: Explanation | None
    opinions: tuple[Opinion, ...]


@dataclass(frozen=True)
class Preview:
    """What another ontology would do: labels settled and reopened in all, and the items of which it breaks answers.

    `refused` are items of which decisions would clash: with these it cannot be put in force.
    """

    added: tuple[str, ...]
    removed: tuple[str, ...]
    settles: int
    reopens: int
    breaks: tuple[tuple[str, Conflict], ...]
    mends: tuple[str, ...]
    refused: tuple[tuple[str, str], ...]

    def as_dict(self, names: Names = None) -> dict[str, Any]:
        """As JSON can hold it, messages with labels by their `names`."""
        return {
            "added": list(self.added),
            "removed": list(self.removed),
            "settles": self.settles,
            "reopens": self.reopens,
            "breaks": [
                {
                    "item": item,
                    "kind": conflict.kind,
                    "labels": list(conflict.labels),
                    "message": conflict_in_words(conflict, names),
                }
                for item, conflict in self.breaks
            ],
            "mends": list(self.mends),
            "refused": [{"item": item, "message": message} for item, message in self.refused],
        }
