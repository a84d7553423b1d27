"""The known labels of each item: given, answered, and all that follow."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from copy import copy
from typing import Self

import numpy as np
import numpy.typing as npt

from ..logic.engines import Facts, Floats
from ..logic.errors import Contradiction, CorollaryError, nearest
from ..logic.ontology import Ontology
from .argument_checks import shown
from .packed_facts import PackedFacts
from .testimony import Testimony

Rows = npt.NDArray[np.int64]
#: The answers that make up one reply about an item: a label's index and its value.
Cells = Mapping[int, bool]


class Knowledge:
    """Facts of N items, int8 (N, K), -1 unknown: what was given and answered is kept, `known` is derived from the two.

    It is kept packed, for it is looked at an item at a time. Questions that nobody could answer are skipped; that for
    the whole item is label K. `held` (N,) marks items that are not asked about for now.
    """

    def __init__(
        self, onto: Ontology, given: Facts | None, ids: Sequence[Hashable], *, propagate: bool
    ):
        self.onto = onto
        in_order = ids == range(len(ids))  # then they need not be kept
        self.ids = ids if in_order else tuple(ids)
        self._row_of = None if in_order else {item: i for i, item in enumerate(self.ids)}
        self.propagate = propagate
        self._given = None if given is None else PackedFacts.of(given)
        #: What was answered.
        self.packed = PackedFacts(len(ids), len(onto))
        #: The questions about each item that nobody could answer.
        self.skipped: dict[int, frozenset[int]] = {}
        self.held = np.zeros(len(ids), np.bool_)
        self._wholes: dict[
            int, bytes
        ] = {}  # the cells of each item that were answered as a whole, as bits
        #: What was said by people who can be wrong, in place of answers; None where answers are facts.
        self.testimony: Testimony | None = None
        nothing = np.full((1, len(onto)), -1, np.int8)
        self.known = (
            np.repeat(self.complete(nothing), len(ids), axis=0)
            if given is None
            else self.complete(given)
        )

    # -- what would follow -------------------------------------------------------------------------------------------

    def complete(self, facts: Facts) -> Facts:
        """Facts and all that follows from them; where answers do not propagate just the facts, if they can be true."""
        closed = self.onto.propagate(facts)
        return closed if self.propagate else facts.copy()

    def after(self, i: int, cells: Cells) -> Facts:
        """Row i after further answers; a Contradiction names the answers they clash with."""
        said = self.facts_of(i)
        for k, value in cells.items():
            if said[k] == int(not value):
                label = self.onto.labels[k]
                raise Contradiction(
                    f"{self.ids[i]!r} was said {'not ' * value}to be {label!r}; retract that answer to give another",
                    answers={label: not value},
                    constraints=(),
                )
        row: Facts = self.known[i].copy()
        row[list(cells)] = list(cells.values())
        try:
            return np.asarray(self.complete(row[None])[0])
        except Contradiction:
            answer = {self.onto.labels[k]: value for k, value in cells.items()}
            self.onto.propagate(
                self.answers_of(i) | answer
            )  # the same clash, with the answers about the item
            raise

    def both(self, i: int, k: int) -> Facts:
        """Row i after a yes (first) and after a no (second) to an open label.

        If answers do not propagate, one of them may be impossible: `after` raises an error if it is
        given.
        """
        rows: Facts = np.repeat(self.known[i : i + 1], 2, axis=0)
        rows[0, k] = 1
        rows[1, k] = 0
        return self.onto.propagate(rows) if self.propagate else rows

    def whole(self, i: int, names: Sequence[str]) -> dict[int, bool]:
        """The cells of a reply that names all labels of an item; those above them follow, all others are off."""
        named = self.after(i, {self.index(name): True for name in names})
        row = self.onto.propagate(named[None])[
            0
        ]  # implied labels are on, also if answers do not propagate
        return {k: bool(row[k] == 1) for k in np.flatnonzero(self.facts_of(i) < 0).tolist()}

    # -- answers
    # -----------------------------------------------------------------------------------------------------

    def take(self, i: int, cells: Cells, known: Facts) -> None:
        """Take answers about item i; `known` is the row `after` them."""
        for k, value in cells.items():
            self.packed.put(i, k, value)
        if i in self.skipped:
            self._skip_only(i, self.skipped[i].difference(cells))
        self.known[i] = known

    def take_whole(self, i: int, cells: Cells) -> None:
        """These answers about item i, taken already, were one reply about the whole item."""
        whole = np.zeros(len(self.onto), np.bool_)
        whole[[*cells, *self._whole(i)]] = True
        self._wholes[i] = np.packbits(whole).tobytes()

    def take_all(
        self,
        answered: Facts,
        known: Facts,
        skipped: npt.NDArray[np.bool_],
        held: npt.NDArray[np.bool_],
    ) -> None:
        """Take the answers about all items, (N, K), and skipped questions, (N, K+1).

        `known` is not copied.
        """
        self.packed = PackedFacts.of(answered)
        self.known = known
        self.held = held
        self.skipped = {
            i: frozenset(np.flatnonzero(skipped[i]).tolist())
            for i in np.flatnonzero(skipped.any(axis=1)).tolist()
        }

    def skip(self, i: int, k: int) -> None:
        """Nobody could answer a question; k = K is the one for the whole item."""
        self._skip_only(i, self.skipped.get(i, frozenset()) | {k})

    def _skip_only(self, i: int, labels: frozenset[int]) -> None:
        self.skipped.pop(i, None)
        if labels:
            self.skipped[i] = labels

    def retract(self, i: int, k: int, who: Hashable | None = None) -> None:
        """Take back one answer, or with k = K the reply about the whole item; of `who`, where people can be wrong."""
        whole = k == len(self.onto)
        labels = range(len(self.onto)) if whole else [k]
        if self.testimony is not None and self.testimony.take_back(i, labels, who):
            return
        if not whole and k in self._whole(i):
            raise CorollaryError(
                f"{self.ids[i]!r} was labelled as a whole; retract that answer: ({self.ids[i]!r}, None)"
            )
        answered = self.packed[i]
        skipped = self.skipped.get(i, frozenset())
        cells = self._whole(i) if whole else [k] if answered[k] >= 0 else []
        if not cells and k not in skipped:
            asked = "what" if whole else f"whether {self.onto.labels[k]!r} is what"
            raise CorollaryError(f"nobody answered {asked} {self.ids[i]!r} is: nothing to retract")
        if whole:
            self._wholes.pop(i, None)
        answered[cells] = -1
        self.packed[i] = answered
        self._skip_only(i, skipped - {k})
        self.known[i] = self.complete(self.facts_of(i)[None])[0]

    def restate(self, i: int, cells: Cells, skipped: Sequence[int]) -> None:
        """Replace all that was said of item i; nothing changes where it cannot be true."""
        row = self.given_of(i)
        row[list(cells)] = list(cells.values())
        try:
            known = self.complete(row[None])[0]
        except Contradiction:
            self.onto.propagate(
                {self.onto.labels[k]: bool(row[k]) for k in np.flatnonzero(row >= 0).tolist()}
            )
            raise
        answered = np.full(len(self.onto), -1, np.int8)
        answered[list(cells)] = list(cells.values())
        self.packed[i] = answered
        self._skip_only(i, frozenset(skipped))
        self._wholes.pop(i, None)
        self.known[i] = known

    def closed(self, rows: Rows, known: Facts) -> npt.NDArray[np.bool_]:
        """Return the questions about some rows that cannot be asked, (n, K+1), given known labels."""
        out = np.zeros((len(rows), len(self.onto) + 1), np.bool_)
        np.greater_equal(known, 0, out=out[:, :-1])
        for row, i in enumerate(rows.tolist() if self.skipped else ()):
            if i in self.skipped:
                out[row, list(self.skipped[i])] = True
        out[:, -1] |= out[:, :-1].all(axis=1)
        out[self.held[rows]] = True
        return out

    @property
    def open(self) -> int:
        """How many cells can still be asked, held or not."""
        skipped = sum(
            int((self.known[i, [k for k in labels if k < len(self.onto)]] < 0).sum())
            for i, labels in self.skipped.items()
        )
        return int(np.count_nonzero(self.known < 0)) - skipped

    @property
    def evidence(self) -> Floats | None:
        """The answers of fallible people as log-likelihood ratios."""
        return None if self.testimony is None else self.testimony.evidence

    @property
    def answered(self) -> Facts:
        """The answers, (N, K)."""
        return self.packed[:]

    def all_answers(self) -> Facts:
        """Return the answers; of fallible people, the last one about each cell."""
        out = self.answered
        for report in () if self.testimony is None else self.testimony.reports:
            out[report.item, report.label] = report.value
        return out

    def frozen(self, *, waiting: bool = False) -> Self:
        """Return a copy that later answers do not change.

        None come while everybody is `waiting` for the training.
        """
        twin = copy(self)
        if not waiting:
            twin.known = self.known.copy()
            twin.held = self.held.copy()
            twin.packed = self.packed.copy()
            twin.skipped = self.skipped.copy()
        twin.testimony = None if self.testimony is None else self.testimony.frozen()
        return twin

    def check_truth(self, true: Facts) -> None:
        """Raise an error unless a truth is complete, legal, and agrees with the known labels."""
        if true.shape != self.known.shape:
            raise CorollaryError(
                f"the truth must have the shape {self.known.shape} of the facts, got {true.shape}"
            )
        wrong = (true < 0) | ((self.known >= 0) & (self.known != true))
        if wrong.any():
            i, k = np.argwhere(wrong)[0]
            value = "unknown" if true[i, k] < 0 else "yes" if true[i, k] else "no"
            known = "" if true[i, k] < 0 else ", which is known to be otherwise"
            raise CorollaryError(
                f"the truth says {value} of {self.ids[i]!r} and {self.onto.labels[k]!r}{known}"
            )
        self.onto.propagate(true)

    # -- looking up --------------------------------------------------------------------------------------------------

    def facts_of(self, i: int) -> Facts:
        """What was given or answered of item i."""
        answered = self.packed[i]
        return (
            answered if self._given is None else np.where(answered >= 0, answered, self._given[i])
        )

    def given_of(self, i: int) -> Facts:
        """What was given of item i."""
        return np.full(len(self.onto), -1, np.int8) if self._given is None else self._given[i]

    def _whole(self, i: int) -> list[int]:
        """The cells of item i that were answered as a whole."""
        whole = np.frombuffer(self._wholes.get(i, b""), np.uint8)
        found: list[int] = np.flatnonzero(np.unpackbits(whole)).tolist()
        return found

    def answers_of(self, i: int) -> dict[str, bool]:
        """The same by the names of the labels."""
        row = self.facts_of(i)
        return {self.onto.labels[k]: bool(row[k]) for k in np.flatnonzero(row >= 0).tolist()}

    def row(self, item: Hashable) -> int:
        """The row of an item."""
        try:
            return _place_in(len(self.ids), item) if self._row_of is None else self._row_of[item]
        except (KeyError, TypeError):  # or what cannot be an id at all
            raise CorollaryError(
                f"no item {shown(item)} in this session of {len(self.ids):,} items"
            ) from None

    def index(self, label: str) -> int:
        """The column of a label."""
        try:
            return self.onto.index[label]
        except (KeyError, TypeError):
            hint = nearest(label, self.onto.labels) if isinstance(label, str) else ""
            raise CorollaryError(f"unknown label {shown(label)}{hint}") from None


def _place_in(n: int, item: Hashable) -> int:
    """Return the row of an item if the ids are 0, 1, 2, and so on; equal keys count as the same."""
    try:
        i = int(item) if isinstance(item, Hashable) else -1  # type: ignore[call-overload]  # it raises an error if it cannot
    except (ValueError, OverflowError):
        raise KeyError(item) from None
    if not 0 <= i < n or i != item:
        raise KeyError(item)
    return int(i)
