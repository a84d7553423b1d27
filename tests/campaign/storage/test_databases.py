"""URLs and paths that are no places for campaigns."""

from __future__ import annotations

import sys

import pytest

from corollary.campaign.storage.records import StoreError
from corollary.campaign.storage.store import Store

from ..zoo import make


def test_paths_that_are_no_campaigns(tmp_path):
    with pytest.raises(StoreError, match="there is no campaign at"):
        Store.open(tmp_path / "gone.sqlite")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(StoreError, match="is a folder"):
        Store.open(tmp_path)
    text = tmp_path / "notes.txt"
    text.write_text(
        "these are notes, long enough to be looked at as the header of a database file, hundred bytes"
        * 9
    )
    for readonly in (False, True):
        with pytest.raises(StoreError, match="is not a campaign"):
            Store.open(text, readonly=readonly)
    with pytest.raises(StoreError, match="no folder"):
        make(tmp_path / "no folder" / "zoo.sqlite")


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("mysql://host/zoo", "not in 'mysql'"),
        ("sqlite://", "names no file"),
        ("sqlite:///:memory:", "names no file"),
        ("postgresql://host:port:5/zoo", "not a URL"),
    ],
)
def test_urls_that_name_nothing(url, words):
    with pytest.raises(StoreError, match=words):
        Store.open(url)


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.delitem(sys.modules, "corollary.campaign.storage.postgresql", raising=False)
    with pytest.raises(StoreError, match=r"pip install 'corollary\[postgres\]'"):
        Store.open("postgresql://host/zoo")
