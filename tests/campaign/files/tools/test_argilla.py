"""Argilla's records: responses for what is known, by person, and suggestions else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import corollary as co
from corollary.campaign.files.imports.file_form import Form
from corollary.campaign.files.imports.imports import check_import
from corollary.campaign.files.tools.formats import read_records, recognised, write_file

from .snapshots import ANSWERS, BELIEFS, ONTO, lines, snapshot_of, write_lines


def test_argilla_has_responses_for_what_is_known_and_suggestions_else(tmp_path: Path) -> None:
    write_file(snapshot_of(ANSWERS, beliefs=BELIEFS), tmp_path / "x.jsonl", "argilla")
    assert recognised(tmp_path / "x.jsonl") == "argilla"
    robin, oak, _, _ = lines(tmp_path / "x.jsonl")
    assert robin["responses"] == {
        "labels": [{"value": ["animal", "bird", "sparrow"], "user_id": "ann"}]
    }
    assert robin["suggestions"] == {}
    assert oak["responses"] == {}
    suggested = oak["suggestions"]["labels"]
    assert suggested["value"] == ["plant", "red"]
    assert suggested["score"] == [1.0, pytest.approx(0.999999)]
    assert suggested["agent"] == "corollary-model-3-ontology-1"
    assert oak["metadata"]["corollary_yes"] == ["plant"]


def test_argilla_responses_by_person(tmp_path: Path) -> None:
    record = {
        "id": "7",
        "fields": {"prompt": "a robin", "title": "T"},
        "metadata": {"page": 2, "corollary_no": ["bird", "red"]},
        "suggestions": {"labels": {"value": ["fish"], "score": None, "agent": None}},
        "responses": {
            "labels": [
                {"value": ["bird"], "user_id": "u1"},
                {"value": ["fish"], "user_id": "u2", "status": "discarded"},
                {"value": ["sparrow"], "user_id": "u3"},
            ],
            "comment": [{"value": "nice", "user_id": "u1"}],
        },
    }
    path = write_lines(tmp_path / "x.jsonl", [record])
    one, two = read_records(path, "argilla")
    assert (one.who, one.labels, one.listed) == ("u1", {"bird": True, "red": False}, True)
    assert (two.who, two.labels) == ("u3", {"bird": False, "red": False, "sparrow": True})
    assert (one.text, one.fields) == ("a robin", {"page": 2, "title": "T"})
    del record["responses"]["labels"]
    (only,) = read_records(write_lines(path, [record]), "argilla")  # the one question left
    assert only.labels["nice"] is True  # whoever takes the record says that this is no label
    with pytest.raises(co.CorollaryError, match="unknown label 'nice'"):
        check_import(path, ONTO, Form(format="argilla"))
    (path).write_text(
        json.dumps([record | {"responses": {}}])
    )  # a list, as Argilla's to_json writes it
    (empty,) = read_records(path, "argilla")
    assert (empty.labels, empty.listed) == ({"bird": False, "red": False}, False)
