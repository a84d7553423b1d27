"""What is known of items: derived from what was given and said, so that nothing taken back leaves a trace."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import corollary as co
from corollary.learning.knowledge import Knowledge

from ..logic.ontologies import ontologies, worlds


@pytest.fixture
def known(animals):
    return Knowledge(animals, np.full((2, 7), -1, np.int8), ("robin", "rome"), propagate=True)


def say(known, i, label, value):
    cells = {known.index(label): value}
    known.take(i, cells, known.after(i, cells))


@settings(max_examples=60)
@given(ontologies(max_labels=6), st.integers(0, 2**32 - 1))
def test_what_is_known_follows_from_what_was_said_and_is_gone_when_that_is_retracted(
    ontology, seed
):
    labels, constraints = ontology
    legal = worlds(labels, constraints)
    assume(len(legal))
    rng = np.random.default_rng(seed)
    onto, truth = co.Ontology(labels, constraints), legal[rng.integers(len(legal))]
    known = Knowledge(onto, np.full((1, len(labels)), -1, np.int8), ("x",), propagate=True)
    rows, asked = [known.known[0].copy()], []
    for k in rng.permutation(len(labels)).tolist():
        if known.known[0, k] < 0:
            assert (
                known.both(0, k)[1 - int(truth[k])].tolist()
                == known.after(0, {k: bool(truth[k])}).tolist()
            )
            say(known, 0, labels[k], bool(truth[k]))
            np.testing.assert_array_equal(known.known, onto.propagate(known.answered))
            rows.append(known.known[0].copy())
            asked.append(k)
    assert (known.known[0] == truth).all()
    for k, before in zip(reversed(asked), reversed(rows[:-1]), strict=True):
        known.retract(0, k)
        np.testing.assert_array_equal(known.known[0], before)


def test_an_answer_that_cannot_be_is_refused_and_changes_nothing(known):
    say(known, 0, "bird", True)
    before = known.known.copy()
    with pytest.raises(co.Contradiction) as clash:
        known.after(0, {known.index("place"): True})
    assert clash.value.answers == {"bird": True, "place": True}
    with pytest.raises(
        co.Contradiction, match="'robin' was said to be 'bird'; retract that answer"
    ):
        known.after(0, {known.index("bird"): False})
    np.testing.assert_array_equal(known.known, before)


def test_a_reply_about_the_whole_item(known):
    cells = known.whole(0, ["bird"])
    assert {known.onto.labels[k] for k, value in cells.items() if value} == {"animal", "bird"}
    known.take(0, cells, known.after(0, cells))
    known.take_whole(0, cells)
    with pytest.raises(co.CorollaryError, match="was labelled as a whole"):
        known.retract(0, known.index("bird"))
    known.retract(0, len(known.onto))
    assert (known.known[0] == -1).all()
    with pytest.raises(co.CorollaryError, match="nobody answered what 'robin' is"):
        known.retract(0, len(known.onto))


def test_all_that_was_said_can_be_replaced(known):
    say(known, 0, "bird", True)
    known.restate(0, {known.index("city"): True}, [known.index("river")])
    assert known.answers_of(0) == {"city": True}
    assert known.known[0, known.index("animal")] == 0
    before = known.known.copy()
    with pytest.raises(co.Contradiction):
        known.restate(0, {known.index("city"): True, known.index("bird"): True}, [])
    np.testing.assert_array_equal(known.known, before)


def test_questions_that_cannot_be_asked(known):
    say(known, 0, "animal", False)
    known.held[1] = True
    closed = known.closed(np.arange(2), known.known)
    assert closed[1].all()
    assert {known.onto.labels[k] for k in np.flatnonzero(~closed[0][:-1])} == {
        "place",
        "city",
        "river",
    }
    assert not closed[0, -1]


def test_a_copy_stays_as_it_was(known):
    copy, shared = known.frozen(), known.frozen(waiting=True)
    say(known, 0, "bird", True)
    known.skip(1, 0)
    known.held[1] = True
    assert (copy.known == -1).all()
    assert (copy.answered == -1).all()
    assert not copy.closed(np.arange(2), copy.known).any()
    assert shared.known is known.known


def test_what_is_said_of_all_items_at_once_is_as_if_it_were_said_one_by_one(known, animals):
    answers = np.full((2, 7), -1, np.int8)
    answers[0, known.index("bird")] = 1
    skipped = np.zeros((2, 8), np.bool_)
    skipped[1, [2, 7]] = True
    at_once = Knowledge(animals, None, known.ids, propagate=True)
    at_once.take_all(answers, animals.propagate(answers), skipped, np.zeros(2, np.bool_))
    say(known, 0, "bird", True)
    known.skip(1, 2)
    known.skip(1, 7)
    for found in (known, at_once):
        np.testing.assert_array_equal(found.answered, answers)
        np.testing.assert_array_equal(found.known, animals.propagate(answers))
        assert found.closed(np.arange(2), found.known)[1].tolist() == skipped[1].tolist()
        assert found.open == int((found.known < 0).sum()) - 1
        found.retract(1, 2)
        found.retract(1, 7)
        assert found.skipped == {}


def test_items_without_ids_are_found_by_their_numbers(animals):
    known = Knowledge(animals, None, range(3), propagate=True)
    named = Knowledge(animals, None, (0, 1, 2), propagate=True)
    assert known.ids == range(3)
    for item in (2, np.int64(2), 2.0, True):
        assert known.row(item) == named.row(item)
    for item in (3, -1, 1.5, "1", None, float("nan"), float("inf"), [1], np.array([1]), 1 + 1j):
        for found in (known, named):
            with pytest.raises(co.CorollaryError, match="no item"):
                found.row(item)


def test_names_that_are_not_there(known):
    with pytest.raises(co.CorollaryError, match="no item 'paris' in this session of 2 items"):
        known.row("paris")
    with pytest.raises(co.CorollaryError, match="no item"):
        known.row(["robin"])
    with pytest.raises(co.CorollaryError, match="unknown label 'brid'; did you mean 'bird'"):
        known.index("brid")
