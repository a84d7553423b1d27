from __future__ import annotations

import json

import pandas as pd
import pytest

import corollary as co
from corollary.campaign.files.predictions.predictions import read_predictions
from corollary.learning.witnesses.reports import Report
from corollary.logic.errors import CorollaryError


def said(item, label, probability):
    return Report(item, label, "old model", probability)


ONTO = co.Ontology.parse("animal > exclusive: bird, fish")
ITEMS = {"a", "b", "7"}
LONG = [
    {"item": "a", "label": "bird", "probability": 0.9},
    {"item": "a", "label": "fish", "probability": 0.05},
    {"item": "b", "label": "bird", "probability": None},
    {"item": "7", "label": "animal", "probability": 1.0},
]
WIDE = [
    {"item": "a", "bird": 0.9, "fish": 0.05, "animal": None},
    {"item": "b", "bird": None, "fish": None, "animal": None},
    {"item": "7", "bird": None, "fish": None, "animal": 1.0},
]
REPORTS = {
    said("a", "bird", 0.9),
    said("a", "fish", 0.05),
    said("7", "animal", 1.0),
}


def written(tmp_path, rows, kind):
    path = tmp_path / f"guesses{kind}"
    if kind == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif kind == ".parquet":
        pd.DataFrame(rows).to_parquet(path)
    else:
        pd.DataFrame(rows).to_csv(path, index=False, sep="\t" if kind == ".tsv" else ",")
    return path


def read(path, **options):
    return read_predictions(path, ONTO, "old model", ITEMS.__contains__, **options)


def refused(path, **options):
    with pytest.raises(CorollaryError) as caught:
        read(path, **options)
    return str(caught.value)


@pytest.mark.parametrize("kind", [".csv", ".tsv", ".jsonl", ".parquet"])
@pytest.mark.parametrize("rows", [LONG, WIDE], ids=["long", "wide"])
def test_every_kind_of_table_says_the_same(tmp_path, rows, kind):
    found = read(written(tmp_path, rows, kind))
    assert set(found.reports) == REPORTS
    assert len(found.reports) == 3


def test_columns_are_found_by_their_names_or_named(tmp_path):
    path = tmp_path / "guesses.csv"
    path.write_text("Name,LABEL,Score\na,bird,0.9\n")
    assert (
        "guesses.csv needs a column item with the items' ids; its columns are: Name, LABEL, Score"
        in refused(path)
    )
    found = read(path, item_column="Name")
    assert found.reports == [said("a", "bird", 0.9)]
    assert found.notes == ["columns: item: Name; label: LABEL; probability: Score"]
    assert "has no column 'name'; did you mean 'Name'?" in refused(path, item_column="name")
    path.write_text("id,text,bird,brid\na,robin,0.9,0.1\n")
    assert read(path).notes == [
        "columns: item: id; one for each of 1 labels",
        "not read, since they are no labels: text, brid",
    ]
    path.write_text("id,brid\na,0.9\n")
    assert "or a column named like a label; did you mean 'bird'?" in refused(path)


def test_all_that_is_wrong_is_told_with_its_line(tmp_path):
    path = tmp_path / "guesses.csv"
    path.write_text(
        "item,label,p\na,bird,0.9\nzebra,bird,0.9\na,brid,0.9\na,fish,90\na,bird,0.8\n,bird,0.1\na,,0.5\n"
    )
    told = refused(path)
    assert "has 6 problems, the first 5:" in told
    for line in (
        "line 3: there is no item 'zebra'",
        "line 4: unknown label 'brid'; did you mean 'bird'?",
        "line 5: column 'p': '90' is not a probability from 0 to 1; divide percents by 100",
        "line 6: item 'a': bird is there already, see line 2; leave one out",
        "line 7: column 'item' is empty; it must name an item",
    ):
        assert line in told
    path.write_text("item,label,p\na,,0.5\n")
    assert "line 2: column 'label' is empty; it must name a label" in refused(path)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("guesses.csv", "item,label,p\n", "has no predictions: there is nothing to import"),
        ("guesses.csv", "item,label,p\na,bird,\n", "has no predictions"),
        ("guesses.csv", "", "is empty"),
        ("guesses.xlsx", "", "the ending '.xlsx' is not known"),
        (
            "guesses.json",
            '[{"item": "a"}]',
            "has no tasks of Label Studio with predictions; a table's name ends in",
        ),
        ("guesses.jsonl", '{"item": "a"', "guesses.jsonl"),
        ("guesses.jsonl", "[1]\n", "expected an object"),
    ],
)
def test_files_that_say_nothing(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    assert message in refused(tmp_path / name)


def test_label_studio(tmp_path):
    def task(item, *labels, version="m1"):
        result = [{"type": "choices", "value": {"choices": list(labels)}, "score": 0.8}]
        return {
            "data": {"item": item},
            "predictions": [{"model_version": version, "result": result}],
        }

    path = tmp_path / "tasks.json"
    path.write_text(json.dumps([task("a", "bird"), task("b", "animal", "fish")]))
    found = read(path)
    assert set(found.reports) == {
        said("a", "bird", 0.8),
        said("b", "animal", 0.8),
        said("b", "fish", 0.8),
    }
    assert found.notes == ["Label Studio's predictions, version m1"]
    assert "has no predictions of 'm3'; versions of models: m1" in refused(path, version="m3")
    path.write_text(
        json.dumps([task("a", "bird"), task("a", "brid", version="m2"), task("zebra", "bird")])
    )
    assert "has versions of models: m1, m2; name one of them" in refused(path)
    told = refused(path, version="m2")
    assert "object 2: unknown label 'brid'" in told
    assert "object 3: there is no item 'zebra'" in told
    lines = tmp_path / "tasks.jsonl"
    lines.write_text(json.dumps(task("a", "bird")) + "\n")
    assert read(lines).reports == [said("a", "bird", 0.8)]
