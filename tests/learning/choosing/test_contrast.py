"""The score `contrast`: its formula beside a naive twin, and that a learner which is sure and wrong is found out."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

import corollary as co
from corollary.learning.choosing.contrast import (
    AT_FIRST,
    COUNTS,
    EACH,
    FADES,
    LEAST,
    SHARES,
    SUREST,
    Before,
    Contrast,
    log_likelihood,
    mean_of_neighbours,
    surprise,
)
from corollary.learning.choosing.scores import entropy
from corollary.learning.choosing.strategy import Situation
from corollary.learning.features.neighbours import Nearest

ONTO = co.Ontology.parse("animal > exclusive: bird, fish")


def naive_mean(
    every: np.ndarray, near: list[int], known: list[int], otherwise: np.ndarray
) -> list[float]:
    """Item by item and cell by cell."""
    counts = []
    for j in near:
        agreement = 1.0
        for k, fact in enumerate(known):
            if fact >= 0:
                agreement *= every[j][k] if fact == 1 else 1.0 - every[j][k]
        counts.append(agreement)
    if sum(counts) <= LEAST:
        return list(otherwise)
    return [
        sum(c * every[j][k] for c, j in zip(counts, near, strict=True)) / sum(counts)
        for k in range(len(known))
    ]


def naive_worth(q: float, r: float, u: float, shares: np.ndarray = AT_FIRST) -> float:
    """The formula, as the docs have it."""
    s, t = shares
    m, p = (1 - s - t) * q + s * r + t * u, min(max(q, 1 - SUREST), SUREST)
    return -m * math.log(p) - (1 - m) * math.log(1 - p)


class Told:
    """Which items are alike, as told; of the known ones those that are, in the same order, and no others."""

    def __init__(self, near: np.ndarray, known: np.ndarray | None = None):
        self.near, self.known = near, near if known is None else known

    def __call__(self) -> Nearest:
        return Nearest(self.near, np.ones(self.near.shape))

    def among(self, known: np.ndarray, /) -> np.ndarray:
        self.asked = known
        return self.known


def situation(beliefs: np.ndarray, known: np.ndarray, *, propagated: bool = True) -> Situation:
    return Situation(ONTO, beliefs, known, known, None, None, propagated, (0, 1))


@given(seed=st.integers(0, 10**6), n=st.integers(2, 9), m=st.integers(0, 4))
@settings(max_examples=60, deadline=None)
def test_it_is_what_the_formula_says(seed: int, n: int, m: int) -> None:
    rng = np.random.default_rng(seed)
    beliefs = rng.random((n, 3))
    known = ONTO.propagate(np.where(rng.random((n, 1)) < 0.5, [[-1, 1, -1]], -1).astype(np.int8))
    near, near_known = rng.integers(0, n, (2, n, m))
    now = situation(beliefs, known)
    later = known.copy()
    later[0] = ONTO.propagate(np.array([[-1, -1, 0]], np.int8))[0]  # answered since: not a fish
    told = Told(near, near_known)
    contrast = Contrast(told)
    found, shares = contrast.worth(now)(np.arange(n), later), contrast.shares
    assert told.asked.tolist() == (known >= 0).all(axis=1).tolist()
    every, own = ONTO.posterior(beliefs, known), ONTO.posterior(beliefs, later)
    for i in range(n):
        heard = [
            naive_mean(every, some[i].tolist(), later[i].tolist(), own[i])
            for some in (near, near_known)
        ]
        expected = [naive_worth(q, r, u, shares) for q, r, u in zip(own[i], *heard, strict=True)]
        assert_allclose(found[i], expected, rtol=1e-4, atol=1e-5)


@given(seed=st.integers(0, 10**6), n=st.integers(2, 9), m=st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_items_alike_are_heard_as_far_as_they_foretold_the_answers(
    seed: int, n: int, m: int
) -> None:
    rng = np.random.default_rng(seed)
    believed = ONTO.posterior(rng.random((n, 3)))
    known = np.full((n, 3), -1, np.int8)
    known[0] = 1, 1, 0
    answered = np.where(rng.random((n, 3)) < 0.5, rng.integers(0, 2, (n, 3)), -1)
    earlier = answered.copy()
    earlier[n // 2 :] = -1
    near = tuple(rng.integers(0, n, (2, n, m)))
    found = log_likelihood(Before(believed.astype(np.float32), known, earlier, near), answered)
    heard = [
        [naive_mean(believed, some[i].tolist(), known[i].tolist(), believed[i]) for i in range(n)]
        for some in near
    ]
    for (s, t), told in zip(SHARES[::7], found[::7], strict=True):
        expected = 0.0
        for i in range(n // 2, n):
            for k in np.flatnonzero(answered[i] >= 0):
                own, alike, those_known = (
                    min(max(p if answered[i, k] == 1 else 1 - p, 1 - SUREST), SUREST)
                    for p in (believed[i, k], heard[0][i][k], heard[1][i][k])
                )
                expected += math.log((1 - s - t) * own + s * alike + t * those_known)
        assert told == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(("right", "grows"), [("learner", None), ("alike", 0), ("known", 1)])
def test_whoever_was_right_is_heard_more(right: str, grows: int | None) -> None:
    n = 40
    beliefs = np.tile([0.95, 0.05, 0.95], (n, 1))  # fish
    known = np.full((n, 3), -1, np.int8)
    known[30:35], known[35:] = [1, 1, 0], [0, 0, 0]  # birds, and no animals
    birds, others, fish = (np.tile(some, (n, 1)) for some in ([30, 31], [35, 36], [0, 1]))
    near = {"learner": (birds, others), "alike": (birds, fish), "known": (fish, birds)}[right]
    contrast = Contrast(Told(*near))
    contrast.worth(situation(beliefs, known))
    at_first = contrast.shares
    assert at_first == pytest.approx(AT_FIRST, abs=0.02)
    later = known.copy()
    later[:10] = [1, 0, 1] if right == "learner" else [1, 1, 0]
    contrast.worth(situation(beliefs, later))
    after = contrast.shares
    if grows is None:
        assert (after < at_first - 0.05).all()
    else:
        assert after[grows] > at_first[grows] + 0.1
        assert after[1 - grows] < at_first[1 - grows]
    for _ in range(50):  # nothing new: what was found out long ago fades
        contrast.worth(situation(beliefs, later))
    assert contrast.shares == pytest.approx(at_first, abs=0.05)


def test_the_shares_before_any_answer_are_the_most_probable_ones() -> None:
    assert 0 < FADES < 1 <= COUNTS
    assert Contrast(Told(np.zeros((1, 0), int))).shares == pytest.approx(
        AT_FIRST, abs=EACH[1] - EACH[0]
    )
    assert (SHARES.sum(axis=1) < 1).all()
    assert len(SHARES) == len({(round(s, 6), round(t, 6)) for s, t in SHARES.tolist()})
    assert SHARES.max() == pytest.approx(0.94)


@given(seed=st.integers(0, 10**6), many=st.floats(0.0, 60.0))
@settings(max_examples=30, deadline=None)
def test_the_shares_are_the_most_probable_ones(seed: int, many: float) -> None:
    contrast = Contrast(Told(np.zeros((1, 0), int)))
    contrast._fit = many * np.random.default_rng(seed).random(len(SHARES))
    s0, t0 = AT_FIRST
    found = [
        told + COUNTS * (s0 * math.log(s) + t0 * math.log(t) + (1 - s0 - t0) * math.log(1 - s - t))
        for (s, t), told in zip(SHARES, contrast._fit, strict=True)
    ]
    assert contrast.shares.tolist() == SHARES[int(np.argmax(found))].tolist()


@given(p=st.floats(0.01, 0.99))
def test_where_all_agree_it_is_the_entropy(p: float) -> None:
    assert surprise(np.array([p]), np.array([p])) == pytest.approx(entropy(np.array([p])))


def test_a_sure_learner_that_is_spoken_against_comes_before_one_in_doubt() -> None:
    beliefs = np.array(
        [[0.98, 0.02, 0.97], [0.9, 0.5, 0.5], [0.98, 0.97, 0.02], [0.98, 0.97, 0.02]]
    )
    known = np.full((4, 3), -1, np.int8)
    known[2:] = 1, 1, 0  # birds
    near = np.array([[2, 3], [1, 1], [3, 3], [2, 2]])  # the first is like the birds
    worth = Contrast(Told(near)).worth(situation(beliefs, known))
    found = worth(np.arange(2), known[:2])
    assert found[0, 1:].min() > found[1].max()
    alone = Contrast(Told(near[:, :0])).worth(situation(beliefs, known))
    assert alone(np.arange(2), known[:2])[0].max() < found[0].max() / 10


def test_items_that_contradict_what_is_known_are_not_heard() -> None:
    every = np.array([[1.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    known = np.array([[1, 0, -1], [0, 0, -1], [1, -1, -1]], np.int8)
    otherwise = np.full((3, 3), 0.25)
    heard = mean_of_neighbours(
        every, np.array([[0, 1], [0, 1], [0, 1]]), known, otherwise=otherwise
    )
    assert heard.tolist() == [[1.0, 0.0, 1.0], [0.25, 0.25, 0.25], [1.0, 0.5, 0.5]]


def test_answers_that_do_not_propagate_count_with_all_that_follows() -> None:
    beliefs = np.full((3, 3), 0.5)
    known = np.full((3, 3), -1, np.int8)
    known[1:] = [[1, 1, 0], [1, 0, 1]]
    near = np.array([[1, 2], [2, 0], [1, 0]])
    contrast = Contrast(Told(near))
    worth = contrast.worth(situation(beliefs, known, propagated=False))
    bird = np.array([[-1, 1, -1]], np.int8)
    own, rows = ONTO.posterior(beliefs[:1], bird), np.array([0])
    assert_allclose(
        worth(rows, bird)[0],
        [naive_worth(q, r, r) for q, r in zip(own[0], [1, 1, 0], strict=True)],
        atol=1e-6,
    )


@pytest.mark.parametrize(
    ("learner", "stay"),
    [
        ("crf", "item"),
        (LogisticRegression(), "settle"),
        (RandomForestClassifier(20, random_state=0), "settle"),
    ],
)
def test_a_session_chooses_by_it(learner: object, stay: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    Y = np.column_stack([np.ones(60), X[:, 0] > 0, X[:, 0] <= 0]).astype(np.int8)
    facts = np.where(np.arange(60)[:, None] < 10, Y, -1)
    session = co.Session(ONTO, X, learner=learner, facts=facts)
    assert (session.asking.score, session.asking.stay) == ("contrast", stay)
    for _ in range(3):
        for question in session.ask(3):
            session.answer(question, bool(Y[question.item, ONTO.index[question.label]]))
        session.retrain()
    assert (session.predict() == Y).all(axis=1).mean() > 0.8


def two_rings(n: int, seed: int) -> co.Dataset:
    """One class in the middle and all around, another between: no line parts them, and many are far from any."""
    rng = np.random.default_rng(seed)
    far = rng.choice([0.0, 4.0, 8.0], n)
    angle = rng.uniform(0, 2 * np.pi, n)
    X = np.column_stack([far * np.cos(angle), far * np.sin(angle)]) + rng.normal(0, 0.4, (n, 2))
    inside = far == 4.0
    onto = co.Ontology(["ring", "rest"], [co.exactly_one("ring", "rest")])
    return co.Dataset(
        X, np.column_stack([inside, ~inside]).astype(np.int8), onto, train=np.arange(n) < n // 3
    )


@pytest.mark.slow
def test_fewer_questions_where_a_learner_cannot_be_right() -> None:
    asked = {
        score: [
            co.simulate(
                two_rings(600, seed),
                score,
                learner="crf",
                per_round="auto",
                start=5,
                balanced=False,
                random_state=seed,
            ).questions_to(0.99)
            for seed in range(3)
        ]
        for score in ("posterior", "contrast")
    }
    assert sum(asked["contrast"]) < 0.8 * sum(asked["posterior"]), asked


def test_what_it_needs_is_said() -> None:
    with pytest.raises(co.CorollaryError, match=r"score='contrast' needs X"):
        co.Session(ONTO, beliefs=np.full((2, 3), 0.5), asking=co.Asking(score="contrast"))
    with pytest.raises(co.CorollaryError, match=r"in a session: Asking\(score='contrast'\)"):
        co.score("contrast", np.full((2, 3), 0.5), ONTO)
    with pytest.raises(co.CorollaryError, match="in sessions also contrast"):
        co.Session(ONTO, np.zeros((2, 1)), asking=co.Asking(score="contrasts"))
    with pytest.raises(co.CorollaryError, match="need score='posterior'"):
        co.Session(ONTO, np.zeros((2, 1)), asking=co.Asking(score="contrast", pick="auto"))
    with pytest.raises(co.CorollaryError, match="must be left as they are"):
        co.Session(
            ONTO,
            np.zeros((2, 1)),
            asking=co.Asking(score="contrast"),
            annotators=co.Annotators(fallible=True),
        )


def test_a_session_that_chose_by_it_is_read_again(tmp_path: Path) -> None:
    X = np.random.default_rng(1).normal(size=(20, 2))
    facts = np.full((20, 3), -1, np.int8)
    facts[:2] = [[1, 1, 0], [1, 0, 1]]
    session = co.Session(ONTO, X, learner="crf", facts=facts, asking=co.Asking(score="contrast"))
    session.answer(session.ask()[0], True)
    session.retrain()
    session.save(tmp_path / "log.jsonl")
    again = co.Session.load(tmp_path / "log.jsonl", X, learner="crf", facts=facts)
    assert again.asking.score == "contrast"
    assert again.ask() == session.ask()
