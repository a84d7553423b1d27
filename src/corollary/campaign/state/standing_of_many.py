"""What stands of many items at once: the same as `standing`, with the consequences drawn for all of them in one go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...logic.engines import Facts
from ...logic.errors import Contradiction
from ...logic.ontology import Ontology
from ..events import Event
from .standing import (
    NOTHING,
    Doubted,
    Find,
    Standing,
    claims,
    finding_clashes,
    settle,
    weighed,
    what_is_said,
)  # fmt: skip
from .statements import Statements


@dataclass(frozen=True)
class Standings:
    """What stands of some items, one row each: the answers in effect and all that follows, int8 (n, K)."""

    items: tuple[str, ...]
    standings: tuple[Standing, ...]
    answers: Facts
    known: Facts
    #: Items of which the decisions alone cannot be true; nothing of them is in effect.
    refused: dict[str, Contradiction]

    def some(self, which: npt.NDArray[np.bool_]) -> Standings:
        """Only these items."""
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
    """What stands of every item that has events; where people can be wrong without what is `doubted` of each.

    `find` finds clashes, for those who come again and keep what it remembers.
    """
    find = find or finding_clashes(onto)
    items = tuple(events)
    standings = []
    for of_item in events.values():
        said = what_is_said(of_item, onto, statements)
        counting, disagreements = claims(said, onto)
        effect = {opinion.label: opinion for opinion in counting}
        standings.append(Standing(said, effect, tuple(disagreements)))
    answers, known, refused = _settle_all(standings, onto, find)
    if doubted is not None:
        _weigh_all(items, standings, answers, known, doubted, onto, find)
    named = {items[i]: clash for i, clash in refused.items()}
    return Standings(items, tuple(standings), answers, known, named)


def _weigh_all(
    items: Sequence[str],
    standings: list[Standing],
    answers: Facts,
    known: Facts,
    doubted: Mapping[str, Doubted],
    onto: Ontology,
    find: Find,
) -> None:
    """Leave out what is doubted, in place."""
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
    """What is known of an item of which nobody said anything, (K,)."""
    return np.asarray(onto.propagate(np.full((1, len(onto)), -1, np.int8))[0])


def _settle_all(
    standings: list[Standing], onto: Ontology, find: Find
) -> tuple[Facts, Facts, dict[int, Contradiction]]:
    """The answers in effect and what follows, after those that clash were settled, in place; what cannot be settled."""
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
    """The answers in effect, a row for each item."""
    rows = np.full((len(standings), len(onto)), -1, np.int8)
    k = len(onto)
    cells = [i * k + onto.index[label] for i, one in enumerate(standings) for label in one.effect]
    rows.reshape(-1)[cells] = [said.value for one in standings for said in one.effect.values()]
    return rows


def _close(onto: Ontology, rows: Facts) -> tuple[Facts, npt.NDArray[np.bool_]]:
    """What follows from each row, and which rows contradict themselves."""
    if not len(rows):
        return rows.copy(), np.zeros(0, np.bool_)
    onto.propagate({})  # an ontology that contradicts itself says so
    known, clash = onto.closure(rows)
    return known, clash
