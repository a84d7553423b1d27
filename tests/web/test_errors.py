"""Every error has one shape, and tells nothing of the store's place."""

from __future__ import annotations

import pytest

from corollary.campaign.storage.errors import StoreError

from .conftest import key


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
