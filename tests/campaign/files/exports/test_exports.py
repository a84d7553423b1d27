"""Exports: every value with its source, the same for the same campaign, and readable by an import."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.campaign.files.exports.exports import PARQUET, TEXTS, export, text_of
from corollary.campaign.files.exports.provenance import take_snapshot
from corollary.campaign.files.imports.file_form import Form
from corollary.campaign.files.imports.imports import check_import, read_items
from corollary.campaign.files.spreadsheet_text import LONG
from corollary.campaign.items import Item
from corollary.logic.errors import CorollaryError

from .some_answers import ONTO


def lines(campaign, **options):
    text = "".join(text_of(take_snapshot(campaign), "csv-long", **options))
    return list(csv.DictReader(text.splitlines()))


def cell(rows, item, label):
    return next(row for row in rows if (row["item"], row["label"]) == (item, label))


def test_every_cell_has_a_line_in_order(campaign):
    rows = lines(campaign)
    assert tuple(rows[0]) == LONG
    assert [(row["item"], row["label"]) for row in rows] == [
        (f"i{n}", label) for n in range(10) for label in ONTO.labels
    ]


def test_asked_implied_and_open(campaign):
    rows = lines(campaign)
    asked = cell(rows, "i0", "bird")
    assert (asked["value"], asked["source"], asked["by"], asked["because"]) == (
        "yes",
        "asked",
        "ann; mara",
        "",
    )
    assert asked["at"] == campaign.state.event(1).at
    implied = cell(rows, "i0", "animal")
    assert (implied["value"], implied["source"]) == ("yes", "implied")
    assert implied["because"] == "bird is yes (1, 2); bird implies animal"
    assert cell(rows, "i2", "mammal")["by"] == "import"
    disputed = cell(rows, "i3", "city")
    assert (disputed["value"], disputed["source"], disputed["probability"]) == ("", "open", "")
    assert cell(rows, "i9", "fish")["source"] == "open"


def test_predicted_once_there_is_a_model(trained):
    rows = lines(trained)
    posterior = ONTO.posterior(trained.state.session.beliefs, trained.state.facts)
    likely = ONTO.most_probable(trained.state.session.beliefs, trained.state.facts)
    for i in range(10):
        for k, label in enumerate(ONTO.labels):
            row = cell(rows, f"i{i}", label)
            assert row["value"] == ("yes" if likely[i, k] else "no")
            if trained.state.facts[i, k] < 0:
                assert (row["source"], row["model"], row["ontology"]) == (
                    "predicted",
                    str(trained.state.model.value),
                    "1",
                )
                assert float(row["probability"]) == posterior[i, k]
            else:
                assert row["source"] == (
                    "asked" if label in trained.state.standing_of(f"i{i}").effect else "implied"
                )
                assert row["probability"] == ""
    assert {row["source"] for row in lines(trained, predictions=False)} == {"asked", "implied"}
    everything = lines(trained, predictions=False, open_cells=True)
    assert {row["source"] for row in everything} == {"asked", "implied", "open"}
    assert len(everything) == 10 * len(ONTO)


def test_json_lines_tell_the_answers_and_the_constraints(campaign):
    found = [json.loads(line) for line in text_of(take_snapshot(campaign), "jsonl")]
    assert [line["item"] for line in found] == [f"i{n}" for n in range(10)]
    bird, animal = found[0]["labels"]["bird"], found[0]["labels"]["animal"]
    said = {
        "label": "bird",
        "value": True,
        "events": [1, 2],
        "by": ["ann", "mara"],
        "at": campaign.state.event(1).at,
    }
    assert bird == {"value": True, "source": "asked", "ontology": 1, "answers": [said]}
    assert animal["answers"] == [said]
    behind = co.Ontology.parse(
        "labels: " + ", ".join(ONTO.labels) + "\n" + "\n".join(animal["constraints"])
    )
    assert behind.propagate({"bird": True})["animal"] is True
    assert found[3]["conflicts"] == [
        {"kind": "disagreement", "message": "People disagree on city", "answers": [5, 6]}
    ]
    assert found[0]["text"] == "feather wing 0"


@pytest.mark.parametrize("format", [*TEXTS, *PARQUET])
def test_the_same_campaign_gives_the_same_file(campaign, tmp_path, format):
    lines_for = 5 if format == "csv-answers" else 10  # answers, or items
    for name in ("one", "two"):
        assert export(campaign, tmp_path / name, format=format) == lines_for
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert list(tmp_path.rglob("*partial*")) == []


def test_a_csv_file_has_a_line_for_each_item_unless_one_asks_for_all_cells(campaign, tmp_path):
    export(campaign, tmp_path / "x.csv")
    assert len((tmp_path / "x.csv").read_text().splitlines()) == 11
    long = "".join(text_of(take_snapshot(campaign), "csv-long"))
    assert "".join(text_of(take_snapshot(campaign), "csv")) == long  # as it was called before
    assert len(long.splitlines()) == 1 + 10 * len(ONTO)


def test_an_export_that_is_stopped_leaves_nothing(trained, tmp_path):
    def stop(done, total):
        raise KeyboardInterrupt

    for kind in (*TEXTS, *PARQUET, "label-studio"):
        with pytest.raises(KeyboardInterrupt):
            export(trained, tmp_path / "x", format=kind, progress=stop)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "names", [["text", "item", "b"], ["a", "a.source", "a.source.value", "a.source.probability"]]
)
def test_labels_may_be_called_like_columns(tmp_path, names):
    """An intent is called `text`: a wide table has both, and an import knows which is which."""
    onto = co.Ontology(names)
    with Campaign.create(tmp_path / "x.sqlite", ["hello", "you"], onto, name="x") as made:
        made.add("lead", facts=[("1", name, n % 2 == 0) for n, name in enumerate(names)])
        export(made, tmp_path / "x.csv", format="csv-wide")
        with (tmp_path / "x.csv").open(newline="") as file:
            header, first, _ = csv.reader(file)
        assert len(set(header)) == len(header) == 2 + 3 * len(names)
        assert first[2::3] == ["yes" if n % 2 == 0 else "no" for n in range(len(names))]
        found = check_import(tmp_path / "x.csv", onto)
        assert [item.text for item in found.items()] == ["hello", "you"]
        assert sorted(found.facts) == sorted(
            ("1", name, n % 2 == 0) for n, name in enumerate(names)
        )


def test_parquet_says_the_same_as_csv(trained, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    export(trained, tmp_path / "x.parquet")
    table = parquet.read_table(tmp_path / "x.parquet").to_pylist()
    for row, line in zip(table, lines(trained), strict=True):
        assert row["value"] is (line["value"] == "yes")
        assert row["probability"] == (float(line["probability"]) if line["probability"] else None)
        for name in ("item", "label", "source", "by", "because"):
            assert row[name] == line[name]


@pytest.mark.parametrize("format", ["csv", "csv-wide", "jsonl"])
def test_a_table_brings_the_answers_to_another_campaign(trained, tmp_path, format):
    path = tmp_path / ("x.jsonl" if format == "jsonl" else "x.csv")
    export(trained, path, format=format)
    with Campaign.create(
        tmp_path / "y.sqlite", [Item(f"i{n}", text="x") for n in range(10)], ONTO, name="y"
    ) as other:
        _, facts = read_items(path, other, form=Form(only_labels=True))
        assert sorted(facts) == [
            ("i0", "bird", True),
            ("i1", "animal", False),
            ("i2", "mammal", True),
        ]
        other.add("lead", facts=facts)
        assert np.array_equal(other.state.facts, trained.state.facts)


def test_files_are_not_overwritten_and_formats_are_known(campaign, tmp_path):
    path = tmp_path / "x.csv"
    export(campaign, path)
    with pytest.raises(CorollaryError, match="exists already.* pass replace=True"):
        export(campaign, path)
    export(campaign, path, replace=True, predictions=False)
    with pytest.raises(CorollaryError, match="no format is known for the name"):
        export(campaign, tmp_path / "x.txt")
    with pytest.raises(CorollaryError, match="there is no folder"):
        export(campaign, tmp_path / "none" / "x.csv")
    with pytest.raises(CorollaryError, match="no format 'xml'"):
        export(campaign, tmp_path / "y.csv", format="xml")
    assert sorted(path.name for path in tmp_path.glob("*.csv")) == ["x.csv"]


def coded(folder, names):
    """A campaign whose labels are codes, some of them with a name to read."""
    onto = co.Ontology.parse('"GO:1" > "GO:2", names')
    labels = {label: {"name": name} for label, name in names.items()} | {
        "names": {"definition": "no code"}
    }
    items = [Item("a", text="one", fields={"names": "old"}), Item("b", text="two")]
    made = Campaign.create(
        folder / f"{len(names)}.sqlite", items, onto, name="x", settings={"labels": labels}
    )
    made.add("lead", facts=[("a", "GO:2", True), ("a", "names", True), ("b", "GO:1", False)])
    return made


READABLE = {"GO:1": "biological process", "GO:2": " growth;  slow "}


def test_codes_have_their_readable_names_beside_them(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    with coded(tmp_path, READABLE) as made:
        snapshot = take_snapshot(made)
        rows = lines(made)
        assert list(rows[0]) == ["item", "label", "name", *LONG[2:]]
        assert [(row["label"], row["name"]) for row in rows[:3]] == [
            ("GO:1", "biological process"), ("GO:2", "growth; slow"), ("names", "names"),
        ]  # fmt: skip
        assert rows[0]["because"].startswith("growth; slow (GO:2) is yes (")
        export(made, tmp_path / "x.parquet")
        table = parquet.read_table(tmp_path / "x.parquet")
        assert table.column_names == list(rows[0])
        assert [(one["label"], one["name"], one["value"]) for one in table.to_pylist()[:3]] == [
            ("GO:1", "biological process", True), ("GO:2", "growth; slow", True), ("names", "names", True),
        ]  # fmt: skip
        line = json.loads(next(iter(text_of(snapshot, "jsonl"))))
        assert line["labels"]["GO:1"]["name"] == "biological process"
        for kind in ("csv-wide", "label-studio-config"):  # the columns of one, another tool's form
            assert "name" not in next(iter(text_of(snapshot, kind))).splitlines()[0].split(",")
        for file, kind in (
            ("x.csv", "csv-long"),
            ("y.csv", "csv-items"),
            ("x.jsonl", "jsonl"),
            ("x.parquet", None),
        ):
            export(made, tmp_path / file, format=kind, replace=True)
            _, facts = read_items(tmp_path / file, made, form=Form(only_labels=True))
            assert {("a", "GO:2", True), ("a", "names", True)} <= set(facts)


@pytest.mark.parametrize("names", [{}, {"GO:1": ""}, {"GO:1": " GO:1 ", "GO:2": "GO:2"}])
def test_without_readable_names_files_are_as_they_were(tmp_path, names):
    with coded(tmp_path, names) as made:
        snapshot = take_snapshot(made)
        assert next(iter(text_of(snapshot, "csv-long"))).splitlines()[0].split(",") == list(LONG)
        assert (
            next(iter(text_of(snapshot, "csv-items"))).splitlines()[0]
            == "id,text,names,labels,origin,probability"
        )
        for kind in ("jsonl", "jsonl-items"):
            assert '"name":' not in "".join(text_of(snapshot, kind))
