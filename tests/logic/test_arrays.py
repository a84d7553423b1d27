"""Facts and beliefs that are none, and what is said of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import corollary as co


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        (np.zeros((2, 3), np.int8), r"items x 7 labels, got shape \(2, 3\)"),
        (np.zeros(7, np.int8), r"for one item pass \[facts\]"),
        (np.full((1, 7), 0.5), "item 0, label 'animal' has 0.5"),
        (np.full((1, 7), 2), "item 0, label 'animal' has 2"),
        (np.full((1, 7), -2), "has -2"),
        (np.full((1, 7), "yes"), "must be numbers .-1 or nan unknown, 0 no, 1 yes."),
        ({"brid": True}, "unknown label 'brid'; did you mean 'bird'"),
        ({"bird": "maybe"}, "True or False, got 'maybe' for 'bird'"),
        ({"bird": 0.5}, "leave unknown labels out"),
    ],
)
def test_bad_facts(animals, facts, message):
    with pytest.raises(co.CorollaryError, match=message):
        animals.propagate(facts)


@pytest.mark.parametrize(
    ("beliefs", "message"),
    [
        (np.full((2, 6), 0.5), "items x 7 labels"),
        (np.full(7, 0.5), r"for one item pass \[beliefs\]"),
        ([[0.5] * 6 + [np.nan]], "item 0, label 'river' has nan"),
        ([[0.5] * 6 + [1.1]], "has 1.1"),
        ([[0.5] * 6 + [-0.1]], "has -0.1"),
        ([["a"] * 7], "must be numbers"),
    ],
)
def test_bad_beliefs(animals, beliefs, message):
    for ask in (animals.posterior, animals.gain, animals.joint_entropy, animals.most_probable):
        with pytest.raises(co.CorollaryError, match=message):
            ask(beliefs)


def test_facts_and_beliefs_of_different_shape(animals):
    with pytest.raises(co.CorollaryError, match="one shape"):
        animals.posterior(np.full((2, 7), 0.5), np.full((3, 7), -1))


@pytest.mark.parametrize(
    "odd", [None, "bird", 3, [["a"], "b"], [[1, 0], [1]], pd.NA, [[10**400] * 7]]
)
def test_arrays_that_are_no_arrays(animals, odd):
    even = np.full((1, 7), 0.5)
    asked = [
        animals.posterior,
        animals.gain,
        animals.joint_entropy,
        animals.most_probable,
        animals.marginals,
    ]
    for ask in (
        *asked,
        animals.propagate,
        animals.closure,
        lambda odd: animals.consequences(even, odd, np.full((1, 7), -1)),
    ):
        with pytest.raises(co.CorollaryError, match="must be"):
            ask(odd)
    with pytest.raises(co.CorollaryError, match="facts of one item are a dict"):
        animals.explain(odd, "bird")
    with pytest.raises(co.CorollaryError, match="unknown label"):
        animals.explain({}, [odd])


def test_masked_facts_are_not_unmasked_in_silence(animals):
    with pytest.raises(
        co.CorollaryError, match="facts has masked cells; fill them first; use -1 for unknown"
    ):
        animals.propagate(np.ma.masked_equal(np.zeros((1, 7), int), 0))


def test_arrays_about_different_items(animals):
    two, three = np.full((2, 7), 0.5), np.full((3, 7), -1)
    for ask in (
        lambda: animals.posterior(two, three),
        lambda: animals.infer(two, three.astype(np.int8), propagated=True),
        lambda: animals.marginals(two, three, propagated=True),
        lambda: animals.consequences(two, two, three, propagated=True),
        lambda: animals.consequences(two, np.full((3, 7), 0.5), three[:2]),
    ):
        with pytest.raises(co.CorollaryError, match="must have one shape, got"):
            ask()


@pytest.mark.parametrize(
    ("evidence", "message"),
    [
        (np.full((1, 7), np.nan), "item 0, label 'animal' has nan"),
        (np.full((1, 7), 1e7), "inf or -inf for a certain value"),
        (np.zeros((2, 7)), r"evidence and beliefs must have one shape, got \(2, 7\) and \(1, 7\)"),
        (np.zeros(7), r"for one item pass \[evidence\]"),
        ([["a"] * 7], "must be log-likelihood ratios"),
    ],
)
def test_bad_evidence(animals, evidence, message):
    for ask in (
        animals.posterior,
        animals.gain,
        animals.joint_entropy,
        animals.most_probable,
        animals.marginals,
    ):
        with pytest.raises(co.CorollaryError, match=message):
            ask(np.full((1, 7), 0.5), evidence=evidence)


def test_certain_evidence_that_contradicts_facts_or_itself(animals):
    said, half = np.zeros((1, 7)), np.full((1, 7), 0.5)
    bird, animal = animals.index["bird"], animals.index["animal"]
    said[0, bird] = np.inf
    facts = np.full((1, 7), -1)
    facts[0, bird] = 0
    with pytest.raises(
        co.CorollaryError, match="label 'bird': the facts say no, infinite evidence says yes"
    ):
        animals.posterior(half, facts, evidence=said)
    said[0, animal] = -np.inf
    with pytest.raises(co.Contradiction):
        animals.posterior(half, evidence=said)
