"""Labels of which one narrowest holds: worlds by brute force, and a field that says what the classes say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.special import expit

import corollary as co
from corollary.learning.learners.scikit_learn.narrowest import (
    find_groups,
    share_of_unseen,
    with_unseen,
)

from ....logic.ontologies import ontologies, worlds

#: Two levels: exactly one everywhere, and the same with "none" allowed at each level.
ONE = """
exactly one: money, travel, out_of_scope
money > exactly one: balance, transfer
travel > exactly one: visa, flight
"""
NONE_TOO = ONE.replace("exactly one", "exclusive").replace(", out_of_scope", "")


@settings(max_examples=150)
@given(ontologies(max_labels=6, max_constraints=6))
def test_groups_are_found_with_all_their_worlds(ontology):
    labels, constraints = ontology
    legal = worlds(labels, constraints).astype(np.int8)
    assume(len(legal))
    groups = find_groups(co.Ontology(labels, constraints))
    for group in groups:
        expected = np.unique(legal[:, group.labels], axis=0)
        np.testing.assert_array_equal(np.unique(group.worlds, axis=0), expected)
        np.testing.assert_array_equal(group.class_of(group.worlds), np.arange(len(group.worlds)))


@settings(max_examples=60)
@given(ontologies(max_labels=6, max_constraints=6), st.integers(0, 2**32 - 1))
def test_the_posterior_is_what_the_classes_say_by_brute_force(ontology, seed):
    labels, constraints = ontology
    assume(len(worlds(labels, constraints)))
    onto = co.Ontology(labels, constraints)
    rng = np.random.default_rng(seed)
    for group in find_groups(onto):
        told = rng.dirichlet(np.full(len(group.worlds), 0.3), size=4)
        beliefs = np.full((4, len(onto)), 0.5)
        beliefs[:, group.labels] = expit(group.scores(told))
        np.testing.assert_allclose(
            onto.posterior(beliefs)[:, group.labels], told @ group.worlds, atol=1e-6
        )


@pytest.mark.parametrize("text", [ONE, NONE_TOO])
def test_a_hierarchy_of_one_class_an_item_is_one_group(text):
    onto = co.Ontology.parse(text)
    (group,) = find_groups(onto)
    assert len(group.labels) == len(onto)
    assert len(group.worlds) == (
        5 if text == ONE else 7
    )  # with "none": the leaves, the two above them, and nothing


def test_what_holds_of_every_item_holds_where_none_of_the_others_does():
    constraints = [
        co.covers("b", "a"),
        co.at_least_one(*"abdc"),
        co.subsumes("d", "a", "b", "c"),
        co.subsumes("c", "d", "b"),
    ]
    (group,) = find_groups(co.Ontology([*"abcd"], constraints))
    assert sorted(map(tuple, group.worlds.tolist())) == [(0, 0, 1, 1), (1, 0, 1, 1), (1, 1, 1, 1)]


def test_labels_tied_to_no_others_make_groups_of_their_own():
    onto = co.Ontology.parse(
        "labels: a, b, c, d, e, f, free\nexclusive: a, b\nexactly one: c, d\nrule: e | f"
    )
    assert [[onto.labels[k] for k in group.labels] for group in find_groups(onto)] == [
        ["a", "b"],
        ["c", "d"],
    ]
    several_parents = co.Ontology.parse("a > c\nb > c")
    assert not find_groups(several_parents)


def test_what_nobody_has_shares_no_more_than_what_was_seen_once_and_one():
    assert share_of_unseen(np.array([10, 20, 5])) == 0
    assert share_of_unseen(np.array([10, 20, 0])) == 0.5 / 30.5
    assert share_of_unseen(np.array([10, 20] + [0] * 100)) == 1 / 31
    assert share_of_unseen(np.array([1, 1, 10] + [0] * 100)) == 3 / 15
    found = with_unseen(np.array([[0.9, 0.1]]), np.array([0, 4, 0, 6]))
    np.testing.assert_allclose(found, [[0.5 / 11, 0.9 * 10 / 11, 0.5 / 11, 0.1 * 10 / 11]])
    np.testing.assert_allclose(with_unseen(np.ones((1, 0)), np.zeros(4, np.int64)), [[0.25] * 4])
