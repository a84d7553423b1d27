"""How far beliefs can be trusted: by listing worlds, and on answers drawn from beliefs of a known sharpness."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import corollary as co
from corollary.learning.stopping import calibration
from corollary.learning.stopping.calibration import (
    CLASSES,
    SHARPNESS,
    Learnt,
    TrackRecord,
    classes,
    diffusion,
    learnt,
    learnt_of_one,
    log_odds,
    risk,
    sharpness,
    walks,
)

from ...logic.ontologies import ontologies, worlds


def probabilities(legal, beliefs, facts, a=1.0):
    """The worlds that agree with the facts, and how probable each is at sharpness a."""
    agree = legal[((legal == facts) | (facts < 0)).all(axis=1)]
    log_w = a * (agree @ log_odds(beliefs))
    w = np.exp(log_w - log_w.max())
    return agree, w / w.sum()


@st.composite
def items(draw):
    """A small ontology, its worlds, beliefs of one item, a world, and the cells of it that are known."""
    labels, constraints = draw(ontologies(max_labels=5, max_constraints=4))
    legal = worlds(labels, constraints).astype(np.int8)
    assume(len(legal))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    world = legal[rng.integers(len(legal))]
    facts = np.where(rng.random(len(labels)) < 0.3, world, -1).astype(np.int8)
    return (
        co.Ontology(labels, constraints),
        legal,
        rng.uniform(0.02, 0.98, len(labels)),
        world,
        facts,
        rng,
    )


@settings(max_examples=60, deadline=None)
@given(items(), st.sampled_from([0.25, 1.0, 4.0]))
def test_risk_by_listing_worlds(item, a):
    onto, legal, beliefs, _, facts, _ = item
    labelling = onto.most_probable(beliefs[None], facts[None])
    at_risk, cells = risk(onto, a * log_odds(beliefs[None]), onto.propagate(facts[None]), labelling)
    agree, p = probabilities(legal, beliefs, facts, a)
    assert at_risk[0] == pytest.approx(1.0 - p.max(), abs=1e-9)
    assert cells[0] == pytest.approx(p @ (agree != labelling).sum(axis=1), abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(items())
def test_one_item_is_told_the_same_as_many(item):
    onto, _, beliefs, world, facts, _ = item
    before = onto.propagate(facts[None])
    assume((before < 0).any())
    after = before.copy()
    k = int(np.flatnonzero(before[0] < 0)[0])
    after[0, k] = world[k]
    after = onto.propagate(after)
    for one, other in zip(
        learnt_of_one(onto, beliefs[None], before, after),
        learnt(onto, beliefs[None], before, after),
        strict=True,
    ):
        np.testing.assert_allclose(one, other, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(items())
def test_what_was_learnt_is_as_probable_as_its_answers_one_by_one(item):
    onto, legal, beliefs, world, facts, rng = item
    before = onto.propagate(facts[None])[0]
    log_p, row = np.zeros(len(SHARPNESS)), before.copy()
    for k in rng.permutation(len(onto))[:2]:
        for g, a in enumerate(SHARPNESS):
            agree, p = probabilities(legal, beliefs, row, a)
            log_p[g] += np.log(p @ (agree[:, k] == world[k]))
        row[k] = world[k]
    after = onto.propagate(row[None])[0]
    found = learnt(onto, beliefs[None], before[None], after[None], drawn=np.array([True]))
    assert len(found.risk) == (before != after).any()
    if len(found.risk):
        np.testing.assert_allclose(found.log_p[0], log_p, atol=1e-7)
        agree, p = probabilities(legal, beliefs, before)
        assert found.risk[0] == pytest.approx(1.0 - p.max(), abs=1e-9)
        best = onto.most_probable(beliefs[None], before[None])[0]
        assert found.surprised[0] == bool(((after >= 0) & (after != best)).any())
        assert found.drawn.tolist() == [True]
        cells = after >= 0
        for g, a in enumerate(SHARPNESS):
            agree, p = probabilities(legal, beliefs, before, a)
            wrong = p @ (agree[:, cells] != best[cells]).any(axis=1)
            assert found.chance[0, g] == pytest.approx(wrong, abs=1e-7)


def test_what_was_taken_back_tells_nothing():
    onto = co.Ontology.parse("exclusive: a, b")
    before = np.array([[1, 0], [-1, 0], [-1, -1]], np.int8)
    after = np.array([[-1, -1], [-1, 1], [1, -1]], np.int8)
    found = learnt(onto, np.full((3, 2), 0.3), before, after)
    assert found.log_p.shape == (1, len(SHARPNESS))
    assert not found.drawn.any()


def test_diffusion_keeps_probability_adds_up_and_has_its_variance():
    once, twice = diffusion(0.09), diffusion(0.18)
    np.testing.assert_allclose(once.sum(axis=0), 1.0)
    np.testing.assert_allclose(once @ once, twice, atol=1e-12)
    assert (once > -1e-12).all()
    log_a, middle = np.log(SHARPNESS), len(SHARPNESS) // 2
    assert once[middle] @ (log_a - log_a[middle]) ** 2 == pytest.approx(0.09, rel=1e-3)


def record_of(a, risks, n, seed, drawn=False):
    """Answers to yes/no questions of these risks, where the truth has sharpness a."""
    rng = np.random.default_rng(seed)
    claimed = np.resize(np.asarray(risks, float), n)
    at = claimed[:, None] ** SHARPNESS / (
        claimed[:, None] ** SHARPNESS + (1 - claimed[:, None]) ** SHARPNESS
    )
    surprised = rng.random(n) < claimed**a / (claimed**a + (1 - claimed) ** a)
    log_p = np.log(np.where(surprised[:, None], at, 1.0 - at))
    return Learnt(claimed, log_p, surprised, np.full(n, drawn), at)


def surprise(claimed):
    """An answer that was held to be so improbable."""
    at = claimed**SHARPNESS / (claimed**SHARPNESS + (1 - claimed) ** SHARPNESS)
    return Learnt(
        np.array([claimed]), np.log(at)[None], np.array([True]), np.array([False]), at[None]
    )


@pytest.mark.parametrize("a", [0.25, 1.0, 2.0])
def test_sharpness_is_found_where_it_was_asked(a):
    risks = [0.3, 0.2, 0.1]
    p = sharpness([record_of(a, risks, 6000, 0)])
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    found = p[classes(np.array([0.2]))[0]] @ np.log2(SHARPNESS)
    assert found == pytest.approx(np.log2(a), abs=0.4)


def test_the_further_from_what_was_asked_the_less_is_known():
    log_a = np.log(SHARPNESS)
    p = sharpness([record_of(1.0, [0.3, 0.2], 2000, 0)])
    spread = np.sqrt(p @ log_a**2 - (p @ log_a) ** 2)
    assert (np.diff(spread[1:]) > 0).all()
    without = sharpness([])
    assert without[0] @ log_a == pytest.approx(0.0, abs=0.05)
    assert np.sqrt(without[0] @ log_a**2) == pytest.approx(calibration.PRIOR, rel=0.05)


def test_sharpness_by_summing_over_the_chain_in_plain_numbers():
    rng = np.random.default_rng(3)
    record = [record_of(0.5, 1 / (1 + np.exp(rng.uniform(0, 20, 8))), 8, seed) for seed in range(3)]
    record.append(surprise(1e-14))
    assert classes(record[-1].risk) == CLASSES - 1
    evidence = np.zeros((CLASSES, len(SHARPNESS)))
    for age, part in zip((17, 9, 1, 0), record, strict=True):
        for c, row in zip(classes(part.risk), part.log_p, strict=True):
            evidence[c] += 0.5 ** (age / (calibration.HALF_LIFE * 25)) * row
    step = diffusion(calibration.DRIFT**2)
    prior = np.exp(-0.5 * (np.log(SHARPNESS) / calibration.PRIOR) ** 2)
    found = sharpness(record)
    for c in range(CLASSES):
        left, right = prior, np.ones(len(SHARPNESS))
        for j in range(c):
            left = step @ (left * np.exp(evidence[j]))
        for j in range(CLASSES - 1, c, -1):
            right = step @ (right * np.exp(evidence[j]))
        p = left * right * np.exp(evidence[c])
        np.testing.assert_allclose(found[c], p / p.sum(), atol=1e-9)


def test_classes_by_risk():
    np.testing.assert_array_equal(
        classes(np.array([1.0, 0.7, 0.4, 0.1, 0.01, 0.0])), [0, 0, 1, 2, 3, CLASSES - 1]
    )


@pytest.mark.parametrize(
    "record",
    [
        [record_of(0.5, [0.3, 0.05, 0.001], 60, 1)],
        [surprise(1e-14)],
        [record_of(16.0, [0.4, 0.3], 200, 1)],
    ],
    ids=["some answers", "a surprise about the surest", "as sharp as may be"],
)
def test_walks_are_as_probable_as_sharpness_says(record):
    found = walks(record, 20_000, np.random.default_rng(0))
    assert found.shape == (20_000, CLASSES)
    for c in range(CLASSES):
        shares = np.bincount(found[:, c], minlength=len(SHARPNESS)) / len(found)
        np.testing.assert_allclose(shares, sharpness(record)[c], atol=0.02)


def test_walks_are_as_probable_as_the_chain_says():
    record = [record_of(0.5, [0.3, 0.05, 0.001], 60, 1)]
    found = walks(record, 20_000, np.random.default_rng(0))
    # Neighbours go together: what two classes are at once, by summing over the chain of these two alone.
    evidence = np.zeros((CLASSES, len(SHARPNESS)))
    np.add.at(evidence, classes(record[0].risk), record[0].log_p)
    step = diffusion(calibration.DRIFT**2)
    right = np.ones(len(SHARPNESS))
    for c in range(CLASSES - 1, 1, -1):
        right = step @ (right * np.exp(evidence[c]))
    first = np.exp(evidence[0] - 0.5 * (np.log(SHARPNESS) / calibration.PRIOR) ** 2)
    both = first[:, None] * step * (np.exp(evidence[1]) * right)
    pairs = np.zeros_like(both)
    np.add.at(pairs, (found[:, 0], found[:, 1]), 1 / len(found))
    np.testing.assert_allclose(pairs, both / both.sum(), atol=0.02)


@pytest.mark.parametrize("unless", [0, 1, 100])
def test_the_record_is_the_same_whenever_it_is_worked_out(unless):
    rng = np.random.default_rng(0)
    onto = co.Ontology(["a", "b", "c"], [co.exclusive("a", "b", "c")])
    known = np.full((6, 3), -1, np.int8)
    track, at_once = TrackRecord(onto, known), TrackRecord(onto, known)
    for i in range(5):
        beliefs = rng.random((6, 3))
        known = known.copy()
        known[i : i + 2] = np.eye(3, dtype=np.int8)[rng.integers(3)]
        track.turn(beliefs, known)
        at_once.turn(beliefs, known)
        track.work_out(unless=unless)
        assert sum(len(said[0]) for said in track._waiting) <= unless
    for one, other in zip(track.until(beliefs, known), at_once.until(beliefs, known), strict=True):
        for mine, its in zip(one, other, strict=True):
            np.testing.assert_array_equal(mine, its)
