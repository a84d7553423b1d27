"""Picks from the question to the figures: second opinions, wrong picks, and what a label says that moved."""

from __future__ import annotations

import csv

import pytest

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.campaign.files.exports.exports import text_of
from corollary.campaign.files.exports.provenance import take_snapshot
from corollary.campaign.progress.progress import Figures
from corollary.campaign.reading.doubtful import doubt_in_words
from corollary.campaign.state.standing import conflict_in_words, opinion_in_words

BANK = "exactly one: cash, cards\ncash > exactly one: swallowed, charge\ncards > exactly one: lost, stolen"


@pytest.fixture
def bank(tmp_path):
    """Makes campaigns in which everything is picked, by ann and ben."""
    opened = []

    def make(n=3, onto=None, **settings):
        things = [{"id": f"i{k}", "text": f"text {k}"} for k in range(n)]
        options = {"pick": "always", "retrain_every": 10**6} | settings
        onto = onto or co.Ontology.parse(BANK)
        campaign = Campaign.create(
            tmp_path / f"{len(opened)}.sqlite",
            things,
            onto,
            name="bank",
            settings=options,
            lead="mara",
        )
        opened.append(campaign)
        for name in ("ann", "ben"):
            campaign.invite(name)
        return campaign

    yield make
    for campaign in opened:
        campaign.close()


def ask(campaign, who):
    (asking,) = campaign.next(who)
    return asking


@pytest.mark.parametrize("fallible", [False, True])
def test_second_opinions_cover_picks_and_are_blind(bank, fallible):
    campaign = bank(overlap=1.0, fallible=fallible)
    item = ask(campaign, "ann").item.id
    campaign.answer("ann", item, None, ["lost"])
    again = ask(campaign, "ben")
    assert (again.item.id, again.label) == (item, None)
    assert set(again.options) == set(campaign.state.onto.labels)
    assert again.known == {}
    assert ask(campaign, "ann").item.id != item
    reply = campaign.answer("ben", item, None, ["lost"])
    assert reply.item_done
    assert campaign.conflicts() == []
    assert ask(campaign, "ben").item.id != item


def test_picks_that_differ_are_one_conflict_and_one_pair(bank):
    campaign = bank(overlap=1.0)
    for who, label in (("ann", "lost"), ("ben", "charge")):
        campaign.answer(who, "i0", None, [label])
    for who in ("ann", "ben"):
        campaign.answer(who, "i1", None, ["lost"])
    (found,) = campaign.conflicts()
    assert [(one.who, one.label) for one in found.conflict.opinions] == [
        ("ann", "lost"),
        ("ben", "charge"),
    ]
    figures = Figures(campaign).get()
    assert figures["second_opinions"] == 2
    assert sum(one["differ"] for one in figures["by_label"]) == 1
    campaign.decide("mara", "i0", "lost", True)
    assert campaign.conflicts() == []
    assert campaign.state.is_done("i0")


@pytest.mark.parametrize("fallible", [False, True])
def test_a_pick_that_is_wrong_is_void_and_asked_again_as_a_pick(bank, fallible):
    campaign = bank(1, fallible=fallible)
    campaign.answer("ann", "i0", None, ["lost"])
    campaign.decide("mara", "i0", "lost", False)  # "It is wrong"
    assert campaign.conflicts() == []
    known = campaign.state.known_of("i0")
    assert known["lost"] is False
    assert "stolen" not in known
    again = ask(campaign, "ann")
    assert (again.item.id, again.label) == ("i0", None)
    assert "lost" not in again.options
    campaign.answer("ann", "i0", None, ["stolen"])
    assert campaign.conflicts() == []
    assert campaign.state.known_of("i0")["stolen"] is True


def test_a_pick_counts_as_one_answer(bank):
    campaign = bank()
    campaign.answer("ann", "i0", None, ["lost"])
    counts = campaign.progress()
    assert (counts["asked"], counts["answered"], counts["implied"]) == (1, 1, 5)
    assert list(campaign.state.standing_of("i0").answers) == ["lost"]


def test_who_picks_again_changes_their_pick(bank):
    campaign = bank()
    campaign.answer("ann", "i0", None, ["lost"])
    campaign.answer("ann", "i0", None, ["charge"])
    assert campaign.conflicts() == []
    assert campaign.state.known_of("i0")["charge"] is True
    campaign.undo("ann")
    assert campaign.state.known_of("i0")["lost"] is True


@pytest.mark.parametrize("fallible", [False, True])
def test_what_conflicts_is_told_as_the_picks_that_people_made(bank, fallible):
    onto = co.Ontology.parse("exclusive: swallowed, charge, lost")
    campaign = bank(fallible=fallible, onto=onto, overlap=1.0)
    item = ask(campaign, "ann").item.id
    campaign.answer("ann", item, None, ["lost"])
    asking = ask(campaign, "ben")
    assert asking.item.id == item
    campaign.answer("ben", item, None, [], lease=asking.id)
    (found,) = campaign.conflicts()
    assert conflict_in_words(found.conflict) == "People disagree: lost, none of these"
    assert [one.picked for one in found.conflict.opinions] == [("lost",), ()]
    assert [opinion_in_words(one, {"lost": "Lost it"}) for one in found.conflict.opinions] == [
        "Lost it",
        "none of these",
    ]


def test_a_doubtful_pick_is_told_once_as_what_was_said(bank):
    onto = co.Ontology.parse("exclusive: swallowed, charge, lost")
    campaign = bank(fallible=True, onto=onto)
    campaign.answer("ann", "i0", None, ["lost"])
    campaign.answer("ben", "i0", None, [])
    campaign.answer("ben", "i1", "lost", False)
    campaign.answer("ann", "i1", "lost", True)
    found = campaign.doubtful(20)
    of_picks = [
        (one.item, one.opinion.who, one.opinion.picked)
        for one in found
        if one.opinion.picked is not None
    ]
    assert sorted(of_picks) == [("i0", "ann", ("lost",)), ("i0", "ben", ())]
    told = {one.opinion.who: doubt_in_words(one) for one in found if one.item == "i0"}
    assert "ben said none of these." in told["ann"]
    assert "Without this answer, lost would be" in told["ann"]
    told = {one.opinion.who: doubt_in_words(one) for one in found if one.item == "i1"}
    assert "ann said yes to lost." in told["ben"]


def test_answers_are_exported_as_they_were_given(bank):
    campaign = bank(onto=co.Ontology.parse("exclusive: swallowed, charge, lost"))
    campaign.answer("ann", "i0", None, ["lost"])
    campaign.answer("ben", "i1", None, [])
    rows = list(
        csv.DictReader("".join(text_of(take_snapshot(campaign), "csv-answers")).splitlines())
    )
    assert [(row["by"], row["label"], row["value"]) for row in rows] == [
        ("ann", "", "lost"),
        ("ben", "", "none of these"),
    ]


@pytest.mark.parametrize(
    ("first", "second", "differ"),
    [("lost", "lost", 0), ("", "", 0), ("lost", "", 24), ("charge", "lost", 24)],
)
def test_agreement_counts_two_picks_as_one_pair(bank, first, second, differ):
    campaign = bank(24, overlap=1.0, onto=co.Ontology.parse("exclusive: swallowed, charge, lost"))
    for who, label in (("ann", first), ("ben", second)):
        for n in range(24):
            campaign.answer(who, f"i{n}", None, [label] if label else [])
    figures = Figures(campaign).get()
    assert (figures["accuracy"]["n"], sum(one["differ"] for one in figures["by_label"])) == (
        24,
        differ,
    )
