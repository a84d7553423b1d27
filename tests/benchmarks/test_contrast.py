"""Suite `contrast`: what it counts, and that settings are as before once they were tried."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import corollary as co
from corollary.learning.choosing import contrast

ROOT = Path(__file__).parents[2]


@pytest.fixture
def suite(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks import contrast as suite

    return suite


def test_questions_beside_each_other_and_constants_put_back(
    suite: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, str, object, int, float]] = []

    def questions(data: str, method: str, learner: object, seed: int) -> list[int]:
        asked.append((data, method, learner, seed, contrast.COUNTS))
        many = {"posterior": 200, "contrast": 100 if before == contrast.COUNTS else 50}[method]
        return [many, 2 * many]

    before = contrast.COUNTS
    monkeypatch.setattr(suite, "questions", questions)
    found = suite.beside(
        "crf", {"as it is": {}, "less": {"COUNTS": 0.1}}, ("wine", "zoo"), seeds=(3, 4)
    )
    assert before == contrast.COUNTS
    assert len(asked) == 3 * 4
    assert {one[4] for one in asked} == {before, 0.1}
    assert found["as it is, to 0.99, times"] == 0.5
    assert found["less, to 0.999, times"] == 0.25
    assert found["less, to 0.999, times from to"] == [0.25, 0.25]
    assert found["zoo, to 0.999"] == [400.0, 200.0]


def test_development_data_is_what_it_says(suite: Any) -> None:
    assert not {*suite.DATA} & {
        "iris",
        "vowel",
        "segment",
        "satimage",
        "pendigits",
        "shuttle",
        "letter",
    }
    for name, make in suite.DATA.items():
        X, Y, onto = make(0)
        assert X.shape[0] == len(Y), name
        assert (onto.propagate(Y) == Y).all(), name
    X, _, _ = suite.DATA["digits, one of ten, 6 directions"](0)
    assert X.shape == (1797, 6)
    _, Y, _ = suite.DATA["clusters, most of one"](1)
    assert Y.mean(axis=0)[0] == pytest.approx(0.8, abs=0.02)
    assert (suite.DATA["clusters, even"](1)[0] != suite.DATA["clusters, even"](2)[0]).any()


def test_questions_are_those_of_a_simulation(suite: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    Y = np.column_stack([X[:, 0] > 0, X[:, 0] <= 0]).astype(np.int8)
    onto = co.Ontology(["a", "b"], [co.exactly_one("a", "b")])
    monkeypatch.setitem(suite.DATA, "halves", lambda _: (X, Y, onto))
    first, last = suite.questions("halves", "contrast", "crf", 1)
    assert 0 <= first <= last < 60
