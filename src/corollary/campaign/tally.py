"""The figures of a campaign that change with every answer, each the sum over its items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..logic.engines import Facts
from .standing import Standing
from .waiting import IMPORT


class Tally(NamedTuple):
    """Counts; `cells` are those that the ontology alone leaves open, `settled` those of them that are known now.

    Of the settled, `answered` were said by people, `imported` brought along, `decided` by a lead, the rest follows.
    """

    items: int = 0
    cells: int = 0
    asked: int = 0
    settled: int = 0
    answered: int = 0
    imported: int = 0
    decided: int = 0
    done: int = 0
    held: int = 0

    @classmethod
    def of(cls, standing: Standing, known: Facts, blank: Facts) -> Tally:
        """What one item adds."""
        return next(cls.each([standing], known[None], blank))

    @classmethod
    def each(cls, standings: Sequence[Standing], known: Facts, blank: Facts) -> Iterator[Tally]:
        """What each of some items adds; `known` has a row for each, `blank` is what is known of any item."""
        settled = ((known >= 0) & (blank < 0)).sum(axis=1).tolist()
        done = np.asarray((known >= 0).all(axis=1)).tolist()
        for standing, cells, is_done in zip(standings, settled, done, strict=True):
            imported = decided = 0
            for label, opinion in standing.effect.items():
                decided += opinion.decided
                imported += not opinion.decided and standing.said.opinions[label].keys() == {IMPORT}
            yield cls(
                asked=standing.said.asked,
                settled=cells,
                answered=len(standing.effect) - imported - decided,
                imported=imported,
                decided=decided,
                done=int(is_done),
                held=int(standing.held),
            )

    def plus(self, other: Tally, *, times: int = 1) -> Tally:
        """The sum; the difference with `times` -1."""
        return Tally(*(a + times * b for a, b in zip(self, other, strict=True)))

    @staticmethod
    def sum(tallies: Iterable[Tally]) -> Tally:
        """The sum of many."""
        columns = list(zip(*tallies, strict=True))
        return Tally(*map(sum, columns)) if columns else Tally()

    @property
    def implied(self) -> int:
        """Labels that nobody said."""
        return max(self.settled - self.answered - self.imported - self.decided, 0)

    @property
    def open(self) -> int:
        """Labels that are not known yet."""
        return self.cells - self.settled

    @property
    def saved(self) -> int:
        """Questions that nobody had to answer: labels settled, less those asked and those brought along."""
        return self.settled - self.asked - self.imported

    def as_dict(self) -> dict[str, int]:
        """By name, with what is derived."""
        return self._asdict() | {"implied": self.implied, "open": self.open, "saved": self.saved}
