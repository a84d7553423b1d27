"""Exports: every value with its source, the same for the same campaign, and readable by an import."""

from __future__ import annotations

import csv
import json
from contextlib import contextmanager

import numpy as np
import pytest

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.campaign.files.exports.exports import LONG, export, text_of
from corollary.campaign.files.exports.provenance import Reasons, take_snapshot
from corollary.campaign.files.imports.file_form import Form
from corollary.campaign.files.imports.imports import check_import, read_items
from corollary.campaign.items import Item
from corollary.logic.errors import CorollaryError

ONTO = co.Ontology.parse(
    "animal > exclusive: bird, fish, mammal\nplace > exclusive: city, river\nexclusive: animal, place"
)
WORDS = ("feather wing", "fin water", "fur milk", "street house", "bank flow")


@contextmanager
def campaign_in(folder):
    items = [Item(f"i{n}", text=f"{WORDS[n % 5]} {n}") for n in range(10)]
    settings = {"retrain_every": 10**6, "learner": "logistic"}
    with Campaign.create(folder / "x.sqlite", items, ONTO, name="x", settings=settings, lead="mara") as made:
        made.invite("ann")
        made.answer("ann", "i0", "bird", True)
        made.answer("mara", "i0", "bird", True)
        made.answer("ann", "i1", "animal", False)
        made.add("mara", facts=[("i2", "mammal", True)])
        made.answer("ann", "i3", "city", True)
        made.answer("mara", "i3", "city", False)
        yield made


@pytest.fixture
def campaign(tmp_path):
    with campaign_in(tmp_path) as made:
        yield made


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """The same with a model; one for all tests, which only read it."""
    with campaign_in(tmp_path_factory.mktemp("trained")) as made:
        made.retrain(wait=True)
        yield made


def lines(campaign, **options):
    text = "".join(text_of(take_snapshot(campaign), "csv", **options))
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
    assert (asked["value"], asked["source"], asked["by"], asked["because"]) == ("yes", "asked", "ann; mara", "")
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
                assert row["source"] in ("asked", "implied")
                assert row["probability"] == ""
    assert {row["source"] for row in lines(trained, predictions=False)} == {"asked", "implied", "open"}


def test_json_lines_tell_the_answers_and_the_constraints(campaign):
    found = [json.loads(line) for line in text_of(take_snapshot(campaign), "jsonl")]
    assert [line["item"] for line in found] == [f"i{n}" for n in range(10)]
    bird, animal = found[0]["labels"]["bird"], found[0]["labels"]["animal"]
    said = {"label": "bird", "value": True, "events": [1, 2], "by": ["ann", "mara"], "at": campaign.state.event(1).at}
    assert bird == {"value": True, "source": "asked", "ontology": 1, "answers": [said]}
    assert animal["answers"] == [said]
    behind = co.Ontology.parse("labels: " + ", ".join(ONTO.labels) + "\n" + "\n".join(animal["constraints"]))
    assert behind.propagate({"bird": True})["animal"] is True
    assert found[3]["conflicts"] == [{"kind": "disagreement", "message": "People disagree on city", "answers": [5, 6]}]
    assert found[0]["text"] == "feather wing 0"


def test_every_reason_holds_and_none_could_be_left_out(campaign):
    for item, _, cells in take_snapshot(campaign).rows():
        for one in cells:
            if one.source != "implied":
                continue
            answers = {said.label: said.value for said in one.answers}
            rules = "\n".join(("labels: " + ", ".join(ONTO.labels), *one.reason.constraints))
            assert co.Ontology.parse(rules).propagate(answers)[one.label] == one.value, item
            for label in answers:
                fewer = {other: value for other, value in answers.items() if other != label}
                assert one.label not in ONTO.propagate(fewer)


def test_reasons_are_found_once_for_all_items_with_the_same_answers():
    reasons = Reasons(ONTO)
    first = reasons.of("animal", True, {"bird": True})
    assert reasons.of("animal", True, {"place": False, "bird": True}) is first
    other = reasons.of("animal", True, {"fish": True})
    assert other is not first
    assert other.labels == ("fish",)


def test_names_can_be_left_out(campaign):
    text = "".join(text_of(take_snapshot(campaign, names=False), "csv"))
    assert "mara" not in text
    assert "annotator 1; annotator 2" in text
    assert "import" in text


@pytest.mark.parametrize("format", ["csv", "csv-wide", "jsonl", "parquet"])
def test_the_same_campaign_gives_the_same_file(campaign, tmp_path, format):
    for name in ("one", "two"):
        assert export(campaign, tmp_path / name, format=format) == 10
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert list(tmp_path.glob("*.partial")) == []


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
    with Campaign.create(tmp_path / "y.sqlite", [Item(f"i{n}", text="x") for n in range(10)], ONTO, name="y") as other:
        _, facts = read_items(path, other, form=Form(only_labels=True))
        assert sorted(facts) == [("i0", "bird", True), ("i1", "animal", False), ("i2", "mammal", True)]
        other.add("lead", facts=facts)
        assert np.array_equal(other.state.facts, trained.state.facts)


def test_no_text_is_a_formula_when_it_must_be_safe(tmp_path):
    onto = co.Ontology.parse('labels: "=bird", fish')
    items = [Item("=1+1", text='=HYPERLINK("x")'), Item("-a", text="@b"), Item("plain", text="plain")]
    with Campaign.create(tmp_path / "x.sqlite", items, onto, name="x") as made:
        for kind in ("csv", "csv-wide"):
            plain, safe = (
                list(csv.reader("".join(text_of(take_snapshot(made), kind, safe=safe)).splitlines()))
                for safe in (False, True)
            )
            assert any(value.startswith(("=", "-", "@")) for row in plain for value in row)
            assert not any(value.startswith(("=", "-", "@", "+")) for row in safe for value in row)
            assert [[value.removeprefix("'") for value in row] for row in safe] == plain


@pytest.mark.parametrize("safe", [True, False])
@pytest.mark.parametrize("format", ["csv", "csv-wide"])
def test_an_import_gives_back_what_an_export_made_harmless(tmp_path, format, safe):
    onto = co.Ontology.parse('labels: "=bird", fish, "\'-fish"')
    starts = ("=", "+", "-", "@", "\t", "\r", "'=", "''-", "'a", "")
    items = [Item(f"{start.strip()}{n}", text=f"{start}{n}") for n, start in enumerate(starts)]
    with Campaign.create(tmp_path / "x.sqlite", items, onto, name="x") as made:
        made.add("lead", facts=[(item.id, label, True) for item in items for label in onto.labels])
        export(made, tmp_path / "x.csv", format=format, safe=safe)
        if format == "csv-wide":
            found = check_import(tmp_path / "x.csv", onto)
            assert [(item.id, item.text) for item in found.items()] == [(item.id, item.text) for item in items]
        _, facts = read_items(tmp_path / "x.csv", made, form=Form(only_labels=True))
        assert sorted(facts) == sorted((item.id, label, True) for item in items for label in onto.labels)


def test_apostrophes_of_other_peoples_tables_stay(tmp_path):
    (tmp_path / "x.csv").write_text("id,text\na,'-ism is an ending\n", encoding="utf-8")
    assert [item.text for item in check_import(tmp_path / "x.csv", ONTO).items()] == ["'-ism is an ending"]


def test_files_are_not_overwritten_and_formats_are_known(campaign, tmp_path):
    path = tmp_path / "x.csv"
    export(campaign, path)
    with pytest.raises(CorollaryError, match="exists already.* pass replace=True"):
        export(campaign, path)
    export(campaign, path, replace=True, predictions=False)
    with pytest.raises(CorollaryError, match="does not tell a format"):
        export(campaign, tmp_path / "x.txt")
    with pytest.raises(CorollaryError, match="there is no folder"):
        export(campaign, tmp_path / "none" / "x.csv")
    with pytest.raises(CorollaryError, match="no format 'xml'"):
        export(campaign, tmp_path / "y.csv", format="xml")
    assert sorted(path.name for path in tmp_path.glob("*.csv")) == ["x.csv"]
