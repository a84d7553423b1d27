"""Places for campaigns, new files of SQLite and new databases on a real PostgreSQL server; and campaigns of a team."""

from __future__ import annotations

import itertools

import pytest

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.campaign.items import Item

from .servers import Server
from .team import TEXT, WORDS, Clock
from .zoo import make as make_store


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
    with make_store(url) as store:
        yield store


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def make(tmp_path, clock):
    """Makes campaigns that are closed in the end; `make.again` opens one anew."""
    opened = []

    def create(n=20, *, onto=TEXT, people=("ann", "ben"), **options):
        items = [Item(f"i{k}", text=f"{WORDS[k % 5]} {k}") for k in range(n)]
        path = tmp_path / f"{len(opened)}.sqlite"
        options = {"retrain_every": 10**6} | options
        campaign = Campaign.create(
            path,
            items,
            co.Ontology.parse(onto),
            name="test",
            settings=options,
            lead="mara",
            clock=clock,
        )
        opened.append(campaign)
        campaign.path = path
        for name in people:
            campaign.invite(name)
        return campaign

    def again(campaign):
        path = campaign.path
        campaign.close()
        fresh = Campaign.open(path, clock=clock)
        fresh.path = path
        opened.append(fresh)
        return fresh

    create.again = again
    yield create
    for campaign in opened:
        campaign.close()
