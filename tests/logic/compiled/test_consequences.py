"""What an answer would settle, weighed, against trying every answer."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import corollary as co

from ..ontologies import ontologies, worlds

TREE = ("subsumes",)
PAIRS = ("subsumes", "exclusive")


def naive(legal, yes, no, known):
    """Totals of one item: the labels that each answer leaves only one value for and that were open before."""
    totals = np.zeros((2, len(known)))
    left = legal[((known < 0) | (legal == known)).all(axis=1)]
    for k in np.flatnonzero(known < 0):
        for value in (0, 1):
            after = left[left[:, k] == value]
            settled = (after == after[0]).all(axis=0) & (known < 0)
            totals[value, k] = np.where(after[0] == 1, yes, no)[settled].sum()
    return totals[1], totals[0]


@settings(max_examples=80, deadline=None)
@given(
    st.one_of(
        ontologies(max_labels=6),
        ontologies(max_labels=6, kinds=PAIRS),
        ontologies(max_labels=6, kinds=TREE),
    ),
    st.integers(0, 2**32 - 1),
)
def test_what_follows_by_trying_every_answer(ontology, seed):
    labels, constraints = ontology
    legal = worlds(labels, constraints).astype(np.int8)
    assume(len(legal))
    rng = np.random.default_rng(seed)
    truth = legal[rng.integers(len(legal), size=4)]
    onto = co.Ontology(labels, constraints)
    known = onto.propagate(np.where(rng.random(truth.shape) < 0.2, truth, -1).astype(np.int8))
    yes, no = rng.random((2, *known.shape))
    if_yes, if_no = onto.consequences(yes, no, known)
    for i in range(len(known)):
        expected = naive(legal, yes[i], no[i], known[i])
        np.testing.assert_allclose([if_yes[i], if_no[i]], expected, rtol=0, atol=1e-12)
