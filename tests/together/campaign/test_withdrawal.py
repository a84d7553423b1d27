"""Items that a lead withdraws: out of everything, never lost, and back as they were when it is undone."""

from __future__ import annotations

import csv

import numpy as np
import pytest

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.campaign.files.exports.exports import export
from corollary.campaign.files.exports.provenance import take_snapshot
from corollary.campaign.files.imports.imports import check_for
from corollary.campaign.items import Item
from corollary.campaign.live.drafts import Withdrawn
from corollary.campaign.people import NotAllowed
from corollary.campaign.progress.lookback import look_back
from corollary.campaign.progress.progress import Figures
from corollary.campaign.reading.verification import compare
from corollary.logic.errors import Contradiction, CorollaryError

TEXT = "animal > exclusive: bird, fish\nplace > exclusive: city, river\nexclusive: animal, place"
WORDS = ("feather wing", "fin water", "street house", "bank flow")
TRUTH = ("bird", "fish", "city", "river")


@pytest.fixture
def make(tmp_path):
    opened = []

    def create(n=8, *, onto=TEXT, **options):
        items = [Item(f"i{k}", text=f"{WORDS[k % 4]} {k}") for k in range(n)]
        path = tmp_path / f"{len(opened)}.sqlite"
        options = {"retrain_every": 10**6} | options
        campaign = Campaign.create(
            path, items, co.Ontology.parse(onto), name="test", settings=options, lead="mara"
        )
        opened.append(campaign)
        campaign.path = path
        for name in ("ann", "ben"):
            campaign.invite(name)
        return campaign

    def again(campaign):
        campaign.close()
        fresh = Campaign.open(campaign.path)
        fresh.path = campaign.path
        opened.append(fresh)
        return fresh

    create.again = again
    yield create
    for campaign in opened:
        campaign.close()


def all_is_well(campaign):
    return campaign.verify() == campaign.verify(step_by_step=True) == []


def all_told(campaign):
    """Everything that a lead can look up, apart from times and numbers of events."""
    figures = Figures(campaign).get()
    progress = campaign.progress()
    for told, names in ((figures, ("at", "models")), (progress, ("seq", "training"))):
        for name in names:
            told.pop(name)
    listed = (
        campaign.conflicts(),
        campaign.marked(),
        campaign.puzzling(),
        campaign.labels(),
        campaign.people(),
    )
    return progress, figures, listed, campaign.state.facts.tolist(), campaign.state.standings


def a_busy_campaign(make):
    """Answers, second opinions, a conflict, a flag, a doubt, gold, what nobody can tell."""
    campaign = make(overlap=1.0, gold_share=0.5)
    campaign.add("mara", facts=[("i3", "river", True), ("i5", "animal", True)])
    campaign.answer("ann", "i0", "bird", True)
    campaign.answer("ben", "i0", "bird", False)
    campaign.answer("ann", "i1", "animal", True)
    campaign.flag("ben", "i1", reason="text")
    campaign.gold("mara", "i2", "city", True)
    campaign.answer("ann", "i2", "city", False)
    for who in ("ann", "ben"):
        campaign.answer(who, "i4", "fish", "cant_tell")
    campaign.answer("ann", "i6", "river", "skip")
    campaign.doubt("ann", campaign.answer("ann", "i7", "bird", True).seq, note="is it?")
    return campaign


def test_a_withdrawn_item_is_out_of_everything(make):
    campaign = a_busy_campaign(make)
    ids = [f"i{k}" for k in range(8)]
    events = campaign.withdraw(ids[:-1], who="mara", reason="another project")
    assert [(event.kind, event.item, event.detail) for event in events] == [
        ("withdraw", item, {"reason": "another project"}) for item in ids[:-1]
    ]
    progress, figures, (conflicts, marked, puzzling, labels, people), _, _ = all_told(campaign)
    assert (progress["items"], progress["withdrawn"], progress["cells"], progress["asked"]) == (
        1,
        7,
        6,
        1,
    )
    assert (progress["held"], progress["conflicts"], progress["second_opinions_due"]) == (0, 0, 1)
    assert (conflicts, puzzling, len(marked)) == ([], [], 1)
    assert all(one["yes"] + one["no"] + one["open"] == 1 for one in labels)
    assert {one["name"]: one["answers"] for one in people} == {"mara": 0, "ann": 1, "ben": 0}
    assert figures["curve"]["asked"] == [0, 1]
    assert len(campaign.state.waiting.gold) == 0
    for who in ("ann", "ben", "mara"):
        assert {asking.item.id for asking in campaign.next(who, 5)} <= {"i7"}
    assert not (campaign.state.facts[:7] >= 0).any()
    assert all_is_well(campaign)


def test_it_comes_back_with_all_that_was_said(make):
    campaign = a_busy_campaign(make)
    before = all_told(campaign)
    campaign.withdraw(campaign.state.ids, who="mara")
    assert campaign.progress()["items"] == 0
    assert campaign.situation("ann")["state"] == "empty"
    first = campaign.withdrawn()[0]
    campaign.undo("mara", first.seq)
    assert [event.item for event in campaign.withdrawn()] == [
        one for one in campaign.state.ids if one != first.item
    ]
    campaign.bring_back(campaign.state.ids, who="mara")
    after = all_told(campaign)
    assert after[0] == before[0]
    assert after[1] == before[1]
    assert after[3:] == before[3:]
    assert sorted(map(str, after[2])) == sorted(map(str, before[2]))
    assert all_is_well(campaign)
    assert all_told(make.again(campaign))[3:] == before[3:]


def test_what_is_in_memory_is_what_the_log_gives_after_a_withdrawal_and_a_model(make):
    campaign = make(24)
    for k in range(16):
        campaign.answer("ann", f"i{k}", TRUTH[k % 4], True)
    campaign.retrain(wait=True)
    session = campaign.state.session
    campaign.withdraw(["i0"], who="mara")
    assert campaign.state.session is session, "one item takes no rebuilding"
    campaign.withdraw(["i1", "i2"], who="mara")
    campaign.undo("mara", campaign.withdrawn()[0].seq)
    campaign.retrain(wait=True)
    upto = campaign.state.model.detail["upto"]
    assert upto == campaign.state.seq - 1
    assert all_is_well(campaign)
    fresh = make.again(campaign)
    assert fresh.progress()["items"] == 22
    assert all_is_well(fresh)


def test_withdrawn_items_are_not_learnt_from(make, monkeypatch):
    campaign = make(8)
    for k in range(8):
        campaign.answer("ann", f"i{k}", TRUTH[k % 4], True)
    campaign.withdraw(["i0", "i4"], who="mara")
    learnt = []
    train = campaign._live.models.trainer.train
    monkeypatch.setattr(
        campaign._live.models.trainer,
        "train",
        lambda order: learnt.append(order.facts) or train(order),
    )
    campaign.retrain(wait=True)
    assert [i for i in range(8) if (learnt[-1][i] >= 0).any()] == [1, 2, 3, 5, 6, 7]


def test_labels_brought_along_by_withdrawn_items_do_not_decide_what_is_believed_first(make):
    campaign = make(onto="labels: a, b")
    beliefs = campaign.state.session.beliefs.copy()
    campaign.add("mara", facts=[(f"i{k}", "a", True) for k in range(4)])
    assert not np.array_equal(campaign.state.session.beliefs, beliefs)
    campaign.withdraw([f"i{k}" for k in range(4)], who="mara")
    assert np.array_equal(campaign.state.session.beliefs, beliefs)


def test_answers_in_flight_are_refused_and_the_question_is_free(make):
    campaign = make()
    (asking,) = campaign.next("ann")
    seq = campaign.answer("ben", asking.item.id, "river", True).seq
    campaign.withdraw(asking.item.id, who="mara", reason="there twice")
    assert campaign.leases() == []
    for say in (
        lambda: campaign.answer("ann", asking.item.id, asking.label, True, lease=asking.id),
        lambda: campaign.answer("ann", asking.item.id, None, []),
        lambda: campaign.flag("ann", asking.item.id, reason="text"),
        lambda: campaign.doubt("ben", seq),
        lambda: campaign.decide("mara", asking.item.id, "bird", True),
        lambda: campaign.gold("mara", asking.item.id, "bird", True),
        lambda: campaign.add("mara", facts=[(asking.item.id, "bird", True)]),
    ):
        with pytest.raises(Withdrawn, match=r"withdrawn by a lead \(there twice\).*undoing event"):
            say()
    assert campaign.state.seq == 2
    assert campaign.next("ann")[0].item.id != asking.item.id


def test_only_leads_withdraw_all_or_nothing_and_doing_it_again_changes_nothing(make):
    campaign = make()
    with pytest.raises(NotAllowed, match="only a lead"):
        campaign.withdraw("i0", who="ann")
    with pytest.raises(CorollaryError, match="no item 'i99'"):
        campaign.withdraw(["i0", "i99"], who="mara")
    assert campaign.state.seq == 0
    (event,) = campaign.withdraw(["i0", "i0"], who="mara")
    assert campaign.withdraw(["i0"], who="mara") == []
    assert campaign.bring_back(["i1"], who="mara") == []
    with pytest.raises(NotAllowed, match="not yours"):
        campaign.undo("ann", event.seq)
    campaign.undo("mara", event.seq)
    with pytest.raises(CorollaryError, match="withdraw the item again"):
        campaign.undo("mara", event.seq)
    assert len(campaign.withdraw("i0", who="mara")) == 1


def test_the_log_and_the_item_tell_of_it(make):
    campaign = make()
    said = campaign.answer("ann", "i0", "bird", True)
    (event,) = campaign.withdraw("i0", who="mara")
    found = look_back(campaign.state, kind="withdraw")
    assert [(one.event.seq, one.stands) for one in found] == [(event.seq, True)]
    view = campaign.item("i0")
    assert (view.standing.withdrawn, [one.seq for one in view.events]) == (
        True,
        [said.seq, event.seq],
    )
    assert campaign.history("ann")[0].stands, "what was said stays in the log"
    campaign.undo("ann", said.seq)
    campaign.undo("mara", event.seq)
    assert not campaign.state.known_of("i0")
    assert all_is_well(campaign)


def test_the_ontology_may_change_meanwhile(make):
    campaign = make(onto="labels: a, b, c")
    campaign.decide("mara", "i0", "a", True)
    campaign.decide("mara", "i0", "b", True)
    campaign.answer("ann", "i1", "b", True)
    other = "labels: a, b, c\nexclusive: a, b"
    with pytest.raises(CorollaryError, match="cannot be true under this ontology"):
        campaign.change_ontology("mara", other)
    (event,) = campaign.withdraw("i0", who="mara")
    assert campaign.preview_ontology(other).refused == ()
    campaign.change_ontology("mara", other)
    with pytest.raises(Contradiction):
        campaign.undo("mara", event.seq)
    with pytest.raises(Contradiction):
        campaign.bring_back(["i0"], who="mara")
    assert [one.item for one in campaign.withdrawn()] == ["i0"]
    assert all_is_well(campaign)
    campaign.undo("mara", 2)
    campaign.undo("mara", event.seq)
    assert campaign.state.known_of("i0") == {"a": True, "b": False}
    assert all_is_well(campaign)
    assert all_is_well(make.again(campaign))


def test_exports_leave_it_out_unless_it_is_asked_for(make, tmp_path):
    campaign = make(3)
    campaign.answer("ann", "i0", "bird", True)
    campaign.answer("ann", "i2", "city", True)
    campaign.withdraw(["i0", "i1"], who="mara")
    assert export(campaign, tmp_path / "in.csv", format="csv-long") == 1
    assert export(campaign, tmp_path / "out.csv", format="csv-long", withdrawn=True) == 2
    rows = {
        name: list(
            csv.DictReader((tmp_path / f"{name}.csv").read_text(encoding="utf-8").splitlines())
        )
        for name in ("in", "out")
    }
    assert {row["item"] for row in rows["in"]} == {"i2"}
    said = {(row["item"], row["label"]): (row["value"], row["source"]) for row in rows["out"]}
    assert (said["i0", "bird"], said["i0", "fish"], said["i1", "bird"]) == (
        ("yes", "asked"),
        ("no", "implied"),
        ("", "open"),
    )
    campaign.bring_back(["i0", "i1"], who="mara")
    assert [item.id for item in take_snapshot(campaign).items] == ["i0", "i1", "i2"]


def test_labels_for_a_withdrawn_item_are_refused_with_their_row(make, tmp_path):
    campaign = make(3)
    campaign.withdraw("i1", who="mara")
    table = tmp_path / "labels.csv"
    table.write_text("item,label,value\ni0,bird,yes\ni1,bird,yes\n")
    with pytest.raises(CorollaryError, match="line 3: item 'i1' was withdrawn"):
        check_for(table, campaign)


def test_what_was_saved_today_does_not_change_with_what_is_withdrawn(make):
    campaign = make(4)
    campaign.answer("ann", "i0", "bird", True)
    gained = campaign.answer("ann", "i1", "bird", True).counts["saved_today"] // 2
    (event,) = campaign.withdraw("i0", who="mara")
    assert campaign.state.counts()["saved_today"] == gained
    campaign.undo("mara", event.seq)
    assert campaign.state.counts()["saved_today"] == 2 * gained
    assert compare(campaign.state, make.again(campaign).state) == []


def test_an_ontology_that_settles_labels_by_itself_counts_alike_after_opening_anew(make):
    campaign = make(3, onto="at least one: a")
    assert campaign.progress()["done"] == 3
    campaign.add("mara", facts=[("i0", "a", True)])
    campaign.answer("ann", "i1", "a", True)
    campaign.decide("mara", "i2", "a", True)
    counts = campaign.state.counts()
    assert (counts["done"], counts["cells"], counts["settled"]) == (3, 0, 0)
    assert (counts["answered"], counts["imported"], counts["decided"], counts["implied"]) == (
        0,
        0,
        0,
        0,
    )
    assert counts["saved"] == -1, "one question was asked that nobody needed"
    assert all_is_well(campaign)
    campaign.withdraw("i1", who="mara")
    assert campaign.state.counts()["done"] == 2
    assert all_is_well(campaign)
    fresh = make.again(campaign)
    assert fresh.state.tally == campaign.state.tally
