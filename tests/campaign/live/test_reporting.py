"""Machines in a campaign: what they report is checked, kept, weighed by the next model, and never a fact."""

from __future__ import annotations

import re

import numpy as np
import pytest
import sqlalchemy as sa

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.campaign.events import Event
from corollary.campaign.people import NotAllowed
from corollary.campaign.storage import tables
from corollary.campaign.storage.databases import database_at
from corollary.campaign.storage.records import StoreWarning

from ..team import TEXT, true_answer

LABELS = co.Ontology.parse(TEXT).labels


def truth_of(items, labels=LABELS, value=true_answer):
    return [(item, label, float(value(item, label))) for item in items for label in labels]


def everything(n=20):
    return truth_of(f"i{k}" for k in range(n))


def share_right(campaign):
    found = campaign.state.session.predict()
    truth = [[true_answer(item, label) for label in LABELS] for item in campaign.state.ids]
    return (found == np.array(truth)).all(axis=1).mean()


def test_a_machine_is_heard_before_the_first_answer_and_nothing_becomes_a_fact(make):
    campaign = make(40, learner="crf")
    assert not campaign.progress()["training"]["training"]
    event = campaign.report("mara", "old model", everything(40), kind="file")
    assert (event.kind, event.who, event.value, event.item) == ("report", "old model", 280, None)
    assert {name: event.detail[name] for name in ("by", "items", "kind")} == {
        "by": "mara",
        "items": 40,
        "kind": "file",
    }
    assert campaign.progress()["training"]["training"]
    assert campaign.retrain(wait=True)["error"] is None
    assert share_right(campaign) == 1.0
    assert (campaign.state.facts == -1).all()
    assert campaign.progress()["settled"] == 0
    (witness,) = campaign.witnesses()
    assert (witness.name, witness.cells, witness.items, witness.by) == (
        "old model",
        280,
        40,
        "mara",
    )
    assert witness.trust["answers"] == 280
    assert campaign.state.model.detail["witnesses"]["old model"] == witness.trust
    assert campaign.verify(step_by_step=True) == []


def test_the_log_gives_the_same_model_again(make):
    campaign = make(30, learner="crf")
    campaign.report("mara", "old model", everything(30))
    for k in range(10):
        campaign.answer("ann", f"i{k}", "animal", true_answer(f"i{k}", "animal"))
    campaign.retrain(wait=True)
    beliefs, sha256 = campaign.state.session.beliefs.copy(), campaign.state.model.detail["sha256"]
    campaign = make.again(campaign)
    assert np.array_equal(campaign.state.session.beliefs, beliefs)
    campaign._live.store.forget_models()
    campaign = make.again(campaign)  # trained again, with what the machine said
    assert np.array_equal(campaign.state.session.beliefs, beliefs)
    assert campaign.state.model.detail["sha256"] == sha256
    assert not campaign.progress()["training"]["training"]
    campaign.report("mara", "another", [("i0", "bird", 0.2)])
    assert make.again(campaign).progress()["training"][
        "training"
    ]  # the training that was not finished is due again


def test_a_later_report_of_a_cell_counts_and_undo_brings_the_earlier_one_back(make):
    campaign = make(learner="logistic")
    campaign.report("mara", "m", [("i0", "bird", 0.25), ("i1", "bird", 1)])
    later = campaign.report("mara", "m", [("i0", "bird", 0.75)])
    (witness,) = campaign.witnesses()
    assert (witness.cells, witness.items) == (2, 2)
    undone = campaign.undo("mara", later.seq)
    assert (undone.undone, undone.opened, undone.settled) == (later, (), ())
    with pytest.raises(
        co.CorollaryError, match="taken back already; to undo an undo, report it again"
    ):
        campaign.undo("mara", later.seq)
    assert [event.seq for event in campaign.remove_witness("mara", "m")]
    assert campaign.witnesses() == []
    with pytest.raises(
        co.CorollaryError,
        match="no report of witness 'm' is in effect; witnesses with reports: none",
    ):
        campaign.remove_witness("mara", "m")
    campaign.retrain(wait=True)
    assert "witnesses" not in campaign.state.model.detail
    assert make.again(campaign).verify(step_by_step=True) == []


def test_items_and_labels_may_come_and_go(make):
    campaign = make(learner="crf")
    campaign.report("mara", "m", everything())
    campaign.add("mara", [co.Item("i20", text="feather wing 20")])
    campaign.withdraw("i3", who="mara")
    campaign.change_ontology(
        "mara", "animal > exclusive: bird, fish\nplace > exclusive: city, river"
    )
    assert campaign.retrain(wait=True)["error"] is None
    assert (
        campaign.state.model.detail["witnesses"]["m"]["answers"] == 19 * 6
    )  # neither i3 nor what a mammal is
    assert campaign.verify(step_by_step=True) == []


@pytest.mark.parametrize(
    ("reports", "words"),
    [
        ([], "the report is empty"),
        ([("nix", "bird", 1.0)], "no item 'nix' in this campaign of 20 items"),
        ([("i0", "brid", 1.0)], "unknown label 'brid'; did you mean 'bird'"),
        (
            [("i0", "bird", 1.0), ("i1", "bird", 1.5)],
            "report 2, item 'i1', label 'bird': 1.5 is not a probability",
        ),
        ([("i0", "bird", float("nan"))], "nan is not a probability"),
        ([("i0", "bird", "yes")], "'yes' is not a probability"),
        (
            [("i0", "bird", 1), ("i0", "bird", 0)],
            "report 2: item 'i0', label 'bird' is in the report twice; leave one out",
        ),
        ([("i0", "bird")], "report 1 must be an item, a label and a probability"),
    ],
)
def test_what_cannot_be_reported_is_told_and_nothing_is_kept(make, reports, words):
    campaign = make()
    with pytest.raises(co.CorollaryError, match=re.escape(words)):
        campaign.report("mara", "m", reports)
    assert campaign.state.seq == 0
    assert campaign.witnesses() == []


def test_only_a_lead_brings_machines_and_names_are_of_one(make):
    campaign = make()
    with pytest.raises(NotAllowed, match="only a lead"):
        campaign.report("ann", "m", everything())
    for name in ("ann", "mara", "import", "", "x" * 201):
        with pytest.raises(co.CorollaryError, match="name"):
            campaign.report("mara", name, everything())
    campaign.report("mara", "m", everything())
    for invite in (campaign.invite, campaign.invite_by_link):
        with pytest.raises(
            co.CorollaryError, match="'m' is the name of a witness of this campaign"
        ):
            invite("m")
    with pytest.raises(NotAllowed, match="only a lead may undo"):
        campaign.undo("ann", 1)
    with pytest.raises(NotAllowed, match="only a lead"):
        campaign.remove_witness("ann", "m")


def test_a_key_that_comes_again_changes_nothing(make):
    campaign = make()
    first = campaign.report("mara", "m", everything(), key="k")
    assert campaign.report("mara", "m", everything(), key="k") == first
    assert campaign.state.seq == 1
    with pytest.raises(co.CorollaryError, match="was used for something else"):
        campaign.report("mara", "another", everything(), key="k")


def test_what_is_damaged_is_told_and_counts_for_nothing(make):
    campaign = make(learner="logistic")
    campaign.report("mara", "m", everything())
    path = campaign.path
    campaign.close()
    database = database_at(path)
    database.lock()
    with database.writer() as connection, connection.begin():
        connection.execute(sa.delete(tables.reports))
    database.close()
    with pytest.warns(
        StoreWarning, match="what 'm' reported of 140 cells .event 1. is gone from the store"
    ):
        campaign = Campaign.open(path)
    with campaign:
        assert campaign.verify(train=False)[0].startswith(
            "what 'm' reported of 140 cells (event 1) is gone"
        )
        assert [(one.cells, one.items) for one in campaign.witnesses()] == [(0, 0)]
        assert campaign.retrain(wait=True)["error"] is None


def test_reports_are_no_answers_of_anybody(make):
    campaign = make()
    campaign.report("mara", "m", everything())
    campaign.undo("mara", 1)
    campaign.answer("ann", "i0", "bird", True)
    assert [one["name"] for one in campaign.people()] == ["ann", "ben", "mara"]
    counts = campaign.progress()
    assert (counts["asked"], counts["answered"]) == (1, 1)
    assert Event.from_json(campaign.state.event(1).to_json()) == campaign.state.event(1)
