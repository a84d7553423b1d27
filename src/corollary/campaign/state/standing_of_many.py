"""What stands of many items at once: the same as `standing`, with the consequences drawn for all of them in one go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
import numpy.typing as npt

from ...logic.engines import Facts
from ...logic.errors import Contradiction
from ...logic.ontology import Ontology
from ..events import Event
from .standing import (
    NOTHING,
    Closure,
    Doubted,
    Opinion,
    Said,
    Standing,
    claims,
    find_clash,
    settle,
    weighed,
    what_is_said,
)  # fmt: skip


@dataclass(frozen=True)
class Standings:
    """What stands of some items, one row each: the answers in effect and all that follows, int8 (n, K)."""

    items: tuple[str, ...]
    standings: tuple[Standing, ...]
    answers: Facts
    known: Facts
    #: Items of which the decisions alone cannot be true; nothing of them is in effect.
    refused: dict[str, Contradiction]


def stand_all(
    events: Mapping[str, Sequence[Event]],
    onto: Ontology,
    closure: Closure,
    *,
    doubted: Mapping[str, Doubted] | None = None,
) -> Standings:
    """What stands of every item that has events; where people can be wrong without what is `doubted` of each."""
    said = [what_is_said(of_item, closure) for of_item in events.values()]
    standings, answers, known, refused = _settle_all(said, onto)
    items = tuple(events)
    if doubted is not None:
        _weigh_all(items, standings, answers, known, doubted, onto)
    return Standings(items, tuple(standings), answers, known, {items[i]: clash for i, clash in refused.items()})


def _weigh_all(
    items: Sequence[str],
    standings: list[Standing],
    answers: Facts,
    known: Facts,
    doubted: Mapping[str, Doubted],
    onto: Ontology,
) -> None:
    """Leave out what is doubted, in place."""
    find = cache(partial(find_clash, onto))
    changed = []
    for i, item in enumerate(items):
        before, cells = standings[i].effect, doubted.get(item, frozenset())
        standings[i] = weighed(standings[i], cells, onto, find)
        if standings[i].effect != before:
            changed.append(i)
    if changed:
        answers[changed] = _rows([list(standings[i].effect.values()) for i in changed], onto)
        known[changed] = onto.propagate(answers[changed])


def blank(onto: Ontology) -> Facts:
    """What is known of an item of which nobody said anything, (K,)."""
    return np.asarray(onto.propagate(np.full((1, len(onto)), -1, np.int8))[0])


def _settle_all(said: Sequence[Said], onto: Ontology) -> tuple[list[Standing], Facts, Facts, dict[int, Contradiction]]:
    counting = [claims(one, onto) for one in said]
    standings = [
        Standing(one, {opinion.label: opinion for opinion in opinions}, tuple(disagreements))
        for one, (opinions, disagreements) in zip(said, counting, strict=True)
    ]
    answers = _rows([opinions for opinions, _ in counting], onto)
    known, clashes = _close(onto, answers)
    refused: dict[int, Contradiction] = {}
    find = cache(partial(find_clash, onto))  # many items clash in the same way
    for i in np.flatnonzero(clashes).tolist():
        try:
            standings[i] = settle(said[i], *counting[i], find)
        except Contradiction as clash:
            standings[i], refused[i] = NOTHING, clash
        answers[i] = _rows([list(standings[i].effect.values())], onto)[0]
    if clashes.any():
        known[clashes] = onto.propagate(answers[clashes])
    return standings, answers, known, refused


def _rows(opinions: Sequence[Sequence[Opinion]], onto: Ontology) -> Facts:
    rows = np.full((len(opinions), len(onto)), -1, np.int8)
    cells = [(i, onto.index[o.label], o.value) for i, of_item in enumerate(opinions) for o in of_item]
    if cells:
        i, k, value = zip(*cells, strict=True)
        rows[list(i), list(k)] = value
    return rows


def _close(onto: Ontology, rows: Facts) -> tuple[Facts, npt.NDArray[np.bool_]]:
    """What follows from each row, and which rows contradict themselves."""
    if not len(rows):
        return rows.copy(), np.zeros(0, np.bool_)
    onto.propagate({})  # an ontology that contradicts itself says so
    known, clash = onto.closure(rows)
    return known, clash
