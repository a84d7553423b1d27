"""spaCy's cats: 0 and 1 for what is known."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from corollary.campaign.files.imports.file_form import Form
from corollary.campaign.files.imports.imports import check_import
from corollary.campaign.files.tools.formats import recognised, write_file

from ..snapshots import ANSWERS, ONTO, lines, snapshot_of, write_lines


def test_spacy_says_what_is_known_by_0_and_1(tmp_path: Path) -> None:
    write_file(snapshot_of(ANSWERS, beliefs=np.ones((4, len(ONTO)))), tmp_path / "x.jsonl", "spacy")
    assert recognised(tmp_path / "x.jsonl") == "spacy"
    robin, oak, _, _ = lines(tmp_path / "x.jsonl")
    assert robin["cats"] == {"animal": 1, "bird": 1, "fish": 0, "sparrow": 1, "plant": 0, "red": 0}
    assert oak["cats"]["red"] == 1 - 1e-6
    assert robin["meta"] == {"item": "robin"}
    write_file(snapshot_of(ANSWERS), tmp_path / "y.jsonl", "spacy")
    assert "red" not in lines(tmp_path / "y.jsonl")[1]["cats"]


def test_items_without_ids_are_known_by_their_text(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "x.jsonl",
        [
            {"text": "a robin", "cats": {"bird": 1.0}},
            {"text": "a robin", "cats": {"red": 0}},
            {"text": "b", "cats": {}},
        ],
    )
    found = check_import(path, ONTO, Form(format="spacy"))
    assert found.n_items == 2
    assert {(label, value) for _, label, value in found.facts} == {("bird", True), ("red", False)}
