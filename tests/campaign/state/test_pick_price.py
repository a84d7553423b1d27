"""What a pick costs: by hand, measured, or what is usual."""

from __future__ import annotations

import pytest

import corollary as co
from corollary.campaign.events import ANSWER, Event
from corollary.campaign.settings import Settings
from corollary.campaign.state.pick_price import asked_for, measured_price, price_of_item

NAMES = tuple("abcdef")
ONE = co.Ontology(NAMES, [co.exactly_one(*NAMES)])
FREE = co.Ontology(NAMES)


def said(label, value, seconds):
    return Event(kind=ANSWER, who="ann", item="i", label=label, value=value, seconds=seconds)


def test_what_people_are_asked():
    assert asked_for(Settings(), ONE) == "both"
    assert asked_for(Settings(), FREE) == "labels"
    assert asked_for(Settings(item_cost=2.0), FREE) == "both"
    assert asked_for(Settings(pick="always"), FREE) == "items"
    assert asked_for(Settings(pick="never"), ONE) == "labels"


def test_the_price_is_set_by_hand_or_measured():
    assert price_of_item(Settings(item_cost=7.0), ONE, []) == 7.0
    assert price_of_item(Settings(pick="never"), ONE, []) is None
    assert price_of_item(Settings(), ONE, []) == 3.0
    quick = [said("a", True, 2.0)] * 25
    assert measured_price(quick + [said(None, ["a"], 9.0)] * 19) == 3.0  # too few
    slow = [said(None, ["a"], 9.0)] * 20
    assert measured_price(quick + slow) == 4.5
    assert price_of_item(Settings(), ONE, quick + slow) == 4.5


@pytest.mark.parametrize(("seconds", "price"), [(0.1, 1.0), (400.0, 20.0)])
def test_it_stays_within_bounds(seconds, price):
    assert measured_price([said("a", True, 2.0)] * 20 + [said(None, ["a"], seconds)] * 20) == price


def test_what_was_not_answered_does_not_count():
    skipped = [said(None, "skip", 50.0), said("a", "cant_tell", 50.0), said("a", True, None)] * 30
    answers = [said("a", True, 2.0), said(None, ["a"], 8.0)] * 20
    assert measured_price(skipped + answers) == 4.0
    assert measured_price([said("a", True, 0.0), said(None, ["a"], 8.0)] * 20) == 3.0  # no clock can tell
