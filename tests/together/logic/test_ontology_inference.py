"""Propagation, posterior, joint entropy, gain and most probable labelling equal brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corollary as co

from ...logic.brute import mixed_beliefs, some_facts, truth
from ...logic.ontologies import ontologies, random_ontology, worlds

SHAPES = {
    "any": None,
    "subsumption": ("subsumes",),
    "exclusion": ("subsumes", "exclusive"),
    "cover": ("subsumes", "exclusive", "covers", "exactly_one", "at_least_one"),
    "formula": ("formula", "parity"),
    "equivalence": ("equivalent", "subsumes", "exclusive", "formula"),
}
ITEMS = 6


def check(labels: list[str], constraints: list[co.Constraint], rng: np.random.Generator) -> str:
    """Compare one ontology with brute force on a few items; what kind of ontology it was."""
    onto = co.Ontology(labels, constraints)
    legal = worlds(labels, constraints)
    beliefs = mixed_beliefs(rng, ITEMS, len(labels))
    facts = some_facts(rng, ITEMS, len(labels))
    if not len(legal):
        with pytest.raises(co.Contradiction) as clash:
            onto.propagate(facts)
        assert not clash.value.answers
        return "unsatisfiable"
    true = [truth(legal, b, f) for b, f in zip(beliefs, facts, strict=True)]
    for i, t in enumerate(true):
        as_dict = {label: bool(v) for label, v in zip(labels, facts[i], strict=True) if v >= 0}
        if t is None:
            with pytest.raises(co.Contradiction):
                onto.propagate(as_dict)
        else:
            assert onto.propagate(as_dict) == {
                label: bool(v) for label, v in zip(labels, t.known, strict=True) if v >= 0
            }
    if any(t is None for t in true):
        with pytest.raises(co.Contradiction) as clash:
            onto.posterior(beliefs, facts)
        assert clash.value.item == next(i for i, t in enumerate(true) if t is None)
    keep = [i for i, t in enumerate(true) if t is not None]
    found = onto.infer(beliefs[keep], facts[keep], gain=True)
    best = onto.most_probable(beliefs[keep], facts[keep])
    np.testing.assert_array_equal(onto.propagate(facts[keep]), [true[i].known for i in keep])
    assert (found.error == 0).all()
    for row, i in enumerate(keep):
        t = true[i]
        np.testing.assert_allclose(found.posterior[row], t.posterior, rtol=0, atol=1e-9)
        np.testing.assert_allclose(found.joint_entropy[row], t.joint_entropy, rtol=0, atol=1e-9)
        np.testing.assert_allclose(found.gain[row], t.gain, rtol=0, atol=1e-9)
        (chosen,) = np.flatnonzero((t.worlds == best[row]).all(axis=1))
        assert t.log_weight[chosen] >= t.log_weight.max() - 1e-9
    return ", ".join(sorted({engine.engine for engine in onto.engines}))


@pytest.mark.parametrize("shape", SHAPES)
def test_equals_brute_force_on_a_seed_sweep(shape):
    seen = []
    for seed in range(120):
        rng = np.random.default_rng([seed, list(SHAPES).index(shape)])
        kinds = {} if SHAPES[shape] is None else {"kinds": SHAPES[shape]}
        seen.append(
            check(
                *random_ontology(rng, int(rng.integers(2, 11)), int(rng.integers(0, 12)), **kinds),
                rng,
            )
        )
    assert len(seen) == 120
    expected = {
        "subsumption": "junction",
        "exclusion": "diagram",
        "cover": "tree",
        "formula": "diagram",
    }
    assert any(expected.get(shape, "tree") in engines for engines in seen), set(seen)


@settings(max_examples=150, deadline=None)
@given(ontologies(max_labels=9, max_constraints=8), st.integers(0, 2**32 - 1))
def test_equals_brute_force(ontology, seed):
    check(*ontology, np.random.default_rng(seed))


@settings(max_examples=60, deadline=None)
@given(ontologies(max_labels=8), st.integers(0, 2**32 - 1))
def test_propagation_is_idempotent_monotone_and_by_item(ontology, seed):
    labels, constraints = ontology
    rng = np.random.default_rng(seed)
    legal = worlds(labels, constraints)
    if not len(legal):
        return
    onto = co.Ontology(labels, constraints)
    chosen = legal[rng.integers(len(legal), size=5)]
    facts = np.where(rng.random(chosen.shape) < 0.4, chosen, -1).astype(np.int8)
    once = onto.propagate(facts)
    np.testing.assert_array_equal(onto.propagate(once), once)
    assert (once[facts >= 0] == facts[facts >= 0]).all()
    np.testing.assert_array_equal([onto.propagate(facts[i : i + 1])[0] for i in range(5)], once)
    fewer = np.where(rng.random(facts.shape) < 0.5, facts, -1).astype(np.int8)
    less = onto.propagate(fewer)
    assert ((less < 0) | (less == once)).all()


def test_many_items_equal_one_by_one():
    onto = co.Ontology.parse(
        "animal > exclusive: bird, fish\nplace > city, river\nexclusive: animal, place\nrule: a & b >> c | city"
    )
    rng = np.random.default_rng(0)
    beliefs = rng.random((3000, len(onto)))
    facts = onto.most_probable(rng.random(beliefs.shape))
    facts[rng.random(facts.shape) < 0.7] = -1
    together = onto.infer(beliefs, facts, gain=True)
    apart = [
        onto.infer(beliefs[i : i + 1], facts[i : i + 1], gain=True) for i in range(0, 3000, 97)
    ]
    np.testing.assert_array_equal(together.posterior[::97], [a.posterior[0] for a in apart])
    np.testing.assert_array_equal(together.gain[::97], [a.gain[0] for a in apart])


def test_beliefs_are_clipped_and_facts_are_hard():
    onto = co.Ontology.parse("exclusive: a, b")
    q = onto.posterior([[1.0, 1.0], [0.0, 1.0]])
    np.testing.assert_allclose(q, [[0.5, 0.5], [0.0, 1.0]], atol=1e-9)
    np.testing.assert_array_equal(onto.posterior([[0.0, 1.0]], [[1, -1]]), [[1.0, 0.0]])


def test_float32_beliefs_and_no_items():
    onto = co.Ontology.parse("animal > bird")
    wide = onto.posterior(np.full((2, 2), 0.3))
    narrow = onto.posterior(np.full((2, 2), 0.3, np.float32))
    np.testing.assert_allclose(narrow, wide, atol=1e-6)
    assert onto.posterior(np.zeros((0, 2))).shape == (0, 2)
    assert onto.propagate(np.zeros((0, 2), np.int8)).shape == (0, 2)
    assert onto.most_probable(np.zeros((0, 2))).shape == (0, 2)


def test_many_equivalent_labels_with_certain_beliefs():
    names = [f"e{k}" for k in range(40)]
    onto = co.Ontology(
        [*names, "x", "y", "z"],
        [co.equivalent(*names), co.subsumes("x", "e0", "y"), co.subsumes("z", "e0", "y")],
    )
    found = onto.infer([[1.0] * 40 + [0.5] * 3, [0.0] * 40 + [0.5] * 3], gain=True)
    np.testing.assert_allclose(found.posterior[:, 0], [1, 0], atol=1e-9)
    np.testing.assert_allclose(
        found.joint_entropy[1], onto.joint_entropy([[0.0] * 40 + [0.5] * 3], [[0] * 40 + [-1] * 3])
    )
