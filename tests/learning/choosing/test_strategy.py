"""A strategy of one's own in a session: what it sees, and that it is obeyed."""

from __future__ import annotations

import numpy as np
import pytest

import corollary as co
from corollary.learning.choosing.strategy import Situation, Worth
from corollary.learning.learners.paper.logistic import Logistic

ONTO = co.Ontology.parse("animal > exclusive: bird, fish")


class Last:
    """The last open label of the last item first."""

    def __init__(self) -> None:
        self.seen: list[Situation] = []

    def worth(self, now: Situation, /) -> Worth:
        self.seen.append(now)
        n_labels = now.known.shape[1]
        return lambda rows, known: (
            rows[:, None] * n_labels + np.arange(n_labels)[None] + 0.0 * known
        )


def test_a_session_asks_what_its_strategy_is_for() -> None:
    X = np.random.default_rng(0).normal(size=(6, 2))
    facts = np.full((6, 3), -1)
    facts[0] = 1, 1, 0
    strategy = Last()
    session = co.Session(
        ONTO, X, learner="logistic", facts=facts, asking=co.Asking(score=strategy), random_state=7
    )
    (first,) = session.ask()
    assert (first.item, first.label) == (5, "fish")
    session.answer(first, True)  # settles the item
    (second,) = session.ask()
    assert (second.item, second.label) == (4, "fish")
    session.answer(second, False)
    session.retrain()
    seen, again = strategy.seen
    assert seen.onto is ONTO
    assert isinstance(seen.learner, Logistic)
    assert seen.X.shape == X.shape
    assert seen.propagated
    assert (seen.seed, again.seed) == ((7, 1), (7, 2))
    assert again.known[5].tolist() == [1, 0, 1]
    assert again.answered[4:].tolist() == [[-1, -1, 0], [-1, -1, 1]]
    rows = np.arange(6)
    assert again.posterior(rows, again.known) == pytest.approx(
        ONTO.posterior(again.beliefs, again.known)
    )


def test_what_follows_is_known_also_where_answers_do_not_propagate() -> None:
    strategy = Last()
    session = co.Session(
        ONTO, beliefs=np.full((1, 3), 0.5), asking=co.Experiment(score=strategy, propagate=False)
    )
    session.answer((0, "bird"), True)
    session.retrain()
    now = strategy.seen[-1]
    assert now.learner is None
    assert now.X is None
    assert now.known[0].tolist() == [-1, 1, -1]
    assert now.complete(now.known)[0].tolist() == [1, 1, 0]
    assert now.posterior(np.array([0]), now.known)[0] == pytest.approx([1, 1, 0])


def test_a_strategy_is_no_score_of_its_own_and_is_passed_again(tmp_path) -> None:
    with pytest.raises(co.CorollaryError, match="is a strategy, which follows a session"):
        co.score(Last(), [[0.5, 0.5, 0.5]], ONTO)
    with pytest.raises(co.CorollaryError, match="no score"):
        co.Session(ONTO, beliefs=[[0.5] * 3], asking=co.Asking(score=object()))
    session = co.Session(ONTO, beliefs=[[0.5] * 3], asking=co.Asking(score=Last()))
    session.answer((0, "bird"), True)
    session.save(tmp_path / "log.jsonl")
    again = co.Session.load(
        tmp_path / "log.jsonl", beliefs=[[0.5] * 3], asking=co.Asking(score=Last())
    )
    assert (again.facts == session.facts).all()
