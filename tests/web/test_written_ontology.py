"""The ontology as it is sent: packed where that is taken, not at all where it is known, and never an old one."""

from __future__ import annotations

import gzip
import json

import pytest

from corollary.web import written_ontology

from .conftest import Client, key

ADDRESS = "/api/ontology"


@pytest.fixture
def packed_from(monkeypatch):
    """Even a small one is packed."""
    monkeypatch.setattr(written_ontology, "PACKED_FROM", 1)


@pytest.mark.parametrize(
    ("wanted", "packed"),
    [
        ("gzip, deflate, br", True),
        ("br;q=1.0, GZIP ; q=0.5", True),
        ("identity", False),
        ("gzip;q=0", False),
        ("", False),
    ],
)
def test_it_is_packed_for_who_unpacks(app, tokens, packed_from, wanted, packed):
    ana = Client(app, tokens["annotator"], headers={"Accept-Encoding": wanted})
    told = ana.get(ADDRESS)
    assert (told.headers.get("content-encoding") == "gzip") == packed
    assert told.headers["vary"] == "Accept-Encoding"
    assert [one["label"] for one in told.json()["labels"]] == [
        "Animal",
        "Bird",
        "Fish",
        "Plant",
        "Tree",
    ]
    written = app.state.ontology
    assert gzip.decompress(written._packed) == written._body
    assert json.loads(written._body) == told.json()


def test_a_small_one_is_sent_as_it_is(ana):
    assert "content-encoding" not in ana.get(ADDRESS).headers


def test_who_has_it_gets_it_again_only_when_it_changes(ana, lead, anyone):
    first = ana.get(ADDRESS)
    known = {"If-None-Match": f'"other", W/{first.headers["etag"]}'}
    again = ana.get(ADDRESS, headers=known)
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    assert "private" in again.headers["cache-control"]
    assert (
        anyone.get(ADDRESS, headers=known).status_code == 401
    )  # it takes part no more, or never did

    text = first.json()["text"] + "\nBird > Robin"
    lead.call("PUT", ADDRESS, json={"key": key(), "text": text})
    changed = ana.get(ADDRESS, headers=known)
    assert "Robin" in [one["label"] for one in changed.json()["labels"]]

    about = {"Bird": {"name": "feathered animal"}}
    known = {"If-None-Match": changed.headers["etag"]}
    lead.call("PATCH", "/api/settings", json={"key": key(), "changes": {"labels": about}})
    named = ana.get(ADDRESS, headers=known)
    assert "feathered animal (Bird)" in [one["name"] for one in named.json()["labels"]]

    known = {"If-None-Match": named.headers["etag"]}
    lead.call(
        "PATCH",
        "/api/settings",
        json={"key": key(), "changes": {"question": "Is {item} a {label}?"}},
    )
    assert ana.get(ADDRESS, headers=known).status_code == 200
    lead.call(
        "PATCH", "/api/settings", json={"key": key(), "changes": {"overlap": 0.1}}
    )  # nothing of it
    known = {"If-None-Match": ana.get(ADDRESS).headers["etag"]}
    assert ana.get(ADDRESS, headers=known).status_code == 304


def test_it_is_written_once(ana, lead, monkeypatch):
    calls, real = [], written_ontology.written
    monkeypatch.setattr(written_ontology, "written", lambda *now: calls.append(1) or real(*now))
    for client in (ana, lead, ana):
        assert client.get(ADDRESS).status_code == 200
    assert calls == [1]
