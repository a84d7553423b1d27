"""Items and pairs tied by relations, against all their worlds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import corollary as co

from .worlds import legal_worlds, random_linked

ANIMALS = """\
thing > exclusive: animal, food, place
relation eats(animal, food)
eats > hunts
relation lives_in(animal, place) functional
relation next_to(place, place) symmetric
"""


def facts_like(rng, shape):
    """A few random facts."""
    return np.where(rng.random(shape) < 0.2, rng.integers(0, 2, shape), -1).astype(np.int8)


def check(seed: int) -> None:
    """One random ontology with everything that is returned of it."""
    rng = np.random.default_rng(seed)
    onto, pairs, n = random_linked(rng)
    linked = onto.linked(pairs)
    worlds = legal_worlds(onto, pairs, n)
    for _ in range(3):
        facts = facts_like(rng, (n, len(onto.labels)))
        pair_facts = facts_like(rng, (len(pairs), len(onto.relations)))
        agree = ((worlds.items == facts) | (facts < 0)).all(axis=(1, 2))
        agree &= ((worlds.pairs == pair_facts) | (pair_facts < 0)).all(axis=(1, 2))
        if not agree.any():
            with pytest.raises(co.Contradiction) as caught:
                linked.propagate(facts, pair_facts)
            check_minimal(linked, caught.value, n)
            continue
        items, of_pairs = worlds.items[agree], worlds.pairs[agree]
        known, pair_known = linked.propagate(facts, pair_facts)
        for found, legal in ((known, items), (pair_known, of_pairs)):
            same = (legal == legal[0]).all(axis=0)
            assert (found == np.where(same, legal[0], -1)).all()
        beliefs, pair_beliefs = rng.random(facts.shape), rng.random(pair_facts.shape)
        evidence = rng.normal(size=facts.shape)
        odds = np.log(beliefs / (1 - beliefs)) + evidence
        pair_odds = np.log(pair_beliefs / (1 - pair_beliefs))
        weight = (items * odds).sum(axis=(1, 2)) + (of_pairs * pair_odds).sum(axis=(1, 2))
        weight -= worlds.penalty[agree]
        p = np.exp(weight - np.logaddexp.reduce(weight))
        given_all = beliefs, pair_beliefs, facts, pair_facts
        found, pair_found = linked.posterior(*given_all, evidence=evidence)
        np.testing.assert_allclose(found, np.tensordot(p, items, 1), atol=1e-9)
        np.testing.assert_allclose(pair_found, np.tensordot(p, of_pairs, 1), atol=1e-9)
        entropy, pair_entropy = linked.joint_entropy(*given_all, evidence=evidence)
        number = linked.components[0]
        alone = np.array(
            [i for i in range(n) if i >= len(number) or i not in {*pairs.head, *pairs.tail}], int
        )
        tied = [i for i in range(n) if i not in alone.tolist()]
        first = [
            next(i for i in tied if number[i] == one) for one in sorted({number[i] for i in tied})
        ]
        total = entropy[alone].sum() + entropy[first].sum()
        assert total == pytest.approx(-(p[p > 0] * np.log(p[p > 0])).sum(), abs=1e-9)
        assert (pair_entropy == entropy[pairs.head]).all()
        gain, pair_gain = linked.gain(*given_all, evidence=evidence)
        np.testing.assert_allclose(gain, removed(p, items), atol=1e-9)
        np.testing.assert_allclose(pair_gain, removed(p, of_pairs), atol=1e-9)
        best, pair_best = linked.most_probable(*given_all, evidence=evidence)
        at = np.flatnonzero(
            (items == best).all(axis=(1, 2)) & (of_pairs == pair_best).all(axis=(1, 2))
        )
        assert weight[at] == pytest.approx([weight.max()], abs=1e-9)


def removed(p, worlds):
    """The entropy of all worlds, less what is expected to be left of it after the answer about each cell."""
    left = np.zeros(worlds.shape[1:])
    for value in (False, True):
        weight = np.where(worlds == value, p[:, None, None], 0.0)
        total = weight.sum(axis=0)
        share = weight / np.where(total > 0, total, 1.0)
        left -= total * (share * np.log(np.where(share > 0, share, 1.0))).sum(axis=0)
    return -(p[p > 0] * np.log(p[p > 0])).sum() - left


def check_minimal(linked, clash: co.Contradiction, n: int) -> None:
    """Without any one of the answers the others can be true."""
    onto, pairs = linked.onto, linked.pairs
    for left_out in (None, *clash.answers):
        facts = np.full((n, len(onto.labels)), -1, np.int8)
        pair_facts = np.full((len(pairs), len(onto.relations)), -1, np.int8)
        for name, value in clash.answers.items():
            label, _, of = name.partition("(")
            ends = [int(end) for end in of.rstrip(")").split(",")]
            if name == left_out:
                continue
            if len(ends) == 1:
                facts[ends[0], onto.index[label]] = value
            else:
                at = np.flatnonzero((pairs.head == ends[0]) & (pairs.tail == ends[1]))
                pair_facts[at, onto.relations.index(label)] = value
        if left_out is None:
            with pytest.raises(co.Contradiction):
                linked.propagate(facts, pair_facts)
        else:
            linked.propagate(facts, pair_facts)


@pytest.mark.parametrize("seed", range(12))
def test_against_all_worlds(seed):
    check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12, 500))
def test_against_all_worlds_many_times(seed):
    check(seed)


@pytest.mark.slow
@given(st.integers(500, 2**32 - 1))
def test_against_all_worlds_property(seed):
    check(seed)


@pytest.fixture(scope="module")
def linked():
    onto = co.Ontology.parse(ANIMALS)
    return onto.linked(co.Pairs([0, 0, 1, 2], [1, 2, 2, 0]))


def test_what_follows_and_why(linked):
    facts = np.full((3, 4), -1)
    pair_facts = np.full((4, 4), -1)
    pair_facts[0, linked.onto.relations.index("hunts")] = 1
    known, pair_known = linked.propagate(facts, pair_facts)
    named = [{label for k, label in enumerate(linked.onto.labels) if row[k] == 1} for row in known]
    assert named == [{"thing", "animal"}, {"thing", "food"}, set()]
    assert pair_known[0].tolist() == [1, 1, 0, 0]
    why = linked.explain("animal", 0, facts, pair_facts)
    assert "hunts(0, 1) is yes (answered)" in str(why)
    assert "eats(0, 1) implies animal(0)" in str(why)
    assert linked.explain("eats", (0, 1), facts, pair_facts).value


def test_contradictions_name_items_and_pairs(linked):
    facts = [{"place": True}, {}, {}]
    pair_facts = [{"eats": True}, {}, {}, {}]
    with pytest.raises(co.Contradiction, match=r"place\(0\) is yes.*eats\(0, 1\) is yes"):
        linked.propagate(facts, pair_facts)
    with pytest.raises(
        co.Contradiction, match=r"at most one of lives in\(0, 1\), lives in\(0, 2\)"
    ):
        linked.propagate(None, [{"lives_in": True}, {"lives_in": True}, {}, {}])


def test_estimates_are_called_so(linked):
    from corollary.logic.errors import EstimateWarning

    small = linked.onto.with_budget(co.Budget(states=2)).linked(linked.pairs)
    assert [one.guarantee for one in linked.engines] == ["exact"]
    assert [one.guarantee for one in small.engines] == ["estimate"]
    assert "1 components of 3 items and 4 pairs" in str(small.engines[0])
    beliefs, pair_beliefs = np.full((3, 4), 0.4), np.full((4, 4), 0.3)
    with pytest.warns(EstimateWarning, match="1 components is an estimate"):
        found = small.posterior(beliefs, pair_beliefs)
    for one, other in zip(found, linked.posterior(beliefs, pair_beliefs), strict=True):
        np.testing.assert_allclose(one, other, atol=0.1)
    with pytest.raises(co.CorollaryError, match="above the budget of 2"):
        small.most_probable(beliefs, pair_beliefs)


def test_evidence_that_is_certain_is_a_fact(linked):
    beliefs, pair_beliefs = np.full((3, 4), 0.4), np.full((4, 4), 0.3)
    sure = np.zeros((4, 4))
    sure[0, 0] = np.inf
    found = linked.posterior(beliefs, pair_beliefs, pair_evidence=sure)
    facts = np.full((4, 4), -1)
    facts[0, 0] = 1
    for one, other in zip(found, linked.posterior(beliefs, pair_beliefs, None, facts), strict=True):
        np.testing.assert_array_equal(one, other)
    facts[0, 0] = 0
    with pytest.raises(co.CorollaryError, match="pair_evidence, row 0, 'eats': infinite evidence"):
        linked.posterior(beliefs, pair_beliefs, None, facts, pair_evidence=sure)


def test_bad_input_is_named(linked):
    beliefs, pair_beliefs = np.full((3, 4), 0.4), np.full((4, 4), 0.3)
    with pytest.raises(
        co.CorollaryError, match="pair 3: its head is item 2, but there are 2 items"
    ):
        linked.posterior(beliefs[:2], pair_beliefs)
    with pytest.raises(co.CorollaryError, match="a row for each of 4 pairs, got 3"):
        linked.posterior(beliefs, pair_beliefs[:3])
    with pytest.raises(co.CorollaryError, match="pair 2, relation 'hunts' has 7"):
        wrong = pair_beliefs.copy()
        wrong[2, 1] = 7
        linked.posterior(beliefs, wrong)
    with pytest.raises(co.CorollaryError, match="unknown relation 'eat'; did you mean 'eats'"):
        linked.explain("eat", (0, 1))
    with pytest.raises(co.CorollaryError, match="is not one of the pairs"):
        linked.explain("eats", (1, 0))
    with pytest.raises(co.CorollaryError, match="an item is named by its number"):
        linked.explain("animal", 0.5)
    with pytest.raises(co.CorollaryError, match="there is no item 77; there are 3"):
        linked.explain("animal", 77)
    with pytest.raises(co.CorollaryError, match="pairs must be Pairs"):
        linked.onto.linked([(0, 1)])


@pytest.mark.parametrize(
    ("facts", "pair_facts", "message"),
    [
        ([{}, {}], None, "pair 3: its head is item 2, but there are 2 items"),
        (None, [{}], "pair_facts must have a row for each of 4 pairs, got 1"),
        (None, np.full((3, 4), -1), "a row for each of 4 pairs, got 3"),
        (None, np.full((4, 2), -1), "pair_facts must be pairs x 4 relations"),
        (None, [{"eat": 1}, {}, {}, {}], r"'eat' of pair_facts\[0\] is no relation.*mean 'eats'"),
        (None, [{"animal": 1}, {}, {}, {}], "'animal' of pair_facts.* is no relation"),
        ([{"eats": True}, {}, {}], None, r"'eats' of facts\[0\] is no label"),
        ({7: {"animal": True}}, None, "there is no item 7; there are 3"),
        ({"animal": True}, None, "the key 'animal' is no item"),
        (None, {"eats": True}, "the key 'eats' is no pair"),
        (None, {(1, 0): {"eats": True}}, r"\(1, 0\) is not one of the pairs"),
        (None, {(0, 1): {"eats": 3}}, "pair 0, relation 'eats' has 3"),
    ],
)
def test_bad_facts_have_their_place(linked, facts, pair_facts, message):
    with pytest.raises(co.CorollaryError, match=message):
        linked.propagate(facts, pair_facts)


def test_facts_of_some_items_and_pairs_are_a_dict(linked):
    found = linked.propagate({2: {"place": True}}, {(0, 1): {"hunts": True}})
    facts = [{}, {}, {"place": True}], [{"hunts": True}, {}, {}, {}]
    for one, other in zip(found, linked.propagate(*facts), strict=True):
        np.testing.assert_array_equal(one, other)
    why = linked.explain("animal", 0, None, {(0, 1): {"hunts": True}})
    assert why.answers == {"hunts(0, 1)": True}


def test_a_relation_that_can_never_hold_has_its_place():
    onto = co.Ontology.parse("exclusive: a, b\nrelation r(a & b, a)\n")
    with pytest.raises(co.OntologyError, match=r"'r' can never hold \[line 2\]"):
        onto.linked(co.Pairs([0], [1]))


def test_lint_finds_a_relation_that_can_never_hold():
    onto = co.Ontology.parse("exclusive: a, b\nrelation r(a & b, a)\nrelation s(a, b)\n")
    assert [str(finding) for finding in onto.lint()] == [
        "error: never true: r can never hold of any pair"
    ]
