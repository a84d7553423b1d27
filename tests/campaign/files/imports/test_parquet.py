"""Parquet files, those that attack among them."""

from __future__ import annotations

import pytest

from corollary.campaign.files.imports.file_form import Form
from corollary.campaign.files.imports.imports import check_import
from corollary.campaign.items import Item

from .refusals import ONTO, refused


def test_parquet(write, tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = pa.table(
        {
            "id": ["a", "b"],
            "text": ["robin", None],
            "embedding": [[1.0, 2.0], [3.0, 4.0]],
            "bird": [True, None],
        }
    )
    parquet.write_table(table, tmp_path / "x.parquet")
    found = check_import(tmp_path / "x.parquet", ONTO)
    assert list(found.items()) == [
        Item("a", "robin", {"vector": [1.0, 2.0]}),
        Item("b", None, {"vector": [3.0, 4.0]}),
    ]
    assert found.facts == [("a", "bird", True)]
    assert "not a good Parquet file" in refused(write("y.parquet", "no"))


def test_labels_may_be_maps_from_their_names_to_yes_or_no(tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    maps = pa.array([[("bird", True), ("fish", False)], None, []], pa.map_(pa.string(), pa.bool_()))
    parquet.write_table(
        pa.table({"id": ["a", "b", "c"], "text": ["x", "y", "z"], "labels": maps}),
        tmp_path / "x.parquet",
    )
    found = check_import(tmp_path / "x.parquet", ONTO)
    assert found.facts == [("a", "bird", True), ("a", "fish", False)]


def test_dates_that_python_cannot_tell_name_their_cell(write, tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    far = pa.array([0, 10**15], pa.timestamp("s"))
    parquet.write_table(pa.table({"id": ["a", "b"], "when": far}), path := tmp_path / "x.parquet")
    assert "row 2, column 'when': this timestamp[ms] cannot be read" in refused(path)


@pytest.mark.parametrize("told", ["by itself", "not by itself"])
def test_a_small_file_that_unpacks_to_a_large_one(write, tmp_path, told):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    n, text = 2_000, "a" * 100_000
    once = pa.DictionaryArray.from_arrays(pa.array([0] * n, pa.int32()), pa.array([text]))
    hidden = told == "not by itself"  # a dictionary that is used again and again
    table = pa.table(
        {"id": [str(i) for i in range(n)], "text": once if hidden else once.cast("string")}
    )
    path = tmp_path / "bomb.parquet"
    parquet.write_table(table, path, compression="zstd", store_schema=False, use_dictionary=hidden)
    assert path.stat().st_size < 1 << 20
    message = refused(path, Form(limit=20 << 20))
    assert "unpacks to" in message
    assert "pass limit=" in message


def columns_of(pa, n, texts):
    """Columns of every shape that can hold a text."""
    one_each = pa.array(range(n + 1), pa.int32())
    return {
        "text": texts,
        "list": pa.ListArray.from_arrays(one_each, texts),
        "struct": pa.StructArray.from_arrays([texts], ["of"]),
        "map": pa.MapArray.from_arrays(one_each, pa.array(["key"] * n), texts),
    }


@pytest.mark.parametrize("shape", ["text", "list", "struct", "map"])
def test_a_dictionary_counts_with_every_row_that_uses_it(tmp_path, shape):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    n, limit = 200, 64 << 20
    texts = pa.DictionaryArray.from_arrays(
        pa.array([0] * n, pa.int32()), pa.array(["a" * (1 << 20)])
    )
    path = tmp_path / "bomb.parquet"
    parquet.write_table(
        pa.table({"id": [str(i) for i in range(n)], shape: columns_of(pa, n, texts)[shape]}), path
    )
    assert path.stat().st_size < 1 << 20
    assert f"at most {limit:,} are taken" in refused(path, Form(limit=limit))


def test_lists_of_nothing_count_by_their_length(tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    empty = pa.array([[None] * 100_000] * 20, pa.list_(pa.null()))
    parquet.write_table(
        pa.table({"id": [str(i) for i in range(20)], "empty": empty}),
        path := tmp_path / "x.parquet",
    )
    assert path.stat().st_size < 10_000
    assert "unpacks to 2,000,020 bytes" in refused(path, Form(limit=1 << 20))
