"""What is known of each item: what was given, what was answered, and all that follows."""

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
from .testimony import Testimony

Rows = npt.NDArray[np.int64]
#: The answers that make up one reply about an item: a label's index and its value.
Cells = Mapping[int, bool]


class Knowledge:
    """Facts of N items, int8 (N, K), -1 unknown: `given` and `answered` are kept, `known` is derived from the two.

    `skipped` (N, K+1) marks questions that nobody could answer; its last column is the question for the whole item.
    `held` (N,) marks items that are not asked about for now.
    """

    def __init__(self, onto: Ontology, given: Facts, ids: Sequence[Hashable], *, propagate: bool):
        self.onto = onto
        self.given = given
        self.ids = tuple(ids)
        self.row_of = {item: i for i, item in enumerate(self.ids)}
        self.propagate = propagate
        self.answered = np.full_like(given, -1)
        self.skipped = np.zeros((len(given), len(onto) + 1), np.bool_)
        self.held = np.zeros(len(given), np.bool_)
        self.wholes: dict[int, tuple[int, ...]] = {}  # the cells of each item that were answered as a whole
        #: What was said by people who can be wrong, in place of answers; None where answers are facts.
        self.testimony: Testimony | None = None
        self.known = self.complete(given)

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
            told = {self.onto.labels[k]: value for k, value in cells.items()}
            self.onto.propagate(self.answers_of(i) | told)  # the same clash, told of one item by its answers
            raise

    def both(self, i: int, k: int) -> Facts:
        """Row i after a yes (first) and after a no (second) to an open label.

        Where answers do not propagate, one of them may be impossible: `after` tells if it is given.
        """
        rows: Facts = np.repeat(self.known[i : i + 1], 2, axis=0)
        rows[0, k], rows[1, k] = 1, 0
        return self.onto.propagate(rows) if self.propagate else rows

    def whole(self, i: int, names: Sequence[str]) -> dict[int, bool]:
        """The cells of a reply that names all labels of an item; those above them follow, all others are off."""
        named = self.after(i, {self.index(name): True for name in names})
        row = self.onto.propagate(named[None])[0]  # what is implied is on, also where answers do not propagate
        return {k: bool(row[k] == 1) for k in np.flatnonzero(self.facts_of(i) < 0).tolist()}

    # -- what is said ------------------------------------------------------------------------------------------------

    def take(self, i: int, cells: Cells, known: Facts) -> None:
        """Take answers about item i; `known` is the row `after` them."""
        for k, value in cells.items():
            self.answered[i, k] = value
            self.skipped[i, k] = False
        self.known[i] = known

    def retract(self, i: int, k: int, who: Hashable | None = None) -> None:
        """Take back one answer, or with k = K the reply about the whole item; of `who`, where people can be wrong."""
        whole = k == len(self.onto)
        labels = range(len(self.onto)) if whole else [k]
        if self.testimony is not None and self.testimony.take_back(i, labels, who):
            return
        if not whole and k in self.wholes.get(i, ()):
            raise CorollaryError(
                f"{self.ids[i]!r} was labelled as a whole; retract that answer: ({self.ids[i]!r}, None)"
            )
        cells = list(self.wholes.pop(i, ())) if whole else [k] if self.answered[i, k] >= 0 else []
        if not cells and not self.skipped[i, k]:
            asked = "what" if whole else f"whether {self.onto.labels[k]!r} is what"
            raise CorollaryError(f"nobody answered {asked} {self.ids[i]!r} is: nothing to retract")
        self.answered[i, cells] = -1
        self.skipped[i, k] = False
        self.known[i] = self.complete(self.facts_of(i)[None])[0]

    def restate(self, i: int, cells: Cells, skipped: Sequence[int]) -> None:
        """Replace all that was said of item i; nothing changes where it cannot be true."""
        row: Facts = self.given[i].copy()
        row[list(cells)] = list(cells.values())
        try:
            known = self.complete(row[None])[0]
        except Contradiction:
            self.onto.propagate({self.onto.labels[k]: bool(row[k]) for k in np.flatnonzero(row >= 0).tolist()})
            raise
        self.answered[i] = -1
        self.answered[i, list(cells)] = list(cells.values())
        self.skipped[i] = False
        self.skipped[i, list(skipped)] = True
        self.wholes.pop(i, None)
        self.known[i] = known

    def closed(self, rows: Rows, known: Facts) -> npt.NDArray[np.bool_]:
        """Which questions about some rows cannot be asked, (n, K+1), if `known` is what is known of them."""
        out = self.skipped[rows]
        out[:, :-1] |= known >= 0
        out[:, -1] |= out[:, :-1].all(axis=1)
        out[self.held[rows]] = True
        return out

    @property
    def evidence(self) -> Floats | None:
        """What people who can be wrong said of cells, as log-likelihood ratios."""
        return None if self.testimony is None else self.testimony.evidence

    def all_answers(self) -> Facts:
        """What was answered; of answers by people who can be wrong, the last of each cell."""
        out = self.answered.copy()
        for report in () if self.testimony is None else self.testimony.reports:
            out[report.item, report.label] = report.value
        return out

    def frozen(self) -> Self:
        """A copy that later answers do not change."""
        twin = copy(self)
        twin.known, twin.answered = self.known.copy(), self.answered.copy()
        twin.skipped, twin.held = self.skipped.copy(), self.held.copy()
        twin.testimony = None if self.testimony is None else self.testimony.frozen()
        return twin

    def check_truth(self, true: Facts) -> None:
        """An error unless a truth is whole, can be true, and agrees with what is known."""
        if true.shape != self.known.shape:
            raise CorollaryError(f"the truth must have the shape {self.known.shape} of the facts, got {true.shape}")
        wrong = (true < 0) | ((self.known >= 0) & (self.known != true))
        if wrong.any():
            i, k = np.argwhere(wrong)[0]
            told = "unknown" if true[i, k] < 0 else "yes" if true[i, k] else "no"
            known = "" if true[i, k] < 0 else ", which is known to be otherwise"
            raise CorollaryError(f"the truth says {told} of {self.ids[i]!r} and {self.onto.labels[k]!r}{known}")
        self.onto.propagate(true)

    # -- looking up --------------------------------------------------------------------------------------------------

    def facts_of(self, i: int) -> Facts:
        """What was given or answered of item i."""
        row: Facts = np.where(self.answered[i] >= 0, self.answered[i], self.given[i])
        return row

    def answers_of(self, i: int) -> dict[str, bool]:
        """The same by the names of the labels."""
        row = self.facts_of(i)
        return {self.onto.labels[k]: bool(row[k]) for k in np.flatnonzero(row >= 0).tolist()}

    def row(self, item: Hashable) -> int:
        """The row of an item."""
        try:
            return self.row_of[item]
        except (KeyError, TypeError):  # or what cannot be an id at all
            raise CorollaryError(f"no item {shown(item)} in this session of {len(self.ids):,} items") from None

    def index(self, label: str) -> int:
        """The column of a label."""
        try:
            return self.onto.index[label]
        except (KeyError, TypeError):
            hint = nearest(label, self.onto.labels) if isinstance(label, str) else ""
            raise CorollaryError(f"unknown label {shown(label)}{hint}") from None
