"""Items and pairs tied by relations: everything that follows from facts, and probabilities given beliefs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..arrays import Table, check_beliefs, check_evidence, check_facts, check_same_shape
from ..compiled.posterior import binary_entropy
from ..engines import Facts, Floats
from ..errors import Contradiction, CorollaryError, nearest
from ..reasoning.explanation import Explanation
from .pair_logic import PairLogic, cell
from .pairs import Pairs
from .parts import parts_of
from .settling import Graph
from .weighing import Weighed

if TYPE_CHECKING:
    from ..ontology import Ontology

Ints = npt.NDArray[np.int64]
Given = Table | None
EXACT, ESTIMATE = "exact", "estimate"


@dataclass(frozen=True, slots=True)
class TiedInfo:
    """How components of items and pairs are served; `size` is the number of entries of the largest table."""

    components: int
    items: int
    pairs: int
    size: int
    guarantee: str

    def __str__(self) -> str:
        return (
            f"{self.components:,} components of {self.items:,} items and {self.pairs:,} pairs, "
            f"size {self.size:,}, {self.guarantee}"
        )


def _check_item(of: object, n: int) -> None:
    if not isinstance(of, int | np.integer) or isinstance(of, bool):
        raise CorollaryError(f"an item is named by its number, a pair by (head, tail); got {of!r}")
    if not 0 <= of < n:
        raise CorollaryError(f"there is no item {of}; there are {n:,}")


def _rows_of_items(facts: Table, n: int) -> Table:
    """A list of rows, if `facts` is a dict of some items; else as it is."""
    if not isinstance(facts, Mapping):
        return facts
    rows: list[Mapping[str, Any]] = [{} for _ in range(n)]
    for of, row in facts.items():
        if isinstance(of, str) or not isinstance(row, Mapping):
            raise CorollaryError(
                f"facts: the key {of!r} is no item; a dict is of items: {{item: {{label: True}}}}"
            )
        _check_item(of, n)
        rows[of] = row
    return rows


class Linked:
    """An ontology on items and pairs of them. Arguments and results are about items first, then about pairs.

    Facts are a table with a row for each item or pair, or a dict of some of them: `{3: {"animal": True}}`,
    `{(3, 4): {"eats": True}}`.

    Items and pairs are tied within a connected component of the graph of pairs, never beyond it.
    """

    def __init__(
        self,
        onto: Ontology,
        pairs: Pairs,
        *,
        _logic: PairLogic | None = None,
        _names: Sequence[object] | None = None,
    ):
        if not isinstance(pairs, Pairs):
            raise CorollaryError(f"pairs must be Pairs(head, tail), got {type(pairs).__name__}")
        self.onto = onto
        self.pairs = pairs
        self._graph = Graph(onto, pairs, _logic, _names)

    def propagate(self, facts: Given = None, pair_facts: Given = None) -> tuple[Facts, Facts]:
        """The facts of items (N, K) and of pairs (M, R), and everything they entail.

        Raises Contradiction, with a minimal clash that names items and pairs, if they cannot all be true.
        """
        settled = self._graph.settle(*self._facts(facts, pair_facts))
        return settled.items, settled.pairs

    def posterior(
        self,
        beliefs: Table,
        pair_beliefs: Table,
        facts: Given = None,
        pair_facts: Given = None,
        *,
        evidence: Given = None,
        pair_evidence: Given = None,
    ) -> tuple[Floats, Floats]:
        """The probability of each label (N, K) and of each relation (M, R)."""
        return self._weigh(
            beliefs, pair_beliefs, facts, pair_facts, evidence, pair_evidence
        ).mixed()

    def joint_entropy(
        self,
        beliefs: Table,
        pair_beliefs: Table,
        facts: Given = None,
        pair_facts: Given = None,
        *,
        evidence: Given = None,
        pair_evidence: Given = None,
    ) -> tuple[Floats, Floats]:
        """The entropy of the whole labelling of each item's component (N,), and of each pair's (M,), in nats."""
        weighed = self._weigh(beliefs, pair_beliefs, facts, pair_facts, evidence, pair_evidence)
        return weighed.joint_entropy()

    def gain(
        self,
        beliefs: Table,
        pair_beliefs: Table,
        facts: Given = None,
        pair_facts: Given = None,
        *,
        evidence: Given = None,
        pair_evidence: Given = None,
    ) -> tuple[Floats, Floats]:
        """The entropy that the answer to each question is expected to remove from its component, in nats.

        The cell itself counts, and all others that it is tied to. Known cells have 0. The answer is a function of the
        labelling, so that it removes exactly its own entropy.
        """
        given = beliefs, pair_beliefs, facts, pair_facts, evidence, pair_evidence
        found = self._weigh(*given).mixed()
        return binary_entropy(found[0]), binary_entropy(found[1])

    def most_probable(
        self,
        beliefs: Table,
        pair_beliefs: Table,
        facts: Given = None,
        pair_facts: Given = None,
        *,
        evidence: Given = None,
        pair_evidence: Given = None,
    ) -> tuple[Facts, Facts]:
        """The most probable legal labelling of all items (N, K) and pairs (M, R)."""
        given = beliefs, pair_beliefs, facts, pair_facts, evidence, pair_evidence
        weighed = self._weigh(*given, largest=True)
        return weighed.largest()

    def explain(
        self,
        label: str,
        of: int | tuple[int, int],
        facts: Given = None,
        pair_facts: Given = None,
    ) -> Explanation:
        """Why a label of an item, or a relation of a pair (head, tail), has the value that follows."""
        given = self._facts(facts, pair_facts)
        is_pair = isinstance(of, tuple)
        names = self.onto.relations if is_pair else self.onto.labels
        if label not in names:
            what = "relation" if is_pair else "label"
            raise CorollaryError(f"unknown {what} {label!r}{nearest(str(label), names)}")
        ends = of if isinstance(of, tuple) else (of,)
        if is_pair:
            self.pairs.row(of)
        else:
            _check_item(of, len(given[0]))
        graph = self._graph
        reasoner, items, rows = graph.written_out_around(ends[0])
        known = graph.known_cells(items, rows, given)
        return reasoner.trace.explain(known, cell(label, graph.named(ends)))

    def clash(self, item: int, facts: Facts, pair_facts: Facts) -> Contradiction:
        """Why facts of the component of an item, that cannot all be true, clash."""
        return self._graph.clash_of_item(item, (facts, pair_facts))

    @cached_property
    def components(self) -> tuple[Ints, Ints]:
        """The number of the connected component of each item up to the last that has a pair, and of each pair."""
        found = self._graph.component_of_item.astype(np.int64)
        return found, found[self.pairs.head]

    def part(self, items: Ints, pairs: Ints) -> Linked:
        """The same for some items, numbered anew in this order, and some of the pairs between them."""
        if not len(items):
            return Linked(self.onto, Pairs([], []), _logic=self._graph.logic)
        place = np.full(int(items.max()) + 1, -1, np.int64)
        place[items] = np.arange(len(items))
        own = Pairs(place[self.pairs.head[pairs]], place[self.pairs.tail[pairs]])
        return Linked(self.onto, own, _logic=self._graph.logic)

    @property
    def engines(self) -> tuple[TiedInfo, ...]:
        """How many components are exact, and how many are estimated, as long as nothing is known of them."""
        graph, size = self._graph, len(self._graph.component_of_item)
        domains = np.ones((size, len(graph.logic.states)), np.bool_)
        unknown = np.full((len(self.pairs), len(self.onto.relations)), -1, np.int8)
        parts = parts_of(graph, domains, unknown)
        found = []
        for guarantee in (EXACT, ESTIMATE):
            mine = [
                part
                for part in parts
                if (part.plan.size <= self.onto.budget.states) == (guarantee == EXACT)
            ]
            edges = [part.edges.reshape(-1) for part in mine]
            n_pairs = sum(len(one) + int((graph.backward[one] >= 0).sum()) for one in edges)
            size = max((part.plan.size for part in mine), default=0)
            shape = sum(len(part.items) for part in mine), sum(part.items.size for part in mine)
            if mine:
                found.append(TiedInfo(*shape, n_pairs, size, guarantee))
        return tuple(found)

    # -- checks ------------------------------------------------------------------------------------------------------

    def _facts(self, facts: Given, pair_facts: Given, n: int | None = None) -> tuple[Facts, Facts]:
        known = len(self._graph.component_of_item) if n is None else n
        if facts is None:
            facts = np.full((known, len(self.onto.labels)), -1, np.int8)
        items = check_facts(_rows_of_items(facts, known), self.onto.labels)
        self.pairs.check_items(len(items))
        if pair_facts is None:
            return items, np.full((len(self.pairs), len(self.onto.relations)), -1, np.int8)
        listed = self.pairs.rows("pair_facts", pair_facts)
        pairs = check_facts(listed, self.onto.relations, what="pair_facts")
        self._check_rows("pair_facts", pairs)
        return items, pairs

    def _check_rows(self, what: str, array: npt.NDArray[np.generic]) -> None:
        if len(array) != len(self.pairs):
            raise CorollaryError(
                f"{what} must have a row for each of {len(self.pairs):,} pairs, got {len(array):,}"
            )

    def _weigh(
        self,
        beliefs: Table,
        pair_beliefs: Table,
        facts: Given,
        pair_facts: Given,
        evidence: Given,
        pair_evidence: Given,
        *,
        largest: bool = False,
    ) -> Weighed:
        onto = self.onto
        theta = onto.check_beliefs(beliefs)
        pair_theta = check_beliefs(pair_beliefs, onto.relations, what="pair_beliefs")
        self._check_rows("pair_beliefs", pair_theta)
        known, pair_known = self._facts(facts, pair_facts, len(theta))
        check_same_shape("facts", known, "beliefs", theta)
        shifts = []
        for what, values, labels, given in (
            ("evidence", evidence, onto.labels, known),
            ("pair_evidence", pair_evidence, onto.relations, pair_known),
        ):
            shift = np.zeros(given.shape)
            if values is not None:
                shift = check_evidence(values, labels, what=what)
                check_same_shape(what, shift, "beliefs", given)
                certain = np.isinf(shift)
                if (wrong := certain & (given >= 0) & (given != (shift > 0))).any():
                    i, k = np.argwhere(wrong)[0]
                    raise CorollaryError(
                        f"{what}, row {i}, {labels[k]!r}: infinite evidence and the facts disagree; "
                        "make the evidence finite where it can be wrong"
                    )
                given[certain] = (shift > 0)[certain]
                shift[certain] = 0.0
            shifts.append(shift)
        settled = self._graph.settle(known, pair_known)
        return Weighed(
            self._graph, settled, (theta, pair_theta), (shifts[0], shifts[1]), largest=largest
        )
