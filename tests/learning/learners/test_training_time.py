"""The estimate of time: it grows with every size, and depends on sizes alone."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import corollary as co
from corollary.learning.learners.crf import CRF
from corollary.learning.learners.forest import Trees
from corollary.learning.learners.training_time import seconds_of

MEMBERS = {
    "linear": CRF,
    "rbf": lambda onto: CRF(onto, kernel="rbf"),
    "forest": Trees,
    "boosting": lambda onto: Trees(onto, kind="boosting"),
}


def estimate(make, *, items=200, known=50, columns=8, labels=4):
    names = [f"l{k}" for k in range(labels)]
    onto = co.Ontology(names, [co.exclusive(*names)])
    facts = np.full((items, labels), -1, np.int8)
    facts[:known] = np.eye(labels, dtype=np.int8)[np.arange(known) % labels]
    return seconds_of(make(onto), onto, np.zeros((items, columns)), facts)


@pytest.mark.parametrize("make", MEMBERS.values(), ids=MEMBERS)
def test_more_takes_longer(make):
    least = estimate(make)
    assert least > 0
    for more in ({"items": 2000}, {"known": 200}, {"columns": 80}, {"labels": 40}):
        assert estimate(make, **more) > least


@pytest.mark.parametrize("make", [MEMBERS["linear"], MEMBERS["rbf"]], ids=["linear", "rbf"])
def test_items_known_in_part_take_longer_than_those_known_in_full(make):
    onto = co.Ontology.parse("exclusive: a, b, c")
    full = np.tile([1, 0, 0], (100, 1))
    part = np.tile([-1, 0, -1], (100, 1))
    times = [
        seconds_of(make(onto), onto, np.zeros((100, 4)), facts)
        for facts in (full, part, np.full((100, 3), -1))
    ]
    assert times[1] > times[0] > times[2]


def test_labels_never_seen_take_time_where_they_leave_others_open():
    tree = "a > b, c\nd > e, f, g"
    flat = "exclusive: a, b, c, d, e, f, g"
    for text, longer in ((tree, True), (flat, False)):
        onto = co.Ontology.parse(text)
        none, seen = np.zeros((20, 7), np.int8), np.zeros((20, 7), np.int8)
        for k, label in enumerate(onto.labels):
            seen[k] = (
                onto.propagate(np.where(np.arange(7) == onto.index[label], 1, -1)[None])[0] == 1
            )
        times = [seconds_of(CRF(onto), onto, np.zeros((20, 4)), facts) for facts in (none, seen)]
        assert (times[0] > 1.1 * times[1]) == longer


def test_other_learners_and_engines():
    onto = co.Ontology.parse("exclusive: a, b, c")
    facts = np.zeros((10, 3), np.int8)
    assert seconds_of(object(), onto, np.zeros((10, 2)), facts) == 0.0
    thin = sparse.csr_array(np.eye(10, 50))
    linear, latent = (
        seconds_of(CRF(onto, kernel=kernel), onto, thin, facts) for kernel in ("linear", "latent")
    )
    assert 0 < linear < latent
    rule = co.Ontology.parse("rule: a & b >> c | d\nrule: c >> ~d & a\nrule: d >> b")
    dear = seconds_of(Trees(rule), rule, np.zeros((10_000, 2)), np.zeros((10_000, 4), np.int8))
    cheap = seconds_of(Trees(onto), onto, np.zeros((10_000, 2)), np.zeros((10_000, 3), np.int8))
    assert dear > cheap
