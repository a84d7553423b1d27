"""The figures of a campaign that change with every answer, each the sum over its items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ...logic.engines import Facts
from ...logic.ontology import Ontology
from .second_opinions import IMPORT
from .standing import Standing
from .standing_of_many import blank


class Untouched(NamedTuple):
    """An item of which nobody said anything: what is known of it, (K,), and the labels that the ontology settles."""

    known: Facts
    settled: frozenset[str]

    @classmethod
    def of(cls, onto: Ontology) -> Untouched:
        """Such an item under an ontology."""
        known = blank(onto)
        return cls(known, frozenset(label for k, label in enumerate(onto.labels) if known[k] >= 0))

    @property
    def tally(self) -> Tally:
        """What it adds to the figures."""
        cells = len(self.known) - len(self.settled)
        return Tally(items=1, cells=cells, done=int(not cells))


class Tally(NamedTuple):
    """Counts; `cells` are those that the ontology alone leaves open, `settled` those of them that are known now.

    Of the settled, `answered` were said by people, `imported` brought along, `decided` by a lead, the rest follows.
    Items that were withdrawn do not count.
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
    def of(cls, standing: Standing, known: Facts, untouched: Untouched) -> Tally:
        """What one item adds to what it would add untouched."""
        return next(cls.each([standing], known[None], untouched))

    @classmethod
    def each(cls, standings: Sequence[Standing], known: Facts, untouched: Untouched) -> Iterator[Tally]:
        """What each of some items adds to what it would add untouched; `known` has a row for each."""
        start = untouched.tally
        settled = ((known >= 0) & (untouched.known < 0)).sum(axis=1).tolist()
        for standing, cells in zip(standings, settled, strict=True):
            if standing.withdrawn:
                yield Tally().plus(start, times=-1)
                continue
            effect = [opinion for label, opinion in standing.effect.items() if label not in untouched.settled]
            decided = sum(opinion.decided for opinion in effect)
            imported = sum(
                not opinion.decided and standing.said.opinions[opinion.label].keys() == {IMPORT} for opinion in effect
            )
            yield cls(
                asked=standing.said.asked,
                settled=cells,
                answered=len(effect) - imported - decided,
                imported=imported,
                decided=decided,
                done=int(cells == start.cells) - start.done,
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
