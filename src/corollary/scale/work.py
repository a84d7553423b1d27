"""What is done with a part of a pool, where it is: what is known of it, its best items, what is at risk of it."""

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
from .columns import Columns
from .model import Model
from .parts import Block, Part, Rows, blocks
from .ranking import Ranked, chances, merged
from .values import Told, beliefs_in, known_in, learnt_from, places_among

#: Cells whose beliefs, facts and scores are in memory at once: some 200 MB of them.
CELLS_AT_ONCE = 4_000_000


@dataclass(frozen=True)
class Criteria:
    """What may be asked, and by what questions are chosen: as `Session` takes it."""

    score: AnyScore = "posterior"
    costs: Mapping[str, float] = field(default_factory=dict)
    item_cost: float | None = None
    pick: Pick = "never"

    def check(self, onto: Ontology) -> None:
        """An error that says which of these cannot be."""
        if isinstance(check_score(self.score), Strategy) or self.score == "random":
            raise CorollaryError(
                "a pool is scored part by part, by what is believed of each item: a strategy of one's own or 'random' "
                "needs all items at once; to draw items at random: working_set(n, share_at_random=1.0)"
            )
        asked = asks(self.pick, self.item_cost, onto)
        check_asks(asked, self.score)
        price_list(onto, self.costs, self.item_cost, asked=asked)

    def worth(self, onto: Ontology, beliefs: Floats, known: Facts) -> Floats:
        """What the best open question of each item is worth, -inf where none is open."""
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
    """What every worker needs, sent once: the ontology, what is what, what is told beside the pool, and the model."""

    onto: Ontology
    columns: Columns
    rows: int
    told: Told | None = None
    model: Model | None = None
    asking: Criteria = field(default_factory=Criteria)
    without: Sequence[str] = ()
    seed: int = 0

    def blocks(self, part: Part, columns: Sequence[str] | None) -> Iterator[Block]:
        """The rows of a part, as many at a time as there is room for."""
        return blocks(part, columns, max(1, CELLS_AT_ONCE // len(self.onto)))

    def known(self, block: Block) -> Facts:
        """All that is known of the items."""
        return known_in(block, self.columns, self.onto, self.told)[1]

    def beliefs(self, block: Block) -> Floats:
        """What is believed of the items."""
        if self.model is None:
            return beliefs_in(block, self.columns, self.onto)
        first = int(block.rows[0])
        end = int(block.rows[-1]) + 1 == self.rows
        return self.model.beliefs(learnt_from(block, self.columns), first=first, end=end)


class Survey(NamedTuple):
    """Of how many items of a part something is known, and of how many it is told beside the pool; and some of them.

    `known` and `others` are drawn by chance among the items of which something is known, and among the others.
    """

    n_known: int
    n_told: int
    known: Ranked
    others: Ranked


def survey(work: Work, part: Part, n: int) -> Survey:
    """Look at what is known of a part, and draw at most n items of either kind."""
    known = []
    others = []
    n_known = n_told = 0
    for block in work.blocks(part, work.columns.of_facts):
        given, _ = known_in(block, work.columns, work.onto, work.told)
        some = (given >= 0).any(axis=1)
        if work.told is not None and len(work.told):
            n_told += int((places_among(block, work.columns, work.told.ids) >= 0).sum())
        n_known += int(some.sum())
        drawn = chances(work.seed, block.rows)
        known.append(Ranked.of(block.rows, np.where(some, drawn, -np.inf), n))
        others.append(Ranked.of(block.rows, np.where(some, -np.inf, drawn), n))
    return Survey(n_known, n_told, merged(known, n), merged(others, n))


def fetch(work: Work, part: Part, rows: Rows, columns: Sequence[str] | None) -> Any:
    """Some rows of a part, by their place in the pool in ascending order, as a table."""
    import pyarrow as pa

    found = []
    for block in work.blocks(part, columns):
        low, high = np.searchsorted(rows, [block.rows[0], block.rows[-1] + 1])
        found.append(block.table.take(pa.array(rows[low:high] - block.rows[0])))
    return pa.concat_tables(found)


def best_items(work: Work, part: Part, n: int, whole: bool) -> Ranked:
    """The n items of a part whose best question is worth most; `whole`: with what is believed and known of them."""

    def ranked() -> Iterator[Ranked]:
        for block in work.blocks(part, work.columns.needed):
            known = work.known(block)
            beliefs = work.beliefs(block)
            worth = work.asking.worth(work.onto, beliefs, known)
            worth[_left_out(work, block)] = -np.inf
            yield Ranked.of(block.rows, worth, n, *((beliefs, known) if whole else ()))

    return merged(ranked(), n)


def drawn_items(work: Work, part: Part, n: int) -> Ranked:
    """At most n items of a part of which something is open, drawn by chance."""

    def ranked() -> Iterator[Ranked]:
        for block in work.blocks(part, work.columns.of_facts):
            drawn = chances(work.seed, block.rows)
            drawn[(work.known(block) >= 0).all(axis=1) | _left_out(work, block)] = -np.inf
            yield Ranked.of(block.rows, drawn, n)

    return merged(ranked(), n)


class OpenRisk(NamedTuple):
    """What is at risk of the open items of a part, and which they are: a bit for each item."""

    at_risk: AtRisk
    is_open: npt.NDArray[np.uint8]


def open_risk(work: Work, part: Part) -> OpenRisk:
    """What is at risk of the open items of a part."""
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
    """Which items are not wanted."""
    if not work.without:
        return np.zeros(block.table.num_rows, np.bool_)
    return places_among(block, work.columns, work.without) >= 0
