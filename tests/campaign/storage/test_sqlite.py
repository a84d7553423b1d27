"""Files of SQLite: read-only, full, on a network; and that nothing acknowledged is lost."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

from corollary.campaign.events import Event
from corollary.campaign.storage.records import StoreBusy, StoreError, StoreWarning
from corollary.campaign.storage.sqlite import file_system
from corollary.campaign.storage.store import Store

from ..zoo import answer, keys, make


@contextmanager
def as_nobody():
    """Root may write everywhere."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_file_or_folder_that_cannot_be_written():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "zoo.sqlite"
        make(path).close()
        path.chmod(0o444)
        path.with_name("zoo.sqlite.lock").unlink()
        folder.chmod(0o555)
        with as_nobody():
            with pytest.raises(StoreError, match="cannot write .*readonly=True"):
                Store.open(path)
            with pytest.raises(StoreError, match="cannot make .*: Permission denied"):
                make(folder / "new.sqlite")
            with Store.open(path, readonly=True) as store:
                assert store.count_items() == 3
        path.chmod(0o666)
        with as_nobody(), pytest.raises(StoreError, match="cannot lock .*folder"):
            Store.open(path)
        folder.chmod(0o755)


def test_sqlite_by_url_and_relative_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make("sqlite:///zoo.sqlite").close()
    with Store.open("zoo.sqlite") as store, pytest.raises(StoreBusy):
        Store.open(f"sqlite:///{tmp_path}/zoo.sqlite")
    assert store.name == "zoo"
    assert (tmp_path / "zoo.sqlite").stat().st_mode & 0o077 == 0


def test_sqlite_is_set_to_lose_nothing(new_sqlite):
    with make(new_sqlite()) as store:
        raw = store._database.writer().connection.dbapi_connection
        found = {
            name: raw.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("synchronous", "journal_mode", "foreign_keys")
        }
        assert found == {"synchronous": 2, "journal_mode": "wal", "foreign_keys": 1}


def test_a_full_disk_loses_nothing_that_was_acknowledged(new_sqlite):
    """SQLite's limit on pages stands in for the disk's end."""
    with make(new_sqlite()) as store:
        store.append(answer(key="first")).wait()
        raw = store._database.writer().connection.dbapi_connection
        raw.execute(f"PRAGMA max_page_count = {raw.execute('PRAGMA page_count').fetchone()[0]}")
        large = Event(
            kind="flag", who="ann", item="robin", detail={"reason": "other", "note": "x" * 200_000}
        )
        with pytest.raises(StoreError, match="not stored, try again: database or disk is full"):
            store.append(large).wait()
        assert store.append(answer(key="second")).wait() == 2
        assert keys(store) == ["first", "second"]


def test_a_network_file_system_is_recognised():
    mounts = "/dev/vda / ext4 rw 0 0\nserver:/x /home/my\\040team nfs4 rw 0 0\n"
    mounts += "tmpfs /home/my\\040team/tmp tmpfs rw 0 0\n"
    assert file_system(Path("/home/my team/zoo.sqlite"), mounts) == "nfs4"
    assert file_system(Path("/home/my team/tmp/zoo.sqlite"), mounts) == "tmpfs"
    assert file_system(Path("/home/zoo.sqlite"), mounts) == "ext4"


def test_a_network_file_system_is_warned_of(new_sqlite, monkeypatch):
    monkeypatch.setattr(
        "corollary.campaign.storage.sqlite.file_system", lambda path, mounts: "nfs4"
    )
    with pytest.warns(StoreWarning, match=r"network file system \(nfs4\)"):
        make(new_sqlite()).close()
