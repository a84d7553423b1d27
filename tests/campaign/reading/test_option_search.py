"""Options of a pick, found by letters and by where they stand."""

from __future__ import annotations

import pytest

import corollary as co

ONTO = "\n".join(
    [
        *(
            f"d{d} > exclusive: {', '.join(f'd{d}_intent_{k}' for k in range(12))}"
            for d in range(4)
        ),
        "exactly one: d0, d1, d2, d3",
        *(f"d{d} covered by {', '.join(f'd{d}_intent_{k}' for k in range(12))}" for d in range(4)),
    ]
)


@pytest.fixture
def campaign(make):
    return make(
        4, onto=ONTO, labels={"d1_intent_3": {"name": "Book a hotel", "synonyms": "lodging; inn"}}
    )


def test_a_question_may_have_the_likeliest_only(campaign):
    (whole,) = campaign.next("ann")
    assert whole.one
    assert (len(whole.options), whole.open, whole.pickable) == (52, 52, 48)
    (brief,) = campaign.next("ann", options=5)
    assert brief.id == whole.id
    ends = [label for label in whole.options if label in whole.ends][:5]
    assert brief.ends == frozenset(ends)
    assert set(brief.options) == {*ends, *(label.partition("_")[0] for label in ends)}
    assert (brief.open, brief.pickable, brief.known) == (52, 48, {})
    campaign.answer(
        "ann", brief.item.id, None, ["d3_intent_7"], lease=brief.id
    )  # any may be picked
    assert campaign.state.is_done(brief.item.id)


def test_letters_find_names_labels_and_synonyms(campaign):
    def found(query, **more):
        told = campaign.options("i0", query=query, **more)
        return told.total, told.options.narrowest()

    assert found(" HOTEL ") == found("lodg") == found("d1_intent_3") == (1, ["d1_intent_3"])
    assert found("zzz") == (0, [])
    total, first = found("intent 1", limit=3)
    assert total == 12  # 1, 10 and 11 of each
    assert len(first) == 3
    assert first + found("intent 1", offset=3, limit=100)[1] == found("intent 1", limit=100)[1]
    assert found("d2 intent 1", limit=1)[1] == ["d2_intent_1"]  # what is called just so comes first
    assert found("inn", limit=1)[1] == ["d1_intent_3"]
    assert (
        campaign.options("i0", query="hotel").options.labels.count("d1") == 1
    )  # with what is above it


def test_the_tree_is_walked_a_branch_at_a_time(campaign):
    tops = campaign.options("i0", under="")
    assert tops.options.labels == ("d0", "d1", "d2", "d3")
    assert (tops.options.ends, tops.wider, tops.total) == (
        frozenset(),
        frozenset(tops.options.labels),
        4,
    )
    some = campaign.options("i0", under="d2", offset=10, limit=5)
    assert some.options.labels == ("d2_intent_10", "d2_intent_11")
    assert (some.options.ends, some.wider, some.total) == (
        frozenset(some.options.labels),
        frozenset(),
        12,
    )
    campaign.answer("ann", "i0", "d2_intent_4", False)
    assert campaign.options("i0", under="d2").total == 11
    with pytest.raises(co.CorollaryError, match="unknown label 'd9'"):
        campaign.options("i0", under="d9")


def test_options_are_those_of_the_item_as_the_person_sees_it(make):
    campaign = make(1, onto=ONTO, overlap=1.0, opinions=2)
    campaign.answer("ann", "i0", "d2_intent_4", False)
    assert campaign.options("i0", who="ann").options.open == 51  # their own answer
    assert campaign.options("i0", who="ben").options.open == 52  # who may still be asked about it
    assert campaign.options("i0").options.open == 51
