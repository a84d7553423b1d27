"""Confusions and kinds, counted one by one."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import corollary as co
from corollary.learning.witnesses.groups.choice_replies import whole_replies
from corollary.learning.witnesses.groups.confusion import KIND_LEANING, KINDS, LEANING, Confusion
from corollary.learning.witnesses.reports import read_reports

ONTO = co.Ontology.parse("exactly one: a, b, c")


def made(rng, n_items=6, n_witnesses=3):
    rows = [
        (i, "abc"[rng.integers(3)], w, 1)
        for i in range(n_items)
        for w in range(n_witnesses)
        if rng.random() < 0.8
    ] + [(0, "a", w, 1) for w in range(n_witnesses)]
    replies, _ = whole_replies(ONTO.choices[0], read_reports(rows, ONTO, items=range(n_items)))
    return Confusion(replies, n_items, n_witnesses)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_likelihood_and_counts_equal_those_taken_one_by_one(seed):
    rng = np.random.default_rng(seed)
    model = made(rng)
    model.update(rng.dirichlet(np.ones(3), size=6))
    model.weight = rng.random(3)
    found = model.log_likelihood()
    said = list(zip(model.replies.item, model.replies.witness, model.replies.said, strict=True))
    kinds = np.empty((6, 3, KINDS))
    for i in range(6):
        for d in range(3):
            for m in range(KINDS):
                chance = [
                    model.weight[w] * np.log(model.rates[w, d, m, c])
                    for item, w, c in said
                    if item == i
                ]
                kinds[i, d, m] = model.shares[d, m] * np.exp(sum(chance))
            np.testing.assert_allclose(
                found[i, d], np.log(kinds[i, d].sum()), rtol=1e-9, atol=1e-12
            )
    kinds /= kinds.sum(axis=2, keepdims=True)

    truth = rng.dirichlet(np.ones(3), size=6)
    model.update(truth)
    counts = np.zeros((3, 3, KINDS, 3))
    for item, w, c in said:
        counts[w, :, :, c] += truth[item][:, None] * kinds[item]
    for d in range(3):
        everyone = counts[:, d].sum((0, 1)) + 0.01
        everyone = everyone / everyone.sum()
        for w in range(3):
            own = counts[w, d].sum(0) + LEANING * everyone
            for m in range(KINDS):
                kind = counts[:, d, m].sum(0) + KIND_LEANING * everyone
                rate = own / own.sum() * (kind / kind.sum()) / everyone
                np.testing.assert_allclose(model.rates[w, d, m], rate / rate.sum(), rtol=1e-9)


def test_who_takes_one_thing_for_another_is_found():
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=600)
    swapped = np.array([0, 2, 1])
    rows = [(i, "abc"[t], w, 1) for w in range(2) for i, t in enumerate(truth)]
    rows += [(i, "abc"[swapped[t]], "swaps", 1) for i, t in enumerate(truth)]
    replies, _ = whole_replies(ONTO.choices[0], read_reports(rows, ONTO))
    model = Confusion(replies, 600, 3)
    model.update(np.eye(3)[truth])
    assert model.rates[2, 1, :, 2].min() > 0.5
    assert model.rates[0, 1, :, 1].min() > 0.9
