"""Settings over HTTP, one by one; everybody paused; training begun."""

from __future__ import annotations

from corollary.web.app import describe

from ..conftest import answer, key


def test_everybody_is_paused(ana, lead):
    assert lead.post("/api/pause", json={"paused": True}).json() == {"paused": True}
    assert ana.post("/api/questions", json={"n": 1}).json()["state"] == "paused"
    assert lead.post("/api/pause", json={"paused": False}).json() == {"paused": False}


def test_a_lease_without_end_is_refused(ana, lead):
    wrong = lead.call(
        "PATCH", "/api/settings", json={"key": key(), "changes": {"lease_seconds": 1e12}}
    )
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (400, "refused")
    assert "from 1 to 86,400" in wrong.json()["error"]["message"]
    assert ana.post("/api/questions", json={"n": 1}).status_code == 200


def test_settings_are_changed_one_by_one(lead):
    changed = lead.call(
        "PATCH", "/api/settings", json={"key": key(), "changes": {"overlap": 0.25}}
    ).json()
    assert (changed["overlap"], changed["opinions"]) == (0.25, 2)
    wrong = lead.call("PATCH", "/api/settings", json={"key": key(), "changes": {"overlapp": 0.25}})
    assert wrong.status_code == 400
    assert "did you mean 'overlap'" in wrong.json()["error"]["message"]


def test_settings_are_taken_as_people_write_them_and_without_a_key(lead):
    wanted = {
        "overlap": "25 %",
        "opinions": "3",
        "show_names": "on",
        "item_cost": "none",
        "stay": "",
    }
    changed = lead.call("PATCH", "/api/settings", json={"changes": wanted})
    assert changed.status_code == 200
    told = changed.json()
    assert [told[name] for name in wanted] == [0.25, 3, True, None, None]


def test_every_setting_is_described(app, lead):
    told = lead.get("/api/settings/about").json()
    values = lead.get("/api/settings").json()
    assert {one["name"]: one["value"] for one in told} == values
    overlap = next(one for one in told if one["name"] == "overlap")
    assert overlap["shape"] == {"type": "number", "minimum": 0, "maximum": 1}
    shapes = describe(app)["components"]["schemas"]
    changes = shapes["SettingsChange"]["properties"]["changes"]["properties"]
    assert changes.keys() == shapes["SettingsOut"]["properties"].keys() == values.keys()
    assert changes["overlap"] == {"description": overlap["does"], **overlap["shape"]}


def test_training_is_begun_and_not_waited_for(campaign, lead, ana):
    answer(ana, "thing 1", "Bird", True)
    answer(ana, "thing 2", "Bird", False)
    begun = lead.post("/api/train")
    assert begun.status_code == 202
    assert begun.json()["training"] is True
    campaign.retrain(wait=True)
    assert lead.get("/api/progress").json()["model"] >= 1
