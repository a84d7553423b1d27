"""One table for all, and how good each witness is, counted one by one."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import corollary as co
from corollary.learning.witnesses.groups.choice_replies import whole_replies
from corollary.learning.witnesses.groups.pooled_confusion import PooledConfusion
from corollary.learning.witnesses.reports import read_reports

LABELS = [f"c{k}" for k in range(6)]
ONTO = co.Ontology(LABELS, [co.exactly_one(*LABELS)])


def made(rng, n_items=8, n_witnesses=3):
    rows = [(i, LABELS[rng.integers(6)], w, 1) for i in range(n_items) for w in range(n_witnesses)]
    replies, _ = whole_replies(ONTO.choices[0], read_reports(rows, ONTO))
    return PooledConfusion(replies, n_items, n_witnesses)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_the_likelihood_is_that_of_each_reply(seed):
    rng = np.random.default_rng(seed)
    model = made(rng)
    truth = rng.dirichlet(np.ones(6), size=8)
    model.update(truth)
    model.weight = rng.random(3)
    expected = np.zeros((8, 6))
    surprise = []
    for w, i, c in zip(model.replies.witness, model.replies.item, model.replies.said, strict=True):
        tilted = model.everyone * np.where(np.eye(6), model.lead[w], 1.0)
        chance = tilted / tilted.sum(axis=1, keepdims=True)
        expected[i] += model.weight[w] * np.log(chance[:, c])
        surprise.append(truth[i, c] - truth[i] @ chance.diagonal())
    np.testing.assert_allclose(model.log_likelihood(), expected, rtol=1e-9)
    np.testing.assert_allclose(model.surprise(truth), surprise, atol=1e-12)
    np.testing.assert_allclose(model.everyone.sum(axis=1), 1)


def test_many_options_and_few_replies_do_better_than_the_majority():
    labels = [f"c{k}" for k in range(40)]
    onto, rng = co.Ontology(labels, [co.exactly_one(*labels)]), np.random.default_rng(1)
    truth, skill = rng.integers(40, size=800), rng.uniform(0.2, 0.9, 30)
    witness, item = np.divmod(rng.choice(30 * 800, size=5000, replace=False), 800)
    wrong = truth[item] // 5 * 5 + rng.integers(5, size=5000)
    said = np.where(rng.random(5000) < skill[witness], truth[item], wrong)
    table = {
        "item": item,
        "label": np.array(labels)[said],
        "witness": witness,
        "value": np.ones(5000),
    }
    found = co.Consensus(onto).fit(table, items=range(800))
    assert isinstance(found._parts.choices[0], PooledConfusion)
    votes = np.zeros((800, 40))
    np.add.at(votes, (item, said), 1)
    assert (found.predict().argmax(axis=1) == truth).mean() > (votes.argmax(axis=1) == truth).mean()
    rates = np.array([np.nanmean(found.sensitivity_[w]) for w in sorted(found.witnesses_)])
    assert np.corrcoef(rates, skill)[0, 1] > 0.8
