"""Filters of warnings outlive threads that put them aside."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import corollary as co
from corollary.learning.learners import forest
from corollary.learning.learners.scikit_learn.warning_filters import filters_kept


def lose_filters() -> None:
    """What two of scikit-learn's threads do that grow trees at the same time."""
    one, two = warnings.catch_warnings(), warnings.catch_warnings()
    one.__enter__()
    warnings.resetwarnings()
    two.__enter__()
    one.__exit__()
    two.__exit__()


@pytest.fixture
def filters():
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "a filter of the user's own")
        yield list(warnings.filters)


def test_filters_are_put_back_whenever_one_comes_or_leaves(filters):
    with filters_kept():
        lose_filters()
        assert warnings.filters == []
        with filters_kept():
            assert warnings.filters[1:] == filters
            lose_filters()
        assert warnings.filters == filters
        lose_filters()
    assert warnings.filters == filters
    with pytest.raises(ZeroDivisionError), filters_kept():
        lose_filters()
        raise ZeroDivisionError
    assert warnings.filters == filters


def test_growing_trees_and_asking_them_leaves_filters_as_they_are(filters, monkeypatch):
    def losing(method):
        def lost(*given, **named):
            found = method(*given, **named)
            lose_filters()
            return found

        return lost

    made = forest.Trees._model

    def model(*given):
        grown = made(*given)
        for name in ("fit", "predict_proba", "apply"):
            if hasattr(grown, name):
                setattr(grown, name, losing(getattr(grown, name)))
        return grown

    monkeypatch.setattr(forest.Trees, "_model", model)
    rng = np.random.default_rng(0)
    for onto, n_worlds in (
        (co.Ontology(["a", "b"]), 4),
        (co.Ontology(["a", "b"], [co.exactly_one("a", "b")]), 2),
    ):
        facts = np.array([[0, 1], [1, 0], [1, 1], [0, 0]])[rng.integers(n_worlds, size=40)]
        X = rng.normal(size=(40, 3))
        trees = forest.Trees(onto, size=5).fit(X, facts)
        assert warnings.filters == filters
        trees.predict_proba(X)
        assert warnings.filters == filters


def test_that_items_are_few_is_not_told_with_every_tree():
    """As many labellings as items: how a labelling with many labels begins."""
    n = 30
    onto = co.Ontology([f"l{k}" for k in range(n)], [co.exclusive(*(f"l{k}" for k in range(n)))])
    X = np.random.default_rng(0).normal(size=(2 * n, 5))
    facts = np.full((2 * n, n), -1, np.int8)
    facts[:n] = np.eye(n, dtype=np.int8)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        forest.Trees(onto, kind="forest", size=20).fit(X, facts).decision_function(X)
    assert [str(one.message) for one in told] == []
