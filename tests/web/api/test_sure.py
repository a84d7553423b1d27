"""Sure predictions, over HTTP: looked at, audited, accepted and taken back; for leads only."""

from __future__ import annotations

import numpy as np

from corollary.campaign.live.leading import undo_some
from corollary.campaign.live.sure.accepting import accept_some

from ..conftest import answer, key

LOOSE = {"at_least": 0.6, "most_wrong": 0.4}


def test_a_lead_audits_accepts_and_takes_back(campaign, ana, lead, monkeypatch):
    assert lead.get("/api/sure").status_code == 400  # there is no model
    for n, label in enumerate(["Bird", "Fish"] * 2, start=1):
        answer(ana, f"thing {n}", label, True)
    campaign.retrain(wait=True)
    likely = [0.9 if label in ("Animal", "Bird") else 0.05 for label in campaign.state.onto.labels]
    campaign.state.take_beliefs(np.array([likely] * 13))
    campaign.state.rebuild()
    told = lead.get("/api/sure", params=LOOSE).json()
    assert (told["needed"], told["audit"]) == (6, None)
    assert lead.get("/api/sure/audits").json() == {"audit": None, "under_way": None}
    wanted = LOOSE | {"key": key()}
    audit = lead.post("/api/sure/audits", json=wanted).json()
    assert (audit["state"], audit["drawn"], audit["unit"], audit["sure"]) == (
        "open",
        6,
        "items",
        told["items"],
    )
    assert lead.post("/api/sure/audits", json=wanted).json() == audit
    refused = lead.post("/api/sure/accept", json={"key": key()})
    assert (refused.status_code, "is not finished" in refused.text) == (400, True)
    drawn = campaign.state.audits[-1].value
    for skip in (0, 2, 7):  # of six: at the end the first again
        now = lead.get("/api/sure/audits", params={"skip": skip}).json()["audit"]
        question = now.pop("question")
        assert now == audit
        assert [question["item"]["id"], question["label"]] == drawn[skip % 6][:2]
        assert question["item"]["text"] in question["text"]
    for item, _, value in drawn:
        answer(lead, item, None, value)
    assert lead.get("/api/sure").json()["audit"]["state"] == "passed"
    assert lead.get("/api/sure/audits").json()["audit"]["question"] is None
    monkeypatch.setattr(accept_some, "__defaults__", (2,))
    monkeypatch.setattr(undo_some, "__defaults__", (2,))
    total = lead.get("/api/sure", params=LOOSE).json()["items"]
    wanted = {"key": key()}
    done = lead.post("/api/sure/accept", json=wanted).json()
    assert (len(done["seqs"]), done["done"], done["left"]) == (2, 2, total - 2)
    begun = {"group": done["group"], "audit": audit["seq"], "done": 2, "left": total - 2}
    assert (
        lead.get("/api/sure/audits").json()["under_way"]
        == lead.get("/api/sure").json()["under_way"]
        == begun
    )
    for _ in range(total):  # more often than it takes: a repeated key is harmless
        told = lead.post("/api/sure/accept", json=wanted).json()
    assert (told["done"], told["left"], told["counts"]["items"]) == (total, 0, 13)
    assert lead.get("/api/sure/audits").json()["under_way"] is None
    item = campaign.state.event(done["seqs"][0]).item
    assert "accepted" in {one["source"] for one in lead.get(f"/api/items/{item}").json()["values"]}
    (cell,) = campaign.state.event(done["seqs"][0]).value
    rows = lead.get("/api/item-list", params={"label": cell, "state": "asked"}).json()["items"]
    assert {row["id"]: row["source"] for row in rows}[item] == "accepted"
    assert lead.get("/api/log", params={"kind": "accept"}).json()["events"][0]["kind"] == "accept"
    wanted = {"key": key(), "group": done["group"]}
    first = lead.post("/api/group-undo", json=wanted).json()
    assert (len(first["seqs"]), first["opened"], first["left"]) == (2, done["settled"], total - 2)
    for _ in range(total):
        undone = lead.post("/api/group-undo", json=wanted).json()
    assert (undone["done"], undone["left"], undone["counts"]["accepted"]) == (total, 0, 0)


def test_others_may_not_and_odd_wishes_are_refused(ana, lead):
    assert ana.get("/api/sure").status_code == 403
    assert ana.post("/api/sure/audits", json={"key": key()}).status_code == 403
    assert ana.get("/api/sure/audits").status_code == 403
    assert ana.post("/api/sure/accept", json={"key": key()}).status_code == 403
    assert lead.get("/api/sure", params={"at_least": 1}).status_code == 422
    assert lead.post("/api/sure/audits", json={"key": key(), "n": 0}).status_code == 422
    assert lead.post("/api/sure/accept", json={"key": key()}).status_code == 400
