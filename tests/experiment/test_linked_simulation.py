"""Simulations with pairs: what is measured, and what ties are worth."""

from __future__ import annotations

import numpy as np
import pytest

import corollary as co
from corollary.experiment.data import conll
from corollary.experiment.linked_simulation import simulate_linked, without_ties
from corollary.experiment.simulation import Curve

from .made_up import written_conll


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    return conll.load(written_conll(tmp_path_factory.mktemp("data")))


@pytest.fixture(scope="module")
def curve(dataset):
    return co.simulate(dataset, learner="crf", per_round=10, until=None)


def test_a_run_ends_with_all_components_right(curve):
    assert curve.right[-1] == 1.0
    assert curve.asked[0] == 0
    assert (np.diff(curve.asked) > 0).all()
    assert (np.diff(curve.fixed) > 0).all()
    assert curve.questions_to(1.0, part="right") <= curve.asked[-1]
    assert curve.fixed[-1] == 28 * 3 + 28 * 2  # all cells of 14 sentences
    again = Curve.from_json(curve.to_json())
    np.testing.assert_array_equal(again.right, curve.right)


def test_without_ties_it_takes_more_questions(dataset, curve):
    untied = co.Dataset(
        dataset.X,
        dataset.Y,
        without_ties(dataset.onto),
        train=dataset.train,
        pairs=dataset.pairs,
        R=dataset.R,
    )
    other = co.simulate(untied, learner="crf", per_round=60, until=None)
    assert other.asked[-1] > curve.asked[-1]


def test_without_ties_only_what_one_pair_must_be_is_left():
    onto = co.Ontology.parse(
        "exclusive: a, b\nrelation r(a, b) functional\nr > s\nexclusive: r, t\nrelation t(a, a)\n"
        "rule: r(x, y) & a(y) >> t(y, x)\n"
    )
    left = without_ties(onto)
    assert left.labels == onto.labels
    assert set(left.relations) == set(onto.relations)
    known, _ = left.linked(co.Pairs([0], [1])).propagate(
        None, [{one: one in ("r", "s") for one in left.relations}]
    )
    assert (known < 0).all()
    with pytest.raises(co.Contradiction):
        left.linked(co.Pairs([0], [1])).propagate(None, [{"r": True, "t": True}])


def test_slips_are_named(dataset):
    with pytest.raises(co.CorollaryError, match="the method must be posterior or random"):
        co.simulate(dataset, "LOG-CP")
    with pytest.raises(co.CorollaryError, match="no start, predict or distinct yet"):
        co.simulate(dataset, start=1)
    with pytest.raises(co.CorollaryError, match="has no pairs"):
        simulate_linked(co.load_dataset("iris"))
    with pytest.raises(co.CorollaryError, match="cannot leave out a part of its items"):
        dataset.with_start(1)
    for R, message in (
        (None, "R must have the true relations"),
        (dataset.R[:-1], "R must have a row for each of 48 pairs, got 47"),
        (dataset.R + 1, "R must be 0 or 1; pair 0, relation"),
    ):
        with pytest.raises(co.CorollaryError, match=message):
            co.Dataset(
                dataset.X, dataset.Y, dataset.onto, train=dataset.train, pairs=dataset.pairs, R=R
            )
    with pytest.raises(co.Contradiction):
        co.Dataset(
            dataset.X,
            dataset.Y,
            dataset.onto,
            train=dataset.train,
            pairs=dataset.pairs,
            R=np.ones_like(dataset.R),
        )
