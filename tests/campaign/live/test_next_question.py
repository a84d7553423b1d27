"""Which question a person gets next."""

from __future__ import annotations

import corollary as co
from corollary.campaign.live.next_question import choose
from corollary.campaign.settings import Settings
from corollary.campaign.state.state import State

from ..state.stories import ONTOLOGIES, made


def test_a_flagged_item_is_held_for_its_flagger_only():
    state = State(["i", "j"], {1: co.Ontology(["a"])})
    state.apply(made("flag", state, who="ann", item="i", detail={"reason": "text"}))
    assert choose(state, "ann", 0) == ("j", "a")
    assert choose(state, "ben", 0) == ("i", "a")
    assert list(state.marked) == ["i"]
    state.apply(made("unflag", state, item="i", refers=1))
    assert choose(state, "ann", 0) == ("i", "a")
    assert not state.marked


def test_whole_items_are_asked_where_that_is_cheap():
    state = State(["i"], {1: ONTOLOGIES[1]}, settings=Settings(item_cost=1.0))
    assert choose(state, "ann", 0) == ("i", None)
    options = list(state.onto.labels)
    state.apply(made("answer", state, who="ann", item="i", value=["bird"], detail={"options": options}))
    assert (state.facts >= 0).all()
    assert state.tally.done == 1
    assert choose(state, "ann", 1) is None


def test_people_may_stay_on_a_label_each_on_their_own(make):
    campaign = make(8, onto="exclusive: a, b\nexclusive: c, d", stay="label")
    for who, label in (("ann", "b"), ("ben", "d")):
        campaign.answer(who, "i7", label, False)
    for _ in range(2):
        for who, label in (("ann", "b"), ("ben", "d")):
            (asking,) = campaign.next(who)
            assert asking.label == label
            campaign.answer(who, asking.item.id, label, False, lease=asking.id)
