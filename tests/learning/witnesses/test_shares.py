"""Probabilities of some labels of a group, completed: against a naive twin; what stays as it is; and votes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import corollary as co
from corollary.learning.witnesses.reports import Reports, read_reports
from corollary.learning.witnesses.shares import completed, spread

ONTOLOGIES = (
    "exactly one: a, b, c",
    "exclusive: a, b, c",
    "exactly one: a, b\na > exactly one: c, d, e\nb > exactly one: f, g",
    "exclusive: a, b\na > exclusive: c, d, e\nb > exactly one: f, g",
)


def naive(onto, told):
    """Label by label and world by world: each world has what its narrowest named label leaves, in equal parts."""
    legal = [
        w for w in np.ndindex(*[2] * len(onto)) if not onto.closure(np.array([w], np.int8))[1][0]
    ]
    inside = {k: [w for w in legal if w[k]] for k in told}
    share = dict.fromkeys(legal, 0.0)
    for worlds, mass in [(legal, 1.0), *((inside[k], told[k]) for k in told)]:
        within = [k for k in told if set(inside[k]) < set(worlds)]
        nearest = [k for k in within if not any(set(inside[k]) < set(inside[j]) for j in within)]
        own = [w for w in worlds if not any(w in inside[k] for k in nearest)]
        for w in own:
            share[w] += max(0.0, mass - sum(told[k] for k in nearest)) / len(own)
    return legal, share


@pytest.mark.parametrize("text", ONTOLOGIES)
@given(data=st.data())
def test_what_is_left_is_spread_as_over_all_worlds(text, data):
    onto = co.Ontology.parse(text)
    (choice,) = onto.choices
    named = data.draw(st.lists(st.sampled_from(range(len(onto))), min_size=1, unique=True))
    legal, even = naive(onto, {})
    mass = data.draw(
        st.lists(st.floats(0, 1), min_size=len(legal), max_size=len(legal)).filter(
            lambda m: sum(m) > 0.1
        )
    )
    told = {k: sum(m for w, m in zip(legal, mass, strict=True) if w[k]) / sum(mass) for k in named}
    row = np.full((1, len(onto)), np.nan)
    row[0, named] = [told[k] for k in named]
    assert choice.labels.tolist() == list(range(len(onto)))
    found = spread(choice, row)[0]
    _, share = naive(onto, told)
    for k in range(len(onto)):
        expected = told.get(k, sum(m for w, m in share.items() if w[k]))
        assert found[k] == pytest.approx(expected, abs=1e-9)
    assert list(even.values()) == pytest.approx([1 / len(legal)] * len(legal))


def test_a_row_an_item_says_of_the_others_what_is_left():
    onto = co.Ontology.parse("exactly one: a, b, c")
    said = read_reports([("x", "a", "m", 0.8), ("y", "b", "m", 0.6), ("z", "c", "m", 0.9)], onto)
    found, (votes,) = completed(said, onto)
    table = np.full((3, 3), np.nan)
    table[found.item, found.label] = found.value
    np.testing.assert_allclose(table, [[0.8, 0.1, 0.1], [0.2, 0.6, 0.2], [0.05, 0.05, 0.9]])
    assert votes.labels[votes.said].tolist() == [0, 1, 2]
    truth = np.array([[1.0, 0, 0], [0.3, 0.7, 0], [1.0, 0, 0]])
    right, perfect = votes.right(truth)
    assert right.tolist() == [1.0, 0.7, 0.0]
    np.testing.assert_allclose(perfect, [1.0, 0.58, 1.0])


def test_what_a_witness_never_speaks_of_stays_open():
    onto = co.Ontology.parse("exactly one: a, b, c\nd > e")
    one = [("x", "a", "m", 0.8), ("y", "a", "m", 0.1)]  # of a single label: yes or no, and no vote
    apart = [
        ("x", "e", "n", 0.7),
        ("y", "d", "n", 0.2),
    ]  # e implies d: a choice, but what else there is stays
    for rows, n in ((one, 2), ([*one, ("y", "b", "m", 0.2)], 3), (apart, 4)):
        found, votes = completed(read_reports(rows, onto), onto)
        assert (len(found.value), bool(votes)) == (n + (n == 3), n > 2)


def test_yes_and_no_are_left_as_they_are():
    onto = co.Ontology.parse("exactly one: a, b, c")
    said = read_reports([("x", "a", "m", 1), ("y", "b", "m", 0)], onto)
    found, votes = completed(said, onto)
    assert (found.value.tolist(), votes) == ([1.0, 0.0], [])
    assert isinstance(found, Reports)


def test_a_vote_may_be_for_none_of_them():
    onto = co.Ontology.parse("exclusive: a, b, c")
    found, (votes,) = completed(
        read_reports([("x", "a", "m", 0.1), ("y", "b", "m", 0.9)], onto), onto
    )
    assert votes.said.tolist() == [-1, 1]
    np.testing.assert_allclose(found.value[2:], [0.3, 0.1 / 3])
    np.testing.assert_allclose(
        votes.right(np.array([[0.0, 0.2, 0.5], [0.1, 0.6, 0.0]]))[0], [0.8, 0.6]
    )
