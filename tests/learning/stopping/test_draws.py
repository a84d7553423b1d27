"""What draws by chance tell: by plain sums, and by looking again and again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from corollary.learning.stopping.calibration import CLASSES, SHARPNESS
from corollary.learning.stopping.draws import (
    BLIND,
    IS_BLIND,
    OF_BLIND,
    RATES,
    SHAPES,
    SHARES,
    Draws,
    draws,
)
from corollary.learning.stopping.forecast import wrong_at_most

from .test_calibration import record_of

FACTORS = np.linspace(1e-4, 60.0, 60_001)
PRIOR = sum(
    w * stats.gamma.pdf(FACTORS, a, scale=1 / b)
    for w, a, b in zip(SHARES, SHAPES, RATES, strict=True)
)


def probability(found, factor):
    return factor ** found.wrong.sum() * np.exp(-factor * found.chance.sum())


@st.composite
def some_draws(draw):
    chance = draw(st.lists(st.floats(1e-3, 0.5), min_size=1, max_size=30))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return Draws(
        np.array(chance),
        rng.random(len(chance)) < draw(st.sampled_from([0.5, 1, 3])) * np.array(chance),
    )


def by_plain_sums(found, totals, n, error):
    """The smallest number of wrong items that is a bound, by trying every one of them and a great many factors."""
    step, factors = FACTORS[1] - FACTORS[0], np.geomspace(1e-3, 1e6, 4000)
    seen = [np.prod([c + e * (1 - c) for c in found.chance[found.wrong]]) for e in BLIND]
    rare = np.prod(found.chance[found.wrong])
    of_blindness = (
        np.array(seen) * (1 - BLIND) ** (~found.wrong).sum() * np.exp(-found.chance.sum()) / rare
    )
    mean = (1 - IS_BLIND) * (
        PRIOR * probability(found, FACTORS)
    ).sum() * step + IS_BLIND * of_blindness.mean()
    totals = [max(one, np.mean(totals)) for one in totals]
    for most in range(n):
        more = [stats.binom.sf(most, n, np.minimum(one * factors / n, 1)) for one in totals]
        too_many = (
            (1 - IS_BLIND) * (probability(found, factors) * np.mean(more, axis=0)).max() / mean
        )
        more = [stats.binom.sf(most, n, (one + BLIND * (n - one)) / n) for one in totals]
        unseen = IS_BLIND * (of_blindness * np.mean(more, axis=0)).mean() / mean
        if too_many + unseen <= error and unseen <= OF_BLIND * error:
            return most
    return n


@settings(max_examples=60, deadline=None)
@given(
    some_draws(),
    st.lists(st.floats(1e-4, 5.0), min_size=1, max_size=4),
    st.sampled_from([0.05, 0.1, 0.3]),
)
def test_how_many_are_wrong_at_most_by_plain_sums(found, totals, error):
    bound = found.wrong_at_most(np.array(totals), 20, error)
    most, least = (by_plain_sums(found, totals, 20, error * share) for share in (0.85, 1.15))
    assert least <= bound <= most


@pytest.mark.parametrize(
    ("right", "wrong", "total", "bound"),
    [
        (40, 0, 0.5, 1),
        (39, 1, 0.5, 2),
        (36, 4, 0.5, 5),
        (4, 0, 0.5, 5),
        (40, 0, 5.0, 9),
        (39, 1, 5.0, 11),
        (4, 0, 5.0, 53),
    ],
)
def test_how_many_are_wrong_at_most(right, wrong, total, bound):
    """Of 100 items, so many expected to be wrong; of the drawn ones one in twenty was."""
    found = Draws(np.full(right + wrong, 0.05), np.arange(right + wrong) < wrong)
    assert (
        found.wrong_at_most(np.array([total]), 100, 0.1)
        == bound
        == by_plain_sums(found, [total], 100, 0.1)
    )


@settings(max_examples=30, deadline=None)
@given(some_draws(), st.floats(1e-4, 5.0))
def test_more_error_or_fewer_wrong_make_it_smaller(found, total):
    bounds = [found.wrong_at_most(np.array([total]), 20, error) for error in (0.02, 0.1, 0.5)]
    assert bounds == sorted(bounds, reverse=True)
    fewer = found._replace(wrong=np.zeros_like(found.wrong))
    assert fewer.wrong_at_most(np.array([total]), 20, 0.1) <= bounds[1]


@pytest.mark.parametrize("chance", [0.0, 1e-13, 1e-12], ids=str)
def test_what_was_held_impossible_and_came_leaves_hardly_a_bound(chance):
    assert (
        Draws(np.array([chance]), np.array([True])).wrong_at_most(np.array([1e-3]), 50, 0.1) >= 25
    )


def test_however_sure_beliefs_are_a_few_draws_bound_little():
    """A blind spot is rare: that it might be there alone would let one draw do for any promise."""
    totals = np.array([1e-9])
    bounds = [
        Draws(np.full(n, 1e-12), np.zeros(n, bool)).wrong_at_most(totals, 1000, 0.1)
        for n in (1, 10, 100, 1000)
    ]
    assert bounds == [1000, 197, 17, 2]


@pytest.mark.parametrize(("total", "bound"), [(0.02, 0), (0.06, 0), (0.08, 1), (0.1, 1)])
def test_of_one_item(total, bound):
    found = Draws(np.full(100, 0.05), np.arange(100) < 5)
    assert (
        found.wrong_at_most(np.array([total]), 1, 0.1)
        == bound
        == by_plain_sums(found, [total], 1, 0.1)
    )


def test_where_nothing_is_open_nothing_is_wrong():
    assert Draws(np.array([0.1]), np.array([True])).wrong_at_most(np.zeros(3), 0, 0.1) == 0


def test_without_draws_nothing_is_promised():
    assert Draws().chance.shape == Draws().wrong.shape == (0,)
    assert Draws().wrong_at_most(np.zeros(2), 50, 0.5) == 50
    factors, blind = Draws().explained(200_000, np.random.default_rng(0))
    usual = SHARES * (1 - IS_BLIND) + [
        IS_BLIND,
        0.0,
    ]  # with a blind spot the beliefs are about right else
    assert factors.mean() == pytest.approx(usual @ (SHAPES / RATES), rel=0.02)
    assert (blind > 0).mean() == pytest.approx(IS_BLIND, rel=0.05)
    assert blind[blind > 0].mean() == pytest.approx(BLIND.mean(), rel=0.05)


def trusting(found, totals, n, error):
    """A bound that takes it for granted that most learners are about right."""
    factor, blind = found.explained(300, np.random.default_rng(0))
    return wrong_at_most(totals * factor + blind * (n - totals), n, 1.0 - error)


def broken(bound, factor, seed, *, error, n=80, most=2):
    """Look after each draw until at most so many are promised to be wrong; the chance that there are more.

    After each draw the open item that is most probably wrong is asked about, too.
    """
    rng = np.random.default_rng(seed)
    risk, found = np.sort(rng.uniform(0.0, 0.15, n)), Draws()
    for left in range(n - 1, 0, -1):
        chance = rng.choice(risk[:left], 1)
        found = Draws(
            np.append(found.chance, chance), np.append(found.wrong, rng.random(1) < factor * chance)
        )
        if bound(found, risk[:left].sum(keepdims=True), left, error) <= most:
            return stats.binom.sf(most, left, factor * risk[:left].mean())
    return 0.0


@pytest.mark.parametrize("factor", [0.5, 1.0, 2.0, 6.0])
def test_it_holds_whichever_factor_it_is_and_however_often_one_looks(factor):
    assert (
        np.mean([broken(Draws.wrong_at_most, factor, seed, error=0.1) for seed in range(60)]) <= 0.1
    )


def test_who_trusts_in_learners_being_right_breaks_promises_where_they_are_not():
    assert np.mean([broken(trusting, 2.0, seed, error=0.1) for seed in range(60)]) > 0.12


@settings(max_examples=30, deadline=None)
@given(some_draws())
def test_what_a_blind_spot_makes_of_the_draws(found):
    """By how much it makes what came more probable: item by item, for each share."""
    by_hand = [
        np.prod(
            [
                (c + e * (1 - c)) / c if w else 1 - e
                for c, w in zip(found.chance, found.wrong, strict=True)
            ]
        )
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


def test_not_to_trust_in_learners_being_right_has_a_price():
    found, totals = Draws(np.full(40, 0.1), np.arange(40) < 4), np.full(2000, 2.0)
    factor, blind = found.explained(2000, np.random.default_rng(0))
    assert found.wrong_at_most(totals, 80, 0.1) > wrong_at_most(
        totals * factor + blind * 78.0, 80, 0.9
    )


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
