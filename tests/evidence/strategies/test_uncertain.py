from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import corollary as co
from evidence.strategies.uncertain import by_chance, by_entropy, by_margin, margins

from ...logic.brute import truth
from ...logic.ontologies import worlds
from .situations import ONTO, situation


def test_margin_of_one_exclusive_group_is_that_of_its_classes() -> None:
    onto = co.Ontology(["a", "b", "c"], [co.exclusive("a", "b", "c")])
    posterior = np.array([[0.5, 0.3, 0.1], [0.1, 0.1, 0.1], [0.5, 0.0, 0.0]])
    assert margins(onto, posterior) == pytest.approx([0.2, 0.6, 0.0])


def test_the_least_sure_part_decides() -> None:
    onto = co.Ontology(["a", "b", "c", "alone"], [co.exactly_one("a", "b", "c")])
    assert margins(onto, np.array([[0.7, 0.2, 0.1, 0.9], [0.7, 0.2, 0.1, 0.45]])) == pytest.approx(
        [0.5, 0.1]
    )
    free = co.Ontology(["a", "b"])
    assert margins(free, np.array([[0.9, 0.2], [1.0, 0.0]])) == pytest.approx([0.6, 1.0])


@given(st.integers(0, 500))
def test_margin_and_entropy_by_the_worlds(seed: int) -> None:
    now = situation(n=5, seed=seed)
    legal = worlds(ONTO.labels, ONTO.constraints)
    gaps, entropies = [], []
    for beliefs in now.beliefs:
        weight = np.prod(
            np.where(legal, beliefs, 1 - beliefs), axis=1
        )  # a choice: worlds are its classes
        weight = weight / weight.sum()
        best = np.sort(weight)[::-1]
        gaps.append(best[0] - best[1])
        entropies.append(-(weight * np.log(weight)).sum())
        assert truth(legal, beliefs, np.full(len(ONTO), -1)) is not None
    assert margins(ONTO, ONTO.posterior(now.beliefs)) == pytest.approx(gaps)
    assert np.argsort(-by_margin(now)).tolist() == np.argsort(gaps).tolist()
    assert np.argsort(-by_entropy(now)).tolist() == np.argsort(-np.array(entropies)).tolist()


def test_chance_goes_by_the_seed() -> None:
    one, two = (by_chance(situation(n=50, seed=seed)) for seed in (1, 2))
    assert (by_chance(situation(n=50, seed=1)) == one).all()
    assert (one != two).any()
    assert sorted(one) == list(range(1, 51))
