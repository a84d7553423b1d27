"""Answers of several people to the same: their own words, and what follows from them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.campaign.progress.agreement import krippendorff_alpha, reliability
from corollary.campaign.progress.growth import Growth
from corollary.campaign.progress.overlap import Overlap, own_answers
from corollary.campaign.state.standing import standing
from corollary.campaign.state.state import State

from ..logs import LEAD
from ..state.test_state import ITEMS, ONTOLOGIES, made
from .at_work import ONTO, STATEMENTS, grown, logs


@dataclass
class Words:
    """What one person said of an item, and what follows, by label; the same of second opinions."""

    said: dict
    closed: dict
    repeated: dict
    reopened: dict
    none: set


def naive_words(events, second):
    """The words of each person on an item; what the ontology alone settles is nobody's opinion."""
    free = ONTO.propagate({})

    def closed(answers):
        follows = ONTO.propagate(answers)
        return {label: value for label, value in follows.items() if label not in free}

    found = {}
    for who, own in own_answers(events).items():
        said = standing(own, ONTO, STATEMENTS)
        again = standing([event for event in own if event.seq in second], ONTO, STATEMENTS)
        none = {
            label
            for label, by in again.said.opinions.items()
            if any(one.picked == () for one in by.values())
        }
        found[who] = Words(
            said.answers, closed(said.answers), again.answers, closed(again.answers), none
        )
    return found


def compared(a, b):
    """The labels on which one gave a second opinion on what the other settled."""
    labels = [
        label
        for label in ONTO.labels
        if label in a.closed and label in b.closed and (label in a.repeated or label in b.repeated)
    ]
    for none in (a.none, b.none):
        one_statement = [label for label in labels if label in none]
        apart = [label for label in one_statement if a.closed[label] != b.closed[label]]
        labels = [label for label in labels if label not in none]
        labels += [*apart, *one_statement][:1]
    return labels


def naive(events, decided, second):
    """All that an overlap reports, item by item and pair by pair."""
    pairs, differ, judged, votes = Counter(), Counter(), Counter(), []
    agreed = {}
    for item in {event.item for event in events}:
        words = naive_words([event for event in events if event.item == item], second)
        if len(words) < 2:
            continue
        for who, other in combinations(words, 2):
            a, b = words[who], words[other]
            labels = compared(a, b)
            pairs.update(labels)
            differ.update(label for label in labels if a.closed[label] != b.closed[label])
            open_to_both = a.reopened.keys() | b.reopened.keys()
            cells = [
                (a.said, b.said, a.said.keys() & b.said.keys()),
                (a.closed, b.closed, a.closed.keys() & b.closed.keys() & open_to_both),
            ]
            for n, (one, two, both) in enumerate(cells):
                for label in both:
                    same = "differ" if one[label] != two[label] else one[label]
                    for person in (who, other):
                        agreed.setdefault(person, (Counter(), Counter()))[n][same] += 1
        for label in ONTO.labels:
            values = [one.closed[label] for one in words.values() if label in one.closed]
            if len(values) >= 2 and any(label in one.reopened for one in words.values()):
                judged[label, sum(values), len(values) - sum(values)] += 1
            again = any(label in one.repeated for one in words.values())
            votes += [
                (item, label, who, one.closed[label])
                for who, one in words.items()
                if label in one.closed
                and (again or ((item, label) in decided and label in one.said))
            ]
    return pairs, differ, judged, agreed, right(votes, decided)


def right(votes, decided):
    """How often each person is right, by the votes in order of items, labels and people."""
    index = ONTO.index
    votes = sorted(votes, key=lambda vote: (vote[0], index[vote[1]], vote[2]))
    units = list(dict.fromkeys(vote[:2] for vote in votes))
    people = sorted({vote[2] for vote in votes})
    found = reliability(
        [units.index(vote[:2]) for vote in votes],
        [people.index(vote[2]) for vote in votes],
        [vote[3] for vote in votes],
        [int(decided.get(unit, -1)) for unit in units],
    )
    return dict(zip(people, found.tolist(), strict=True))


@settings(max_examples=150, deadline=None)
@given(logs(max_size=20), st.integers(0, 20), st.sampled_from((1, 256)))
def test_sums_are_those_of_each_pair_on_each_item(events, then, at_once):
    decided = {
        (event.item, event.label): event.value for event in events if event.kind == "decision"
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("corollary.campaign.progress.overlap.ENOUGH", 1)
        patch.setattr("corollary.campaign.progress.overlap.AT_ONCE", at_once)
        growth = Growth(ONTO, STATEMENTS)
        overlap = Overlap(growth)
        for part in (events[:then], events[then:]):
            overlap.refresh(growth.extend(part))
        pairs, differ, judged, agreed, reliable = naive(events, decided, growth.second)
        labels = ONTO.labels
        assert overlap.differences()[0].tolist() == [pairs[label] for label in labels]
        assert overlap.differences()[1].tolist() == [differ[label] for label in labels]
        cells = zip(*(one.tolist() for one in overlap.judged()), strict=True)
        assert {(labels[k], yes, no): often for k, yes, no, often in cells} == judged
        people = overlap.of_people()
        for who, sums in agreed.items():
            for name, counted in zip(("", "_implied"), sums, strict=True):
                assert people[who][f"overlap{name}"] == counted.total()
                units = [
                    *[(2, 0)] * counted[True],
                    *[(0, 2)] * counted[False],
                    *[(1, 1)] * counted["differ"],
                ]
                expected = krippendorff_alpha(*zip(*units, strict=True)) if units else None
                assert people[who][f"alpha{name}"] == expected
        assert overlap.reliabilities(decided) == reliable


def answer(state, who, item, label, value, **parts):
    state.apply(made("answer", state, who=who, item=item, label=label, value=value, **parts))


def overlap_of(state):
    growth = grown(state)
    overlap = Overlap(growth)
    overlap.refresh(growth.of_item)
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
