"""Every error has one shape, and tells nothing of the store's place."""

from __future__ import annotations

import pytest

from corollary.campaign.events import Event
from corollary.campaign.storage.records import StoreError

from .conftest import answer, key


def test_a_failing_store_is_told_without_its_place(ana, campaign, monkeypatch, caplog):
    def broken(*_, **__):
        raise StoreError("connection to server at db.internal (10.0.0.5), user corollary, failed")

    monkeypatch.setattr(campaign, "undo", broken)
    told = ana.post("/api/undo", json={"key": key()})
    assert told.status_code == 503
    assert "db.internal" not in told.text
    assert "db.internal" in caplog.text


@pytest.mark.parametrize(
    ("method", "path", "options", "status", "code"),
    [
        ("GET", "/api/nothing", {}, 404, "not_found"),
        ("DELETE", "/api/answers", {}, 405, "wrong_method"),
        ("POST", "/api/answers", {"json": {"key": "k"}}, 422, "invalid"),
        ("POST", "/api/answers", {"content": b"{", "headers": {"Content-Type": "application/json"}}, 422, "invalid"),
        ("POST", "/api/answers", {"content": b'{"key": "\\ud800"}'}, 422, "invalid"),
        ("POST", "/api/answers", {"json": {"key": "k", "item": "?", "label": "Bird", "value": True}}, 400, "refused"),
        ("POST", "/api/answers", {"json": {"key": "k", "item": "x", "label": "Bird", "value": "yes"}}, 422, "invalid"),
        ("POST", "/api/answers", {"json": {"key": "k", "item": "thing 1", "value": ["Bird", "Fish"]}}, 409,
         "contradiction"),
        ("POST", "/api/undo", {"json": {"key": "k", "seq": 99}}, 400, "refused"),
        ("GET", "/api/history?limit=0", {}, 422, "invalid"),
    ],
)  # fmt: skip
def test_every_error_has_one_shape(ana, method, path, options, status, code):
    answered = ana.call(method, path, **options)
    assert answered.status_code == status
    error = answered.json()["error"]
    assert error.keys() == {"code", "message", "hint"}
    assert error["code"] == code
    assert error["message"]
    assert "default-src 'none'" in answered.headers["content-security-policy"]


@pytest.mark.filterwarnings("default::corollary.campaign.storage.records.StoreWarning")
def test_a_log_that_cannot_be_derived_is_served_read_only(ana, lead, campaign):
    clash = [
        Event(kind="decision", who="Mara", item="thing 1", label=label, value=True, seq=seq)
        for seq, label in enumerate(("Bird", "Fish"), start=1)
    ]
    for receipt in campaign._live.store.append_all(clash):
        receipt.wait()
    campaign._ledger.distrust()
    assert "event 2 (decision by Mara about item 'thing 1')" in ana.get("/api/me").json()["trouble"]
    assert ana.post("/api/questions", json={"n": 1}).json()["questions"] == []
    told = answer(ana, "thing 2", "Bird", True)
    assert (told.status_code, told.json()["error"]["code"]) == (503, "read_only")
    assert lead.get("/api/progress").status_code == 200
    assert lead.post("/api/undo", json={"key": key(), "seq": 2}).status_code == 200
    assert ana.get("/api/me").json()["trouble"] is None
    assert answer(ana, "thing 2", "Bird", True).status_code == 200
