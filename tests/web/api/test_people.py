"""People over HTTP: invited once, changed, and named to leads."""

from __future__ import annotations

from ..conftest import Client, answer


def test_names_are_for_leads_unless_the_campaign_shows_them(campaign, ana, lead, reader):
    answer(lead, "thing 1", "Bird", True)

    def told():
        return ana.get("/api/explain", params={"item": "thing 1", "label": "Bird"}).json()[
            "answers"
        ][0]["who"]

    assert told() == "another annotator"
    assert ana.get("/api/me").json()["lead"] is None
    campaign.change_settings("Mara", {"show_names": True})
    assert told() == "Mara"
    assert ana.get("/api/me").json()["lead"] == "Mara"
    for path in ("/api/progress", "/api/labels"):
        assert "Mara" not in reader.get(path).text


def test_people_are_invited_once_and_changed(app, lead, campaign):
    invited = lead.post("/api/people", json={"name": "Ben/Bo", "role": "annotator"})
    assert invited.status_code == 201
    ben = Client(app, campaign.join(invited.json()["link"].removeprefix("join/")))
    assert ben.get("/api/me").json()["name"] == "Ben/Bo"
    assert lead.post("/api/people", json={"name": "Ben/Bo"}).status_code == 409
    assert lead.post("/api/people", json={"name": "system"}).status_code == 400
    assert (
        lead.call("PATCH", "/api/people/Ben%2FBo", json={"paused": True}).json()["paused"] is True
    )
    assert ben.post("/api/questions", json={"n": 1}).json()["state"] == "paused"
    assert (
        lead.call("PATCH", "/api/people/Ben%2FBo", json={"paused": False}).json()["paused"] is False
    )
    assert ben.post("/api/questions", json={"n": 1}).json()["state"] == "asking"
    assert lead.call("PATCH", "/api/people/Nobody", json={"paused": True}).status_code == 404
    assert [one["name"] for one in lead.get("/api/people").json()] == [
        "Ana",
        "Ben/Bo",
        "Mara",
        "Rui",
    ]


def test_the_page_is_told_what_to_show(lead, ana):
    told = ana.get("/api/me").json()
    assert (told["guidelines"], told["one"]) == (None, True)
    lead.call(
        "PATCH",
        "/api/settings",
        json={"changes": {"guidelines": "Look twice.", "pick_question": "What is it?"}},
    )
    assert ana.get("/api/me").json()["guidelines"] == "Look twice."
    assert ana.get("/api/ontology").json()["asks"] == "What is it?"
