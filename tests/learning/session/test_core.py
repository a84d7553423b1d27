"""Trainings in the background: answers go on, errors are told, and a log rebuilds what happened."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import corollary as co
from corollary.learning.session.core import in_background
from corollary.learning.session.options import grouped
from corollary.learning.session.session import Session

from ..legal import legal_rows


class Gate:
    """Beliefs that wait until they may come."""

    def __init__(self, first, then):
        self.given, self.open = iter([first, then]), threading.Event()
        self.open.set()
        self.seen = []

    def __call__(self, facts):
        self.open.wait()
        self.seen.append(facts)
        return next(self.given)


def test_answers_go_on_while_a_training_runs(animals):
    rng = np.random.default_rng(0)
    first, then = rng.random((2, 20, 7))
    gate = Gate(first, then)
    session = Session(animals, beliefs=gate, facts=np.full((20, 7), -1))
    session.answer(session.ask()[0], True)
    gate.open.clear()
    session.retrain(wait=False)
    assert session.training
    session.retrain(wait=False)  # one at a time
    known = session.facts
    for _ in range(5):
        session.answer(session.ask()[0], False)
    session.answer((3, "bird"), None)
    np.testing.assert_array_equal(session.beliefs, first)
    gate.open.set()
    session._core.finish()
    assert not session.training
    np.testing.assert_array_equal(session.beliefs, first)  # until the next question
    questions = session.ask(100)
    np.testing.assert_array_equal(session.beliefs, then)
    np.testing.assert_array_equal(
        gate.seen[1], known
    )  # the training saw what was known when it began
    afresh = Session(animals, beliefs=then, facts=session.facts)
    afresh.answer((3, "bird"), None)
    assert questions == afresh.ask(100)
    np.testing.assert_allclose([q.score for q in questions], [q.score for q in afresh.ask(100)])


def test_a_log_rebuilds_what_the_background_did(animals, tmp_path):
    rng = np.random.default_rng(0)
    truth, X = legal_rows(animals, rng, 30), rng.normal(size=(30, 4))
    facts = np.full((30, 7), -1, np.int8)
    facts[:8] = truth[:8]
    made = {"facts": facts, "learner": "logistic", "item_cost": 2.0, "costs": {"bird": 2.0}}
    session = Session(animals, X, **grouped(made))
    session.answer_from(truth, 5)
    session.retrain(wait=False)
    session.answer((20, "bird"), bool(truth[20, 1]))
    session.answer((21, None), [animals.labels[k] for k in np.flatnonzero(truth[21])])
    session._core.finish()
    session.ask()
    session.answer_from(truth, 5)
    session.retrain(wait=False)
    session.retrain()
    session.save(tmp_path / "log.jsonl")
    twin = Session.load(tmp_path / "log.jsonl", X, facts=facts, learner="logistic")
    assert (twin.asking.item_cost, twin.asking.costs) == (2.0, {"bird": 2.0})
    np.testing.assert_array_equal(twin.facts, session.facts)
    np.testing.assert_array_equal(twin.beliefs, session.beliefs)
    assert twin.ask(5) == session.ask(5)
    twin.save(tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_text() == (tmp_path / "log.jsonl").read_text()


def test_an_error_in_the_background_is_told_and_the_old_beliefs_stay(animals):
    given = iter([np.full((4, 7), 0.4), np.full((4, 7), 7.0)])
    session = Session(animals, beliefs=lambda facts: next(given), facts=np.full((4, 7), -1))
    before = session.ask(3)
    session.retrain(wait=False)
    session._core.finish()
    with pytest.raises(co.CorollaryError, match="between 0 and 1"):
        session.ask()
    assert session.ask(3) == before


def test_background_results():
    assert in_background(lambda: 7).result() == 7
    failing = in_background(lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        failing.result()
    assert failing.done()
