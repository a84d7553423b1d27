"""Items settled one after another, one cell of each in turn, scores on marginals: as one would ask by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import corollary as co
from corollary.learning.choosing.scores import entropy
from evidence.strategies.forms import (
    OneCellEach,
    OnMarginals,
    WholeItems,
    in_order,
    ranked,
)

from .situations import ONTO, situation

TRUTH = (ONTO.propagate(2 * np.eye(len(ONTO), dtype=np.int8) - 1) == 1).astype(np.int8)


@given(st.lists(st.integers(0, 5), max_size=9))
def test_ranks_are_places_in_a_stable_order(values: list[int]) -> None:
    order = sorted(range(len(values)), key=lambda i: (-values[i], i))
    rank = ranked(np.array(values, float))
    assert sorted(range(len(values)), key=lambda i: -rank[i]) == order
    assert (in_order(np.array(order, int), len(values)) == rank).all()
    assert in_order(np.array([2, 0]), 4).tolist() == [1, 0, 2, 0]


def asked(
    strategy: object, n: int, beliefs: np.ndarray, truth: np.ndarray
) -> list[tuple[int, int]]:
    session = co.Session(ONTO, beliefs=beliefs, asking=co.Asking(score=strategy))
    batch = session.answer_from(truth, n)
    return list(zip(batch.item.tolist(), batch.label.tolist(), strict=True))


def by_hand(
    rank: np.ndarray, n: int, beliefs: np.ndarray, truth: np.ndarray, *, whole: bool
) -> list[tuple[int, int]]:
    """The naive twin: the items in order, each until it is settled or once; of each the most uncertain open cell."""
    facts = np.full(beliefs.shape, -1, np.int8)
    out: list[tuple[int, int]] = []

    def ask(i: int) -> None:
        p = entropy(ONTO.posterior(beliefs[i : i + 1], facts[i : i + 1]))[0]
        k = int(np.where(facts[i] < 0, p, -np.inf).argmax())
        facts[i, k] = truth[i, k]
        facts[i : i + 1] = ONTO.propagate(facts[i : i + 1])
        out.append((i, k))

    for i in np.argsort(-rank).tolist():
        while whole and (facts[i] < 0).any() and len(out) < n:
            ask(i)
        if not whole and len(out) < n:
            ask(i)
    return out


@given(st.integers(0, 1000), st.integers(1, 8), st.booleans())
def test_items_come_as_by_hand(seed: int, n: int, whole: bool) -> None:
    rng = np.random.default_rng(seed)
    beliefs = rng.uniform(0.05, 0.95, (9, len(ONTO)))
    truth = TRUTH[rng.integers(len(TRUTH), size=9)]
    rank = ranked(rng.random(9))
    form = WholeItems if whole else OneCellEach
    assert asked(form(lambda now: rank), n, beliefs, truth) == by_hand(
        rank, n, beliefs, truth, whole=whole
    )


def test_what_was_begun_is_finished_first() -> None:
    answered = np.full((3, len(ONTO)), -1, np.int8)
    answered[2, ONTO.labels.index("place")] = 0
    now = situation(n=3, known=answered, answered=answered)
    worth = WholeItems(lambda now: ranked(np.array([3.0, 2.0, 1.0]))).worth(now)(
        np.arange(3), now.known
    )
    assert worth[2].max() > worth[0].max() > worth[1].max()


@pytest.mark.parametrize("name", ["entropy", "probability", "log", "linear"])
def test_scores_see_the_posterior_in_place_of_beliefs(name: str) -> None:
    known = np.full((12, len(ONTO)), -1)
    known[0, ONTO.labels.index("animal")] = 1
    for propagated in (True, False):
        now = situation(known=known, propagated=propagated)
        found = OnMarginals(name).worth(now)(np.arange(12), now.known)
        expected = co.score(name, ONTO.posterior(now.beliefs, now.known), ONTO, now.known)
        still_open = now.known < 0
        assert found[still_open] == pytest.approx(expected[still_open])
