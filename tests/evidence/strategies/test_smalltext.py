"""Small-text's own code beside ours: where both are the same rule, they choose alike."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import corollary as co
from corollary.learning.choosing.strategy import Situation
from evidence.strategies.batches import (
    Batched,
    farthest_first,
    points_of,
    squares_to_nearest,
)
from evidence.strategies.smalltext import NAMES, OfSmallText
from evidence.strategies.uncertain import by_margin

from .situations import ONTO, half_known, situation

pytest.importorskip("small_text")


def chosen(name: str, now: Situation, n: int = 6) -> list[int]:
    """What it chooses, the first one first."""
    rank = Batched(OfSmallText(name), lambda asked: n)(now)
    return [int(i) for i in np.argsort(-rank, kind="stable")[: (rank > 0).sum()]]


@pytest.mark.parametrize("name", NAMES)
def test_its_strategies_choose_among_the_items_that_wait(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found, all_of_them, the_last = (
            chosen(name, half_known(ONTO, n), k) for n, k in ((30, 6), (30, 50), (11, 6))
        )
    assert len(set(found)) == 6
    assert min(found) >= 10
    assert sorted(all_of_them) == list(range(10, 30))
    assert the_last == [10]


def test_breaking_ties_is_our_margin_in_our_order() -> None:
    now = half_known(ONTO)
    ours = np.argsort(-np.where((now.known < 0).any(axis=1), by_margin(now), 0), kind="stable")[:6]
    assert chosen("smalltext-margin", now) == list(ours)


def test_its_core_set_is_ours_on_points_of_length_one() -> None:
    now = half_known(ONTO)
    points = points_of(now.X, seed=0)
    points = points / np.linalg.norm(points, axis=1, keepdims=True)
    waiting = np.arange(30) >= 10
    ours = farthest_first(points, waiting, 6, squares_to_nearest(points, points[:10]))
    assert chosen("smalltext-core-set", now) == list(ours)


def test_contrastive_asks_where_neighbours_are_believed_to_be_something_else() -> None:
    odd = 17
    beliefs = np.tile([0.9, 0.9, 0.05, 0.05], (30, 1))
    beliefs[odd] = [0.05, 0.05, 0.05, 0.9]
    now = half_known(ONTO)
    now = Situation(
        ONTO, beliefs, now.known, now.answered, None, now.X, propagated=True, seed=(0, 1)
    )
    assert odd in chosen("smalltext-contrastive", now)


def test_several_labels_hold() -> None:
    now = half_known(co.Ontology(["a", "b"]))
    assert len(chosen("smalltext-cvirs", now)) == len(chosen("smalltext-core-set", now)) == 6
    for name in ("smalltext-margin", "smalltext-contrastive"):
        with pytest.raises(co.CorollaryError, match=f"{name} knows one class an item"):
            chosen(name, now)


def test_nothing_waits_or_nothing_is_known() -> None:
    assert not chosen("smalltext-cvirs", situation(n=2, known=[[1, 1, 0, 0]] * 2))
    with pytest.raises(
        co.CorollaryError, match="smalltext-core-set needs items that are known in full"
    ):
        chosen("smalltext-core-set", situation())
