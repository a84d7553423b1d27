"""Conflicts, decisions and flags over HTTP."""

from __future__ import annotations

from ..conftest import answer, key


def test_a_contradiction_is_told_doubted_and_decided(ana, lead):
    answer(lead, "thing 1", "Bird", True)
    told = answer(ana, "thing 1", "Fish", True).json()
    conflict = told["conflict"]
    assert conflict["kind"] == "clash"
    assert [(one["who"], one["own"]) for one in conflict["opinions"]] == [
        ("another annotator", False),
        ("Ana", True),
    ]
    assert [rule["text"] for rule in conflict["rules"]] == ["exclusive: Bird, Fish"]
    doubt = {
        "key": key(),
        "seq": told["seq"],
        "rules": ["exclusive: Bird, Fish"],
        "note": "a flying fish",
    }
    assert ana.post("/api/doubts", json=doubt).status_code == 200
    waiting = lead.get("/api/conflicts").json()
    assert [one["item"]["id"] for one in waiting] == ["thing 1"]
    assert {one["who"] for one in waiting[0]["conflict"]["opinions"]} == {"Mara", "Ana"}
    assert waiting[0]["doubts"][0]["detail"]["note"] == "a flying fish"
    body = {
        "key": key(),
        "item": "thing 1",
        "label": "Bird",
        "value": True,
        "reject": [told["seq"]],
    }
    assert lead.post("/api/decisions", json=body).json()["conflict"] is None
    assert lead.get("/api/conflicts").json() == []


def test_flags_wait_for_the_lead(ana, lead):
    body = {"key": key(), "item": "thing 1", "label": "Bird", "reason": "text", "note": "cut off"}
    seq = ana.post("/api/flags", json=body).json()["seq"]
    assert [(one["seq"], one["detail"]["note"]) for one in lead.get("/api/flags").json()] == [
        (seq, "cut off")
    ]
    assert lead.post(f"/api/flags/{seq}/settle", json={"key": key()}).status_code == 200
    assert lead.get("/api/flags").json() == []


def test_a_lead_makes_gold_questions(ana, lead):
    body = {"key": key(), "item": "thing 1", "label": "Bird", "value": True}
    assert ana.post("/api/gold", json=body).status_code == 403
    seq = lead.post("/api/gold", json=body).json()["seq"]
    assert lead.post("/api/gold", json=body).json()["seq"] == seq  # the same key again
    (event,) = lead.get("/api/items/thing 1").json()["events"]
    assert (event["kind"], event["label"], event["value"]) == ("gold", "Bird", True)
    lead.call("PATCH", "/api/settings", json={"changes": {"gold_share": 1}})
    (asked,) = ana.post("/api/questions", json={"n": 1}).json()["questions"]
    assert (asked["item"]["id"], asked["label"]) == ("thing 1", "Bird")
