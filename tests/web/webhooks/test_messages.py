"""What webhooks are told of each event."""

from __future__ import annotations

import json

from corollary.campaign.events import Event
from corollary.web.webhooks.messages import EVENTS, messages_of


def told(campaign, event, wanted=EVENTS):
    found = list(messages_of(campaign, event, wanted))
    for one in found:
        assert json.loads(one.body)["id"] == one.id
    return {one.event: json.loads(one.body) for one in found}


def test_an_answer_and_the_conflict_that_it_brings(campaign):
    campaign.invite("Ana")
    first = campaign.answer("Mara", "thing 1", "Bird", True).event
    second = campaign.answer("Ana", "thing 1", "Fish", True, seconds=2.5).event
    assert told(campaign, first).keys() == {"answer"}
    found = told(campaign, second)
    assert found["answer"]["campaign"] == "Things"
    data = found["answer"]["data"]
    assert (
        data["who"],
        data["item"],
        data["label"],
        data["value"],
        data["seconds"],
        data["seq"],
    ) == (("Ana", "thing 1", "Fish", True, 2.5, second.seq))
    assert "key" not in data
    conflict = found["conflict"]["data"]
    assert (conflict["kind"], conflict["item"]) == ("clash", "thing 1")
    assert {(one["who"], one["label"]) for one in conflict["opinions"]} == {
        ("Mara", "Bird"),
        ("Ana", "Fish"),
    }
    assert told(campaign, second, ["conflict"]).keys() == {"conflict"}
    assert told(campaign, second, ["model"]) == {}


def test_models_are_told_and_what_nobody_wants_is_not(campaign):
    model = Event(kind="model", who="system", value=1, detail={"upto": 0, "sha256": "0"}, seq=3)
    assert told(campaign, model)["model"]["data"]["value"] == 1
    assert told(campaign, Event(kind="settings", who="Mara", detail={"seed": 1}, seq=4)) == {}


def test_what_a_machine_reported_is_told(campaign):
    event = campaign.report("Mara", "old model", [("thing 1", "Bird", 0.9)])
    data = told(campaign, event)["report"]["data"]
    assert (data["who"], data["item"], data["value"], data["detail"]["by"]) == (
        "old model",
        None,
        1,
        "Mara",
    )
    undone = campaign.undo("Mara", event.seq).event
    assert told(campaign, undone).keys() == {"undo"}


def test_what_is_accepted_is_told(campaign):
    found = Event(
        kind="accept", who="Mara", item="thing 1", value={"Bird": True}, detail={"audit": 3}, seq=5
    )
    data = told(campaign, found)["accept"]["data"]
    assert (data["who"], data["item"], data["value"]) == ("Mara", "thing 1", {"Bird": True})
    assert told(campaign, found, ["answer"]) == {}
