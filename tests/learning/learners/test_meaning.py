"""The learner that reads: right from nothing, learns to distrust, and everything against plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

import corollary as co
from corollary.learning.features.encoded import NAMES, SEMANTIC, WORDS, Encoded
from corollary.learning.learners import meaning
from corollary.learning.learners.meaning import Meaning
from corollary.logic.errors import CorollaryError

ONTO = co.Ontology.parse("animal > exclusive: bird, fish\nexclusive: animal, city")
NOTHING = np.full((200, 4), -1, np.int8)


def made_up(seed=0, n=200, *, noise=0.6, names=True):
    """Items around the centre of their label; a label's name is near its centre too."""
    rng = np.random.default_rng(seed)
    of = rng.integers(4, size=n)  # bird, fish, city, nothing
    Y = np.zeros((n, 4), np.int8)
    for i, kind in enumerate(of):
        Y[i, {0: [0, 1], 1: [0, 2], 2: [3], 3: []}[int(kind)]] = 1
    centres = rng.standard_normal((4, 8))
    features = (centres[of] + noise * rng.standard_normal((n, 8))).astype(np.float32)
    labels = np.stack([centres[:2].sum(axis=0), *centres[:3]]) + 0.3 * rng.standard_normal((4, 8))
    similarities = (features @ labels.T)[None].astype(np.float32)
    if not names:
        similarities = similarities[:, rng.permutation(n)]
    return Encoded(features, similarities, (SEMANTIC,)), Y


def right(model, X, Y, known):
    return (ONTO.most_probable(model.predict_proba(X), known) == Y).all(axis=1).mean()


@pytest.mark.parametrize("seed", range(3))
def test_it_needs_no_known_item(seed):
    X, Y = made_up(seed)
    model = Meaning(ONTO).fit(X, NOTHING)
    assert right(model, X, Y, NOTHING) > 0.6
    np.testing.assert_array_equal(model.slopes_, model._expected)


@pytest.mark.parametrize("seed", range(3))
def test_answers_make_it_better_and_misleading_names_are_distrusted(seed):
    for names in (True, False):
        X, Y = made_up(seed, names=names)
        known = NOTHING.copy()
        known[:60] = Y[:60]
        model = Meaning(ONTO).fit(X, known)
        assert right(model, X, Y, known) > 0.8
        if not names:
            assert model.slopes_[0] < 0.4  # expected were 1.2


def test_a_few_wrong_answers_leave_most_of_what_was_read():
    """Three wrong answers of ten spoil what was learnt, and hardly what is predicted."""
    rights = []
    for seed in range(8):
        X, Y = made_up(seed)
        rng = np.random.default_rng(seed)
        rows = rng.choice(200, 10, replace=False)
        known = NOTHING.copy()
        known[rows] = Y[rows]
        known[rows[:3]] = Y[rng.choice(200, 3)]
        before, model = Meaning(ONTO).fit(X, NOTHING), Meaning(ONTO).fit(X, known)
        assert model.as_read_ == pytest.approx(20 / 30)
        learnt = Meaning(ONTO).fit(X, known)
        learnt.as_read_ = 0.0
        rights.append([right(one, X, Y, NOTHING) for one in (before, model, learnt)])
    read, kept, alone = np.mean(rights, axis=0)
    assert kept > alone
    assert kept > read - 0.02


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(0, 60))
def test_what_was_read_counts_for_its_share(seed, n):
    """The scores are those with nothing known and those that were learnt, each for its share."""
    X, Y = made_up(seed % 1000, names=seed % 3 > 0)
    known = NOTHING.copy()
    known[:n] = Y[:n]
    read, model, learnt = (Meaning(ONTO).fit(X, facts) for facts in (NOTHING, known, known))
    share = model.as_read_
    assert share in (0.0, pytest.approx(20 / (20 + n)))
    learnt.as_read_ = 0.0
    plain = share * read.decision_function(X) + (1 - share) * learnt.decision_function(X)
    np.testing.assert_allclose(model.decision_function(X), plain, atol=1e-5)


def test_names_that_say_nothing_of_the_known_items_do_not_count():
    X, Y = made_up(names=False)
    X = Encoded(X.features[::-1], -2.0 * made_up()[0].similarities, X.kinds)
    known = NOTHING.copy()
    known[:30] = Y[:30]
    assert Meaning(ONTO).fit(X, known).as_read_ == 0.0


def test_answers_that_are_taken_back_leave_no_trace():
    X, Y = made_up(7)
    known = NOTHING.copy()
    known[:30] = Y[:30]
    model = Meaning(ONTO).fit(X, known)
    first = Meaning(ONTO).fit(X, NOTHING).decision_function(X)
    np.testing.assert_array_equal(model.fit(X, NOTHING).decision_function(X), first)


@pytest.mark.parametrize("seed", range(3))
def test_a_few_hard_items_do_not_turn_letters_against_their_labels(seed):
    X, Y = made_up(seed)
    letters = X.similarities[0] + 2.0 * X.similarities[0].std() * np.random.default_rng(
        seed
    ).standard_normal(Y.shape)
    X = Encoded(
        X.features, np.stack([X.similarities[0], letters.astype(np.float32)]), (SEMANTIC, WORDS)
    )
    speaks_for = ((2.0 * Y - 1.0) * (letters - letters.mean(axis=0))).sum(axis=1)
    known = NOTHING.copy()
    known[np.argsort(speaks_for)[:20]] = Y[np.argsort(speaks_for)[:20]]
    model = Meaning(ONTO).fit(X, known)
    assert 0 < model.slopes_[1] < model._expected[1]


def named_in(Y, share, seed=0):
    """What names say where this share of the items that have a label is named, and rightly."""
    named = Y.any(axis=1) & (np.random.default_rng(seed).random(len(Y)) < share)
    return np.where(named[:, None], 2 * Y - 1, 0).astype(np.float32)


def test_names_decide_where_nearly_all_texts_name_a_label_and_not_where_few_do():
    X, Y = made_up(names=False)
    X, Y = X[Y.any(axis=1)], Y[Y.any(axis=1)]
    nothing = NOTHING[: len(Y)]
    for share, least, most in ((1.0, 0.99, 1.0), (0.3, 0.0, 0.7)):
        read = Encoded(
            X.features, np.stack([X.similarities[0], named_in(Y, share)]), (SEMANTIC, NAMES)
        )
        assert least <= right(Meaning(ONTO).fit(read, nothing), read, Y, nothing) <= most


@pytest.mark.parametrize("wrong", [False, True])
def test_answers_teach_how_far_names_can_be_trusted(wrong):
    X, Y = made_up()
    X, Y = X[Y.any(axis=1)], Y[Y.any(axis=1)]
    said = named_in(Y[::-1] if wrong else Y, 1.0 if wrong else 0.6)
    read = Encoded(X.features, np.stack([X.similarities[0], said]), (SEMANTIC, NAMES))
    known = NOTHING[: len(Y)].copy()
    known[:40] = Y[:40]
    model = Meaning(ONTO).fit(read, known)
    expected = model._expected[1]
    assert model.slopes_[1] < 0.3 * expected if wrong else model.slopes_[1] > expected


def test_cells_known_in_part_count():
    X, Y = made_up(1)
    known = NOTHING.copy()
    known[:100, 0] = Y[:100, 0]
    model = Meaning(ONTO).fit(X, known)
    before = Meaning(ONTO).fit(X, NOTHING)
    rest = slice(100, None)

    def loss(model):
        return -np.log(
            np.where(Y[rest, 0] == 1, p := ONTO.posterior(model.predict_proba(X))[rest, 0], 1 - p)
        ).mean()

    assert loss(model) < loss(before)


def test_it_is_the_same_every_time_and_for_other_items_by_themselves():
    X, Y = made_up(2)
    known = NOTHING.copy()
    known[:30] = Y[:30]
    first, second = (Meaning(ONTO).fit(X, known).decision_function(X) for _ in range(2))
    np.testing.assert_array_equal(first, second)
    model = Meaning(ONTO).fit(X, known)
    np.testing.assert_allclose(model.decision_function(X[5:6]), first[5:6], atol=1e-5)


def test_a_further_fit_goes_on_from_the_one_before():
    X, Y = made_up(3)
    known = NOTHING.copy()
    known[:40] = Y[:40]
    model = Meaning(ONTO).fit(X, known)
    loss = model.loss_
    assert model.fit(X, known).loss_ <= loss + 0.5
    afresh = Meaning(ONTO, warm_start=False)
    once = afresh.fit(X, known).decision_function(X)
    np.testing.assert_array_equal(afresh.fit(X, known).decision_function(X), once)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_how_like_the_examples_an_item_is_itself_left_out(seed):
    """By loops: the product of an item and the sum of all others, by their shares."""
    rng = np.random.default_rng(seed)
    X, _ = made_up(seed % 1000, n=12)
    model = Meaning(ONTO)
    model._start(X, ONTO)
    items = model._centred(X.features)
    share = rng.random((12, 4)).astype(np.float32)
    found = model._learn_examples(items, share)
    plain = np.zeros((12, 4))
    for i in range(12):
        for k in range(4):
            others = [j for j in range(12) if j != i]
            total = sum(share[j, k] * items[j] for j in others)
            plain[i, k] = (
                items[i] @ total / np.sqrt(total @ total + sum(share[j, k] ** 2 for j in others))
            )
    own = 12 / (12 + meaning.SHRINK)
    mean = own * plain.mean(axis=0) + (1 - own) * plain.mean()
    spread = np.maximum(own * plain.std(axis=0) + (1 - own) * plain.std(), meaning.LEAST_SPREAD)
    np.testing.assert_allclose(found, (plain - mean) / (spread / own**2), atol=1e-3)


def test_without_similarities_it_learns_from_examples():
    X, Y = made_up(4)
    bare = Encoded(X.features, np.zeros((0, 200, 4), np.float32), ())
    known = NOTHING.copy()
    known[:60] = Y[:60]
    assert right(Meaning(ONTO).fit(bare, known), bare, Y, known) > 0.75


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_items(n):
    X, _ = made_up(5, n=n)
    beliefs = Meaning(ONTO).fit(X, NOTHING[:n]).predict_proba(X)
    assert np.isfinite(beliefs).all()


def test_many_known_items_are_thinned_out():
    X, Y = made_up(6)
    assert right(Meaning(ONTO, at_most=20).fit(X, Y), X, Y, NOTHING) > 0.7


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"l2": -1}, "l2 must be a number from 0"),
        ({"rounds": 0}, "rounds must be a whole number from 1"),
        ({"iterations": 1.5}, "iterations must be a whole number"),
        ({"warm_start": "yes"}, "warm_start must be True or False"),
    ],
)
def test_settings_that_cannot_be(settings, told):
    X, Y = made_up()
    with pytest.raises(CorollaryError, match=told):
        Meaning(ONTO, **settings).fit(X, Y)


def test_items_that_were_not_read():
    with pytest.raises(CorollaryError, match="learns from items that were read"):
        Meaning(ONTO).fit(np.ones((3, 2)), NOTHING[:3])
    with pytest.raises(CorollaryError, match="not fitted yet"):
        Meaning(ONTO).predict_proba(made_up()[0])


def test_letters_count_for_more_where_there_is_no_meaning():
    X, _ = made_up()
    words = Encoded(X.features, X.similarities, (WORDS,))
    model = Meaning(ONTO).fit(words, NOTHING)
    assert model.slopes_[0] == pytest.approx(meaning.KEPT * meaning.LETTERS_ALONE)


def test_beliefs_are_of_the_scores():
    X, Y = made_up()
    model = Meaning(ONTO).fit(X, Y)
    np.testing.assert_allclose(model.predict_proba(X), expit(model.decision_function(X)))
