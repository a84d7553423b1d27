"""A second opinion is blind."""

from __future__ import annotations

import pytest

import corollary as co


def test_a_blind_second_opinion_shows_and_tells_nothing(make):
    campaign = make(1, onto="bird > robin", overlap=1.0)
    (first,) = campaign.next("ann")
    campaign.answer("ann", "i0", first.label, False, lease=first.id)
    (second,) = campaign.next("ben")
    assert (second.label, second.if_yes, second.if_no) == (first.label, first.if_yes, first.if_no)
    assert second.place == first.place
    reply = campaign.answer("ben", "i0", second.label, True, lease=second.id)
    assert reply.conflict is None  # the lead sees it
    assert campaign.conflicts()[0].conflict.kind == "disagreement"


def test_an_answer_settles_and_tells_why(make):
    campaign = make(seed=4)
    (asking,) = campaign.next("ann")
    assert asking.text == f"Should “{asking.item.text}” be labelled animal?"
    reply = campaign.answer("ann", asking.item.id, asking.label, True, lease=asking.id, seconds=1.5)
    assert {(s.label, s.value) for s in reply.settled} == {
        ("animal", True),
        *((l, v) for l, v in asking.if_yes.items()),
    }
    why = next(s.why for s in reply.settled if s.label == "city")
    assert "animal is yes (answered)" in str(why)
    assert reply.counts["settled"] - reply.counts["asked"] == len(reply.settled) - 1
    assert (
        reply.counts["saved"] == 0
    )  # one label holds for each item, and somebody was asked about this one
    assert not reply.second_opinion
    assert reply.conflict is None
    told = campaign.explain(asking.item.id, "city")
    assert told.value is False
    assert [opinion.who for opinion in told.opinions] == ["ann"]


def test_a_reply_about_the_whole_item(make):
    campaign = make(2, item_cost=1.0)
    (asking,) = campaign.next("ann")
    assert asking.label is None
    assert set(asking.options) == set(campaign.state.onto.labels)
    reply = campaign.answer("ann", asking.item.id, None, ["bird"], lease=asking.id)
    assert reply.item_done
    assert campaign.state.known_of(asking.item.id) == {
        label: label in ("bird", "animal") for label in campaign.state.onto.labels
    }
    with pytest.raises(co.Contradiction):
        campaign.answer("ann", "i1", None, ["bird", "fish"])
    assert campaign.state.seq == 1
