"""The most probable legal labelling of every item, given all that is known of it, and the probability of that one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from weakref import ReferenceType, ref

import numpy as np

from ...learning.stopping.calibration import log_odds, log_probability
from ...logic.engines import Facts, Floats
from ...logic.ontology import Ontology

if TYPE_CHECKING:
    from .state import State

#: The number of cells that are worked on at once, to bound the memory it takes.
AT_ONCE = 2_000_000


class Labellings(NamedTuple):
    """The labelling of each item, int8 (N, K), and its probability, (N,); arrays for reading only."""

    labelling: Facts
    probability: Floats


def most_probable(onto: Ontology, beliefs: Floats, known: Facts) -> Labellings:
    """The most probable legal labelling of some items and its probability, given what is known; block by block."""
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
    """The labellings of the model in use: worked out once, then again for items whose known labels change."""

    def __init__(self) -> None:
        self._made_by: tuple[ReferenceType[object], object] | None = (
            None  # the session, and its model
        )
        self._known: Facts = np.empty((0, 0), np.int8)
        self._found = Labellings(self._known, np.empty(0))

    def get(self, state: State) -> Labellings:
        """The labellings of all items; under the campaign's lock."""
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
            )  # it may be read now
            self._found.labelling[rows], self._found.probability[rows] = again
        self._made_by = (ref(session), state.model)
        self._known = facts.copy()
        return self._found


def most_probable_labellings(state: State) -> Labellings:
    """The most probable labelling of every item and its probability; under the campaign's lock."""
    return state.labellings.get(state)
