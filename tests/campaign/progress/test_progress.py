"""The figures of the lead: of a campaign at work, and as it goes on."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from corollary.campaign.progress.progress import Figures

from ..logs import LEAD
from .at_work import TEXT, is_true, work


def test_figures_of_a_campaign(campaign):
    work(campaign, 120, wrong=(50, 51, 90))
    campaign.answer("ann", "i39", "river", "cant_tell")
    figures = Figures(campaign)
    told = figures.get()
    json.dumps(told, allow_nan=False)
    state, progress = campaign.state, campaign.progress()
    assert told["curve"]["asked"][-1] == progress["asked"]
    assert told["curve"]["settled"][-1] == progress["settled"]
    assert told["cant_tell"] == 1
    assert told["second_opinions"] > 0
    assert told["forecast"] == {
        "state": "early",
        "after": 50,
        "more": 0,
        "most": campaign.progress()["open"],
        "missing": ["model"],
    }
    for one in told["by_label"]:
        column = state.facts[:, state.onto.index[one["label"]]]
        assert (one["yes"], one["no"], one["open"]) == tuple(
            int((column == v).sum()) for v in (1, 0, -1)
        )
        assert one["answered"] + one["implied"] == one["yes"] + one["no"]
    people = {one["name"]: one for one in told["annotators"]}
    assert sum(one["answers"] for one in people.values()) == progress["asked"]
    assert sum(one["settled"] for one in people.values()) == progress["settled"]
    assert people["cem"]["too_fast"]
    assert not people["ann"]["too_fast"]
    involved = Counter(
        who
        for one in campaign.conflicts()
        for who in {opinion.who for opinion in one.conflict.opinions}
    )
    assert {name: one["conflicts"] for name, one in people.items() if one["conflicts"]} == dict(
        involved
    )
    assert told["accuracy"]["source"] == "second opinions"
    assert told["accuracy"]["low"] <= told["accuracy"]["value"] <= told["accuracy"]["high"]


def test_figures_follow_the_campaign(campaign):
    figures = Figures(campaign)
    figures.get()
    for _ in range(4):
        work(campaign, 10)
        told = figures.get()
        anew = Figures(campaign).get()
        for one, other in zip(told["annotators"], anew["annotators"], strict=True):
            assert {n: (one[n], other[n]) for n in one if one[n] != other[n]} == {}
        assert {name: told[name] for name in told if name != "at"} == {
            name: anew[name] for name in anew if name != "at"
        }
    campaign.change_ontology(LEAD, TEXT + "\nplace > sea", key="k")
    told = figures.get()
    assert [one["version"] for one in told["versions"]] == [2, 1]
    assert told["versions"][0]["added"] == ["place > sea"]
    assert told["by_label"][-1]["label"] == "sea"
    assert told["curve"]["settled"][-1] == campaign.progress()["settled"]


def test_gold_questions_tell_the_accuracy_without_second_opinions(campaign):
    campaign.change_settings(LEAD, {"overlap": 0.0})
    for n in range(25):
        campaign.gold(LEAD, f"i{n}", "bird", is_true(f"i{n}", "bird"))
        campaign.answer("ann", f"i{n}", "bird", is_true(f"i{n}", "bird") ^ (n == 3))
    told = Figures(campaign).get()
    assert told["accuracy"]["source"] == "gold questions"
    assert told["accuracy"]["value"] == pytest.approx(24 / 25)
    ann = next(one for one in told["annotators"] if one["name"] == "ann")
    assert (ann["gold_right"], ann["gold_wrong"]) == (24, 1)


def test_figures_event_by_event_are_those_of_the_whole_log(campaign):
    work(campaign, 90, wrong=(20, 51, 70))
    campaign.undo("ann")
    figures = Figures(campaign)
    figures.get()
    work(campaign, 30, wrong=(3,))
    campaign.decide(LEAD, "i3", "city", True)
    told, anew = figures.get(), Figures(campaign).get()
    assert {name: told[name] for name in told if name != "at"} == {
        name: anew[name] for name in anew if name != "at"
    }
