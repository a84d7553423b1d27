"""Settings over HTTP, one by one; everybody paused; training begun."""

from __future__ import annotations

from ..conftest import answer, key


def test_everybody_is_paused(ana, lead):
    assert lead.post("/api/pause", json={"paused": True}).json() == {"paused": True}
    assert ana.post("/api/questions", json={"n": 1}).json()["state"] == "paused"
    assert lead.post("/api/pause", json={"paused": False}).json() == {"paused": False}


def test_a_lease_without_end_is_refused(ana, lead):
    wrong = lead.call("PATCH", "/api/settings", json={"key": key(), "changes": {"lease_seconds": 1e12}})
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (400, "refused")
    assert "from 1 to 86,400" in wrong.json()["error"]["message"]
    assert ana.post("/api/questions", json={"n": 1}).status_code == 200


def test_settings_are_changed_one_by_one(lead):
    changed = lead.call("PATCH", "/api/settings", json={"key": key(), "changes": {"overlap": 0.25}}).json()
    assert (changed["overlap"], changed["opinions"]) == (0.25, 2)
    wrong = lead.call("PATCH", "/api/settings", json={"key": key(), "changes": {"overlapp": 0.25}})
    assert wrong.status_code == 400
    assert "did you mean 'overlap'" in wrong.json()["error"]["message"]


def test_training_is_begun_and_not_waited_for(campaign, lead, ana):
    answer(ana, "thing 1", "Bird", True)
    answer(ana, "thing 2", "Bird", False)
    begun = lead.post("/api/train")
    assert begun.status_code == 202
    assert begun.json()["training"] is True
    campaign.retrain(wait=True)
    assert lead.get("/api/progress").json()["model"] >= 1
