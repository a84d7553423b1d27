"""Suite `own_learner`: what it counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import corollary as co

ROOT = Path(__file__).parents[2]


@pytest.fixture
def suite(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks import own_learner as suite

    return suite


def test_each_way_is_held_against_the_first(suite: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    many = dict(zip(suite.WAYS, (400, 300, 200, 100, 800), strict=True))
    told = {id(way): many[words] for words, way in suite.WAYS.items()}
    monkeypatch.setattr(
        suite,
        "questions",
        lambda made, way, learner, seed: [told[id(way)], 2 * told[id(way)] + seed],
    )
    found = suite.beside("logistic", [lambda seed: seed, lambda seed: seed])
    assert found["posterior, staying, to 0.99, questions"] == [400.0, 400.0]
    assert found["contrast, settling, to 0.99, times"] == 0.25
    assert found["contrast, settling, to 0.99, times from to"] == [0.25, 0.25]
    assert found["items by margin, to 0.999, times"] == pytest.approx(2.0, abs=0.01)
    assert "posterior, staying, to 0.99, times" not in found


def test_questions_are_those_of_a_simulation(suite: Any) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    Y = np.column_stack([X[:, 0] > 0, X[:, 0] <= 0]).astype(np.int8)
    made = X, Y, co.Ontology(["a", "b"], [co.exactly_one("a", "b")])
    for way in suite.WAYS.values():
        first, last = suite.questions(made, way, LogisticRegression(), 1)
        assert 0 <= first <= last < 60
    by_itself = co.Session(made[2], X, learner=LogisticRegression())
    assert suite.WAYS["contrast, settling"] == {
        "method": by_itself.asking.score,
        "stay": by_itself.asking.stay,
    }


def test_queries_of_two_domains_obey_their_rules(suite: Any) -> None:
    try:
        texts, Y, onto = suite.queries(suite.DOMAINS[0], 0)
    except suite.Missing as missing:
        pytest.skip(str(missing))
    assert len(texts) == len(Y) == 30 * suite.EACH
    assert onto.labels[:2] == suite.DOMAINS[0]
    assert (onto.propagate(Y) == Y).all()
    assert (Y.sum(axis=0)[2:] == suite.EACH).all()
    assert suite.queries(suite.DOMAINS[0], 1)[0] != texts
