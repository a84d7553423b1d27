"""Evidence and trust from reports, held against sums and tables written out."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corollary as co
from corollary.learning import testimony as told_by
from corollary.learning.testimony import AGAIN, ERRORS, EXPECTED, LEANING, ROUNDS, TEMPERS, TIED

TREE = co.Ontology.parse("exclusive: even, odd\neven > exclusive: d0, d2\nodd > exclusive: d1, d3")
K = len(TREE)
NOTHING = np.full((4, K), -1, np.int8)
SAID = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, K - 1), st.booleans(), st.sampled_from("ab")),
    max_size=12,
)


def told(said):
    testimony = told_by.Testimony(TREE, 4)
    for i, k, value, who in said:
        testimony.say(i, {k: value}, who)
    return testimony


def naive_evidence(said, rates):
    """Report by report: the last of each person on a cell counts in full."""
    out = np.zeros((4, K))
    for r, (i, k, value, who) in enumerate(said):
        later = any((i, k, who) == (j, m, other) for j, m, _, other in said[r + 1 :])
        specificity, sensitivity = rates[who]
        likely = (sensitivity, 1 - specificity) if value else (1 - sensitivity, specificity)
        out[i, k] += (AGAIN if later else 1.0) * np.log(likely[0] / likely[1])
    return out


@given(SAID)
def test_evidence_is_the_sum_of_what_was_said(said):
    rates = dict.fromkeys("ab", (EXPECTED, EXPECTED))
    np.testing.assert_allclose(told(said).evidence, naive_evidence(said, rates), atol=1e-12)


@settings(max_examples=40, deadline=None)
@given(SAID, st.integers(0, 99))
def test_trust_is_found_as_by_hand(said, seed):
    beliefs = np.random.default_rng(seed).random((4, K))
    testimony = told(said)
    testimony.learn(beliefs, NOTHING)
    rates = dict.fromkeys("ab", (EXPECTED, EXPECTED))
    people = list(dict.fromkeys(who for *_, who in said))
    beliefs = naive_tempered(beliefs, said) if said else beliefs
    for _ in range(ROUNDS if said else 0):
        q = TREE.posterior(beliefs, evidence=naive_evidence(said, rates))
        right, count = np.zeros((2, len(people))), np.zeros((2, len(people)))
        for i, k, value, who in said:
            share = once(said, i, k, who)
            for truth, p in ((0, 1 - q[i, k]), (1, q[i, k])):
                count[truth, people.index(who)] += share * p
                right[truth, people.index(who)] += share * p * (value == truth)
        rates = {who: pooled(*tied(right, count), w) for w, who in enumerate(people)}
    for w, who in enumerate(people):
        found = testimony.rates_of(np.array([w]))
        np.testing.assert_allclose([found[0][0], found[1][0]], rates[who], atol=1e-9)
    np.testing.assert_allclose(testimony.evidence, naive_evidence(said, rates), atol=1e-8)


def once(said, i, k, who):
    """All that one says of one cell counts as one."""
    return 1 / sum((i, k, who) == (j, m, w) for j, m, _, w in said)


def tied(right, count):
    """Answers where it is yes count where it is no, too, and the other way round, up to a hundred of them."""
    out_right, out_count = right.copy(), count.copy()
    for truth, w in product((0, 1), range(right.shape[1])):
        other = 1 - truth
        borrowed = min(count[other, w], TIED)
        if borrowed:
            out_count[truth, w] += borrowed
            out_right[truth, w] += borrowed * right[other, w] / count[other, w]
    return out_right, out_count


def naive_tempered(beliefs, said):
    """The beliefs, and with them the share of errors, under which what was said is likeliest: world by world."""
    worlds = np.array([w for w in product((0, 1), repeat=K) if legal(w)])
    odds = np.log(beliefs / (1 - beliefs))

    def likely(temper, error):
        total = LEANING * (EXPECTED * np.log(1 - error) + (1 - EXPECTED) * np.log(error))
        for i in range(4):
            weights = np.exp(worlds @ (odds[i] / temper))
            chances = np.ones(len(worlds))
            for item, k, value, who in said:
                if item == i:
                    chances *= np.where(worlds[:, k] == value, 1 - error, error) ** once(
                        said, i, k, who
                    )
            total += np.log((weights * chances).sum() / weights.sum())
        return total

    temper, error, last = 1.0, 1 - EXPECTED, None
    while (temper, error) != last:
        last = temper, error
        temper = max(TEMPERS, key=lambda one: likely(one, error))
        error = max(ERRORS, key=lambda one: likely(temper, one))
    return 1 / (1 + np.exp(-odds / temper))


def legal(world):
    even, odd, d0, d2, d1, d3 = (
        world[TREE.index[name]] for name in ("even", "odd", "d0", "d2", "d1", "d3")
    )
    return (
        not (even and odd)
        and not (d0 and d2)
        and not (d1 and d3)
        and even >= max(d0, d2)
        and odd >= max(d1, d3)
    )


def pooled(right, count, w):
    """A witness's rates lean on everyone's, these on what is expected; with one label, twice."""

    def lean(r, n, on):
        return (r + LEANING * on) / (n + LEANING)

    def odds(p):
        return np.log(p / (1 - p))

    out = []
    for truth in (0, 1):
        everyone = lean(right[truth].sum(), count[truth].sum(), EXPECTED)
        own = lean(right[truth, w], count[truth, w], everyone)
        of_label = lean(right[truth].sum(), count[truth].sum(), everyone)
        on = 1 / (1 + np.exp(-(odds(own) + odds(of_label) - odds(everyone))))
        out.append(lean(right[truth, w], count[truth, w], on))
    return tuple(out)


def test_people_are_told_apart():
    rng = np.random.default_rng(0)
    onto, n = co.Ontology(["a"]), 600
    true = rng.random(n) < 0.5
    testimony = told_by.Testimony(onto, n)
    for who, error in {"careful": 0.02, "usual": 0.1, "careless": 0.3}.items():
        for i in range(n):
            testimony.say(i, {0: bool(true[i] ^ (rng.random() < error))}, who)
    model = true ^ (rng.random(n) < 0.05)  # right in 95 of 100
    testimony.learn(np.where(model, 0.95, 0.05)[:, None], np.full((n, 1), -1, np.int8))
    specificity, sensitivity = testimony.rates_of(np.arange(3))
    np.testing.assert_allclose(1 - specificity, [0.02, 0.1, 0.3], atol=0.05)
    np.testing.assert_allclose(1 - sensitivity, [0.02, 0.1, 0.3], atol=0.05)


def test_people_who_never_err_are_not_blamed_for_questions_that_are_mostly_so():
    rng = np.random.default_rng(1)
    onto, n = co.Ontology(["a"]), 700
    true = rng.random(n) < 0.85  # chosen because yes was likely, of which the model knows nothing
    testimony = told_by.Testimony(onto, n)
    for i in range(n):
        testimony.say(i, {0: bool(true[i])}, "ann")
    scores = np.where(true, 1.5, -1.5) + rng.normal(size=n)
    testimony.learn(1 / (1 + np.exp(-scores))[:, None], np.full((n, 1), -1, np.int8))
    (specificity,), (sensitivity,) = testimony.rates_of(np.array([0]))
    assert specificity > 0.9  # 0.76 with a rate of its own
    assert sensitivity > 0.95


def test_who_says_yes_too_often_is_found_out():
    rng = np.random.default_rng(2)
    onto, n = co.Ontology(["a"]), 1500
    true = rng.random(n) < 0.5
    testimony = told_by.Testimony(onto, n)
    for i in range(n):
        testimony.say(i, {0: bool(true[i] or rng.random() < 0.3)}, "ann")
    model = true ^ (rng.random(n) < 0.05)
    testimony.learn(np.where(model, 0.95, 0.05)[:, None], np.full((n, 1), -1, np.int8))
    (specificity,), (sensitivity,) = testimony.rates_of(np.array([0]))
    assert specificity < 0.8
    assert sensitivity > 0.95


def test_many_items_are_judged_by_some_of_them(monkeypatch):
    calls = []
    plain = co.Ontology.marginals
    monkeypatch.setattr(
        co.Ontology,
        "marginals",
        lambda onto, f, *a, **k: calls.append(len(f)) or plain(onto, f, *a, **k),
    )
    onto, n = co.Ontology(["a"]), 5 * told_by.ENOUGH - 3
    testimony = told_by.Testimony(onto, n)
    for i in range(n):
        testimony.say(i, {0: i % 2 == 0}, "ann")
    testimony.learn(np.tile([[0.9], [0.2]], (n, 1))[:n], np.full((n, 1), -1, np.int8))
    judged = calls[: -told_by.ROUNDS]  # the last ones find what is probable, of all items
    assert judged
    assert max(judged) <= told_by.ENOUGH < calls[-1] == n


def test_a_model_that_is_surer_than_numbers_can_tell_is_no_reason_to_blame():
    onto, n = co.Ontology.parse("exclusive: a, b, c"), 200
    rng = np.random.default_rng(3)
    true = rng.integers(3, size=n)
    scores = (
        20.0 + rng.normal(size=(n, 3)) / 2
    )  # as of fields, where what counts is by how much one is above the others
    scores[np.arange(n), true] += 3.0
    testimony = told_by.Testimony(onto, n)
    for i in range(n):
        testimony.say(i, {int(true[i]): True}, "ann")
    testimony.learn(1 / (1 + np.exp(-scores)), np.full((n, 3), -1, np.int8))
    (specificity,), (sensitivity,) = testimony.rates_of(np.array([0]))
    assert min(specificity, sensitivity) > 0.95


def test_asked_again_and_again_what_is_in_doubt_counts_once():
    onto, n = co.Ontology(["a"]), 60
    testimony = told_by.Testimony(onto, n)
    for i in range(n):
        for _ in range(20 if i < 3 else 1):  # the model is against what was said of three items
            testimony.say(i, {0: True}, "ann")
    testimony.learn(np.where(np.arange(n) < 3, 0.02, 0.9)[:, None], np.full((n, 1), -1, np.int8))
    (_,), (sensitivity,) = testimony.rates_of(np.array([0]))
    assert sensitivity > 0.9


def test_who_only_ever_says_yes_is_believed_as_far_as_they_are_right():
    onto, n = co.Ontology(["a", "b"]), 60
    beliefs = np.tile(
        [[0.7, 0.3]], (n, 1)
    )  # of a label that is mostly so, as far as a weak model knows
    testimony = told_by.Testimony(onto, n)
    for i in range(n):
        testimony.say(i, {0: True}, "yes-sayer")
    testimony.learn(beliefs, np.full((n, 2), -1, np.int8))
    (specificity,), (sensitivity,) = testimony.rates_of(np.array([0]))
    assert specificity == sensitivity > 0.85
    assert onto.posterior(beliefs, evidence=testimony.evidence)[0, 0] > 0.9


@settings(max_examples=20, deadline=None)
@given(SAID, st.integers(0, 99))
def test_trust_goes_through_a_log_to_the_bit(said, seed):
    testimony = told(said)
    testimony.learn(np.random.default_rng(seed).random((4, K)), NOTHING)
    again = told_by.Testimony(TREE, 4)
    again.trust_as(json.loads(json.dumps(testimony.trust_for_log())))
    again.hear_all(testimony.by_item)
    np.testing.assert_array_equal(again.evidence, testimony.evidence)
    assert again.usual == testimony.usual


def test_one_pick_is_one_report_that_the_number_of_options_makes_telling():
    testimony = told_by.Testimony(TREE, 4)
    testimony.say(0, {2: True}, "a", options=4)
    assert testimony.evidence[0, 2] == pytest.approx(np.log(EXPECTED / (1 - EXPECTED) * 3))
    assert np.count_nonzero(testimony.evidence) == 1


def test_what_is_taken_back_leaves_no_trace():
    testimony = told([(0, 0, True, "a"), (0, 0, True, "b"), (1, 2, False, "a")])
    alone = told([(0, 0, True, "b"), (1, 2, False, "a")])
    assert testimony.take_back(0, [0], "a")
    np.testing.assert_allclose(testimony.evidence, alone.evidence)
    assert not testimony.take_back(0, [0], "a")
    assert testimony.take_back(0, [0], None)
    assert testimony.rows.tolist() == [1]


def test_a_learner_is_taught_what_was_said_and_is_probable_and_not_what_is_only_probable():
    testimony = told([(0, 2, True, "a"), (1, 3, True, "a")])
    beliefs = np.full((4, K), 0.5)
    beliefs[1] = [
        0.5,
        1 - 1e-6,
        0.5,
        1e-9,
        0.5,
        0.5,
    ]  # of the second item the opposite is as good as sure
    found = testimony.probable(beliefs, NOTHING, np.arange(2))
    assert found[0].tolist() == [1, 0, 1, 0, 0, 0]
    assert found[1].tolist() == [-1] * K


def test_a_frozen_copy_knows_nothing_of_what_is_said_later():
    testimony = told([(0, 2, True, "a")])
    frozen = testimony.frozen()
    testimony.say(0, {2: False}, "b")
    assert frozen.names == ["a"]
    assert len(frozen.of_item(0)) == 1
    testimony.take_up(frozen)
    testimony.say(3, {1: True}, "b")
    np.testing.assert_array_equal(frozen.evidence, testimony.evidence)


@settings(max_examples=30, deadline=None)
@given(SAID, st.integers(0, 99))
def test_how_often_people_err_is_the_mean_over_what_they_said(said, seed):
    testimony = told(said)
    assert testimony.errors == pytest.approx(1 - EXPECTED)  # nothing was learnt yet
    testimony.say(0, {2: True}, "c", options=4)
    testimony.learn(np.random.default_rng(seed).random((4, K)), NOTHING)
    wrong = []
    for report in testimony.reports:
        who = np.array([report.who])
        right = (
            testimony.trust_for_log()[testimony.names[report.who]][4]
            if report.options
            else np.mean(testimony.rates_of(who))
        )
        wrong.append(1 - right)
    assert testimony.errors == pytest.approx(np.mean(wrong))
