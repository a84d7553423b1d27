"""The best question of each component of items and pairs, best first."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import numpy.typing as npt

from ...logic.compiled.posterior import binary_entropy
from ...logic.engines import Floats
from ..choosing.question_queue import BestFirst
from .linked_knowledge import Both, LinkedKnowledge, Rows

#: Components are weighed in blocks of about this many cells.
CELLS_AT_ONCE = 1_000_000
#: How many components are worked out ahead in a simulation.
AHEAD = 256
#: What there is to ask of one component: the worth of the best question, its row and its column.
Best = tuple[float, int, int]


class LinkedChooser:
    """The best question of each component: the one whose answer removes the most entropy for its cost.

    With a `seed`, questions are drawn at random instead.
    """

    def __init__(
        self,
        knowledge: LinkedKnowledge,
        beliefs: tuple[Floats, Floats],
        cost: tuple[Floats, Floats],
        *,
        seed: tuple[int, ...] | None = None,
    ):
        self._knowledge = knowledge
        self._beliefs = beliefs
        self._cost = cost
        self._drawn: tuple[Floats, Floats] | None = None
        if seed is not None:
            rng = np.random.default_rng(seed)
            self._drawn = rng.random(beliefs[0].shape), rng.random(beliefs[1].shape)
        self._posterior: tuple[Floats, Floats] | None = None
        if seed is None:
            self._posterior = np.zeros(beliefs[0].shape), np.zeros(beliefs[1].shape)
        n = knowledge.n_components
        self._row, self._column = np.zeros(n, np.int64), np.zeros(n, np.int64)
        value = np.full(n, -np.inf)
        width = max(1, sum(one.size for one in beliefs) // max(1, n))
        step = max(1, CELLS_AT_ONCE // width)
        for start in range(0, n, step):
            some = range(start, min(n, start + step))
            value[some], self._row[some], self._column[some] = self.best_of(some)
        self._queue = BestFirst(value)

    def taken_posterior(self) -> tuple[Floats, Floats] | None:
        """The posterior of items and pairs that the first weighing gave, once; None if there is none."""
        found, self._posterior = self._posterior, None
        return found

    @property
    def values(self) -> Floats:
        """The worth of the best question of each component."""
        return self._queue.values

    def next(self) -> Best | None:
        """The question to ask now; None if nothing is open."""
        c = self._queue.best()
        return (
            None if c is None else (float(self.values[c]), int(self._row[c]), int(self._column[c]))
        )

    def question_of(self, component: int) -> tuple[int, int]:
        """The row and the column of a component's best question."""
        return int(self._row[component]), int(self._column[component])

    def refresh(self, component: int, *, without: Collection[tuple[int, int]] = ()) -> None:
        """Weigh a component again; cells in `without` are left out."""
        value, row, column = self.best_of([component], without=without)
        self.put(component, (float(value[0]), int(row[0]), int(column[0])))

    def put(self, component: int, best: Best) -> None:
        """Set the best question of a component."""
        value, self._row[component], self._column[component] = best
        self._queue.update(component, value)

    def best_of(
        self,
        components: Collection[int],
        known: Both | None = None,
        *,
        without: Collection[tuple[int, int]] = (),
    ) -> tuple[Floats, Rows, Rows]:
        """The best question of each component: its worth, row and column; `known` in place of the known facts."""
        knowledge = self._knowledge
        items, pairs = knowledge.rows_of(components)
        if known is None:
            known = knowledge.items.known[items], knowledge.pairs.known[pairs]
        worth = self._worth(items, pairs, known)
        for row, k in without:
            mine = items if row < knowledge.n_items else pairs
            place = np.searchsorted(mine, knowledge.table(row)[1])
            worth[row >= knowledge.n_items][place, k] = -np.inf
        rows = np.concatenate([items, knowledge.n_items + pairs])
        value = np.concatenate([one.max(axis=1, initial=-np.inf) for one in worth])
        column = np.concatenate(
            [one.argmax(axis=1) if one.shape[1] else np.zeros(len(one), np.int64) for one in worth]
        )
        # the largest value of each component; of equals the first row
        order = np.lexsort((-value, knowledge.component[rows]))
        found, first = np.unique(knowledge.component[rows][order], return_index=True)
        at = order[first[np.searchsorted(found, np.asarray(list(components)))]]
        return value[at], rows[at], column[at]

    def _worth(self, items: Rows, pairs: Rows, known: Both) -> tuple[Floats, Floats]:
        """What each question is worth; -inf where it cannot be asked."""
        knowledge = self._knowledge
        if self._drawn is not None:
            worth = self._drawn[0][items].copy(), self._drawn[1][pairs].copy()
        else:
            part = knowledge.linked.part(items, pairs)
            found = part.posterior(self._beliefs[0][items], self._beliefs[1][pairs], *known)
            if self._posterior is not None:
                self._posterior[0][items], self._posterior[1][pairs] = found
            worth = (
                binary_entropy(found[0]) / self._cost[0],
                binary_entropy(found[1]) / self._cost[1],
            )
        held = np.unique(knowledge.component[items[knowledge.items.held[items]]])
        for values, table, rows, facts, first in (
            (worth[0], knowledge.items, items, known[0], 0),
            (worth[1], knowledge.pairs, pairs, known[1], knowledge.n_items),
        ):
            values[table.closed(rows, facts)[:, :-1]] = -np.inf
            if len(held):
                values[np.isin(knowledge.component[first + rows], held)] = -np.inf
        return worth


class LookAhead:
    """What up to n answers of a truth lead to, worked out for many components at once."""

    def __init__(
        self,
        chooser: LinkedChooser,
        knowledge: LinkedKnowledge,
        truth: tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]],
        n: int,
    ):
        self._left = n
        self._chooser = chooser
        self._knowledge = knowledge
        self._truth = truth
        values = chooser.values
        self._order = np.argsort(-values, kind="stable")[: np.count_nonzero(values > -np.inf)]
        self._at = 0
        self._taken: list[int] = []
        self._ready: dict[int, tuple[Both, Best]] = {}

    def take(self, component: int) -> tuple[Both, Best]:
        """Facts of a component after the answer to its best question, and then its next one."""
        if component not in self._ready:
            self._work_out(component)
        self._taken.append(component)
        self._left -= 1
        return self._ready.pop(component)

    def _work_out(self, component: int) -> None:
        ahead = max(0, min(AHEAD, self._left))
        more = self._order[self._at : self._at + ahead].tolist()
        self._at += ahead
        wanted = {component, *self._taken[len(self._taken) - ahead :], *more}
        self._taken.clear()
        values = self._chooser.values
        chosen = sorted(c for c in wanted if c not in self._ready and values[c] > -np.inf)
        knowledge = self._knowledge
        items, pairs = knowledge.rows_of(chosen)
        known = knowledge.items.known[items], knowledge.pairs.known[pairs]
        for c in chosen:
            row, k = self._chooser.question_of(c)
            is_pair = row >= knowledge.n_items
            place = knowledge.table(row)[1]
            mine = pairs if is_pair else items
            known[is_pair][np.searchsorted(mine, place), k] = self._truth[is_pair][place, k]
        known = knowledge.completed(items, pairs, known)
        best = self._chooser.best_of(chosen, known)
        of_items = knowledge.component[items]
        of_pairs = knowledge.component[knowledge.n_items + pairs]
        item_order, pair_order = (np.argsort(one, kind="stable") for one in (of_items, of_pairs))
        for n, c in enumerate(chosen):
            own = item_order[slice(*np.searchsorted(of_items[item_order], [c, c + 1]))]
            ties = pair_order[slice(*np.searchsorted(of_pairs[pair_order], [c, c + 1]))]
            self._ready[c] = (
                (known[0][own], known[1][ties]),
                (float(best[0][n]), int(best[1][n]), int(best[2][n])),
            )
