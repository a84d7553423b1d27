"""The log over HTTP."""

from __future__ import annotations

from ..conftest import answer


def test_the_lead_looks_through_the_log(ana, lead):
    answer(ana, "thing 1", "Bird", True)
    answer(lead, "thing 2", "Bird", False)
    assert [one["who"] for one in lead.get("/api/log").json()["events"]] == ["Mara", "Ana"]
    assert [
        one["item"] for one in lead.get("/api/log", params={"kind": "yes"}).json()["events"]
    ] == ["thing 1"]
