"""What an answer tells that may be wrong, held against tables of all that can happen."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import corollary as co
from corollary.learning import testimony as told_by
from corollary.learning.choosing.fallible_worth import (
    LEAST,
    fallible_scores,
    information,
    of_a_pick,
    whom_to_ask,
)
from corollary.learning.choosing.scores import entropy

SHARE = st.floats(0.001, 0.999)


def mutual_information(table: np.ndarray) -> float:
    """Of a joint distribution, by the definition."""
    independent = table.sum(axis=1, keepdims=True) * table.sum(axis=0, keepdims=True)
    some = table > 0
    return float((table[some] * np.log(table[some] / independent[some])).sum())


@given(SHARE, SHARE, SHARE)
def test_information_is_that_of_the_joint_distribution(p, specificity, sensitivity):
    table = np.array(
        [
            [(1 - p) * specificity, (1 - p) * (1 - specificity)],
            [p * (1 - sensitivity), p * sensitivity],
        ]
    )
    assert information(np.array([p]), specificity, sensitivity)[0] == pytest.approx(
        mutual_information(table), abs=1e-9
    )


def test_of_one_who_is_never_wrong_it_is_the_entropy_and_of_a_coin_nothing():
    p = np.linspace(0.01, 0.99, 9)
    np.testing.assert_allclose(information(p, 1.0, 1.0), entropy(p))
    np.testing.assert_allclose(information(p, 0.5, 0.5), 0.0, atol=1e-12)


@pytest.mark.parametrize("options", [2, 3, 10])
def test_a_pick_among_options_that_are_as_probable_tells_what_its_table_says(options):
    right = 0.9
    table = np.full((options, options), (1 - right) / (options - 1) / options)
    np.fill_diagonal(table, right / options)
    found = of_a_pick(np.array([np.log(options)]), right, options)[0]
    assert found == pytest.approx(mutual_information(table))
    assert of_a_pick(np.array([0.0]), right, options)[0] == 0.0


def test_who_answered_already_is_not_asked_again_and_a_price_counts():
    onto = co.Ontology(["a", "b"])
    testimony = told_by.Testimony(onto, 2)
    prices = {"model": 0.1, "expert": 1.0}
    assert whom_to_ask(0.5, testimony, 0, 0, prices) == "model"
    testimony.say(0, {0: True}, "model")
    assert whom_to_ask(0.5, testimony, 0, 0, prices) == "expert"
    assert whom_to_ask(0.5, testimony, 0, 1, prices) == "model"
    assert whom_to_ask(0.5, testimony, 0, 0, {}) is None


def test_what_tells_next_to_nothing_is_not_asked():
    onto = co.Ontology(["a", "b"])
    testimony = told_by.Testimony(onto, 1)
    worth = fallible_scores(onto, np.array([[0.5, 1e-7]]), testimony, asked="labels", prices={})
    values = worth(np.array([0]), np.full((1, 2), -1, np.int8))
    assert values[0, 0] > LEAST
    assert values[0, 1] == -np.inf
