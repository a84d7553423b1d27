"""Prodigy's examples: one for each known label, hashes kept, answers read as they are meant."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import corollary as co
from corollary.campaign.files.imports.file_form import Form
from corollary.campaign.files.imports.imports import check_import
from corollary.campaign.files.tools.formats import read_records, recognised, write_file, written
from corollary.campaign.files.tools.prodigy.examples import HASHES
from corollary.campaign.items import Item

from ..snapshots import ANSWERS, BELIEFS, ONTO, closed, lines, snapshot_of, write_lines


def test_prodigy_has_an_example_for_each_known_label(tmp_path: Path) -> None:
    items = [Item("robin", text="a small bird", fields={"size": 2, "_hidden": 1, "vector": [1.0]})]
    snapshot = snapshot_of({"robin": {"bird": True, "red": False}}, items=items, who=("ann", "ben"))
    write_file(snapshot, tmp_path / "x.jsonl", "prodigy")
    found = lines(tmp_path / "x.jsonl")
    asked = [one for one in found if one["meta"]["source"] == "asked"]
    assert [(one["label"], one["answer"], one["_annotator_id"]) for one in asked] == [
        ("bird", "accept", "ann"),
        ("bird", "accept", "ben"),
        ("red", "reject", "ann"),
        ("red", "reject", "ben"),
    ]
    assert asked[0] == {
        "text": "a small bird",
        "meta": {"size": 2, "item": "robin", "source": "asked"},
        "label": "bird",
        "answer": "accept",
        "_view_id": "classification",
        "_annotator_id": "ann",
        "_session_id": "ann",
        "_timestamp": 1794722400,
    }
    implied = [one for one in found if one["meta"]["source"] == "implied"]
    assert {one["label"]: one["answer"] for one in implied} == {
        "animal": "accept",
        "fish": "reject",
        "plant": "reject",
    }
    assert not any("_annotator_id" in one for one in implied)


def test_no_prodigy_example_is_without_an_answer() -> None:
    text = "".join(written(snapshot_of(ANSWERS, beliefs=BELIEFS), "prodigy"))
    assert all("answer" in json.loads(line) for line in text.splitlines())


def test_prodigy_hashes_are_kept(tmp_path: Path) -> None:
    given_lines: list[dict[str, Any]] = [
        {
            "text": "a robin",
            "label": "bird",
            "answer": "accept",
            "_input_hash": -1530009927,
            "_task_hash": -340967702,
        },
        {
            "text": "a robin",
            "label": "red",
            "answer": "reject",
            "_input_hash": -1530009927,
            "_task_hash": 5,
        },
        {
            "text": "an oak",
            "options": [{"id": "plant"}],
            "accept": ["plant"],
            "answer": "accept",
            "_task_hash": 7,
        },
    ]
    path = write_lines(tmp_path / "in.jsonl", given_lines)
    found = check_import(path, ONTO, Form(format="prodigy"))
    items = list(found.items())
    assert found.n_items == len(items) == 2
    assert json.loads(items[0].fields[HASHES]) == {
        "input": -1530009927,
        "tasks": {"bird": -340967702, "red": 5},
    }
    answers: dict[str, dict[str, bool]] = {}
    for item, label, value in found.facts:
        answers.setdefault(item, {})[label] = value
    snapshot = snapshot_of(answers, items=items)
    write_file(snapshot, tmp_path / "out.jsonl", "prodigy")
    back = {one["label"]: one for one in lines(tmp_path / "out.jsonl") if one["text"] == "a robin"}
    for before in given_lines[:2]:
        after = back[before["label"]]
        assert {name: after[name] for name in before} == before
    assert back["animal"]["_input_hash"] == -1530009927
    assert "_task_hash" not in back["animal"]  # it had none
    write_file(snapshot, tmp_path / "choice.jsonl", "prodigy-choice")
    robin, oak = lines(tmp_path / "choice.jsonl")
    assert (robin["_input_hash"], oak["_task_hash"]) == (-1530009927, 7)


def test_prodigy_answers_and_choices(tmp_path: Path) -> None:
    options = [{"id": label, "text": label.upper()} for label in ONTO.labels]
    path = write_lines(
        tmp_path / "in.jsonl",
        [
            {"text": "a", "label": "bird", "answer": "ignore", "_session_id": "birds-ann"},
            {"text": "b", "options": options, "accept": ["bird"], "answer": "accept"},
            {"text": "c", "options": options, "accept": ["bird"], "answer": "reject"},
            {"text": "d", "options": options, "accept": ["bird"], "answer": "ignore"},
            {"text": "e", "label": "fish", "_input_hash": 1},
            {"text": "f", "label": "fish", "answer": "accept", "meta": {"id": 17, "page": 3}},
        ],
    )
    assert recognised(path) == "prodigy"
    a, b, c, d, e, f = read_records(path, "prodigy")
    assert (a.labels, a.unsure, a.who, a.listed) == ({}, ("bird",), "birds-ann", False)
    assert (b.labels, b.listed) == ({"bird": True}, True)
    assert [(one.labels, one.listed) for one in (c, d, e)] == [({}, False)] * 3
    assert (f.item, f.labels, f.fields) == ("17", {"fish": True}, {"page": 3})
    assert "red" not in closed(check_import(path, ONTO, Form(format="prodigy")))[b.item]
    assert (
        closed(check_import(path, ONTO, Form(format="prodigy", complete=True)))[b.item]["red"]
        is False
    )


@pytest.mark.parametrize("label", ['["a"]', '{"a": 1}', "5"])
def test_a_label_of_prodigy_is_a_text(label: str, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(f'{{"text": "a", "label": {label}, "answer": "accept", "_task_hash": 5}}\n')
    with pytest.raises(co.CorollaryError, match="'label' must be text"):
        list(read_records(path, "prodigy"))


@pytest.mark.parametrize("kept", [5, "no JSON", "[1]", '{"tasks": 5}', {"tasks": {}}])
def test_a_field_of_ones_own_that_is_called_like_prodigys_hashes(kept: Any, tmp_path: Path) -> None:
    item = Item("a", text="robin", fields={HASHES: kept})
    write_file(snapshot_of({"a": {"bird": True}}, items=[item]), tmp_path / "x.jsonl", "prodigy")
    assert "_task_hash" not in lines(tmp_path / "x.jsonl")[0]
