"""How far webhooks are: kept in either database, and not needed."""

from __future__ import annotations

import sqlalchemy as sa

from corollary.campaign.storage.hook_places import read_place
from corollary.campaign.storage.store import Store

from ..conftest import new_sqlite, new_url, postgres  # noqa: F401 (fixtures)


def test_places_are_kept_by_name_and_outlive_the_process(new_url):  # noqa: F811
    url = new_url()
    with Store.create(url, name="Things", ontology_text="labels: a") as store:
        assert store.hook_place("one") is None
        store.put_hook_place("one", 7)
        store.put_hook_place("two", 1)
        store.put_hook_place("one", 12)
    with Store.open(url) as store:
        assert (store.hook_place("one"), store.hook_place("two"), store.hook_place("three")) == (
            12,
            1,
            None,
        )


def test_a_database_without_the_table_has_no_places():
    with sa.create_engine("sqlite://").connect() as connection:
        assert read_place(connection, "one") is None
