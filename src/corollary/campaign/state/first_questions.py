"""The first questions: what is believed before any model, by how common each label is, or before the next model."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from ...logic.engines import Facts, Floats
from ...logic.ontology import Ontology
from ..events import FACT, Event
from .label_places import Places
from .statements import Statements

#: How far beliefs vary from item to item, in log-odds: else everybody would be asked for the same label, item by item.
VARIETY = 0.5
#: What is believed of an item, or a label, that came after the model.
UNDECIDED = 0.5


def first_beliefs(onto: Ontology, n: int, facts: Facts, *, seed: int) -> Floats:
    """What is believed of n items of which no model knows anything, (n, K); the first stay as they are if more come."""
    p = prior(onto, facts)
    odds = np.log(p / (1.0 - p)) + VARIETY * np.random.default_rng(seed).standard_normal(
        (n, len(onto))
    )
    return np.asarray(1.0 / (1.0 + np.exp(-odds)))


def prior(onto: Ontology, facts: Facts) -> Floats:
    """A belief for each label, (K,), so that what is general is asked first.

    Of items that have what stands above a label, it is on as often as in the facts (one more yes and one more no are
    supposed, so that without facts all is even). A label that has others below it stands for as many worlds: its odds
    are divided among them, or the narrowest labels, being many, would decide.
    """
    places = Places(onto)
    weight = np.empty(len(onto))
    for k, label in enumerate(onto.labels):
        above = [onto.index[parent] for parent in places.parents.get(label, ())]
        told = facts[(facts[:, above] == 1).all(axis=1), k]
        weight[k] = ((told == 1).sum() + 1.0) / ((told == 0).sum() + 1.0)
    below = [
        weight[[onto.index[child] for child in dict.fromkeys(places.children.get(label, ()))]].sum()
        for label in onto.labels
    ]
    odds = weight / (1.0 + np.array(below))
    return np.asarray(odds / (1.0 + odds))


def brought_along(events: Iterable[Event], onto: Ontology, statements: Statements) -> Facts:
    """The labels that came with the items and all that follows from them, a row for each item that has some.

    Of two for one cell the later counts; an item whose labels contradict each other is left out.
    """
    told: dict[str | None, dict[int, bool]] = {}
    for event in events:
        if event.kind == FACT:
            k = onto.index.get(statements.label_of(event, onto))
            if k is not None:
                told.setdefault(event.item, {})[k] = event.value
    rows = np.full((len(told), len(onto)), -1, np.int8)
    for row, cells in zip(rows, told.values(), strict=True):
        row[list(cells)] = list(cells.values())
    known, clash = onto.closure(rows)
    return known[~clash]


def carried_over(
    beliefs: Floats, then: Ontology, onto: Ontology, n: int, label_now: Callable[[str], str | None]
) -> Floats:
    """The beliefs of a model for the n items and the labels there are now; it was trained on the first of these."""
    carried = np.full((n, len(onto)), UNDECIDED)
    kept = [(k, onto.index.get(label_now(label) or "")) for k, label in enumerate(then.labels)]
    for source, target in kept:
        if target is None:
            continue
        carried[: len(beliefs), target] = beliefs[:, source]
    return carried
