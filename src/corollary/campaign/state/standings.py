"""The standings of many items at once, and the figures of a campaign, each a sum over its items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...logic.engines import Facts
from ...logic.errors import Contradiction
from ...logic.ontology import Ontology
from ..events import ANSWER, Event
from ..labels.statements import Statements
from .standing import (
    IMPORT,
    NOTHING,
    Doubted,
    Find,
    Opinion,
    Said,
    Standing,
    claims,
    finding_clashes,
    settle,
    weighed,
    what_is_said,
)


@dataclass(frozen=True)
class Standings:
    """The standings of some items: answers in effect, and these with consequences, int8 (n, K)."""

    items: tuple[str, ...]
    standings: tuple[Standing, ...]
    answers: Facts
    known: Facts
    #: Items whose decisions contradict each other; none of their answers is in effect.
    refused: dict[str, Contradiction]

    def some(self, which: npt.NDArray[np.bool_]) -> Standings:
        """Return the standings of a selection of the items, bool (n,)."""
        rows = np.flatnonzero(which).tolist()
        items = tuple(self.items[i] for i in rows)
        return Standings(
            items,
            tuple(self.standings[i] for i in rows),
            self.answers[rows],
            self.known[rows],
            {item: self.refused[item] for item in items if item in self.refused},
        )


def stand_all(
    events: Mapping[str, Sequence[Event]],
    onto: Ontology,
    statements: Statements,
    *,
    doubted: Mapping[str, Doubted] | None = None,
    find: Find | None = None,
) -> Standings:
    """Return the standing of every item that has events.

    Parameters
    ----------
    events
        The events of each item, in order.
    onto, statements
        The ontology, and how answers are read under it.
    doubted
        The improbable answers of each item, which do not count; None if answers are facts.
    find
        Finds clashes and caches them; pass it again to keep its cache.
    """
    find = find or finding_clashes(onto)
    items = tuple(events)
    standings = []
    moved = statements.moves.moved(onto)
    for of_item in events.values():
        agreed = _agreed(of_item, onto, moved)
        if agreed is None:
            said = what_is_said(of_item, onto, statements)
            counting, disagreements = claims(said, onto)
            effect = {opinion.label: opinion for opinion in counting}
            agreed = Standing(said, effect, tuple(disagreements))
        standings.append(agreed)
    answers, known, refused = _settle_all(standings, onto, find)
    if doubted is not None:
        _weigh_all(items, standings, answers, known, doubted, onto, find)
    named = {items[i]: clash for i, clash in refused.items()}
    return Standings(items, tuple(standings), answers, known, named)


def _agreed(events: Sequence[Event], onto: Ontology, moved: frozenset[int]) -> Standing | None:
    """The same for an item with yes/no answers only, none of them twice or against another.

    Most items of a long log are such items, and this takes a third of the time. None for all others, and where the
    label of an answer has moved since.
    """
    opinions: dict[str, dict[str, Opinion]] = {}
    effect: dict[str, Opinion] = {}
    for event in events:
        label = event.label
        if (
            event.kind != ANSWER
            or label is None
            or label not in onto.index
            or not isinstance(event.value, bool)
            or event.who == IMPORT
            or event.ontology in moved
        ):
            return None
        opinion = Opinion(event.who, label, event.value, event.seq)
        first = effect.setdefault(label, opinion)
        if first is opinion:
            opinions[label] = {event.who: opinion}
        elif first.value is event.value and event.who not in opinions[label]:
            opinions[label][event.who] = opinion
        else:
            return None
    return Standing(Said(opinions, asked=len(events)), effect)


def _weigh_all(
    items: Sequence[str],
    standings: list[Standing],
    answers: Facts,
    known: Facts,
    doubted: Mapping[str, Doubted],
    onto: Ontology,
    find: Find,
) -> None:
    """Leave out the doubted answers, in place."""
    changed = []
    for i, item in enumerate(items):
        before = standings[i].effect
        cells = doubted.get(item, frozenset())
        standings[i] = weighed(standings[i], cells, onto, find)
        if standings[i].effect != before:
            changed.append(i)
    if changed:
        answers[changed] = _rows([standings[i] for i in changed], onto)
        known[changed] = onto.propagate(answers[changed])


def blank(onto: Ontology) -> Facts:
    """Return the known labels of an item without answers, int8 (K,)."""
    return np.asarray(onto.propagate(np.full((1, len(onto)), -1, np.int8))[0])


def _settle_all(
    standings: list[Standing], onto: Ontology, find: Find
) -> tuple[Facts, Facts, dict[int, Contradiction]]:
    """Settle clashes in place; return answers, known labels, and the clashes among decisions."""
    answers = _rows(standings, onto)
    known, clashes = _close(onto, answers)
    refused: dict[int, Contradiction] = {}
    some = np.flatnonzero(clashes).tolist()
    for i in some:
        said = standings[i].said
        try:
            standings[i] = settle(said, *claims(said, onto), find)
        except Contradiction as clash:
            standings[i] = NOTHING
            refused[i] = clash
    if some:
        answers[some] = _rows([standings[i] for i in some], onto)
        known[some] = onto.propagate(answers[some])
    return answers, known, refused


def _rows(standings: Sequence[Standing], onto: Ontology) -> Facts:
    """Return the answers in effect, one row for each item."""
    rows = np.full((len(standings), len(onto)), -1, np.int8)
    k = len(onto)
    cells = [i * k + onto.index[label] for i, one in enumerate(standings) for label in one.effect]
    rows.reshape(-1)[cells] = [said.value for one in standings for said in one.effect.values()]
    return rows


def _close(onto: Ontology, rows: Facts) -> tuple[Facts, npt.NDArray[np.bool_]]:
    """Return each row with its consequences, and which rows contradict themselves."""
    if not len(rows):
        return rows.copy(), np.zeros(0, np.bool_)
    onto.propagate({})  # raises if the ontology contradicts itself
    known, clash = onto.closure(rows)
    return known, clash


class Untouched(NamedTuple):
    """An item without answers: its known labels, (K,), which the ontology alone settles."""

    onto: Ontology
    known: Facts
    settled: frozenset[str]

    @classmethod
    def of(cls, onto: Ontology) -> Untouched:
        """Make such an item for an ontology."""
        known = blank(onto)
        return cls(
            onto, known, frozenset(label for k, label in enumerate(onto.labels) if known[k] >= 0)
        )

    @property
    def tally(self) -> Tally:
        """The contribution of such an item to the figures."""
        cells = len(self.known) - len(self.settled)
        return Tally(items=1, cells=cells, done=int(not cells))

    def beyond(self, known: Facts) -> list[int]:
        """Return the number of known labels in each row, without those that the ontology settles."""
        return list(((known >= 0) & (self.known < 0)).sum(axis=1).tolist())

    def following(self, answers: Sequence[Mapping[str, bool]]) -> list[int]:
        """Return the same numbers for the consequences of the answers about each item."""
        rows = np.full((len(answers), len(self.onto)), -1, np.int8)
        for i, row in enumerate(answers):
            rows[i, [self.onto.index[label] for label in row]] = list(row.values())
        return self.beyond(self.onto.closure(rows)[0]) if answers else []


class Tally(NamedTuple):
    """The figures of a campaign. Withdrawn items do not count.

    Attributes
    ----------
    items, done, held
        All items, those with all labels known, those with an open conflict.
    cells
        Labels of items that the ontology alone leaves open.
    settled
        The cells that are known now.
    asked
        Answers that people gave, without skips.
    answered, imported, decided, accepted
        Settled cells by their source: people, the import, a lead, accepted predictions. All other
        settled cells are consequences.
    brought
        Settled cells that no answer settled: imported or accepted ones, and their consequences.
    unasked
        Items that are done with accepted labels, and that nobody was asked about.
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
        """Return the contribution of one item, less that of an item without answers."""
        return next(cls.each([standing], known[None], untouched))

    @classmethod
    def each(
        cls, standings: Sequence[Standing], known: Facts, untouched: Untouched
    ) -> Iterator[Tally]:
        """Yield the contribution of each item, less that of an item without answers.

        `known` has one row for each item.
        """
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
        """Return the sum of the contributions that `each` yields."""
        return cls.sum(cls.each(found.standings, found.known, untouched))

    def plus(self, other: Tally, *, times: int = 1) -> Tally:
        """Return the sum, with `other` multiplied by `times`."""
        return Tally(*(a + times * b for a, b in zip(self, other, strict=True)))

    @staticmethod
    def sum(tallies: Iterable[Tally]) -> Tally:
        """Return the sum of many tallies."""
        columns = list(zip(*tallies, strict=True))
        return Tally(*map(sum, columns)) if columns else Tally()

    @property
    def implied(self) -> int:
        """Cells that follow from other labels."""
        return max(self.settled - self.answered - self.imported - self.decided - self.accepted, 0)

    @property
    def open(self) -> int:
        """Cells that are not known yet."""
        return self.cells - self.settled

    def saved(self, *, one: bool) -> int:
        """Return the number of questions that nobody had to answer.

        If each item has one label (`one`), people would be asked one pick for each item. Saved are
        then the items that nobody was asked about. Otherwise, saved are the cells that answers
        settled, minus the questions asked.
        """
        return self.unasked if one else self.settled - self.brought - self.asked

    def as_dict(self, *, one: bool) -> dict[str, int]:
        """Return the figures by name, with the derived ones; `one` as in `saved`."""
        return self._asdict() | {
            "implied": self.implied,
            "open": self.open,
            "saved": self.saved(one=one),
        }


def _facts(opinions: Iterable[Opinion]) -> dict[str, bool]:
    return {said.label: said.value for said in opinions}


def _is_imported(standing: Standing, said: Opinion) -> bool:
    return not said.decided and standing.said.opinions[said.label].keys() == {IMPORT}
