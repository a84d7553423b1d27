"""Exports over HTTP: few at once, and names for leads only."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import get_args

import pytest

from corollary.web.api import exports

from ..conftest import Client, answer


@pytest.mark.parametrize("form", get_args(exports.Format))
def test_export(ana, lead, form):
    answer(ana, "thing 1", "Bird", True)
    got = lead.get("/api/export", params={"format": form})
    assert got.status_code == 200
    assert "attachment" in got.headers["content-disposition"]
    assert got.content
    assert lead.get("/api/export", params={"format": "xls"}).status_code == 422


def test_exports_at_once_are_few_and_the_others_are_told_when_to_come_back(
    app, lead, reader, monkeypatch
):
    """The attack: sixty at once by a reader, and everybody else waits for the processor."""
    begun, go_on, made = threading.Semaphore(0), threading.Event(), exports.write

    def slow(*args, **options):
        begun.release()
        assert go_on.wait(20)
        made(*args, **options)

    monkeypatch.setattr(exports, "write", slow)
    with ThreadPoolExecutor(4) as pool:
        first = [pool.submit(client.get, "/api/export") for client in (reader, lead)]
        assert begun.acquire(timeout=20)
        assert begun.acquire(timeout=20)
        again = [
            Client(app, reader.http.headers["Authorization"].split()[1]).get("/api/export")
            for _ in range(20)
        ]
        go_on.set()
        assert [one.result().status_code for one in first] == [200, 200]
    assert {(one.status_code, one.headers["retry-after"]) for one in again} == {(429, "5")}
    assert "too many exports at once" in again[0].json()["error"]["message"]
    assert [reader.get("/api/export").status_code for _ in range(4)] == [
        200
    ] * 4  # all turns were given back
    assert len(app.state.exports) == len(app.state.making) == 0


def test_an_export_that_fails_gives_its_turn_back(app, reader, monkeypatch):
    monkeypatch.setattr(exports, "write", lambda *_, **__: 1 / 0)
    assert [reader.get("/api/export").status_code for _ in range(3)] == [500] * 3
    assert len(app.state.exports) == len(app.state.making) == 0


def test_an_export_has_names_for_leads_only(ana, lead, reader):
    answer(ana, "thing 1", "Bird", True)
    assert "Ana" in lead.get("/api/export?format=csv-long").text
    text = reader.get("/api/export?format=csv-long").text
    assert "thing 1" in text
    assert "Ana" not in text
    assert ana.get("/api/export").status_code == 403  # they may be asked what it tells


def test_the_default_has_a_line_for_each_item(ana, lead):
    answer(ana, "thing 1", "Bird", True)
    items = lead.get("/api/items", params={"limit": 200}).json()["items"]
    rows = lead.get("/api/export").text.splitlines()
    assert len(rows) == 1 + len(items)
    assert len(lead.get("/api/export?predictions=false").text.splitlines()) == 2
    assert len(lead.get("/api/export?predictions=false&open=true").text.splitlines()) == len(rows)
