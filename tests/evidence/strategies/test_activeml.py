"""Scikit-activeml's own code beside ours: where both are the same rule, they choose alike."""

from __future__ import annotations

import numpy as np
import pytest

import corollary as co
from evidence.strategies.activeml import NAMES, OfActiveml
from evidence.strategies.batches import Batched, CoreSet
from evidence.strategies.uncertain import by_margin

from .situations import ONTO, half_known, situation

pytest.importorskip("skactiveml")


@pytest.mark.parametrize("name", NAMES)
def test_its_strategies_choose_among_the_items_that_wait(name: str) -> None:
    now = half_known(ONTO)
    rank = Batched(OfActiveml(name), lambda asked: 6)(now)
    assert sorted(rank[rank > 0]) == [1, 2, 3, 4, 5, 6]
    assert (rank[:10] == 0).all()


def test_the_same_rule_chooses_the_same() -> None:
    now = half_known(ONTO)
    ours, theirs = (
        Batched(one, lambda asked: 6)(now) for one in (CoreSet(), OfActiveml("activeml-core-set"))
    )
    assert (ours == theirs).all()
    best = np.argsort(-np.where((now.known < 0).any(axis=1), by_margin(now), 0))[:6]
    assert set(best) == set(
        np.flatnonzero(Batched(OfActiveml("activeml-margin"), lambda asked: 6)(now))
    )


def test_one_class_an_item_or_an_error() -> None:
    now = half_known(co.Ontology(["a", "b"]))
    with pytest.raises(co.CorollaryError, match="activeml-badge knows one class an item"):
        Batched(OfActiveml("activeml-badge"), lambda asked: 2)(now)
    assert Batched(OfActiveml("activeml-core-set"), lambda asked: 2)(now).any()
    nothing = situation(n=2, known=[[1, 1, 0, 0]] * 2)
    assert not Batched(OfActiveml("activeml-core-set"), lambda asked: 2)(nothing).any()
