"""Machines over HTTP: their reports are taken, told of and taken back; by leads only."""

from __future__ import annotations

from ..conftest import key


def test_a_machine_is_heard_weighed_and_taken_back(campaign, lead, ana):
    cells = [{"item": f"thing {n}", "label": "Bird", "value": n / 10} for n in range(1, 5)]
    wanted = {"key": key(), "witness": "old model", "reports": cells}
    assert ana.post("/api/reports", json=wanted).status_code == 403
    assert ana.get("/api/witnesses").status_code == 403
    assert lead.get("/api/witnesses").json() == []
    told = lead.post("/api/reports", json=wanted).json()
    assert lead.post("/api/reports", json=wanted).json() == told  # sent again with the same key
    (witness,) = lead.get("/api/witnesses").json()
    assert (witness["name"], witness["cells"], witness["items"], witness["trust"]) == (
        "old model",
        4,
        4,
        None,
    )
    campaign.retrain(wait=True)
    assert lead.get("/api/witnesses").json()[0]["trust"]["answers"] == 4
    undone = lead.post("/api/undo", json={"key": key(), "seq": told["seq"]})
    assert undone.status_code == 200
    assert (undone.json()["undone"]["kind"], undone.json()["undone"]["item"]) == ("report", None)
    assert lead.get("/api/witnesses").json() == []


def test_what_is_wrong_is_told_and_nothing_is_kept(campaign, lead):
    cell = {"item": "thing 1", "label": "Bird", "value": 1}
    for changes, status in (
        ({"reports": []}, 422),
        ({"reports": [cell | {"value": 1.2}]}, 422),
        ({"reports": [cell | {"item": "nothing"}]}, 400),
        ({"reports": [cell | {"label": "Brid"}]}, 400),
        ({"reports": [cell, cell]}, 400),
        ({"witness": "Ana"}, 400),
    ):
        wanted = {"key": key(), "witness": "old model", "reports": [cell]} | changes
        assert lead.post("/api/reports", json=wanted).status_code == status
    assert campaign.witnesses() == []
