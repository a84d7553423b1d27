"""PostgreSQL: servers that are missing, lost or back, and several schemas of one database."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
import sqlalchemy as sa

from corollary.campaign.storage.databases import database_at
from corollary.campaign.storage.records import StoreBusy, StoreError
from corollary.campaign.storage.store import Store

from ..servers import Server
from ..zoo import answer, keys, make


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


def test_opening_waits_a_moment_for_one_that_was_killed(postgres):
    url = postgres.new_database()
    make(url).close()
    killed = database_at(url)  # whose lock the server frees a little later
    killed.lock()
    later = threading.Timer(0.3, killed.close)
    later.start()
    with Store.open(url) as store:
        assert store.append(answer(key="a")).wait() == 1
    later.join()


def test_a_server_that_is_not_there(postgres):
    with pytest.raises(
        StoreError, match=r"postgresql://corollary:\*\*\*@127.0.0.1:1/zoo.*"
    ) as error:
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
