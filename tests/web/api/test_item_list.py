"""The list of items over HTTP, and one answer for many of them."""

from __future__ import annotations

from ..conftest import answer, key


def listed(lead, **wanted):
    found = lead.get("/api/item-list", params=wanted)
    assert found.status_code == 200, found.text
    return found.json()


def test_items_are_searched_filtered_and_paged(ana, lead):
    answer(ana, "thing 1", "Bird", True)
    told = listed(lead, query=" NUMBER 1 ")
    assert [one["id"] for one in told["items"]] == ["thing 1", "thing 10", "thing 11"]
    assert (told["total"], told["model"]) == (3, 0)
    (row,) = listed(lead, who="Ana")["items"]
    assert (row["id"], row["yes"], row["open"], row["predicted"], row["doubt"]) == (
        "thing 1",
        ["Bird"],
        0,
        [],
        None,
    )
    (row,) = listed(lead, label="Animal", state="implied")["items"]
    assert (row["value"], row["source"], row["probability"]) == (True, "implied", None)
    assert [one["id"] for one in listed(lead, offset=12)["items"]] == ["a/b.png"]
    assert listed(lead, offset=12)["items"][0]["image"] == "api/items/a%2Fb.png/image"
    assert listed(lead, offset=2, limit=3)["total"] == 13
    found = lead.get("/api/item-ids", params={"query": " NUMBER 1 "}).json()
    assert found == {"ids": ["thing 1", "thing 10", "thing 11"]}
    assert ana.get("/api/item-ids").status_code == 403


def test_what_cannot_be_wanted_is_refused(ana, lead):
    assert lead.get("/api/item-list", params={"label": "Brid"}).status_code == 400
    assert lead.get("/api/item-list", params={"sort": "probability"}).status_code == 400
    assert lead.get("/api/item-list", params={"state": "red"}).status_code == 422
    assert ana.get("/api/item-list").status_code == 403  # they may be asked about any of it blind


def test_many_are_answered_at_once_and_taken_back_at_once(ana, lead):
    answer(ana, "thing 2", "Fish", True)
    wanted = {"key": key(), "items": ["thing 1", "thing 2"], "label": "Bird", "value": True}
    told = lead.post("/api/group-answers", json=wanted).json()
    assert (len(told["seqs"]), told["conflicts"]) == (2, ["thing 2"])
    assert lead.post("/api/group-answers", json=wanted).json() == told
    assert [one["id"] for one in listed(lead, mark="conflict")["items"]] == ["thing 2"]
    assert lead.get("/api/items/thing 1").json()["events"][0]["detail"] == {"group": told["group"]}
    undone = lead.post("/api/group-undo", json={"key": key(), "group": told["group"]}).json()
    assert (len(undone["seqs"]), undone["opened"], undone["conflicts"]) == (2, told["settled"], [])
    assert listed(lead, who="Ana")["total"] == 1
    for wrong, status in (
        ({"items": []}, 422),
        ({"value": "skip"}, 422),
        ({"items": ["nix"]}, 400),
        ({"key": "k" * 191}, 422),
    ):
        assert (
            lead.post("/api/group-answers", json=wanted | {"key": key()} | wrong).status_code
            == status
        ), wrong
    assert ana.post("/api/group-answers", json=wanted | {"key": key()}).status_code == 403


def test_an_item_tells_leads_how_probable_its_open_labels_are(campaign, ana, lead):
    answer(ana, "thing 1", "Bird", True)
    answer(ana, "thing 2", "Bird", False)
    assert {one["probability"] for one in lead.get("/api/items/thing 3").json()["values"]} == {None}
    campaign.retrain(wait=True)
    values = {
        one["label"]: one["probability"] for one in lead.get("/api/items/thing 3").json()["values"]
    }
    assert all(0 <= p <= 1 for p in values.values())
    assert {one["probability"] for one in lead.get("/api/items/thing 1").json()["values"]} == {None}
    assert {one["probability"] for one in ana.get("/api/items/thing 3").json()["values"]} == {None}
    row = next(
        one
        for one in listed(lead, label="Bird", sort="probability")["items"]
        if one["id"] == "thing 3"
    )
    assert abs(row["probability"] - values["Bird"]) < 1e-6
    assert abs(row["doubt"] - min(values["Bird"], 1 - values["Bird"])) < 1e-6
    whole = next(one for one in listed(lead, sort="doubt")["items"] if one["id"] == "thing 3")
    assert (
        max(min(p, 1 - p) for p in values.values()) - 1e-6 <= whole["doubt"] < 1
    )  # of all labels together
