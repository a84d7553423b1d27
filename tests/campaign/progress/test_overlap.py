"""Answers of several people to the same: their own words, and what follows from them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

import corollary as co
from corollary.campaign.progress.overlap import Overlap, own_answers
from corollary.campaign.state.state import State

from ..logs import LEAD
from ..state.test_state import ITEMS, ONTOLOGIES, made, stories
from .at_work import follow, grown


def naive_words(events, onto, statements):
    """By person what they last said of each cell, and what follows from that alone; None where it cannot be true."""
    gone = {
        e.refers
        for e in events
        if e.kind == "undo" and e.who == next(x.who for x in events if x.seq == e.refers)
    }
    said: dict[str, dict[str, tuple[bool, int]]] = {}  # with the event that said it
    picks = {event.seq for event in events if isinstance(event.value, list)}

    def take_back(own, seq):
        for label in [label for label, (_, by) in own.items() if by == seq and seq in picks]:
            del own[label]

    for event in events:
        if event.kind != "answer" or event.seq in gone:
            continue
        own = said.setdefault(event.who, {})
        stated = statements.of(event, onto)
        for label in stated.about:
            if label in own:
                take_back(own, own.pop(label)[1])
        for label, value in stated.cells.items():
            if label is None:
                continue
            if (
                label in own and own[label][0] != value
            ):  # who says something else takes back the whole pick
                take_back(own, own[label][1])
            own[label] = (value, event.seq)
    found = {}
    for who, own in said.items():
        spoken = {
            label: value
            for label, (value, _) in own.items()
            if isinstance(value, bool) and label in onto.index
        }
        try:
            found[who] = (spoken, onto.propagate(spoken))
        except co.Contradiction:
            found[who] = (spoken, None)
    return found


@settings(max_examples=60, deadline=None)
@given(stories())
def test_own_words_and_what_follows(story):
    state = State(ITEMS, ONTOLOGIES)
    for state in follow(story):  # noqa: B007 (the last one counts)
        pass
    growth = grown(state)
    overlap = Overlap(state.onto, state.statements)
    overlap.refresh(growth.of_item, list(growth.of_item), growth.second)
    free = state.onto.propagate({})
    for item, shared in overlap.shared.items():
        expected = naive_words(growth.of_item[item], state.onto, state.statements)
        for one in shared.words:
            spoken, closed = expected[one.who]
            if closed is None:
                continue
            label = state.onto.labels
            assert {label[k]: bool(one.said[k]) for k in np.flatnonzero(one.said >= 0)} == spoken
            assert {label[k]: bool(one.closed[k]) for k in np.flatnonzero(one.closed >= 0)} == {
                name: value for name, value in closed.items() if name not in free
            }


def answer(state, who, item, label, value, **parts):
    state.apply(made("answer", state, who=who, item=item, label=label, value=value, **parts))


def overlap_of(state):
    growth = grown(state)
    overlap = Overlap(state.onto, state.statements)
    overlap.refresh(growth.of_item, list(growth.of_item), growth.second)
    return overlap, growth


def test_a_second_opinion_is_compared_through_what_follows():
    state = State(ITEMS, ONTOLOGIES)
    answer(state, "ann", "i", "bird", True)
    answer(state, "ben", "i", "fish", True)  # was settled as no: a second opinion
    overlap, growth = overlap_of(state)
    assert growth.second == {2}
    pairs, differ = overlap.differences()
    index = state.onto.index
    assert pairs.sum() == 1
    assert pairs[index["fish"]] == differ[index["fish"]] == 1
    labels, yes, no, often = overlap.judged()
    assert set(often.tolist()) == {1}
    by_label = {
        state.onto.labels[k]: (int(y), int(n)) for k, y, n in zip(labels, yes, no, strict=True)
    }
    assert by_label["animal"] == (2, 0)  # both, without having been asked
    assert by_label["bird"] == by_label["fish"] == (1, 1)


def test_answers_that_could_not_differ_are_no_agreement():
    state = State(ITEMS, ONTOLOGIES)
    answer(state, "ann", "i", "bird", False)
    answer(state, "ben", "i", "fish", True)  # was open; that it is no bird follows
    overlap, growth = overlap_of(state)
    assert growth.second == set()
    assert overlap.differences()[0].sum() == 0
    assert len(overlap.judged()[0]) == 0


def test_an_answer_rejected_by_the_lead_still_differed():
    state = State(ITEMS, ONTOLOGIES)
    answer(state, "ann", "i", "bird", True)
    answer(state, "ben", "i", "bird", False)
    state.apply(made("decision", state, item="i", label="bird", value=True, detail={"reject": [2]}))
    state.apply(made("undo", state, who=LEAD, item="i", refers=2))
    overlap, _ = overlap_of(state)
    assert overlap.differences()[1].sum() == 1
    answer(state, "ben", "i", "bird", True)
    state.apply(made("undo", state, who="ben", item="i", refers=state.seq))
    assert [event.seq for event in own_answers(state.of_item["i"])["ben"]] == [2]


def test_people_agree_and_are_reliable_as_far_as_they_are():
    state = State([f"t{n}" for n in range(60)], ONTOLOGIES)
    rng = np.random.default_rng(0)
    for n in range(60):
        truth = n % 3 == 0
        answer(state, "ann", f"t{n}", "bird", truth)
        answer(state, "ben", f"t{n}", "bird", truth)
        answer(state, "cem", f"t{n}", "bird", truth ^ bool(rng.random() < 0.3))
    overlap, _ = overlap_of(state)
    right = overlap.reliabilities({})
    assert right["ann"] == pytest.approx(right["ben"])
    assert right["ann"] > 0.95
    assert right["cem"] < 0.85
    people = overlap.of_people()
    assert people["ann"]["alpha"] > people["cem"]["alpha"]
    assert people["ann"]["overlap"] == 120
