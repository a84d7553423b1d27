"""Choices against all worlds of small ontologies."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import corollary as co
from corollary.logic.compiled.choices import by_trying, of_tree
from corollary.logic.compiled.model import Model
from corollary.logic.engines import Budget
from corollary.logic.solving.clauses import to_clauses

from ..ontologies import ontologies, worlds


@given(ontologies())
def test_in_each_world_the_labels_of_a_choice_are_a_chain_told_by_its_narrowest(ontology):
    labels, constraints = ontology
    legal = worlds(labels, constraints)
    assume(len(legal))
    onto = co.Ontology(labels, constraints)
    weights = np.random.default_rng(len(legal)).random(len(legal))
    weights /= weights.sum()
    for choice in onto.choices:
        own = legal[:, choice.labels]
        narrowest = [narrowest_of(row, choice) for row in own]
        assert sorted({j for j in narrowest if j >= 0}) == np.flatnonzero(choice.final).tolist()
        assert choice.none == (-1 in narrowest)
        assert len({row.tobytes() for row in own}) == len(set(narrowest))  # it tells all of them
        expected = [weights[np.array(narrowest) == j].sum() for j in range(len(choice.labels))]
        found = choice.narrowest((weights @ legal)[None])[0]
        np.testing.assert_allclose(found, expected, atol=1e-12)


def model_of(labels, constraints):
    return Model(to_clauses(tuple(labels), constraints), Budget())


def narrowest_of(row, choice):
    """The label that no other one on in the world is under; an error where two are."""
    on = set(np.flatnonzero(row).tolist())
    left = on - {int(choice.parent[j]) for j in on}
    assert len(left) <= 1
    for j in on:
        assert choice.parent[j] < 0 or int(choice.parent[j]) in on
    return left.pop() if left else -1


@st.composite
def trees(draw):
    """A tree of exclusive siblings, some of which cover their parent; the roots may be exhaustive."""
    n = draw(st.integers(2, 12))
    parent = [draw(st.integers(-1, k - 1)) for k in range(n)]
    names = [f"l{k}" for k in draw(st.permutations(range(n)))]
    constraints = []
    for top in range(-1, n):
        below = [names[k] for k in range(n) if parent[k] == top]
        if not below:
            continue
        all_of_it = draw(st.booleans())
        if len(below) > 1:
            constraints.append(co.exclusive(*below))
        if top >= 0:
            constraints.append(co.subsumes(names[top], *below))
            constraints += [co.covers(names[top], *below)] if all_of_it else []
        elif all_of_it:
            constraints.append(co.at_least_one(*below))
    return names, constraints


@given(trees())
def test_a_tree_of_exclusive_siblings_is_one_choice(tree):
    names, constraints = tree
    onto = co.Ontology(sorted(names), constraints)
    legal = worlds(onto.labels, constraints)
    distinct = {legal[:, k].tobytes() for k in range(len(names))}
    varying = [key for key in distinct if 0 < sum(key) < len(legal)]
    if len(varying) < 2:
        assert onto.choices == ()
        return
    (choice,) = onto.choices
    assert len(choice.labels) == len(varying)


@given(st.one_of(trees(), ontologies()))
def test_what_a_tree_says_of_itself_is_what_trying_all_labels_finds(tree):
    names, constraints = tree
    assume(len(worlds(names, constraints)))
    model = model_of(names, constraints)
    for part, groups in model.trees:
        found, tried = of_tree(part, groups), by_trying(model, part)
        assert (found is None) == (tried is None)
        if found is not None:
            for name in ("labels", "settles", "parent", "final"):
                assert getattr(found, name).tolist() == getattr(tried, name).tolist(), name
            assert found.none == tried.none


def test_what_is_no_choice():
    for text in ("labels: a, b", "rule: a >> b | c", "at least one: a, b, c", "b > a\nc > a"):
        assert co.Ontology.parse(text).choices == ()


def test_several_choices_beside_other_labels():
    labels = "labels: urgent, good, bad, mixed, small, large, x, y\n"
    onto = co.Ontology.parse(
        labels + "exactly one: good, bad, mixed\nexclusive: small, large\ny > x"
    )
    found = [[onto.labels[k] for k in choice.labels] for choice in onto.choices]
    assert sorted(map(sorted, found)) == [["bad", "good", "mixed"], ["large", "small"], ["x", "y"]]


@pytest.mark.parametrize("n", [3, 3000])
def test_many_labels_in_pieces(n):
    """More labels than are worked out at once."""
    names = [f"l{k}" for k in range(n)]
    model = model_of(names, [co.exactly_one(*names)])
    choice = by_trying(model, model.parts[0])
    assert choice.final.all()
    assert not choice.none
    assert (choice.parent == -1).all()
