"""Known facts of items and pairs, tied together: an answer settles cells of its whole component."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ...logic.arrays import check_facts
from ...logic.engines import Facts
from ...logic.errors import Contradiction, CorollaryError, nearest
from ...logic.language.relations import Declared, is_rule_about_pairs
from ...logic.ontology import Ontology
from ...logic.reasoning.explanation import Explanation
from ...logic.relations.linked import Linked
from ...logic.relations.pairs import Pairs
from ..argument_checks import shown
from ..knowledge import Cells, Knowledge

Rows = npt.NDArray[np.int64]
#: Facts of some items, and of some pairs.
Both = tuple[Facts, Facts]


class LinkedKnowledge:
    """Facts of N items and M pairs. Rows are numbered together: items are rows 0 to N - 1, pairs come after them."""

    def __init__(self, onto: Ontology, pairs: Pairs, ids: Sequence[Hashable], given: Facts | None):
        pairs.check_items(len(ids))
        self.onto = onto
        self.linked = Linked(onto, pairs, _names=ids)
        self.items = Knowledge(onto, given, ids, propagate=False)
        ends = [(ids[h], ids[t]) for h, t in zip(pairs.head, pairs.tail, strict=True)]
        relations = ontology_of_relations(onto)
        pair_given = None
        if pairs.facts is not None:
            listed = pairs.rows("pair_facts", pairs.facts)
            pair_given = check_facts(listed, onto.relations, what="pair_facts")
        self.pairs = Knowledge(relations, pair_given, ends, propagate=False)
        self.n_items, self.n_pairs = len(ids), len(pairs)
        self._find_components()
        self.items.known, self.pairs.known = self.linked.propagate(
            self.items.known, self.pairs.known
        )

    def _find_components(self) -> None:
        found, of_pairs = self.linked.components
        alone = np.arange(self.n_items - len(found)) + (found.max(initial=-1) + 1)
        #: The component of each row.
        self.component = np.concatenate([found, alone, of_pairs]).astype(np.int64)
        self.n_components = int(self.component.max(initial=-1)) + 1
        self._order = np.argsort(self.component, kind="stable")
        self._starts = np.searchsorted(
            self.component[self._order], np.arange(self.n_components + 1)
        )

    def rows_of(self, components: Collection[int]) -> tuple[Rows, Rows]:
        """The items and the pairs of some components."""
        parts = [self._order[self._starts[c] : self._starts[c + 1]] for c in components]
        rows = np.sort(np.concatenate(parts)) if parts else np.zeros(0, np.int64)
        return rows[rows < self.n_items], rows[rows >= self.n_items] - self.n_items

    def table(self, row: int) -> tuple[Knowledge, int]:
        """The facts of items or of pairs, and the row's place there."""
        return (self.items, row) if row < self.n_items else (self.pairs, row - self.n_items)

    @property
    def open(self) -> int:
        """How many cells can still be asked."""
        return self.items.open + self.pairs.open

    # -- what follows ------------------------------------------------------------------------------------------------

    def completed(self, items: Rows, pairs: Rows, known: Both) -> Both:
        """Everything that follows from known facts of whole components."""
        return self.linked.part(items, pairs).propagate(*known)

    def after(self, row: int, k: int, value: bool) -> Both:
        """Facts of the row's component after an answer; a Contradiction names the answers it clashes with."""
        table, place = self.table(row)
        if table.facts_of(place)[k] == int(not value):
            label = table.onto.labels[k]
            raise Contradiction(
                f"{table.ids[place]!r} was said {'not ' * value}to be {label!r}; "
                "retract that answer to give another",
                answers={label: not value},
                constraints=(),
            )
        items, pairs = self.rows_of([self.component[row]])
        known = self.items.known[items], self.pairs.known[pairs]
        mine = items if row < self.n_items else pairs
        known[row >= self.n_items][np.searchsorted(mine, place), k] = value
        try:
            return self.completed(items, pairs, known)
        except Contradiction:
            said = self.said(items, pairs)
            said[row >= self.n_items][place, k] = value
            end = place if row < self.n_items else int(self.linked.pairs.head[place])
            raise self.linked.clash(end, *said) from None  # the same, by the names of all items

    def said(self, items: Rows, pairs: Rows) -> Both:
        """What was given or answered of some components, as facts of all items and pairs."""
        found = np.full_like(self.items.known, -1), np.full_like(self.pairs.known, -1)
        for facts, table, rows in (
            (found[0], self.items, items),
            (found[1], self.pairs, pairs),
        ):
            for i in rows.tolist():
                facts[i] = table.facts_of(i)
        return found

    def explain(self, row: int, k: int, said: Both) -> Explanation:
        """Why a cell has its value, from what was said."""
        table, place = self.table(row)
        ends = self.linked.pairs
        of = place if row < self.n_items else (int(ends.head[place]), int(ends.tail[place]))
        return self.linked.explain(table.onto.labels[k], of, *said)

    # -- reports ------------------------------------------------------------------------------------------------

    def take(self, row: int, cells: Cells, known: Both) -> None:
        """Take the answer about a row; `known` has the facts of its component after it."""
        table, place = self.table(row)
        table.take(place, cells, table.known[place])
        self.put(row, known)

    def put(self, row: int, known: Both) -> None:
        """Set the facts of the row's component."""
        items, pairs = self.rows_of([self.component[row]])
        self.items.known[items], self.pairs.known[pairs] = known

    def retract(self, row: int, k: int) -> None:
        """Take back one answer, and all that followed from it alone."""
        table, place = self.table(row)
        table.retract(place, k)
        items, pairs = self.rows_of([self.component[row]])
        said = self.said(items, pairs)
        self.put(row, self.completed(items, pairs, (said[0][items], said[1][pairs])))

    # -- looking up --------------------------------------------------------------------------------------------------

    def cell(self, of: object, label: object) -> tuple[int, int]:
        """The row and the column of a label of an item, or of a relation of a pair (head, tail)."""
        relations = self.pairs.onto.index
        if not isinstance(label, str) or label not in {**self.onto.index, **relations}:
            every = (*self.onto.labels, *self.onto.relations)
            hint = nearest(label, every) if isinstance(label, str) else ""
            raise CorollaryError(f"unknown label or relation {shown(label)}{hint}")
        if label not in relations:
            if isinstance(of, tuple | list) and of not in self.items.ids:
                raise CorollaryError(
                    f"{label!r} is a label: it is asked of an item, got {shown(of)}"
                )
            return self.items.row(of), self.onto.index[label]
        if not isinstance(of, tuple | list) or len(of) != 2:
            raise CorollaryError(
                f"{label!r} is a relation: it is asked of a pair (head, tail), got {shown(of)}"
            )
        try:
            return self.n_items + self.pairs.row(tuple(of)), relations[label]
        except CorollaryError:
            raise CorollaryError(
                f"({of[0]}, {of[1]}) is not one of the {self.n_pairs:,} pairs of this session"
            ) from None

    def check_truth(self, true: Facts, related: Facts) -> None:
        """An error unless a truth of items and pairs is whole, can be true, and agrees with known facts."""
        for table, found in ((self.items, true), (self.pairs, related)):
            table.check_truth(found)
        self.linked.propagate(true, related)


def ontology_of_relations(onto: Ontology) -> Ontology:
    """What the relations of one pair must be, whatever its ends are."""
    own = [
        one
        for one in onto.pair_constraints
        if not isinstance(one, Declared) and not is_rule_about_pairs(one)
    ]
    return Ontology(onto.relations, own, budget=onto.budget)


def costs_of(names: Sequence[str], costs: Mapping[str, float]) -> npt.NDArray[np.float64]:
    """What each question costs: 1 if nothing is said."""
    return np.array([costs.get(name, 1.0) for name in names], np.float64)
