"""Figures and health over HTTP."""

from __future__ import annotations

import sqlite3

import pytest
from sqlalchemy.exc import OperationalError

from corollary.campaign.storage import writer
from corollary.campaign.storage.records import StoreError

from ..conftest import answer


def test_figures_and_metrics(ana, lead, reader):
    answer(ana, "thing 1", "Bird", True)
    progress = lead.get("/api/progress").json()
    assert (progress["asked"], progress["settled"], progress["saved"]) == (1, 5, 0)
    assert [one["name"] for one in progress["figures"]["annotators"]] == ["Ana", "Mara", "Rui"]
    labels = {one["label"]: one for one in reader.get("/api/labels").json()}
    assert (labels["Bird"]["yes"], labels["Bird"]["asked_yes"], labels["Animal"]["asked_yes"]) == (
        1,
        1,
        0,
    )
    text = reader.get("/metrics").text
    assert "corollary_answers_total 1\n" in text
    assert (
        'corollary_http_requests_total{method="POST",route="/api/answers",status="200"} 1' in text
    )
    assert (
        'corollary_http_request_seconds_bucket{method="POST",route="/api/answers",le="+Inf"} 1'
        in text
    )
    assert "Ana" not in text


def test_health_needs_no_sign_in(app, anyone):
    told = anyone.get("/health").json()
    assert (told["live"], told["ready"], told["seq"]) == (True, True, 0)
    app.state.stopping = lambda: True
    answered = anyone.get("/health")
    assert (answered.status_code, answered.json()["ready"]) == (503, False)


def test_health_is_not_ready_while_the_disk_is_full(campaign, anyone, monkeypatch):
    def full(*_):
        raise OperationalError("INSERT", {}, sqlite3.OperationalError("database or disk is full"))

    campaign.invite("Zoe")
    with monkeypatch.context() as patch:
        patch.setattr(writer, "insert", full)
        with pytest.raises(StoreError, match="disk is full"):
            campaign.answer("Zoe", "thing 1", "Bird", True)
        assert anyone.get("/health").json()["ready"] is False
        patch.setattr(writer, "FAILING_SECONDS", 0.0)  # a minute later it lets others try
        assert anyone.get("/health").json()["ready"] is True
    assert anyone.get("/health").status_code == 503
    campaign.answer("Zoe", "thing 1", "Bird", True)
    assert anyone.get("/health").status_code == 200


def test_health_tells_of_a_store_that_cannot_be_read(campaign, anyone, monkeypatch):
    def lost():
        raise StoreError("the disk is gone")

    monkeypatch.setattr(campaign._live.store, "summary", lost)
    answered = anyone.get("/health")
    assert (answered.status_code, answered.json()["live"], answered.json()["ready"]) == (
        503,
        True,
        False,
    )
