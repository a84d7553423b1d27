"""What one more reply tells, by summing over all truths and replies."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corollary as co
from corollary.learning.witnesses import one_more
from corollary.learning.witnesses.groups.confusion import KINDS, Confusion

ONTO = co.Ontology.parse("exactly one: a, b, c")


def fitted(seed, n_items, n_witnesses):
    rng = np.random.default_rng(seed)
    rows = [
        (i, "abc"[i % 3 if rng.random() < 0.7 else rng.integers(3)], w, 1)
        for i in range(1, n_items)
        for w in range(n_witnesses)
        if rng.random() < 0.6
    ] + [(0, "a", w, 1) for w in range(n_witnesses)]
    return co.Consensus(ONTO).fit(rows, items=range(n_items)), {(row[0], row[2]) for row in rows}


def says(model, i, d, w):
    """P(says each | item i is d) of witness w, or of anyone, by the rates of the model."""
    if not isinstance(model, Confusion):
        row = model.everyone[d] * np.where(
            np.arange(3) == d, 1.0 if w is None else model.lead[w], 1.0
        )
        return row / row.sum()
    kinds = np.array([model.shares[d, m] for m in range(KINDS)])
    for item, who, c in zip(
        model.replies.item, model.replies.witness, model.replies.said, strict=True
    ):
        if item == i:
            kinds *= model.rates[who, d, :, c] ** model.weight[who]
    rates = model.rates.mean(axis=0)[d] if w is None else model.rates[w, d]
    return sum(share * rates[m] for m, share in enumerate(kinds / kinds.sum()))


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([(30, 3), (4, 5)]))
def test_it_is_the_mutual_information_of_reply_and_truth(seed, shape):
    found, heard = fitted(seed, *shape)
    (model,) = found._parts.choices
    assert isinstance(model, Confusion) == (shape == (30, 3))
    for who in [*found.witnesses_, None]:
        w = None if who is None else found.witnesses_.index(who)
        worth = found.pick_worth(who)
        for i in range(shape[0]):
            joint = np.array([found.posterior_[i, d] * says(model, i, d, w) for d in range(3)])
            apart = np.outer(joint.sum(axis=1), joint.sum(axis=0))
            expected = sum(
                p * np.log(p / q)
                for p, q in zip(joint.ravel(), apart.ravel(), strict=True)
                if p > 0
            )
            assert worth[i] == pytest.approx(0.0 if (i, who) in heard else expected, abs=1e-9)


def test_parts_of_the_items_at_a_time_give_the_same(monkeypatch):
    found, _ = fitted(0, 30, 3)
    whole = found.pick_worth(1)
    monkeypatch.setattr(one_more, "AT_ONCE", 9 * 7)
    np.testing.assert_array_equal(found.pick_worth(1), whole)


def test_a_new_witness_is_like_anyone_and_a_reply_about_a_group_is_needed():
    found, _ = fitted(1, 30, 3)
    np.testing.assert_array_equal(found.pick_worth("new"), found.pick_worth())
    votes = co.Consensus(co.Ontology(["a", "b"])).fit([(0, "a", "ann", 1)])
    with pytest.raises(
        co.CorollaryError, match="no witness has replied about a whole exclusive group"
    ):
        votes.pick_worth()
