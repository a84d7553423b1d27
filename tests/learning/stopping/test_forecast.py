"""When to stop: counts by brute force, and promises kept where beliefs are right, wrong, or checked by chance."""

from __future__ import annotations

import heapq
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import corollary as co
from corollary.learning.choosing.question_worth import cost_of_asked
from corollary.learning.stopping.calibration import CLASSES, SHARPNESS, learnt
from corollary.learning.stopping.forecast import (
    Forecast,
    Needed,
    audit,
    expected,
    forecast,
    foretell,
    interval,
    questions_needed,
    risk_by_class,
)

ONE = co.Ontology(["a"])
FLAT = co.Ontology.parse("exactly one: a, b, c")


def poisson_binomial(chances):
    """How probable each number is, by convolution."""
    pmf = np.ones(1)
    for chance in chances:
        pmf = np.convolve(pmf, [1.0 - chance, chance])
    return pmf


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=40), st.sampled_from([0.5, 0.9, 0.99]))
def test_the_interval_is_no_narrower_than_that_of_unequal_chances(chances, level):
    few, many = interval(np.array([sum(chances)]), len(chances), level)
    cdf = np.cumsum(poisson_binomial(chances))
    # Hoeffding's theorem is about tails that begin at least one away from the mean.
    exact_few, exact_many = (
        int(np.searchsorted(cdf, share)) for share in ((1 - level) / 2, (1 + level) / 2)
    )
    assert few <= max(exact_few, np.floor(sum(chances)))
    assert many >= min(exact_many, np.ceil(sum(chances)) - 1)
    if level == 0.99:
        assert few <= exact_few
        assert many >= exact_many


def test_the_interval_of_several_means_is_that_of_their_mixture():
    few, many = interval(np.array([2.0, 20.0]), 100, 0.9)
    mixture = (
        stats.binom.cdf(np.arange(101), 100, 0.02) + stats.binom.cdf(np.arange(101), 100, 0.2)
    ) / 2
    assert (few, many) == (np.searchsorted(mixture, 0.05), np.searchsorted(mixture, 0.95))
    assert interval(np.array([0.0]), 0, 0.9) == (0, 0)


def test_expected_wrong_by_a_walk_along_the_classes():
    wrong = np.arange(1.0, CLASSES + 1)[:, None] / SHARPNESS
    walk = np.random.default_rng(0).integers(len(SHARPNESS), size=(3, CLASSES))
    by_hand = [sum(wrong[c, one[c]] for c in range(CLASSES)) for one in walk]
    np.testing.assert_allclose(expected(walk, wrong), by_hand)


def greedy(beliefs, allowed):
    """Questions until so many items are expected to be wrong, labels being independent: one after another."""
    open_cells = [sorted(np.minimum(row, 1 - row)) for row in beliefs]
    heap = [(-cells[-1], i) for i, cells in enumerate(open_cells)]
    heapq.heapify(heap)
    asked = 0
    while sum(1 - np.prod(1 - np.array(cells)) for cells in open_cells) > allowed:
        _, i = heapq.heappop(heap)
        open_cells[i].pop()
        asked += 1
        if open_cells[i]:
            heapq.heappush(heap, (-open_cells[i][-1], i))
    return asked


@pytest.mark.parametrize("allowed", [0.05, 1.0, 4.0, 100.0])
def test_questions_needed_as_if_asked_one_after_another(allowed):
    onto = co.Ontology(["a", "b", "c"])
    beliefs = np.random.default_rng(0).beta(0.4, 0.4, (60, 3))
    known = np.full((60, 3), -1, np.int8)
    found = questions_needed(onto, beliefs, np.ones(60), known, allowed, random_state=0)
    assert found == (greedy(beliefs, allowed), np.inf)


@pytest.mark.parametrize(("allowed", "asked"), [(5.0, 0), (4.9, 1), (4.5, 1), (4.4, 2), (0.1, 10)])
def test_questions_needed_of_coin_tosses(allowed, asked):
    beliefs, known = np.full((10, 1), 0.5), np.full((10, 1), -1, np.int8)
    assert questions_needed(ONE, beliefs, np.ones(10), known, allowed, random_state=0) == (
        asked,
        np.inf,
    )


def test_questions_needed_of_one_exclusive_group():
    # Two of three equally probable: asking one settles the item with 1/3, leaves a coin toss with 2/3.
    beliefs, known = np.full((900, 3), 0.5), np.full((900, 3), -1, np.int8)
    all_of_them = questions_needed(FLAT, beliefs, np.ones(900), known, 1e-9, random_state=0)
    assert all_of_them.questions == pytest.approx(900 * 5 / 3, rel=0.03)
    known[:] = [1, 0, 0]
    assert questions_needed(FLAT, beliefs, np.ones(900), known, 1e-9, random_state=0) == (0, np.inf)


def test_questions_needed_where_whole_items_are_asked_about():
    # Nine labels of which one holds, equally probable: one pick each, or 5 of yes and no.
    onto = co.Ontology.parse("exactly one: " + ", ".join(f"l{k}" for k in range(9)))
    beliefs, known = np.full((40, 9), 0.5), np.full((40, 9), -1, np.int8)
    prices = np.array([1.0] * 9 + [3.0])

    def needed(allowed, cost):
        return questions_needed(onto, beliefs, np.ones(40), known, allowed, cost, random_state=0)

    always, never = cost_of_asked(prices, "items"), cost_of_asked(prices, "labels")
    assert needed(1e-9, always) == (40, 40)
    assert needed(40 * 8 / 9 / 2, always) == (20, 40)
    assert needed(1e-9, never) == needed(1e-9, None)
    assert needed(1e-9, never).questions > 100
    # ln 9 = 2.2 for three, against the entropy of 1/9, 0.35, for one.
    assert needed(1e-9, cost_of_asked(prices, "both")) == (40, 40)
    dear, by_labels = (
        cost_of_asked(np.array([1.0] * 9 + [20.0]), "both"),
        needed(1e-9, None).questions,
    )
    assert needed(1e-9, dear) == (
        by_labels,
        by_labels + 40,
    )  # a pick an item where beliefs are mistaken


@pytest.mark.parametrize("pick", ["always", "auto"])
def test_the_forecast_of_a_session_of_picks_asks_at_most_one_an_item(pick):
    onto = co.Ontology.parse("exactly one: " + ", ".join(f"l{k}" for k in range(30)))
    beliefs = np.random.default_rng(0).beta(0.5, 2, (50, 30))
    session = co.Session(onto, beliefs=beliefs, asking=co.Asking(pick=pick), random_state=0)
    found = session.forecast(target=0.999)
    assert found.questions <= found.questions_interval[1]
    if pick == "always":
        assert found.questions_interval[1] <= 50
    else:
        never = co.Session(
            onto, beliefs=beliefs, asking=co.Asking(pick="never"), random_state=0
        ).forecast(target=0.999)
        assert found.questions_interval[1] < never.questions_interval[1] <= 50 * 30


def test_questions_needed_of_many_items_by_a_sample():
    beliefs, known = np.full((3000, 1), 0.5), np.full((3000, 1), -1, np.int8)
    found = questions_needed(ONE, beliefs, np.ones(3000), known, 150.0, random_state=0)
    assert found.questions == pytest.approx(2700, abs=3)
    # However many items one that is played stands for, none is left alone that has to be asked about.
    beliefs, known = np.full((40_000, 1), 0.5), np.full((40_000, 1), -1, np.int8)
    assert questions_needed(ONE, beliefs, np.ones(40_000), known, 12_500.0, random_state=0) == (
        15_000,
        np.inf,
    )


def drawn_truth(beliefs, rng):
    """A labelling of FLAT that has the probabilities which the beliefs claim."""
    return np.array([rng.multinomial(1, q) for q in FLAT.posterior(beliefs)], np.int8)


def surer(beliefs, a):
    return 1 / (1 + ((1 - beliefs) / beliefs) ** a)


def some_beliefs(rng, n):
    return np.clip(rng.beta(0.3, 0.6, (n, 3)), 1e-4, 1 - 1e-4)


def ask(truth, rows):
    after = np.full_like(truth, -1)
    after[rows] = truth[rows]
    return after


def not_looked_at(monkeypatch):
    """How many questions it takes: slow."""
    monkeypatch.setattr(
        "corollary.learning.stopping.forecast.questions_needed", lambda *_, **__: Needed()
    )


@pytest.mark.slow
@pytest.mark.parametrize(("level", "most"), [(0.5, 0.78), (0.9, 0.99)])
def test_the_interval_holds_where_beliefs_are_right_and_not_always(level, most, monkeypatch):
    """After half of the items were drawn; one that holds nearly always is wider than it has to be."""
    not_looked_at(monkeypatch)
    held = []
    for seed in range(150):
        rng = np.random.default_rng(seed)
        beliefs, nothing = some_beliefs(rng, 200), np.full((200, 3), -1, np.int8)
        truth, rows = drawn_truth(beliefs, rng), rng.permutation(200)[:100]
        known, drawn = ask(truth, rows), np.isin(np.arange(200), rows)
        found = forecast(
            FLAT, beliefs, known, [learnt(FLAT, beliefs, nothing, known, drawn=drawn)], level=level
        )
        low, high = found.accuracy_interval
        held.append(low <= (FLAT.most_probable(beliefs, known) == truth).all(axis=1).mean() <= high)
    assert level <= np.mean(held) <= most


def test_before_any_answer_the_interval_holds_and_nothing_is_promised():
    held = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        beliefs = some_beliefs(rng, 200)
        truth = drawn_truth(beliefs, rng)
        found = forecast(FLAT, beliefs, np.full((200, 3), -1, np.int8))
        right = (FLAT.most_probable(beliefs) == truth).all(axis=1).mean()
        low, high = found.accuracy_interval
        held.append(low <= right <= high)
        assert low <= found.accuracy <= high
        assert not found.reached
        assert found.promised == 0.0
    assert np.mean(held) >= 0.9


def label_until_reached(rng, claimed, *, n=120, most=2):
    """Whether the promise is kept where beliefs claim so much, looked at after every sixth item; 1 in 4 by chance."""
    honest = some_beliefs(rng, n)
    truth, beliefs = drawn_truth(honest, rng), surer(honest, claimed)
    likely, known, record = FLAT.most_probable(beliefs), np.full((n, 3), -1, np.int8), []
    sure = FLAT.posterior(beliefs).max(axis=1)
    while True:
        found = forecast(FLAT, beliefs, known, record, target=1 - most / n)
        if found.reached:
            return int(
                (np.where(known >= 0, known, likely) != truth).any(axis=1).sum()
            ) <= most, found
        rows = np.flatnonzero((known < 0).any(axis=1))
        by_chance = rng.random(6) < 0.25
        asked = [rng.choice(rows) if one else rows[sure[rows].argmin()] for one in by_chance]
        after, drawn = known.copy(), np.zeros(n, bool)
        after[asked], drawn[np.array(asked)[by_chance]] = truth[asked], True
        record.append(learnt(FLAT, beliefs, known, after, drawn=drawn))
        known = after


@pytest.mark.slow
@pytest.mark.parametrize("claimed", [0.7, 2.0])
def test_the_promise_is_kept_though_one_looks_after_every_round(claimed, monkeypatch):
    not_looked_at(monkeypatch)
    stops = [label_until_reached(np.random.default_rng(seed), claimed) for seed in range(6)]
    assert sum(kept for kept, _ in stops) >= 5
    assert all(found.drawn for _, found in stops)


@pytest.mark.parametrize("claimed", [3.0, 0.4])
def test_answers_correct_beliefs_that_claim_too_much_or_too_little(claimed):
    rng = np.random.default_rng(1)
    honest = some_beliefs(rng, 1500)
    truth, beliefs, nothing = (
        drawn_truth(honest, rng),
        surer(honest, claimed),
        np.full((1500, 3), -1, np.int8),
    )
    known = ask(truth, np.arange(500))
    record = [learnt(FLAT, beliefs, nothing, known, drawn=np.arange(1500) < 500)]
    right = (FLAT.most_probable(beliefs, known) == truth).all(axis=1).mean()
    taken, corrected = (forecast(FLAT, beliefs, known, r) for r in ([], record))
    assert abs(corrected.accuracy - right) < abs(taken.accuracy - right)
    assert corrected.promised <= corrected.accuracy_interval[0]
    assert corrected.drawn == 500
    low, high = corrected.accuracy_interval
    assert low <= right <= high
    assert high - low < taken.accuracy_interval[1] - taken.accuracy_interval[0]
    assert corrected.wrong_items == pytest.approx((1 - corrected.accuracy) * 1500)
    assert corrected.questions_interval[0] <= corrected.questions <= corrected.questions_interval[1]


def test_a_draw_by_chance_uncovers_what_chosen_questions_do_not():
    # Of all items, sure as they look, a third is wrong; chosen are those that looked unsure, and they were.
    rng = np.random.default_rng(2)
    sure = np.full((1000, 3), 0.001)
    sure[:, 0] = 0.999
    sure[:200] = [0.5, 0.5, 0.01]
    truth = np.tile(np.array([1, 0, 0], np.int8), (1000, 1))
    truth[rng.random(1000) < 1 / 3] = [0, 1, 0]
    nothing = np.full((1000, 3), -1, np.int8)
    by_choice = learnt(FLAT, sure, nothing, known := ask(truth, np.arange(200)))
    assert forecast(FLAT, sure, known, [by_choice]).accuracy_interval[0] > 0.9
    by_chance = np.zeros(1000, bool)
    by_chance[rng.permutation(np.arange(200, 1000))[:25]] = True
    more = np.where(by_chance[:, None], truth, known).astype(np.int8)
    found = forecast(
        FLAT, sure, more, [by_choice, learnt(FLAT, sure, known, more, drawn=by_chance)]
    )
    wrong = int((FLAT.most_probable(sure, more) != truth).any(axis=1).sum())
    assert found.accuracy_interval[0] <= 1 - wrong / 1000 <= found.accuracy_interval[1]


def test_all_known_is_reached():
    known = np.tile(np.array([0, 1, 0], np.int8), (5, 1))
    found = forecast(FLAT, np.full((5, 3), 0.5), known, target=0.999)
    assert found.reached
    assert found.accuracy_interval == (1.0, 1.0)
    assert (found.wrong_items, found.wrong_cells, found.questions, found.questions_interval) == (
        0.0,
        0.0,
        0,
        (0, 0),
    )
    assert (
        str(found)
        == "100.00% of the items are right (100.00% to 100.00%): the target of 99.90% is reached"
    )


def test_questions_are_half_of_those_without_learning_and_their_interval_is_as_documented():
    rng = np.random.default_rng(5)
    _, open_items = risk_by_class(FLAT, some_beliefs(rng, 80), np.full((80, 3), -1, np.int8))
    trusted, allowed = [], []

    def questions(sharp, most_wrong):
        trusted.append(
            float(open_items.wrong[np.arange(CLASSES), np.searchsorted(SHARPNESS, sharp)].sum())
        )
        allowed.append(most_wrong)
        return Needed(1000 * len(trusted))

    open_items = open_items._replace(open_cells=10_000)
    found = foretell(100, open_items, questions, [], target=0.9, level=0.9)
    assert trusted == sorted(trusted)  # the more trust, the fewer are wrong
    assert trusted[1] == pytest.approx(found.wrong_items, rel=0.01)
    assert allowed == pytest.approx([10.0] * 3, rel=0.01)
    assert (found.questions, found.questions_interval) == (1000, (100, 5100))
    falling = iter([Needed(3000), Needed(2000), Needed(1000)])
    found = foretell(100, open_items, lambda *_: next(falling), [], target=0.9, level=0.9)
    assert (found.questions, found.questions_interval) == (1000, (200, 3400))
    found = foretell(
        100, open_items._replace(open_cells=240), lambda *_: Needed(200), [], target=0.9, level=0.9
    )
    assert found.questions_interval == (20, 240)  # one for each open cell
    found = foretell(100, open_items, lambda *_: Needed(70, most=90), [], target=0.9, level=0.9)
    assert found.questions_interval == (7, 90)


def test_a_wrong_item_of_one_group_has_two_wrong_cells():
    beliefs = some_beliefs(np.random.default_rng(6), 100)
    found = forecast(FLAT, beliefs, np.full((100, 3), -1, np.int8))
    assert found.wrong_cells == pytest.approx(2 * found.wrong_items)


def test_a_forecast_repeats_and_asks_more_for_more():
    rng = np.random.default_rng(4)
    beliefs, nothing = some_beliefs(rng, 300), np.full((300, 3), -1, np.int8)
    low, high = (forecast(FLAT, beliefs, nothing, target=target) for target in (0.9, 0.99))
    assert low == forecast(FLAT, beliefs, nothing, target=0.9)
    assert 0 < low.questions < high.questions
    assert not high.reached
    assert "more questions" in str(high)


def test_without_questions_by_chance_the_target_is_not_reached():
    sure = np.tile(np.array([0.9999999, 1e-7, 1e-7]), (500, 1))
    nothing = np.full((500, 3), -1, np.int8)
    known = ask(np.tile(np.array([1, 0, 0], np.int8), (500, 1)), np.arange(200))
    chosen, drawn = (
        learnt(FLAT, sure, nothing, known, drawn=np.full(500, one)) for one in (False, True)
    )
    found = forecast(FLAT, sure, known, [chosen], target=0.95)
    assert not found.reached
    assert found.promised == pytest.approx(200 / 500)
    assert "no question was drawn at random" in str(found)
    found = forecast(FLAT, sure, known, [drawn], target=0.95)
    assert found.reached
    assert found.drawn == 200
    few = learnt(FLAT, sure, nothing, known, drawn=np.arange(500) < 1)
    found = forecast(FLAT, sure, known, [few], target=0.95)
    assert "more questions" in str(found)
    assert (
        found.wrong_cells <= 3 * found.wrong_items
    )  # though of most items the risk is not to be told from none


def test_nothing_is_promised_unless_it_is_said():
    sure = Forecast(0.9, 0.9, 1.0, (1.0, 1.0), 0.0, 0.0, 0, (0, 0))
    assert not sure.reached
    assert str(sure).endswith(
        "the target of 90.00% is not reached: no question was drawn at random (share_at_random)"
    )


def test_bad_input_is_named():
    nothing = np.full((2, 3), -1, np.int8)
    with pytest.raises(co.CorollaryError, match="target must be a share"):
        forecast(FLAT, np.full((2, 3), 0.5), nothing, target=1.0)
    with pytest.raises(co.CorollaryError, match="same items"):
        forecast(FLAT, np.full((3, 3), 0.5), nothing)
    with pytest.raises(co.CorollaryError, match="wrong <= drawn"):
        audit(3, 2, 10)


@pytest.mark.parametrize(("open_items", "drawn"), [(12, 5), (30, 10)])
def test_the_audit_holds_whatever_is_wrong(open_items, drawn):
    bound = [audit(found, drawn, open_items, level=0.9) for found in range(drawn + 1)]
    assert all(low < high for low, high in pairwise(bound))
    for wrong in range(open_items + 1):
        chance = stats.hypergeom.pmf(np.arange(drawn + 1), open_items, wrong, drawn)
        assert chance @ (np.array(bound) >= wrong) >= 0.9 - 1e-12
    assert audit(0, open_items, open_items) == 0
