"""Scikit-activeml's own code beside ours: where both are the same rule, they choose alike."""

from __future__ import annotations

import numpy as np
import pytest

import corollary as co
from corollary.experiment.strategies.activeml import NAMES, OfActiveml, class_beliefs
from corollary.experiment.strategies.batches import Batched, CoreSet
from corollary.experiment.strategies.uncertain import by_margin

from .situations import ONTO, situation

pytest.importorskip("skactiveml")


def half_known(onto: co.Ontology, n: int = 30):
    known = np.full((n, len(onto)), -1, np.int8)
    worlds = onto.propagate(2 * np.eye(len(onto), dtype=np.int8) - 1)
    known[:10] = np.where(worlds < 0, 0, worlds)[np.arange(10) % len(onto)]
    return situation(n=n, onto=onto, known=known)


@pytest.mark.parametrize("name", NAMES)
def test_its_strategies_choose_among_the_items_that_wait(name: str) -> None:
    now = half_known(ONTO)
    rank = OfActiveml(name, lambda asked: 6)(now)
    assert sorted(rank[rank > 0]) == [1, 2, 3, 4, 5, 6]
    assert (rank[:10] == 0).all()


def test_the_same_rule_chooses_the_same() -> None:
    now = half_known(ONTO)
    ours, theirs = Batched(CoreSet(), lambda asked: 6)(now), OfActiveml("activeml-core-set", lambda asked: 6)(now)
    assert (ours == theirs).all()
    best = np.argsort(-np.where((now.known < 0).any(axis=1), by_margin(now), 0))[:6]
    assert set(best) == set(np.flatnonzero(OfActiveml("activeml-margin", lambda asked: 6)(now)))


def test_one_class_an_item_or_an_error() -> None:
    now = half_known(co.Ontology(["a", "b"]))
    with pytest.raises(co.CorollaryError, match="know one class an item"):
        OfActiveml("activeml-badge", lambda asked: 2)(now)
    assert OfActiveml("activeml-core-set", lambda asked: 2)(now).any()
    assert class_beliefs(half_known(ONTO)).sum(axis=1) == pytest.approx(np.ones(30))
    nothing = situation(n=2, known=[[1, 1, 0, 0]] * 2)
    assert not OfActiveml("activeml-core-set", lambda asked: 2)(nothing).any()
