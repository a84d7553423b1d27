"""Columns are found by their names and by the labels, or as someone says."""

from __future__ import annotations

import pyarrow as pa
import pytest

import corollary as co
from corollary.logic.errors import CorollaryError
from corollary.scale.table.columns import find_columns

ONTO = co.Ontology.parse("animal > exclusive: bird, fish\ntext > note")
FIELDS = {
    "key": pa.int64(),
    "title": pa.string(),
    "embedding": pa.list_(pa.float32(), 3),
    "price": pa.float64(),
    "bird": pa.bool_(),
    "fish": pa.int8(),
    "note": pa.string(),
}


def found(fields, **asked):
    return find_columns(pa.schema(list(fields.items())), ONTO, asked)


def test_each_is_found_by_its_name():
    columns = found(FIELDS)
    assert (columns.id, columns.kind, columns.learnt, columns.wide) == (
        "key",
        "vector",
        ("embedding",),
        ("bird", "fish"),
    )
    assert columns.text == "title"
    told = "id: key; vector: embedding; a column for each of 2 labels; not learnt from: title, price, note"
    assert str(columns) == told
    assert columns.of_facts == ("key", "bird", "fish")
    assert columns.needed == ("key", "bird", "fish", "embedding")


def test_without_a_vector_texts_are_read_and_without_texts_all_is_a_table():
    assert found({name: kind for name, kind in FIELDS.items() if name != "embedding"}).learnt == (
        "title",
    )
    table = found(
        {
            "id": pa.string(),
            "price": pa.float64(),
            "colour": pa.string(),
            "label": pa.list_(pa.string()),
        }
    )
    assert (table.kind, table.learnt, table.labels) == ("table", ("price", "colour"), "label")
    own = found(
        {"id": pa.string(), "vector": pa.list_(pa.float32()), "beliefs": pa.list_(pa.float64())}
    )
    assert (own.kind, own.others) == ("beliefs", ("vector",))


def test_what_is_asked_for_goes_first():
    assert found(FIELDS, text="note").learnt == ("note",)
    assert found(FIELDS, id=":row").of_id == ()
    with pytest.raises(
        CorollaryError, match="no column 'titel' for the text; did you mean 'title'"
    ):
        found(FIELDS, text="titel")


def test_what_is_missing_is_told():
    with pytest.raises(CorollaryError, match="known to hold the ids.*It has price"):
        found({"price": pa.float64()})
    with pytest.raises(CorollaryError, match="nothing to learn from but ids and labels"):
        found({"id": pa.string(), "bird": pa.bool_()})
