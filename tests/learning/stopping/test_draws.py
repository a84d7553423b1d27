"""What draws by chance tell: by plain sums, and by looking again and again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

from corollary.learning.stopping.calibration import CLASSES, SHARPNESS
from corollary.learning.stopping.draws import BLIND, IS_BLIND, NONE, RATES, SHAPES, SHARES, Draws, draws

from .test_calibration import record_of

FACTORS = np.linspace(1e-4, 60.0, 60_001)
PRIOR = sum(w * stats.gamma.pdf(FACTORS, a, scale=1 / b) for w, a, b in zip(SHARES, SHAPES, RATES, strict=True))


def probability(found, factor):
    return factor ** found.wrong.sum() * np.exp(-factor * found.chance.sum())


@st.composite
def some_draws(draw):
    chance = draw(st.lists(st.floats(1e-3, 0.5), min_size=1, max_size=30))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return Draws(np.array(chance), rng.random(len(chance)) < draw(st.sampled_from([0.5, 1, 3])) * np.array(chance))


@settings(max_examples=30, deadline=None)
@given(some_draws(), st.floats(1.0, 20.0), st.sampled_from([0.05, 0.2]))
def test_a_factor_is_refuted_by_what_smaller_ones_make_of_the_draws(found, factor, error):
    smaller = factor >= FACTORS
    mixed = np.trapezoid((PRIOR * probability(found, FACTORS))[smaller], FACTORS[smaller])
    ratio = mixed / probability(found, factor)
    if abs(ratio * error - 1) > 0.02:
        assert found.refute(factor, error) == (ratio >= 1 / error)


@settings(max_examples=30, deadline=None)
@given(some_draws(), st.sampled_from([0.05, 0.2]))
def test_the_largest_factor_is_the_first_that_is_refuted(found, error):
    bound = found.at_most(error)
    assert bound >= max(1.0, found.wrong.sum() / found.chance.sum())
    if 1.0 < bound < NONE:
        assert found.refute(bound * 1.00001, error)
        if bound * 0.99999 > max(1.0, found.wrong.sum() / found.chance.sum()):
            assert not found.refute(bound * 0.99999, error)


@pytest.mark.parametrize("wrong", [30, 60, 6, 0], ids=["as expected", "twice", "few", "none"])
def test_the_largest_factor_after_many_draws_by_plain_sums(wrong):
    found = Draws(np.full(300, 0.1), np.arange(300) < wrong)
    mixed = np.cumsum(PRIOR * probability(found, FACTORS)) * (FACTORS[1] - FACTORS[0])
    refuted = (mixed >= probability(found, FACTORS) / 0.05) & (max(1.0, wrong / 30) <= FACTORS)
    assert found.at_most(0.05) == pytest.approx(FACTORS[refuted][0], abs=0.005)


@pytest.mark.parametrize("wrong", [0, 6])
def test_however_few_are_wrong_no_fewer_than_expected_are_reckoned_with(wrong):
    assert Draws(np.full(300, 0.1), np.arange(300) < wrong).at_most(0.05) == 1.0


@pytest.mark.parametrize("chance", [0.0, 1e-13, 1e-12], ids=str)
def test_what_was_held_impossible_and_came_leaves_no_bound(chance):
    assert Draws(np.array([chance]), np.array([True])).at_most(0.05) == NONE


def test_without_draws_nothing_is_promised():
    assert Draws().chance.shape == Draws().wrong.shape == (0,)
    assert Draws().at_most(0.05) >= NONE
    factors, blind = Draws().explained(200_000, np.random.default_rng(0))
    usual = SHARES * (1 - IS_BLIND) + [IS_BLIND, 0.0]  # with a blind spot the beliefs are about right else
    assert factors.mean() == pytest.approx(usual @ (SHAPES / RATES), rel=0.02)
    assert (blind > 0).mean() == pytest.approx(IS_BLIND, rel=0.05)
    assert blind[blind > 0].mean() == pytest.approx(BLIND.mean(), rel=0.05)


@pytest.mark.parametrize("factor", [1.0, 2.0, 4.0])
def test_it_holds_however_often_one_looks(factor):
    """Look after each of 100 draws: the bound is hardly ever below what is so; one that is for one look often is."""
    error, rng = 0.1, np.random.default_rng(3)
    chance = rng.uniform(0.01, 0.24, (2000, 100)) / factor
    wrong = rng.random(chance.shape) < factor * chance
    came, true = wrong.cumsum(axis=1), factor * chance.cumsum(axis=1)
    # A bound for one look: so few wrong, or fewer, have this probability.
    assert (special.pdtr(came, true) < error).any(axis=1).mean() > 1.5 * error
    broken = [
        any(Draws(chance[i, :n], wrong[i, :n]).refute(factor, error) for n in np.flatnonzero(came[i] < true[i]) + 1)
        for i in range(150)
    ]
    assert np.mean(broken) <= error


@settings(max_examples=30, deadline=None)
@given(some_draws())
def test_what_a_blind_spot_makes_of_the_draws(found):
    """By how much it makes what came more probable: item by item, for each share."""
    by_hand = [
        np.prod([(c + e * (1 - c)) / c if w else 1 - e for c, w in zip(found.chance, found.wrong, strict=True)])
        for e in BLIND
    ]
    np.testing.assert_allclose(found._seen(), np.log(by_hand), rtol=1e-6, atol=1e-9)


def test_what_learners_are_like_before_any_draw():
    """As documented: nine of ten about right, give or take 0.3, the tenth wrong several times as often; or blind."""
    assert SHARES.sum() == pytest.approx(1.0)
    assert SHARES[0] == pytest.approx(0.9)
    assert 0.05 <= IS_BLIND <= 0.15
    about, more = SHAPES / RATES
    assert about == pytest.approx(1.0)
    assert np.sqrt(SHAPES[0]) / RATES[0] == pytest.approx(0.3, abs=0.05)
    assert more > 3.0
    assert 0.0 < BLIND.min() < 0.01
    assert 0.3 < BLIND.max() < 1.0


def explanations(found):
    """Every factor and blind spot with its probability: chances as of rare events, by plain sums."""
    step = FACTORS[1] - FACTORS[0]
    rare = np.prod(found.chance[found.wrong])
    by_factor = (1 - IS_BLIND) * PRIOR * step * rare * probability(found, FACTORS)
    seen = [np.prod(found.chance[found.wrong] + e * (1 - found.chance[found.wrong])) for e in BLIND]
    unseen = (1 - BLIND) ** (~found.wrong).sum() * np.exp(-found.chance.sum())
    by_blindness = IS_BLIND / len(BLIND) * np.array(seen) * unseen
    total = by_factor.sum() + by_blindness.sum()
    return by_factor / total, by_blindness / total


@pytest.mark.parametrize(
    "found",
    [
        Draws(np.full(40, 0.1), np.arange(40) < 9),
        Draws(np.full(30, 1e-4), np.zeros(30, bool)),
        Draws(np.full(30, 1e-4), np.arange(30) < 2),
        Draws(np.full(30, 0.3), np.arange(30) < 9),
    ],
    ids=["several times as many", "nothing wrong", "a blind spot", "as expected"],
)
def test_what_explains_the_draws_by_plain_sums(found):
    by_factor, by_blindness = explanations(found)
    factors, blind = found.explained(50_000, np.random.default_rng(0))
    assert (blind > 0).mean() == pytest.approx(by_blindness.sum(), abs=0.01)
    assert blind.mean() == pytest.approx(by_blindness @ BLIND, rel=0.05, abs=1e-3)
    told = factors[blind == 0]
    if by_blindness.sum() < 0.9:  # else too few are left
        assert told.mean() == pytest.approx(by_factor @ FACTORS / by_factor.sum(), rel=0.02)


def test_looking_often_has_a_price():
    found = Draws(np.full(40, 0.1), np.arange(40) < 4)
    assert found.at_most(0.05) > np.quantile(found.explained(10_000, np.random.default_rng(0))[0], 0.95)


def test_only_items_drawn_by_chance_count():
    chosen = record_of(0.3, [1e-4], 300, 1)
    p = np.zeros((CLASSES, len(SHARPNESS)))
    p[:, SHARPNESS == 1.0] = 1.0
    assert chosen.surprised.sum() > 3
    assert len(draws([chosen], p).wrong) == 0
    found = draws([chosen, chosen._replace(drawn=~chosen.drawn)], p)
    assert found.wrong.tolist() == chosen.surprised.tolist()
    np.testing.assert_allclose(found.chance, 1e-4)
    many = draws([record_of(1.0, [0.5, 0.1], 4000, 2, drawn=True)], p)
    assert many.wrong.sum() / many.chance.sum() == pytest.approx(1.0, abs=0.1)
