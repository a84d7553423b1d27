"""A campaign: people asked and answering, a lead deciding, everything there again after it was opened anew."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Lock

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import corollary as co
from corollary.campaign.files.imports.file_form import Form
from corollary.campaign.files.imports.imports import read_items
from corollary.campaign.items import Item
from corollary.campaign.people import NotAllowed
from corollary.campaign.reading.item_list import Wanted

from .team import true_answer

DEEDS = ("yes", "no", "cant_tell", "skip", "undo", "flag", "late")


def test_a_clash_is_stored_told_and_decided(make):
    campaign = make()
    campaign.answer("ann", "i0", "fish", True)
    reply = campaign.answer("ben", "i0", "bird", True)
    assert reply.conflict.kind == "clash"
    assert {o.who for o in reply.conflict.opinions} == {"ann", "ben"}
    assert {label for label, _ in reply.opened} >= {"fish", "animal"}
    campaign.doubt("ben", reply.seq, rules=["exclusive: bird, fish"], note="hm")
    (case,) = campaign.conflicts()
    assert case.item == "i0"
    assert case.doubts[0].detail["note"] == "hm"
    assert all(a.item.id != "i0" for a in campaign.next("ann", 20))
    with pytest.raises(NotAllowed, match="only a lead"):
        campaign.decide("ben", "i0", "bird", True)
    done = campaign.decide("mara", "i0", "bird", True, note="it flies")
    assert done.conflict is None
    assert campaign.conflicts() == []
    assert campaign.marked() == []
    assert campaign.state.known_of("i0")["fish"] is False
    with pytest.raises(co.Contradiction):
        campaign.decide("mara", "i0", "animal", False)
    assert campaign.verify(step_by_step=True) == []


def test_labels_are_typed_as_names_synonyms_and_ids(make, tmp_path):
    said = {
        "bird": {"name": "avian", "synonyms": "birdie; winged one", "id": "ZOO:1"},
        "bat": {"synonyms": "winged one"},
    }
    campaign = make(onto="animal > exclusive: bird, fish\nthing > bat, red_fox", labels=said)
    assert campaign.answer("ann", "i0", "Avian", True).settled
    assert campaign.state.known_of("i0")["bird"] is True
    assert campaign.explain("i0", "ZOO:1").label == "bird"
    assert campaign.list_items(Wanted(label="birdie", state="yes")).rows[0].item.id == "i0"
    campaign.decide("mara", "i1", "red fox", True)
    campaign.flag("ann", "i1", "ZOO_1", reason="rule")
    campaign.answer("ben", "i2", None, ["avian", "red fox"])
    assert campaign.state.known_of("i2") == {
        "animal": True, "bird": True, "fish": False, "thing": True, "bat": False, "red_fox": True
    }  # fmt: skip
    with pytest.raises(co.CorollaryError, match="'winged one' can mean 2 labels: 'bird', 'bat'"):
        campaign.answer("ann", "i3", "winged one", True)
    path = tmp_path / "more.csv"
    path.write_text("item,label,value\ni4,avian,yes\n")
    form = Form(only_labels=True)
    assert read_items(path, campaign, form=form)[1] == [("i4", "bird", True)]
    assert campaign.verify(step_by_step=True) == []


def test_a_changed_ontology(make):
    campaign = make()
    campaign.answer("ann", "i0", "bird", True)
    campaign.answer("ann", "i0", "city", False)
    campaign.answer("ben", "i1", "river", True)
    text = "animal > exclusive: bird, fish\nplace > city, river\nrule: river >> ~place | bird\nrule: bird >> flies"
    told = campaign.preview_ontology(text)
    assert told.added == ("flies",)
    assert told.removed == ("mammal",)
    assert [item for item, _ in told.breaks] == []
    campaign.change_ontology("mara", text)
    assert campaign.state.known_of("i0")["flies"] is True
    assert campaign.state.known_of("i1")["bird"] is True
    campaign.decide("mara", "i0", "bird", True)
    campaign.decide("mara", "i0", "flies", True)
    with pytest.raises(co.CorollaryError, match="undo them, or change it. The first is item 'i0'"):
        campaign.change_ontology("mara", "exclusive: bird, flies")
    impossible = "rule: ~river\nanimal > bird\nrule: bird >> flies"
    broken = campaign.preview_ontology(impossible)
    assert [(item, conflict.labels) for item, conflict in broken.breaks] == [("i1", ("river",))]
    again = make.again(campaign)
    assert again.state.version == 2
    assert again.verify(step_by_step=True) == []


def test_an_answer_that_new_rules_make_impossible_is_a_conflict_and_held(make):
    campaign = make()
    campaign.answer("ben", "i1", "river", True)
    impossible = "labels: river, city\nrule: ~river"
    told = campaign.preview_ontology(impossible)
    ((item, conflict),) = told.breaks
    assert (item, conflict.labels) == ("i1", ("river",))
    assert [(opinion.who, opinion.value) for opinion in conflict.opinions] == [("ben", True)]
    campaign.change_ontology("mara", impossible)
    assert [(case.item, case.conflict.labels) for case in campaign.conflicts()] == [
        ("i1", ("river",))
    ]
    assert all(asked.item.id != "i1" for asked in campaign.next("ann", 30))
    reply = campaign.answer("ann", "i2", "river", True)  # said of what the rules settled: told, too
    assert reply.conflict.labels == ("river",)
    assert campaign.verify(step_by_step=True) == []
    again = make.again(campaign)
    again.decide("mara", "i1", "river", False)
    assert [case.item for case in again.conflicts()] == ["i2"]


def test_more_items_and_known_labels_come_together(make):
    campaign = make(3)
    campaign.answer("ann", "i0", "bird", True)
    more = [Item("n1", text="new one"), Item("n2", text="new two")]
    with pytest.raises(co.CorollaryError, match="'n3', which is not in the campaign"):
        campaign.add("mara", more, [("n3", "bird", True)])
    assert campaign.state.seq == 1
    campaign.add("mara", more, [("n1", "bird", True), ("i1", "fish", True)])
    assert campaign.state.known_of("n1")["animal"] is True
    counts = campaign.progress()
    assert (counts["items"], counts["imported"], counts["asked"]) == (5, 2, 1)
    assert counts["saved"] == 0  # i0 was asked about; n1 and i1 came with their labels
    again = make.again(campaign)
    assert again.verify(step_by_step=True) == []
    assert {a.item.id for a in again.next("ann", 9)} == {"i2", "n2"}


def test_many_people_at_once(make):
    people = [f"p{n}" for n in range(6)]
    campaign = make(30, people=people, overlap=0.2)
    held, lock, twice = {}, Lock(), []

    def work(who):
        given = 0
        while asked := campaign.next(who, 2):
            for asking in asked:
                with lock:
                    if held.setdefault(asking.item.id, who) != who:
                        twice.append(asking)
            for asking in asked:
                with lock:
                    held.pop(asking.item.id, None)
                key = f"{who}-{given}"
                campaign.answer(
                    who,
                    asking.item.id,
                    asking.label,
                    true_answer(asking.item.id, asking.label),
                    key=key,
                )
                given += 1
        return given

    with ThreadPoolExecutor(len(people)) as pool:
        given = sum(pool.map(work, people))
    assert not twice
    assert campaign.state.seq == given
    while any(
        campaign.next(who) for who in people
    ):  # some may have left while an item was with another
        sum(map(work, people))
    assert campaign.state.tally.open == 0
    assert campaign.conflicts() == []
    for item in campaign.state.ids:
        assert all(
            value == true_answer(item, label)
            for label, value in campaign.state.known_of(item).items()
        )
    assert campaign.verify(step_by_step=True) == []
    assert campaign.progress()["second_opinions_due"] == 0


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(("ann", "ben")), st.sampled_from(DEEDS)), max_size=25))
def test_whatever_people_do_the_log_gives_the_same(make, story):
    campaign = make(4, overlap=0.5, pick="auto", item_cost=None)
    for who, what in story:
        asked = campaign.next(who)
        if what == "undo":
            if any(one.stands for one in campaign.history(who)):
                campaign.undo(who)
        elif what == "late":
            campaign.answer(who, "i0", "bird", who == "ann")
        elif asked and what == "flag":
            campaign.flag(who, asked[0].item.id, asked[0].label, reason="text")
        elif asked:
            value = {"yes": True, "no": False}.get(what, what)
            if asked[0].label is None and what in ("yes", "no"):
                value = [label for label in asked[0].options if label in asked[0].ends][
                    : 1 if value else 2
                ][-1:]
            campaign.answer(who, asked[0].item.id, asked[0].label, value, lease=asked[0].id)
    assert campaign.verify(step_by_step=True) == []
    facts, tally = campaign.state.facts.copy(), campaign.state.tally
    campaign = make.again(campaign)
    np.testing.assert_array_equal(campaign.state.facts, facts)
    assert campaign.state.tally == tally
