"""The next question: every item's best one, best first, kept up to date as answers arrive."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from ...logic.compiled.posterior import CELLS_AT_ONCE, ROWS_AT_ONCE, estimates_told_together
from ...logic.engines import Facts, Floats
from ...logic.engines.rows import cores
from ..features.neighbours import Nearest
from ..knowledge import Knowledge, Rows
from .question_queue import BestFirst
from .strategy import Worth

Stay = Literal["label", "item", "settle"]
#: The last question asked, if any, and the number of questions so far.
Place = tuple[tuple[int, int] | None, int]
#: People stay on a label or an item while its best question is worth this share of the best one
#: overall. With "settle" they stay while the item has any question.
STAY_WHILE = 0.5
#: Once an item was asked about, an equal one is worth this share less until the next training.
LESS = 0.7
#: If whole items may be asked about, items are weighed by their density to this power while nothing
#: is known. The hardest items are mostly unlike all others, and teach little at first.
CROWD = 2.0
#: The power falls by a factor e with this number of fully known items for each label, because
#: doubtful items must be asked about in the end, dense or not. Chosen on digits:
#: `make bench SUITE=neighbours`.
CROWD_EACH = 5

#: If all questions are scored, each core gets this number of the posterior's blocks.
BLOCKS = 4


class Chooser:
    """The best question of every item under one worth, and the best of all.

    Label k = K is the question for the whole item.

    While a question waits for its answer, the effects of both answers are computed, so that the
    next question comes at once. With `neighbours`, neighbours of items asked about since the training
    are worth less, because their answers are less new. With `crowd`, items in dense regions are
    worth more while little is known. `cells_at_once` is the size of blocks in which all questions
    are scored.
    """

    def __init__(
        self,
        worth: Worth,
        knowledge: Knowledge,
        *,
        stay: Stay | None = None,
        share_at_random: float = 0.0,
        seed: tuple[int, ...] = (),
        neighbours: Nearest | None = None,
        crowd: bool = False,
        cells_at_once: int | None = None,
    ):
        self._worth = worth
        self._knowledge = knowledge
        self._stay = stay
        self._share_at_random = share_at_random
        self._seed = seed
        #: Items that were asked about because they were drawn.
        self.drawn: set[int] = set()
        self._count = 0  # questions put
        self._all: npt.NDArray[np.float32] | None = (
            None  # every value, where one label's are needed;
        )
        # in half the room, for there are as many while a training ends
        n = len(knowledge.known)
        #: The label of each item's best question.
        self.label = np.zeros(n, np.int32)
        self._best = np.full(n, -np.inf)  # before neighbours of items asked about are worth less
        self._score_all(cells_at_once)
        self._neighbours = neighbours
        self._share: Floats | None = (
            None  # the share of its worth that each item's best question keeps
        )
        if neighbours is not None:
            self._share = neighbours.density() ** self._crowd() if crowd else np.ones(n)
        self._discounted: dict[
            int, Floats
        ] = {}  # items asked about, and the earlier shares of their neighbours
        self._queue = BestFirst(self._shared(self._best))
        self._last: tuple[int, int] | None = None
        self._column: BestFirst | None = None
        self._ahead: dict[int, dict[int, tuple[Facts, Floats]]] = {}

    def _score_all(self, cells_at_once: int | None) -> None:
        """Score every open question, in blocks to save memory.

        Items without open labels are left out.
        """
        known = self._knowledge.known
        held = self._knowledge.held
        n, k = known.shape
        step = cores() * max(ROWS_AT_ONCE, BLOCKS * CELLS_AT_ONCE // max(1, k))
        if cells_at_once is not None:
            step = max(1, cells_at_once // max(1, k))
        with estimates_told_together():
            for start in range(0, n, step):
                block = slice(start, start + step)
                rows = start + np.flatnonzero((known[block] < 0).any(axis=1) & ~held[block])
                if not len(rows) and (self._stay != "label" or start + step < n):
                    continue
                values = self._values(rows, known[rows])
                label = values.argmax(axis=1)
                self.label[rows] = label
                self._best[rows] = values[np.arange(len(rows)), label]
                if self._stay == "label":
                    if self._all is None:
                        self._all = np.full((n, values.shape[1]), -np.inf, np.float32)
                    self._all[rows] = values

    def _crowd(self) -> float:
        """Return the power of the density by which items are weighed."""
        known = self._knowledge.known
        n_settled = int((known >= 0).all(axis=1).sum())
        return float(CROWD * np.exp(-n_settled / (CROWD_EACH * known.shape[1])))

    @property
    def values(self) -> Floats:
        """The worth of each item's best question now."""
        return self._queue.values

    def next(self) -> tuple[int, int, float] | None:
        """The item, label and worth of the question to ask now; None when nothing is open."""
        i = self._queue.best()
        if i is None:
            return None
        if (drawn := self._draw()) is not None:
            return drawn, int(self.label[drawn]), float(self.values[drawn])
        enough = STAY_WHILE * self.values[i]
        on_item = {"item": max(enough, 0.0), "settle": 0.0}.get(self._stay or "", np.inf)
        if self._last is not None and self.values[self._last[0]] >= on_item:
            i = self._last[0]
        if self._column is not None and self._last is not None:
            j = self._column.best()
            if j is not None and self._column.values[j] >= enough:
                return j, self._last[1], float(self._column.values[j])
        return i, int(self.label[i]), float(self.values[i])

    def asked(self, i: int, k: int) -> None:
        """Note that question (i, k) was asked."""
        self._go_to(i, k)
        self._count += 1
        self.discount(i)

    def _go_to(self, i: int, k: int) -> None:
        if self._all is not None and k >= self._all.shape[1]:
            self._column = None  # a reply about a whole item that nobody asked for is on no label
        elif self._all is not None and (self._last is None or self._last[1] != k):
            self._column = BestFirst(self._shared(self._all[:, k].astype(np.float64)))
        self._last = (i, k)

    def discount(self, i: int) -> None:
        """Note that item i was asked about: its neighbours are worth less."""
        if self._neighbours is None or self._share is None or i in self._discounted:
            return
        others = self._neighbours.items[i]
        self._discounted[i] = self._share[others]
        self._set_share(others, self._share[others] * (1.0 - LESS * self._neighbours.similarity[i]))

    @property
    def n_discounted(self) -> int:
        """The number of items for which `discount` was called."""
        return len(self._discounted)

    def undo_discounts(self, count: int) -> None:
        """Forget all but the first `count` items for which `discount` was called."""
        while len(self._discounted) > count:
            i, share = self._discounted.popitem()  # the last one
            assert self._neighbours is not None
            self._set_share(self._neighbours.items[i], share)

    @property
    def place(self) -> Place:
        """The last question asked, and the number of questions so far."""
        return self._last, self._count

    def return_to(self, place: Place) -> None:
        """Go on from an earlier place."""
        last, count = place
        if last is None:
            self._last = self._column = None
        else:
            self._go_to(*last)
        self._count = count

    def best_of(self, i: int) -> tuple[float, int]:
        """Return the worth of the best question of item i, and its label."""
        return float(self._best[i]), int(self.label[i])

    def best(self, rows: Rows, known: Facts) -> tuple[Floats, Rows]:
        """The best open question of each row: its worth and its label."""
        if not len(rows):
            return np.empty(0), np.empty(0, np.int64)
        values = self._values(rows, known)
        label = values.argmax(axis=1)
        return values[np.arange(len(rows)), label], label

    def changed(self, i: int, values: Floats | None = None) -> None:
        """Note that the known labels of item i changed.

        `values` is the worth of its questions, if computed before.
        """
        self._ahead.pop(i, None)
        if values is None:
            self.refresh(i)
        else:
            self._place(i, values)

    def refresh(self, i: int, *, without: npt.NDArray[np.bool_] | None = None) -> None:
        """Find the best question of item i anew; questions marked in `without` (K+1,) are left out."""
        values = self._values(np.array([i]), self._knowledge.known[i : i + 1])[0]
        if without is not None:
            values[without[: len(values)]] = -np.inf
        self._place(i, values)

    def follow(self, knowledge: Knowledge, changed: Rows) -> None:
        """Go on with other known labels.

        `changed` are the rows whose known labels changed since the start.
        """
        self._knowledge = knowledge
        for i, values in zip(
            changed.tolist(), self._values(changed, knowledge.known[changed]), strict=True
        ):
            self._place(i, values)

    def update(self, i: int, value: float, label: int) -> None:
        """Put the best question of item i where it is known already; not for those who stay on a label."""
        self._ahead.pop(i, None)
        self._put(i, value, label)

    def foresee(self, i: int, k: int) -> Facts:
        """Return the known labels of item i after a yes and after a no, and score the open ones."""
        if not self._knowledge.propagate:
            return self._knowledge.both(i, k)
        outcomes = self._ahead.setdefault(i, {})
        if k not in outcomes:
            known = self._knowledge.both(i, k)
            outcomes[k] = known, self._values(np.array([i, i]), known)
        return outcomes[k][0]

    def foreseen(self, i: int, k: int, value: bool) -> tuple[Facts, Floats] | None:
        """Return the effects computed for an answer, if there are any."""
        outcome = self._ahead.get(i, {}).get(k)
        return None if outcome is None else (outcome[0][int(not value)], outcome[1][int(not value)])

    def _draw(self) -> int | None:
        """Draw a random open item, if it is the turn of one.

        The same until the next question is asked.
        """
        if not self._share_at_random:
            return None
        random = np.random.default_rng([*self._seed, self._count])
        if random.random() >= self._share_at_random:
            return None
        i = int(random.choice(np.flatnonzero(self.values > -np.inf)))
        self.drawn.add(i)
        return i

    def _values(self, rows: Rows, known: Facts) -> Floats:
        values = self._worth(rows, known)
        values[self._knowledge.closed(rows, known)[:, : values.shape[1]]] = -np.inf
        return values

    def _place(self, i: int, values: Floats) -> None:
        """Put the worth of all questions about item i."""
        k = int(values.argmax())
        if self._all is not None:
            self._all[i] = values
        self._put(i, float(values[k]), k)

    def _put(self, i: int, value: float, label: int) -> None:
        """Put the best question of item i."""
        self.label[i] = label
        self._best[i] = value
        self._enter(i)

    def _shared(self, worth: Floats) -> Floats:
        """Return the worth of questions, one of each item, after the discount for neighbours."""
        return worth if self._share is None else worth * self._share

    def _set_share(self, rows: Rows, share: Floats) -> None:
        assert self._share is not None
        self._share[rows] = share
        for i in rows.tolist():
            self._enter(i)

    def _enter(self, i: int) -> None:
        """Update item i in the queue with the current worth of its questions."""
        share = 1.0 if self._share is None else self._share[i]
        self._queue.update(i, float(self._best[i] * share))
        if self._all is not None and self._column is not None and self._last is not None:
            self._column.update(i, float(self._all[i, self._last[1]] * share))
