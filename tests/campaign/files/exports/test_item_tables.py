"""Tables with a line for each item: what is in their columns, and that none is called like another."""

from __future__ import annotations

import csv
import json

import pytest

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.campaign.files.checking import Check
from corollary.campaign.files.exports.exports import export, text_of
from corollary.campaign.files.exports.provenance import take_snapshot
from corollary.campaign.files.imports.file_form import Form
from corollary.campaign.files.imports.imports import check_import, read_items
from corollary.campaign.files.tools.tables import read_table
from corollary.campaign.items import Item
from corollary.logic.errors import CorollaryError


def table(campaign, **options):
    return list(
        csv.DictReader(
            "".join(text_of(take_snapshot(campaign), "csv-items", **options)).splitlines()
        )
    )


def test_a_line_an_item(campaign):
    rows = table(campaign)
    assert [row["id"] for row in rows] == [f"i{n}" for n in range(10)]
    assert rows[0] == {
        "id": "i0", "text": "feather wing 0", "labels": "bird", "origin": "asked", "probability": "1",
    }  # fmt: skip
    assert (rows[9]["labels"], rows[9]["origin"], rows[9]["probability"]) == ("", "open", "")
    assert [row["id"] for row in table(campaign, predictions=False)] == ["i0", "i1", "i2"]
    assert len(table(campaign, predictions=False, open_cells=True)) == 10


def test_parquet_and_json_lines_say_the_same(trained, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    export(trained, tmp_path / "x.parquet", format="parquet-items")
    rows, found = table(trained), parquet.read_table(tmp_path / "x.parquet").to_pylist()
    lines = [json.loads(line) for line in text_of(take_snapshot(trained), "jsonl-items")]
    for row, typed, line in zip(rows, found, lines, strict=True):
        assert row["id"] == typed["id"] == line["id"]
        assert row["text"] == typed["text"] == line["text"]
        assert row["labels"] == "; ".join(typed["labels"])
        assert row["probability"] == "; ".join(f"{one:.4g}" for one in typed["probability"])
        assert row["origin"] == "; ".join(typed["origin"])
        assert [one["label"] for one in line["labels"]] == typed["labels"]
        assert [one["probability"] for one in line["labels"]] == typed["probability"]


def test_no_column_is_called_like_another(tmp_path):
    items = [
        Item(
            "1",
            text="x",
            fields={"labels": "old", "labels.field": 2, "origin": [1], "colour": "red"},
        ),
        Item("2"),
    ]
    with Campaign.create(
        tmp_path / "x.sqlite", items, co.Ontology(["text", "b"]), name="x"
    ) as made:
        made.add("lead", facts=[("1", "text", True), ("1", "b", True)])
        rows = table(made)
    assert rows[0] == {
        "id": "1", "text": "x",
        "labels.field.field": "old", "labels.field": "2", "origin.field": "[1]", "colour": "red",
        "labels": "text; b", "origin": "given; given", "probability": "1; 1",
    }  # fmt: skip
    assert rows[1]["colour"] == ""


def test_labels_are_joined_by_a_sign_that_none_has(tmp_path):
    for labels, joined in ((["a;b", "c"], "a;b| c"), (["a,b", "c"], "a,b; c")):
        with Campaign.create(
            tmp_path / f"{len(joined)}{joined[1]}.sqlite", ["x"], co.Ontology(labels), name="x"
        ) as made:
            made.add("lead", facts=[("1", label, True) for label in labels])
            assert table(made)[0]["labels"] == joined
    with (
        Campaign.create(
            tmp_path / "y.sqlite", ["x"], co.Ontology(["a;|,@", "c"]), name="x"
        ) as made,
        pytest.raises(CorollaryError, match="Choose the format jsonl-items"),
    ):
        table(made)


def test_an_import_takes_what_was_said_and_no_guess(trained, tmp_path):
    for name, kind in (("x.csv", "csv-items"), ("x.parquet", "parquet-items")):
        export(trained, tmp_path / name, format=kind)
        _, facts = read_items(tmp_path / name, trained, form=Form(only_labels=True))
        assert sorted(facts) == [("i0", "bird", True), ("i2", "mammal", True)]
        found = check_import(tmp_path / name, trained.state.onto, Form(complete=True))
        assert {item for item, _, _ in found.facts} == {
            "i0",
            "i2",
        }  # of the others the model says what they have not
        assert next(found.items()) == Item("i0", text="feather wing 0")


def test_json_lines_of_items_are_read_back(tmp_path):
    """With fields, of which later items have more, and with items that have no label."""
    onto = co.Ontology.parse("animal > bird, fish")
    items = [
        Item("a", text="one", fields={"colour": "red"}),
        Item("b", text="two", fields={"size": 2}),
        Item("c"),
    ]
    with Campaign.create(tmp_path / "x.sqlite", items, onto, name="x") as made:
        made.add("lead", facts=[("a", "bird", True), ("b", "animal", False)])
        export(made, tmp_path / "x.jsonl", format="jsonl-items")
    found = check_import(tmp_path / "x.jsonl", onto)
    assert list(found.items()) == items
    assert found.facts == [("a", "bird", True)]
    check = Check(onto, narrowest=True)
    assert list(check.violations(read_table(tmp_path / "x.jsonl", onto, Form()))) == []
    assert (check.items, check.labels) == (3, 1)


def test_what_an_import_cannot_match_is_told(trained, tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("id,labels,origin,probability\ni0,bird; fish,asked,1\n", encoding="utf-8")
    with pytest.raises(CorollaryError, match="must name as many"):
        check_import(path, trained.state.onto)


def test_readable_names_stand_beside_the_labels(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    onto = co.Ontology(["GO:1", "GO:2", "plain"])
    settings = {"labels": {"GO:1": {"name": "growth; slow"}, "GO:2": {"name": "death"}}}
    items = [Item("a", text="one", fields={"names": "old"}), Item("b", text="two")]
    with Campaign.create(tmp_path / "x.sqlite", items, onto, name="x", settings=settings) as made:
        made.add("lead", facts=[("a", label, True) for label in onto.labels])
        rows = table(made)
        assert list(rows[0]) == [
            "id",
            "text",
            "names.field",
            "labels",
            "names",
            "origin",
            "probability",
        ]
        assert (rows[0]["names.field"], rows[1]["names"]) == ("old", "")
        assert (rows[0]["labels"], rows[0]["names"]) == (
            "GO:1| GO:2| plain",
            "growth; slow| death| plain",
        )
        export(made, tmp_path / "x.parquet", format="parquet-items")
        (typed, _) = parquet.read_table(tmp_path / "x.parquet").to_pylist()
        assert (typed["labels"], typed["names"]) == (
            ["GO:1", "GO:2", "plain"],
            ["growth; slow", "death", "plain"],
        )
        line = json.loads(next(iter(text_of(take_snapshot(made), "jsonl-items"))))
        assert list(line["labels"][0].items()) == [
            ("label", "GO:1"), ("name", "growth; slow"), ("probability", 1.0), ("origin", "given"),
        ]  # fmt: skip
        export(made, tmp_path / "x.csv")
        found = check_import(tmp_path / "x.csv", onto)
        assert [(one.id, one.fields) for one in found.items()] == [
            ("a", {"names.field": "old"}),
            ("b", {}),
        ]
        assert found.facts == [("a", label, True) for label in onto.labels]
