"""Places for campaigns: new files of SQLite, and new databases on a real PostgreSQL server."""

from __future__ import annotations

import itertools

import pytest

from .servers import Server
from .zoo import make


@pytest.fixture(scope="session")
def postgres():
    """One server for all tests; missing programs fail, they do not skip."""
    server = Server()
    yield server
    server.remove()


@pytest.fixture
def new_sqlite(tmp_path):
    """Call it for the URL of a file that is not there yet."""
    numbers = itertools.count(1)
    return lambda: str(tmp_path / f"campaign-{next(numbers)}.sqlite")


@pytest.fixture(params=["sqlite", "postgresql"])
def new_url(request):
    """Call it for the URL of a place for a campaign; the test runs on either kind of database."""
    if request.param == "sqlite":
        return request.getfixturevalue("new_sqlite")
    return request.getfixturevalue("postgres").new_database


@pytest.fixture
def url(new_url):
    return new_url()


@pytest.fixture
def store(url):
    with make(url) as store:
        yield store
