"""The work of a worker on one part of a pool.

Count known items, find the best ones, estimate risks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..learning.choosing.picks import Pick, asks
from ..learning.choosing.question_worth import by_cost, check_asks, price_list, scores_of
from ..learning.choosing.scores import AnyScore, check_score
from ..learning.choosing.strategy import Strategy
from ..learning.stopping.forecast import AtRisk, risk_by_class
from ..logic.engines import Facts, Floats
from ..logic.errors import CorollaryError
from ..logic.ontology import Ontology
from .model import Model
from .ranking import Ranked, chances, merged
from .table.columns import Columns
from .table.parts import Block, Part, Rows, blocks
from .table.values import ExtraFacts, beliefs_in, known_in, learnt_from, places_among

#: Cells whose beliefs, facts and scores are in memory at once: some 200 MB of them.
CELLS_AT_ONCE = 4_000_000


@dataclass(frozen=True)
class Criteria:
    """How questions are chosen, as `Asking` takes it."""

    score: AnyScore = "posterior"
    costs: Mapping[str, float] = field(default_factory=dict)
    item_cost: float | None = None
    pick: Pick = "never"

    def check(self, onto: Ontology) -> None:
        """Raise an error if a pool cannot choose questions this way."""
        if isinstance(check_score(self.score), Strategy) or self.score == "random":
            raise CorollaryError(
                "score: a pool is scored part by part, but your own strategy or 'random' needs all items at once. To "
                "draw items at random, use working_set(n, share_at_random=1.0)"
            )
        asked = asks(self.pick, self.item_cost, onto)
        check_asks(asked, self.score)
        price_list(onto, self.costs, self.item_cost, asked=asked)

    def worth(self, onto: Ontology, beliefs: Floats, known: Facts) -> Floats:
        """Return the worth of the best open question of each item, -inf if none is open."""
        asked = asks(self.pick, self.item_cost, onto)
        assert not isinstance(self.score, Strategy)
        scores = scores_of(self.score, onto, beliefs, propagated=True, asked=asked)
        per_cost = by_cost(scores, price_list(onto, self.costs, self.item_cost, asked=asked))
        values = per_cost(np.arange(len(known)), known)
        closed = np.column_stack([known >= 0, (known >= 0).all(axis=1)])
        values[closed[:, : values.shape[1]]] = -np.inf
        return np.asarray(values.max(axis=1))


@dataclass(frozen=True, eq=False)
class Work:
    """Everything a worker needs, sent once.

    The ontology, the columns, extra facts, and the model.
    """

    onto: Ontology
    columns: Columns
    rows: int
    extra: ExtraFacts | None = None
    model: Model | None = None
    asking: Criteria = field(default_factory=Criteria)
    without: Sequence[str] = ()
    seed: int = 0

    def blocks(self, part: Part, columns: Sequence[str] | None) -> Iterator[Block]:
        """Yield the rows of a part in blocks that fit in memory."""
        return blocks(part, columns, max(1, CELLS_AT_ONCE // len(self.onto)))

    def known(self, block: Block) -> Facts:
        """Return the known labels of the items, propagated."""
        return known_in(block, self.columns, self.onto, self.extra)[1]

    def beliefs(self, block: Block) -> Floats:
        """Return the beliefs about the items."""
        if self.model is None:
            return beliefs_in(block, self.columns, self.onto)
        first = int(block.rows[0])
        end = int(block.rows[-1]) + 1 == self.rows
        return self.model.beliefs(learnt_from(block, self.columns), first=first, end=end)


class Survey(NamedTuple):
    """The numbers of items of a part with known labels and with extra facts, and a sample of items.

    `known` is a random sample of the items with known labels, `others` of all others.
    """

    n_known: int
    n_extra: int
    known: Ranked
    others: Ranked


def survey(work: Work, part: Part, n: int) -> Survey:
    """Count the items of a part with known labels, and draw at most n items with and without them."""
    known = []
    others = []
    n_known = n_extra = 0
    for block in work.blocks(part, work.columns.of_facts):
        given, _ = known_in(block, work.columns, work.onto, work.extra)
        some = (given >= 0).any(axis=1)
        if work.extra is not None and len(work.extra):
            n_extra += int((places_among(block, work.columns, work.extra.ids) >= 0).sum())
        n_known += int(some.sum())
        drawn = chances(work.seed, block.rows)
        known.append(Ranked.of(block.rows, np.where(some, drawn, -np.inf), n))
        others.append(Ranked.of(block.rows, np.where(some, -np.inf, drawn), n))
    return Survey(n_known, n_extra, merged(known, n), merged(others, n))


def fetch(work: Work, part: Part, rows: Rows, columns: Sequence[str] | None) -> Any:
    """Some rows of a part, by their place in the pool in ascending order, as a table."""
    import pyarrow as pa

    found = []
    for block in work.blocks(part, columns):
        low, high = np.searchsorted(rows, [block.rows[0], block.rows[-1] + 1])
        found.append(block.table.take(pa.array(rows[low:high] - block.rows[0])))
    return pa.concat_tables(found)


def best_items(work: Work, part: Part, n: int, whole: bool) -> Ranked:
    """Return the n items of a part with the best questions.

    If `whole`, with beliefs and known labels.
    """

    def ranked() -> Iterator[Ranked]:
        for block in work.blocks(part, work.columns.needed):
            known = work.known(block)
            beliefs = work.beliefs(block)
            worth = work.asking.worth(work.onto, beliefs, known)
            worth[_left_out(work, block)] = -np.inf
            yield Ranked.of(block.rows, worth, n, *((beliefs, known) if whole else ()))

    return merged(ranked(), n)


def drawn_items(work: Work, part: Part, n: int) -> Ranked:
    """Return at most n items of a part with open labels, drawn at random."""

    def ranked() -> Iterator[Ranked]:
        for block in work.blocks(part, work.columns.of_facts):
            drawn = chances(work.seed, block.rows)
            drawn[(work.known(block) >= 0).all(axis=1) | _left_out(work, block)] = -np.inf
            yield Ranked.of(block.rows, drawn, n)

    return merged(ranked(), n)


class OpenRisk(NamedTuple):
    """The risk of the open items of a part, and a bit for each item: whether it is open."""

    at_risk: AtRisk
    is_open: npt.NDArray[np.uint8]


def open_risk(work: Work, part: Part) -> OpenRisk:
    """Compute the risk of the open items of a part."""
    is_open = []
    found = risk_by_class(
        work.onto, *(np.empty((0, len(work.onto)), kind) for kind in (float, np.int8))
    )[1]
    for block in work.blocks(part, work.columns.needed):
        known = work.known(block)
        is_open.append((known < 0).any(axis=1))
        beliefs = work.beliefs(block)[is_open[-1]]
        found = found.and_of(risk_by_class(work.onto, beliefs, known[is_open[-1]])[1])
    return OpenRisk(found, np.packbits(np.concatenate(is_open)))


def _left_out(work: Work, block: Block) -> Any:
    """Whether each item is to be left out."""
    if not work.without:
        return np.zeros(block.table.num_rows, np.bool_)
    return places_among(block, work.columns, work.without) >= 0
