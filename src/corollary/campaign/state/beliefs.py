"""Beliefs of a campaign: before the first model, between models, and the most probable labelling."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple
from weakref import ReferenceType, ref

import numpy as np

from ...learning.stopping.calibration import log_odds, log_probability
from ...logic.engines import Facts, Floats
from ...logic.ontology import Ontology
from ..events import FACT, Event
from ..labels.label_places import Places
from ..labels.statements import Statements

if TYPE_CHECKING:
    from .state import State


#: How much beliefs vary between items, in log-odds. Without it, all questions would be about the
#: same label, item after item.
VARIETY = 0.5
#: The belief about an item or a label that was added after the model.
UNDECIDED = 0.5


def first_beliefs(onto: Ontology, n: int, facts: Facts, *, seed: int) -> Floats:
    """Return beliefs about n items without a model, (n, K).

    Earlier rows stay the same if more items come.
    """
    p = prior(onto, facts)
    odds = np.log(p / (1.0 - p)) + VARIETY * np.random.default_rng(seed).standard_normal(
        (n, len(onto))
    )
    return np.asarray(1.0 / (1.0 + np.exp(-odds)))


def prior(onto: Ontology, facts: Facts) -> Floats:
    """Return a belief for each label, (K,), so that general labels are asked first.

    Among items with all labels above it, a label is on as often as in the facts, with one more yes
    and one more no. A label with others below it has many worlds. Its odds are divided among them;
    otherwise the narrowest labels, being many, would decide.
    """
    places = Places(onto)
    weight = np.empty(len(onto))
    for k, label in enumerate(onto.labels):
        above = [onto.index[parent] for parent in places.parents.get(label, ())]
        seen = facts[(facts[:, above] == 1).all(axis=1), k]
        weight[k] = ((seen == 1).sum() + 1.0) / ((seen == 0).sum() + 1.0)
    below = [
        weight[[onto.index[child] for child in dict.fromkeys(places.children.get(label, ()))]].sum()
        for label in onto.labels
    ]
    odds = weight / (1.0 + np.array(below))
    return np.asarray(odds / (1.0 + odds))


def brought_along(events: Iterable[Event], onto: Ontology, statements: Statements) -> Facts:
    """Return the imported labels and their consequences, one row for each item that has some.

    If a cell was imported twice, the later value counts. An item whose labels contradict each
    other is left out.
    """
    answers: dict[str | None, dict[int, bool]] = {}
    for event in events:
        if event.kind == FACT:
            k = onto.index.get(statements.label_of(event, onto))
            if k is not None:
                answers.setdefault(event.item, {})[k] = event.value
    rows = np.full((len(answers), len(onto)), -1, np.int8)
    for row, cells in zip(rows, answers.values(), strict=True):
        row[list(cells)] = list(cells.values())
    known, clash = onto.closure(rows)
    return known[~clash]


def carried_over(
    beliefs: Floats, then: Ontology, onto: Ontology, n: int, label_now: Callable[[str], str | None]
) -> Floats:
    """Return a model's beliefs for the current n items and labels.

    The model was trained on the first rows, under the ontology `then`. Items and labels that it
    does not know get the belief UNDECIDED.
    """
    carried = np.full((n, len(onto)), UNDECIDED)
    kept = [(k, onto.index.get(label_now(label) or "")) for k, label in enumerate(then.labels)]
    for source, target in kept:
        if target is None:
            continue
        carried[: len(beliefs), target] = beliefs[:, source]
    return carried


#: The number of cells that are worked on at once, to bound the memory it takes.
AT_ONCE = 2_000_000


class Labellings(NamedTuple):
    """The labelling of each item, int8 (N, K), and its probability, (N,); arrays for reading only."""

    labelling: Facts
    probability: Floats


def most_probable(onto: Ontology, beliefs: Floats, known: Facts) -> Labellings:
    """Return the most probable legal labelling of each row, given the known labels."""
    labelling = np.empty(known.shape, np.int8)
    probability = np.empty(len(known))
    at_once = max(1, AT_ONCE // max(1, len(onto)))
    for start in range(0, len(known), at_once):
        part = slice(start, start + at_once)
        odds = log_odds(beliefs[part])
        labelling[part] = onto.most_probable(beliefs[part], known[part])
        log_z = onto.marginals(odds, known[part])[1]
        probability[part] = np.exp(log_probability(onto, odds, labelling[part], log_z))
    return Labellings(labelling, probability)


class KeptLabellings:
    """The labellings of the current model, computed again only for items whose known labels changed."""

    def __init__(self) -> None:
        self._made_by: tuple[ReferenceType[object], object] | None = (
            None  # the session and the model
        )
        self._known: Facts = np.empty((0, 0), np.int8)
        self._found = Labellings(self._known, np.empty(0))

    def get(self, state: State) -> Labellings:
        """Return the labellings of all items; needs the campaign's lock."""
        session = state.session
        facts = state.facts
        made_by = self._made_by
        if made_by is None or made_by[0]() is not session or made_by[1] is not state.model:
            self._found = most_probable(state.onto, session.beliefs, facts)
        else:
            rows = np.flatnonzero((facts != self._known).any(axis=1))
            if not len(rows):
                return self._found
            again = most_probable(state.onto, session.beliefs[rows], facts[rows])
            self._found = Labellings(
                self._found.labelling.copy(), self._found.probability.copy()
            )  # copies, because the old arrays may be read at this moment
            self._found.labelling[rows], self._found.probability[rows] = again
        self._made_by = (ref(session), state.model)
        self._known = facts.copy()
        return self._found


def most_probable_labellings(state: State) -> Labellings:
    """Return the most probable labelling of each item; needs the campaign's lock."""
    return state.labellings.get(state)
