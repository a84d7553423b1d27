"""Places that are missing, taken, read-only, full, on a network or gone for a while."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa

from corollary.campaign.events import Event
from corollary.campaign.storage.databases import database_at
from corollary.campaign.storage.errors import StoreBusy, StoreError, StoreWarning
from corollary.campaign.storage.sqlite import file_system
from corollary.campaign.storage.store import Store

from ..servers import Server
from ..zoo import answer, keys, make

# PostgreSQL only


def test_missing_programs_of_postgresql_fail_the_tests(monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setattr(Path, "glob", lambda self, pattern: [])
    with pytest.raises(pytest.fail.Exception, match="apt-get install postgresql"):
        Server()


def test_a_server_that_comes_back_is_found_again():
    """Not the server of the other tests: with many databases it starts slowly after a crash."""
    server = Server()
    try:
        with make(server.new_database()) as store:
            store.append(answer(key="before")).wait()
            server.stop("immediate")
            with pytest.raises(StoreError, match="refused"):
                store.append(answer(key="lost")).wait()
            server.start()
            assert store.append(answer(key="after")).wait() == 2
            assert keys(store) == ["before", "after"]
    finally:
        server.remove()


def test_a_lost_connection_is_made_anew_and_locked(postgres):
    url = postgres.new_database()
    with make(url) as store:
        store.append(answer(key="a")).wait()
        killed = sa.text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
                         "AND pid <> pg_backend_pid()")  # fmt: skip
        with store._reading() as connection:
            connection.execute(killed).all()
        assert store.append(answer(key="b")).wait() == 2
        with pytest.raises(StoreBusy):
            Store.open(url)


def test_a_server_that_is_not_there(postgres):
    with pytest.raises(StoreError, match=r"postgresql://corollary:\*\*\*@127.0.0.1:1/zoo.*") as error:
        Store.open("postgresql://corollary:secret@127.0.0.1:1/zoo")
    assert "secret" not in str(error.value)
    wrong = postgres.new_database().replace(postgres.password, "wrong-secret")
    with pytest.raises(StoreError, match="password authentication failed") as error:
        Store.open(wrong)
    assert "wrong-secret" not in str(error.value)


def test_two_campaigns_in_two_schemas_of_one_database(postgres):
    url = postgres.new_database()
    database = database_at(url)
    with database.engine.begin() as connection:
        connection.execute(sa.text("CREATE SCHEMA one"))
        connection.execute(sa.text("CREATE SCHEMA two"))
    database.close()
    urls = [f"{url}?options=-csearch_path%3D{name}" for name in ("one", "two")]
    with make(urls[0], name="one") as one, make(urls[1], name="two") as two:
        one.append(answer()).wait()
        assert (one.name, one.last, two.name, two.last) == ("one", 1, "two", 0)


# SQLite only


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


def test_paths_that_are_no_campaigns(tmp_path):
    with pytest.raises(StoreError, match="there is no campaign at"):
        Store.open(tmp_path / "gone.sqlite")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(StoreError, match="is a folder"):
        Store.open(tmp_path)
    text = tmp_path / "notes.txt"
    text.write_text("these are notes, long enough to be looked at as the header of a database file, hundred bytes" * 9)
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
        large = Event(kind="flag", who="ann", item="robin", detail={"reason": "other", "note": "x" * 200_000})
        with pytest.raises(StoreError, match="not stored, try again: database or disk is full"):
            store.append(large).wait()
        assert store.append(answer(key="second")).wait() == 2
        assert keys(store) == ["first", "second"]


def test_a_network_file_system_is_recognised():
    mounts = (
        "/dev/vda / ext4 rw 0 0\nserver:/x /home/my\\040team nfs4 rw 0 0\ntmpfs /home/my\\040team/tmp tmpfs rw 0 0\n"
    )
    assert file_system(Path("/home/my team/zoo.sqlite"), mounts) == "nfs4"
    assert file_system(Path("/home/my team/tmp/zoo.sqlite"), mounts) == "tmpfs"
    assert file_system(Path("/home/zoo.sqlite"), mounts) == "ext4"


def test_a_network_file_system_is_warned_of(new_sqlite, monkeypatch):
    monkeypatch.setattr("corollary.campaign.storage.sqlite.file_system", lambda path, mounts: "nfs4")
    with pytest.warns(StoreWarning, match=r"network file system \(nfs4\)"):
        make(new_sqlite()).close()
