"""The figures of a campaign that change with every answer, each the sum over its items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ...logic.engines import Facts
from ...logic.ontology import Ontology
from .standing import IMPORT, Opinion, Standing
from .standing_of_many import Standings, blank


class Untouched(NamedTuple):
    """An item of which nobody said anything: what is known of it, (K,), and the labels that the ontology settles."""

    onto: Ontology
    known: Facts
    settled: frozenset[str]

    @classmethod
    def of(cls, onto: Ontology) -> Untouched:
        """Such an item under an ontology."""
        known = blank(onto)
        return cls(
            onto, known, frozenset(label for k, label in enumerate(onto.labels) if known[k] >= 0)
        )

    @property
    def tally(self) -> Tally:
        """What it adds to the figures."""
        cells = len(self.known) - len(self.settled)
        return Tally(items=1, cells=cells, done=int(not cells))

    def beyond(self, known: Facts) -> list[int]:
        """How many labels are known of each of some items, one row each, beyond those that the ontology settles."""
        return list(((known >= 0) & (self.known < 0)).sum(axis=1).tolist())

    def following(self, answers: Sequence[Mapping[str, bool]]) -> list[int]:
        """The same for all that follows from the answers about each."""
        rows = np.full((len(answers), len(self.onto)), -1, np.int8)
        for i, row in enumerate(answers):
            rows[i, [self.onto.index[label] for label in row]] = list(row.values())
        return self.beyond(self.onto.closure(rows)[0]) if answers else []


class Tally(NamedTuple):
    """Counts; `cells` are those that the ontology alone leaves open, `settled` those of them that are known now.

    Of the settled, `answered` were said by people, `imported` brought along, `decided` by a lead, `accepted` as they
    were predicted, the rest follows; `brought` are those that were brought along or follow from such labels alone, and
    those that are known only because something was accepted: nobody's answers settled them.
    Items that were withdrawn do not count. `unasked` are the items done of which something was accepted, and nobody was
    asked.
    """

    items: int = 0
    cells: int = 0
    asked: int = 0
    settled: int = 0
    answered: int = 0
    imported: int = 0
    brought: int = 0
    decided: int = 0
    done: int = 0
    held: int = 0
    accepted: int = 0
    unasked: int = 0

    @classmethod
    def of(cls, standing: Standing, known: Facts, untouched: Untouched) -> Tally:
        """What one item adds to what it would add untouched."""
        return next(cls.each([standing], known[None], untouched))

    @classmethod
    def each(
        cls, standings: Sequence[Standing], known: Facts, untouched: Untouched
    ) -> Iterator[Tally]:
        """What each of some items adds to what it would add untouched; `known` has a row for each."""
        start = untouched.tally
        settled = untouched.beyond(known)
        effects = [
            []
            if one.withdrawn
            else [said for label, said in one.effect.items() if label not in untouched.settled]
            for one in standings
        ]
        own = [
            [said for said in effect if not one.is_accepted(said.label)]
            if one.said.accepted
            else effect
            for one, effect in zip(standings, effects, strict=True)
        ]
        some = [i for i, said in enumerate(own) if len(said) < len(effects[i])]
        without = untouched.following([_facts(own[i]) for i in some])
        earned = dict(enumerate(settled)) | dict(zip(some, without, strict=True))
        imports = [
            [said for said in of if _is_imported(one, said)]
            for one, of in zip(standings, own, strict=True)
        ]
        mixed = [i for i, said in enumerate(imports) if 0 < len(said) < len(own[i])]
        follows = untouched.following([_facts(imports[i]) for i in mixed])
        brought = {i: earned[i] for i, said in enumerate(imports) if said} | dict(
            zip(mixed, follows, strict=True)
        )
        for i, (standing, effect, cells) in enumerate(
            zip(standings, effects, settled, strict=True)
        ):
            if standing.withdrawn:
                yield Tally().plus(start, times=-1)
                continue
            decided = sum(opinion.decided for opinion in effect)
            done = int(cells == start.cells)
            accepted = len(effect) - len(own[i])
            yield cls(
                asked=standing.said.asked,
                settled=cells,
                answered=len(own[i]) - len(imports[i]) - decided,
                imported=len(imports[i]),
                brought=brought.get(i, 0) + cells - earned[i],
                decided=decided,
                done=done - start.done,
                held=int(standing.held),
                accepted=accepted,
                unasked=int(done and accepted and not standing.said.asked),
            )

    @classmethod
    def all(cls, found: Standings, untouched: Untouched) -> Tally:
        """What all of some items add together to what they would add untouched."""
        return cls.sum(cls.each(found.standings, found.known, untouched))

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
        return max(self.settled - self.answered - self.imported - self.decided - self.accepted, 0)

    @property
    def open(self) -> int:
        """Labels that are not known yet."""
        return self.cells - self.settled

    def saved(self, *, one: bool) -> int:
        """Questions that nobody had to answer.

        Where one label holds for each item people would otherwise be asked one pick an item: saved are the items of
        which nobody was asked. Elsewhere it is the cells that answers settled, less the questions asked for that.
        """
        return self.unasked if one else self.settled - self.brought - self.asked

    def as_dict(self, *, one: bool) -> dict[str, int]:
        """By name, with what is derived; `one` tells whether one label holds for each item."""
        return self._asdict() | {
            "implied": self.implied,
            "open": self.open,
            "saved": self.saved(one=one),
        }


def _facts(opinions: Iterable[Opinion]) -> dict[str, bool]:
    return {said.label: said.value for said in opinions}


def _is_imported(standing: Standing, said: Opinion) -> bool:
    return not said.decided and standing.said.opinions[said.label].keys() == {IMPORT}
