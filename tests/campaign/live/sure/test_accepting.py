"""What a model is sure of, accepted after an audit: refused in every other state, taken back as one."""

from __future__ import annotations

import csv
from datetime import datetime, timedelta

import pytest

import corollary as co
from corollary.campaign.files.exports.exports import export
from corollary.campaign.files.exports.item_lines import lines_of
from corollary.campaign.files.exports.provenance import take_snapshot
from corollary.campaign.items import Item
from corollary.campaign.live.sure import audits, under_way
from corollary.campaign.live.sure.sure_cells import find_sure
from corollary.campaign.people import NotAllowed

from ...team import TEXT, TRUTH, true_answer

LOOSE = {"at_least": 0.8, "most_wrong": 0.2}
#: Beside the one label of TEXT another one may hold: cells are audited.
CELLS = f"{TEXT}\nanimal > tame"


@pytest.fixture
def trained(make):
    """A campaign whose model has seen three of each kind; of cells, unless `onto` is TEXT."""

    def create(n=40, *, onto=CELLS, **options):
        campaign = make(n, onto=onto, **options)
        for k in range(15):
            campaign.answer("ann", f"i{k}", TRUTH[k % 5], True)
        campaign.retrain(wait=True)
        return campaign

    return create


def answer(campaign, audit, *, wrong=0, who="mara"):
    """Answer what an audit drew; the first so many otherwise than predicted."""
    for n, (item, label, value) in enumerate(audit.drawn):
        if label is None:
            others = [other for other in TRUTH if [other] != list(value)]
            campaign.answer(who, item, None, others[:1] if n < wrong else list(value))
        elif not campaign.state.is_known(item, label):
            campaign.answer(who, item, label, value != (n < wrong))


def figures(campaign):
    return {
        name: value
        for name, value in campaign.progress().items()
        if name not in ("seq", "training")
    }


def test_before_a_model_nothing_is_sure(make):
    campaign = make(4)
    with pytest.raises(co.CorollaryError, match="there is no model yet"):
        campaign.sure("mara")
    with pytest.raises(co.CorollaryError, match="there is no model yet"):
        campaign.audit("mara")
    with pytest.raises(co.CorollaryError, match="nothing is accepted without an audit"):
        campaign.accept("mara")


def test_an_audit_that_passes_lets_all_be_accepted_and_one_undo_takes_it_back(
    make, trained, tmp_path
):
    campaign = trained()
    told = campaign.sure("mara", **LOOSE)
    assert (told.needed, told.audit) == (14, None)
    assert told.cells > 14
    audit = campaign.audit("mara", **LOOSE)
    assert (audit.state, len(audit.drawn), audit.sure, audit.at_most) == (
        "open",
        14,
        told.cells,
        None,
    )
    assert len(set(audit.drawn)) == 14
    with pytest.raises(
        co.CorollaryError,
        match="audit 17 is not finished: 14 of its 14 cells are open; the first is",
    ):
        campaign.accept("mara")
    with pytest.raises(co.CorollaryError, match="audit 17 is under way: 14 of its cells are open"):
        campaign.audit("mara", **LOOSE)
    answer(campaign, audit)
    audit = campaign.sure("mara", **LOOSE).audit
    assert (audit.state, audit.right, audit.wrong) == ("passed", 14, 0)
    assert audit.at_most == audits.most_wrong_of(0, 14)
    before, open_before = figures(campaign), campaign.state.facts < 0
    reply = campaign.accept("mara", key="g")
    cells = {
        (event.item, label): value for event in reply.events for label, value in event.value.items()
    }
    assert len(cells) == reply.settled == campaign.progress()["accepted"]
    assert {event.kind for event in reply.events} == {"accept"}
    assert {event.detail["audit"] for event in reply.events} == {audit.seq}
    assert (reply.left, reply.conflicts) == (0, ())
    for event in reply.events:
        assert event.detail["probability"].keys() == event.value.keys()
        assert min(event.detail["probability"].values()) >= 0.8
    for (item, label), value in cells.items():
        assert campaign.state.known_of(item)[label] is value
        assert open_before[campaign.state.row(item), campaign.state.onto.index[label]]
    after = figures(campaign)
    assert {
        name: after[name]
        for name in ("asked", "answered", "implied", "saved", "second_opinions_due")
    } == {
        name: before[name]
        for name in ("asked", "answered", "implied", "saved", "second_opinions_due")
    }
    assert campaign.accept("mara", key="g").events == reply.events
    with pytest.raises(
        co.CorollaryError,
        match="nothing is left to accept: all that audit 17 confirmed is known already",
    ):
        campaign.accept("mara")
    assert campaign.verify(step_by_step=True) == []

    assert {
        (row["item"], row["label"]): row["value"] == "yes"
        for row in cells_of(campaign, tmp_path)
        if row["source"] == "accepted" and not row["because"]
    } == cells
    (item, label), value = next(iter(cells.items()))
    assert campaign.item(item).values[label] == (value, "accepted")
    by_label = {one["label"]: one for one in campaign.labels()}
    assert sum(one["accepted"] for one in by_label.values()) == len(cells)

    campaign = make.again(campaign)
    undone = campaign.undo_all("mara", "g")
    assert undone.opened == reply.settled
    assert figures(campaign) == before | {"saved_today": figures(campaign)["saved_today"]}
    assert campaign.verify(step_by_step=True) == []
    assert campaign.accept("mara").settled == reply.settled  # the audit is as good as before


def cells_of(campaign, tmp_path):
    path = tmp_path / "cells.csv"
    export(campaign, path, format="csv-long")
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_line_of_an_item_tells_what_was_accepted_and_how_probable_it_was(trained):
    campaign = trained()
    answer(campaign, campaign.audit("mara", 0.55, most_wrong=0.45))
    reply = campaign.accept("mara")
    lines = {line.item.id: line for line in lines_of(take_snapshot(campaign))}
    told = [
        (event, one)
        for event in reply.events
        for one in lines[event.item].labels
        if one.origin == "accepted"
    ]
    assert told
    for event, one in told:
        assert event.value[one.label] is True
        assert one.probability == event.detail["probability"][one.label]


def test_an_audit_that_fails_is_the_end_of_it_for_this_model(trained):
    campaign = trained()
    audit = campaign.audit("mara", **LOOSE)
    answer(campaign, audit, wrong=2)
    audit = campaign.sure("mara", **LOOSE).audit
    assert (audit.state, audit.wrong >= 1) == ("failed", True)
    with pytest.raises(
        co.CorollaryError,
        match=r"audit 17 failed: \d+ of 14 cells were wrong. More than the allowed",
    ):
        campaign.accept("mara")
    with pytest.raises(co.CorollaryError, match="audit 17 of this model failed"):
        campaign.audit("mara", **LOOSE)
    with pytest.raises(co.CorollaryError, match="audit 17 of this model failed"):
        campaign.audit("mara", 0.7, most_wrong=0.2)
    assert campaign.audit("mara", 0.8, most_wrong=0.5).state == "open"


def test_an_audit_is_of_one_model_and_trainings_wait_for_it(trained):
    campaign = trained(retrain_every=16)
    audit = campaign.audit("mara", 0.8, 20, most_wrong=0.2)
    answer(campaign, audit)
    for k in range(15, 20):
        campaign.answer("ann", f"i{k}", TRUTH[k % 5], True)
    assert not campaign.progress()["training"]["training"]
    campaign.retrain(wait=True)
    assert campaign.sure("mara").audit.state == "outdated"
    with pytest.raises(co.CorollaryError, match="is of an earlier model or ontology"):
        campaign.accept("mara")
    assert campaign.verify(step_by_step=True) == []


def test_a_training_that_waited_begins_once_all_is_accepted(trained):
    campaign = trained(retrain_every=10)
    answer(campaign, campaign.audit("mara", 0.8, 20, most_wrong=0.2))
    assert not campaign.progress()["training"]["training"]
    later = audits.PATIENCE.total_seconds() + 1
    (event,) = campaign.state.audits
    assert under_way.holds_training(campaign.state, event.at)
    assert not under_way.holds_training(campaign.state, seconds_after(event.at, later))
    campaign.accept("mara")
    assert campaign.progress()["training"]["training"]


def seconds_after(at, seconds):
    return (datetime.fromisoformat(at) + timedelta(seconds=seconds)).isoformat()


def test_only_what_was_drawn_from_is_accepted(trained):
    campaign = trained()
    audit = campaign.audit("mara", **LOOSE)
    answer(campaign, audit)
    touched = next(k for k in range(20, 40) if f"i{k}" not in {item for item, _, _ in audit.drawn})
    sure_then = set(open_sure(campaign, f"i{touched}"))
    kind = "animal" if TRUTH[touched % 5] in TRUTH[:3] else "place"
    campaign.answer("ben", f"i{touched}", kind, true_answer(f"i{touched}", kind))
    campaign.add("mara", [Item("new", text="feather wing")])
    reply = campaign.accept("mara")
    accepted = {event.item: event.value for event in reply.events}
    assert "new" not in accepted
    assert accepted.get(f"i{touched}", {}).keys() <= sure_then


def open_sure(campaign, item):
    state = campaign.state
    found = find_sure(state, 0.8)
    return [
        state.onto.labels[k]
        for i, k in zip(found.row, found.label, strict=True)
        if state.ids[i] == item
    ]


def test_whoever_says_otherwise_later_brings_a_conflict_that_a_lead_settles(trained):
    campaign = trained()
    answer(campaign, campaign.audit("mara", **LOOSE))
    reply = campaign.accept("mara")
    event = reply.events[0]
    label, value = next(iter(event.value.items()))
    campaign.answer("ben", event.item, label, not value)
    assert event.item in campaign.state.held
    campaign.decide("mara", event.item, label, not value, reject=[event.seq])
    assert campaign.state.known_of(event.item)[label] is not value
    assert campaign.verify(step_by_step=True) == []
    campaign.undo_all("mara", reply.group)
    assert campaign.verify(step_by_step=True) == []


def test_who_cannot_tell_confirms_nothing(trained):
    campaign = trained()
    audit = campaign.audit("mara", **LOOSE)
    for item, label, _ in audit.drawn[:2]:
        campaign.answer("mara", item, label, "cant_tell")
    assert campaign.sure("mara").audit.wrong == 2


def test_what_cannot_be_audited(trained):
    campaign = trained()
    seq = campaign.state.seq
    for wanted, told in (
        ({"at_least": 0.4}, "at_least is a probability above 0.5 and below 1"),
        ({"at_least": 1.0}, "at_least is a probability above 0.5 and below 1"),
        ({"at_least": 0.8, "most_wrong": 0.0}, "most_wrong is a share above 0 and below 1"),
        (
            LOOSE | {"n": 13},
            "an audit of 13 cells is too small to show that at most 20.00% are wrong.*it takes 14",
        ),
        (
            LOOSE | {"n": 10_000},
            r"the model is sure of \d+ cells at 0.8, and the audit takes 10,000",
        ),
        ({"at_least": 0.9999}, "and the audit takes"),
    ):
        with pytest.raises(co.CorollaryError, match=told):
            campaign.audit("mara", **wanted)
    for call in (campaign.sure, campaign.audit, campaign.accept):
        with pytest.raises(NotAllowed):
            call("ann")
    assert campaign.state.seq == seq
