"""Prodigy's choices: whole items, and those that are not finished."""

from __future__ import annotations

from pathlib import Path

from corollary.campaign.files.imports.file_form import Form
from corollary.campaign.files.imports.imports import check_import
from corollary.campaign.files.tools.formats import write_file

from ..snapshots import BELIEFS, ONTO, closed, lines, snapshot_of


def test_a_choice_that_is_not_finished_is_to_be_ignored(tmp_path: Path) -> None:
    answers = {"robin": {"sparrow": True, "red": False}, "thing": {"bird": True}}
    write_file(snapshot_of(answers, beliefs=BELIEFS[:2]), tmp_path / "x.jsonl", "prodigy-choice")
    robin, thing = lines(tmp_path / "x.jsonl")
    assert [option["id"] for option in robin["options"]] == list(ONTO.labels)
    assert (robin["accept"], robin["answer"]) == (["animal", "bird", "sparrow"], "accept")
    assert (thing["answer"], thing["meta"]["open"]) == ("ignore", 2)
    assert set(thing["accept"]) == {"animal", "bird", "sparrow", "red"}  # two are the model's
    said = closed(check_import(tmp_path / "x.jsonl", ONTO, Form(format="prodigy", complete=True)))
    assert said["robin"] == ONTO.propagate(answers["robin"])
    assert said["thing"] == ONTO.propagate({})
