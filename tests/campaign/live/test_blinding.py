"""A second opinion is blind."""

from __future__ import annotations


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
