"""Items and beliefs as rows, and back."""

from __future__ import annotations

import numpy as np
import pytest
import sqlalchemy as sa

from corollary.campaign.storage import tables
from corollary.campaign.storage.records import Model, StoreWarning
from corollary.campaign.storage.rows import read_place
from corollary.campaign.storage.store import Store

from ..conftest import new_sqlite, new_url, postgres  # noqa: F401 (fixtures)
from ..zoo import ITEMS


def test_items_with_and_without_their_pictures(store):
    assert [item.image and item.image.data for item in store.items()] == [None, None, None]
    assert [item.id for item in store.items()] == [item.id for item in ITEMS]
    assert store.item("../../etc/passwd") == ITEMS[2]
    assert store.item("nobody") is None


def test_the_last_model_is_kept_bit_for_bit(store):
    beliefs = np.random.default_rng(0).random((50_000, 7))
    store.put_model(Model(version=1, upto=5, beliefs=np.eye(3)))
    model = Model(version=2, upto=9, beliefs=beliefs)
    store.put_model(model)
    kept = store.model()
    assert (kept.version, kept.upto, kept.sha256) == (2, 9, model.sha256)
    assert kept.beliefs.tobytes() == beliefs.tobytes()
    store._writer.change(
        lambda c: c.execute(sa.delete(tables.beliefs).where(tables.beliefs.c.part == 1))
    ).result()
    with pytest.warns(StoreWarning, match="model 2 are damaged"):
        assert store.model() is None
    store.forget_models()
    assert store.model() is None


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
