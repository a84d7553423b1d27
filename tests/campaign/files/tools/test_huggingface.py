"""Hugging Face's tables: features written, classes of others read, what does not fit told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import corollary as co
from corollary.campaign.files.tools.formats import read_records, write_file, written

from .snapshots import ANSWERS, BELIEFS, ONTO, snapshot_of


def test_huggingface_features_and_columns(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    write_file(snapshot_of(ANSWERS, beliefs=BELIEFS), tmp_path / "x.parquet", "huggingface")
    table = parquet.read_table(tmp_path / "x.parquet")
    features = json.loads(table.schema.metadata[b"huggingface"])["info"]["features"]
    assert list(features) == table.column_names
    assert features["labels"]["feature"] == {"names": list(ONTO.labels), "_type": "ClassLabel"}
    assert features["bird"] == {"names": ["no", "yes"], "_type": "ClassLabel"}
    robin, oak, _, new = table.to_pylist()
    assert [ONTO.labels[k] for k in robin["labels"]] == ["animal", "bird", "sparrow"]
    assert (robin["bird"], robin["fish"], robin["text"]) == (1, 0, "the robin")
    assert oak["sources"][ONTO.index["red"]] == "predicted"
    assert oak["probabilities"][ONTO.index["red"]] == pytest.approx(0.999999)
    write_file(snapshot_of(ANSWERS), tmp_path / "x.parquet", "huggingface")
    assert parquet.read_table(tmp_path / "x.parquet").to_pylist()[3]["bird"] is None
    assert new["id"] == "new"


@pytest.mark.parametrize("kind", ["Sequence", "List", "legacy"])
def test_other_peoples_classes_are_read(tmp_path: Path, kind: str) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    inner = {"names": list(ONTO.labels), "_type": "ClassLabel"}
    tags: Any = [inner] if kind == "legacy" else {"feature": inner, "_type": kind}
    for name, values, feature in (("tags", [[1, 4], []], tags), ("label", [3, -1], inner)):
        features = {
            "text": {"dtype": "string", "_type": "Value"},
            name: feature,
            "page": {"dtype": "int64"},
        }
        table = pa.table({"text": ["a", "b"], name: values, "page": [1, 2]})
        about = json.dumps({"info": {"features": features}})
        parquet.write_table(
            table.replace_schema_metadata({"huggingface": about}), tmp_path / "x.parquet"
        )
        one, two = read_records(tmp_path / "x.parquet", "huggingface")
        assert set(one.labels) == {ONTO.labels[k] for k in (values[0] if name == "tags" else [3])}
        assert (one.fields, one.listed, two.labels) == ({"page": 1}, True, {})


def test_tables_that_name_no_labels_are_told(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pa.table({"text": ["a"]}), tmp_path / "x.parquet")
    with pytest.raises(co.CorollaryError, match="has no names of labels"):
        list(read_records(tmp_path / "x.parquet", "huggingface"))
    (tmp_path / "y.parquet").write_bytes(b"no")
    with pytest.raises(co.CorollaryError, match="not a good Parquet file"):
        list(read_records(tmp_path / "y.parquet", "huggingface"))
    with pytest.raises(co.CorollaryError, match="is not text: write it to a file"):
        written(snapshot_of(ANSWERS), "huggingface")


NO_OR_YES = {"_type": "ClassLabel", "names": ["no", "yes"]}


@pytest.mark.parametrize(
    ("features", "columns", "told"),
    [
        ({"a": {"_type": "ClassLabel"}}, {"a": [1]}, "no column of labels"),
        ({"a": {"_type": "ClassLabel", "names": [["x"]]}}, {"a": [1]}, "no column of labels"),
        ({"gone": {"_type": "ClassLabel", "names": ["x"]}}, {"a": [1]}, "no column of labels"),
        (
            {"a": {"_type": "ClassLabel", "names": ["x"]}},
            {"a": ["y"]},
            "there is no label number y",
        ),
        (
            {"a": [{"_type": "ClassLabel", "names": ["x"]}]},
            {"a": [7]},
            "must hold lists of numbers",
        ),
        ({"a": NO_OR_YES}, {"a": [1], "sources": [[]]}, None),
        ({"a": NO_OR_YES}, {"a": [1], "sources": [["x", "y"]]}, "a text for each"),
        ({"a": NO_OR_YES}, {"a": [1], "sources": [5]}, "a text for each"),
        (5, {"a": [1]}, "has no names of labels"),
    ],
)
def test_tables_whose_features_are_not_those_of_their_columns(
    features: Any, columns: dict[str, Any], told: str | None, tmp_path: Path
) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = pa.table({"id": ["1"], **columns})
    metadata = {"huggingface": json.dumps({"info": {"features": features}})}
    parquet.write_table(table.replace_schema_metadata(metadata), path := tmp_path / "x.parquet")
    if told is None:
        assert [one.labels for one in read_records(path, "huggingface")] == [{"a": True}]
        return
    with pytest.raises(co.CorollaryError, match=told):
        list(read_records(path, "huggingface"))
