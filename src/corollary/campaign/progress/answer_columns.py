"""Every answer of a log as columns, so that what people did is counted at once, however long the log is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ...logic.engines import Floats
from ..events import ANSWER, CANT_TELL, PREDICTED, SKIP, SUGGESTED, Event
from ..state.standing import TAKES_BACK

#: What an answer says, as people's figures tell it.
YES, NO, WHOLE, UNSURE, SKIPPED = range(5)
SAYS = ("yes", "no", "whole", CANT_TELL, SKIP)
#: Answers faster than this, in seconds, can hardly have been thought about.
FAST = 1.0
#: A share of these is told only of so many.
ENOUGH = 20
TOO_MANY_FAST = 0.05
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


class AnswerColumns:
    """The answers about items that are not withdrawn; each event is looked at once, while the log grows."""

    def __init__(self) -> None:
        self._seen = 0
        self._people: dict[str, int] = {}
        self._days: dict[str, int] = {}
        self._columns: Ints = np.empty((4, 0), np.int64)
        self._seconds: Floats = np.empty(0, np.float64)
        self._at: list[str] = []
        #: Answers that were given with a suggestion, or to compare with those.
        self.suggested: list[Event] = []
        #: All events that are no answers.
        self.others: list[Event] = []
        self.taken_back: set[int] = set()

    def follow(self, log: Sequence[Event], withdrawn: Collection[str]) -> None:
        """Take the events that came since."""
        new = log[self._seen :]
        self._seen = len(log)
        others = [event for event in new if event.kind != ANSWER]
        self.others += others
        self.taken_back |= {
            event.refers
            for event in others
            if event.kind in TAKES_BACK and event.refers is not None
        }
        answers = [event for event in new if event.kind == ANSWER and event.item not in withdrawn]
        people = self._people
        days = self._days
        columns = [
            [event.seq for event in answers],
            [people.setdefault(event.who, len(people)) for event in answers],
            [_says(event.value) for event in answers],
            [days.setdefault(event.at[:10], len(days)) for event in answers],
        ]
        self._columns = np.concatenate(
            [self._columns, np.array(columns, np.int64).reshape(4, -1)], axis=1
        )
        seconds = np.array(
            [np.nan if event.seconds is None else event.seconds for event in answers], np.float64
        )
        self._seconds = np.concatenate([self._seconds, seconds])
        self._at += [event.at for event in answers]
        told = (event for event in answers if event.detail is not None)
        self.suggested += [
            event
            for event in told
            if event.detail is not None and (SUGGESTED in event.detail or PREDICTED in event.detail)
        ]

    @property
    def standing(self) -> Mask:
        """Which answers were not taken back."""
        gone = np.fromiter(self.taken_back, np.int64, len(self.taken_back))
        return ~np.isin(self._columns[0], gone)

    def asked(self, standing: Mask) -> tuple[int, int, dict[str, int]]:
        """How many answers stand, skipped ones aside; how many of them can't tell; and how many are of each day."""
        some = standing & (self._columns[2] != SKIPPED)
        of_day = np.bincount(self._columns[3][some], minlength=len(self._days)).tolist()
        days = {day: n for day, n in zip(self._days, of_day, strict=True) if n}
        return int(some.sum()), int((self._columns[2][some] == UNSURE).sum()), days

    def of_people(self, standing: Mask, gains: tuple[Ints, Ints]) -> dict[str, dict[str, Any]]:
        """What each person did; `gains` are events in order, and how many labels each settled."""
        seq, who, says, _ = self._columns
        place = np.minimum(np.searchsorted(gains[0], seq), max(0, len(gains[0]) - 1))
        gain = (
            np.where(gains[0][place] == seq, gains[1][place], 0)
            if len(gains[0])
            else np.zeros(len(seq), np.int64)
        )
        order = np.argsort(who, kind="stable")
        order = order[standing[order]]
        ends = np.cumsum(np.bincount(who[standing], minlength=len(self._people))).tolist()
        found = {}
        for name, first, end in zip(self._people, [0, *ends], ends, strict=False):
            own = order[first:end]
            last = self._at[own[-1]] if len(own) else None
            found[name] = figures(says[own], self._seconds[own], gain[own]) | {"last": last}
        return found


def _says(value: Any) -> int:
    if isinstance(value, bool):
        return YES if value else NO
    return UNSURE if value == CANT_TELL else SKIPPED if value == SKIP else WHOLE


def figures(says: Ints, seconds: Floats, gains: Ints) -> dict[str, Any]:
    """What someone's answers said, what they settled, how long they took, and how often it was yes."""
    counts = Counter(dict(enumerate(np.bincount(says, minlength=len(SAYS)).tolist())))
    told = says < UNSURE
    timed = ~np.isnan(seconds)
    of_told = seconds[told & timed]
    fast = float((of_told < FAST).mean()) if len(of_told) else 0.0
    spoken = counts[YES] + counts[NO]
    return {
        "answers": len(says) - counts[SKIPPED],
        **{name: counts[n] for n, name in enumerate(SAYS)},
        "seconds": float(np.median(seconds[timed])) if timed.any() else None,
        "settled": int(gains[told].sum()),
        "median": float(np.median(of_told)) if len(of_told) else None,
        "yes_rate": counts[YES] / spoken if spoken else None,
        "fast": fast,
        "too_fast": len(of_told) >= ENOUGH and fast >= TOO_MANY_FAST,
    }


#: What someone did who never answered.
NOTHING_DONE = figures(np.empty(0, np.int64), np.empty(0), np.empty(0, np.int64)) | {"last": None}
