"""Which items are alike, against all distances; and rounds that spread, against a loop that weighs everything anew."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import corollary as co
from corollary.learning.choosing.best_questions import LESS
from corollary.learning.features import likeness
from corollary.learning.features.likeness import NEAREST, alike

LABELS = ("bird", "fish", "mammal")


def naive(matrix):
    """The m nearest of each row by all distances between standardised rows."""
    spread = np.where(matrix.std(axis=0) > 1e-12, matrix.std(axis=0), np.inf)
    z = (matrix - matrix.mean(axis=0)) / spread
    distance = np.sqrt(((z[:, None] - z[None]) ** 2).sum(axis=2))
    np.fill_diagonal(distance, np.inf)
    m = min(NEAREST, len(matrix) - 1)
    return distance, np.sort(distance, axis=1)[:, :m]


@given(st.integers(2, 40), st.integers(1, 5), st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_the_nearest_by_all_distances(n, width, seed):
    matrix = np.random.default_rng(seed).normal(size=(n, width))
    distance, nearest = naive(matrix)
    found = alike(matrix, random_state=0)
    assert found.items.shape == found.likeness.shape == nearest.shape
    assert all(i not in row for i, row in enumerate(found.items.tolist()))
    at = np.take_along_axis(distance, found.items, axis=1)
    np.testing.assert_allclose(at, nearest, rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(found.likeness, np.exp(-((nearest / np.median(nearest[:, -1])) ** 2)), atol=5e-3)


def test_many_items_are_split_and_still_find_near_ones(monkeypatch):
    monkeypatch.setattr(likeness, "GROUP", 64)
    matrix = np.random.default_rng(0).normal(size=(500, 3))
    found = alike(matrix, random_state=0)
    distance, nearest = naive(matrix)
    at = np.take_along_axis(distance, found.items, axis=1)
    assert all(len(set(row)) == NEAREST for row in found.items.tolist())
    assert at.mean() < 2 * nearest.mean() < 0.5 * distance[np.isfinite(distance)].mean()
    again = alike(matrix, random_state=0)
    assert (again.items == found.items).all()


def test_sparse_items_one_item_and_equal_items():
    thin = sparse.csr_array(np.eye(6).repeat(4, axis=0))
    found = alike(thin, random_state=0)
    assert set(found.items[0, :3].tolist()) == {1, 2, 3}
    assert found.likeness[0, 0] == pytest.approx(1.0, abs=1e-3)
    assert alike(np.ones((1, 3)), random_state=0).items.shape == (1, 0)
    assert (alike(np.ones((4, 2)), random_state=0).likeness == 1.0).all()


def naive_rounds(onto, beliefs, truth, matrix, *, per_round, rounds):
    """Ask rounds of questions; before each question everything is scored and lowered anew."""
    found = alike(matrix, random_state=0)
    known, asked = np.full(truth.shape, -1, np.int8), []
    for _ in range(rounds):
        told = []
        for _ in range(per_round):
            worth = co.score("posterior", beliefs, onto, known)
            for i in dict.fromkeys(told):
                for j, like in zip(found.items[i], found.likeness[i], strict=True):
                    worth[j] *= 1 - LESS * like
            i, k = np.unravel_index(worth.argmax(), worth.shape)
            asked.append((int(i), onto.labels[k]))
            known[i, k] = truth[i, k]
            known = onto.propagate(known)
            told.append(i)
    return asked


@pytest.mark.parametrize("by_person", [True, False])
def test_a_diverse_round_is_what_a_loop_over_all_questions_asks(by_person):
    onto = co.Ontology(LABELS, [co.exclusive(*LABELS)])
    rng = np.random.default_rng(3)
    matrix, beliefs = rng.normal(size=(30, 2)), rng.random((30, 3))
    truth = onto.most_probable(rng.random((30, 3)))
    session = co.Session(onto, matrix, beliefs=beliefs, diverse=True)
    asked = []
    for _ in range(3):
        session.retrain()
        if by_person:
            for _ in range(8):
                (question,) = session.ask()
                session.answer(question, bool(truth[question.item, onto.index[question.label]]))
                asked.append((question.item, question.label))
        else:
            batch = session.answer_from(truth, 8)
            asked += [(int(i), onto.labels[k]) for i, k in zip(batch.item, batch.label, strict=True)]
    assert asked == naive_rounds(onto, beliefs, truth, matrix, per_round=8, rounds=3)
    plain = co.Session(onto, matrix, beliefs=beliefs)
    assert plain.ask(8) != session.ask(8)


def test_asking_for_several_changes_nothing_and_spreads():
    onto = co.Ontology(LABELS, [co.exclusive(*LABELS)])
    matrix = np.repeat(np.arange(4.0), 6)[:, None] + np.linspace(0, 0.01, 24)[:, None]
    beliefs = np.full((24, 3), 0.3)
    beliefs[:6] = 0.4  # one kind is the most doubtful
    session = co.Session(onto, matrix, beliefs=beliefs, diverse=True)
    first = session.ask(4)
    assert session.ask(4) == first
    assert len({question.item // 6 for question in first}) > 1
    assert {question.item // 6 for question in co.Session(onto, matrix, beliefs=beliefs).ask(4)} == {0}


def test_a_diverse_session_is_rebuilt_from_its_log(tmp_path):
    onto = co.Ontology(LABELS, [co.exclusive(*LABELS)])
    rng = np.random.default_rng(0)
    matrix, truth = rng.normal(size=(40, 3)), onto.most_probable(rng.random((40, 3)))
    session = co.Session(onto, matrix, learner="crf", diverse=True)
    for _ in range(2):
        session.answer_from(truth, 6)
        session.retrain()
    session.save(tmp_path / "log.jsonl")
    again = co.Session.load(tmp_path / "log.jsonl", matrix, learner="crf")
    assert again.diverse
    assert again.ask(5) == session.ask(5)


def test_diverse_needs_features():
    onto = co.Ontology(LABELS)
    with pytest.raises(co.CorollaryError, match="diverse needs X"):
        co.Session(onto, beliefs=np.full((3, 3), 0.5), diverse=True)
