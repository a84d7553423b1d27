"""doccano's lines: what has no place in them stays beside, and nothing is closed by itself."""

from __future__ import annotations

from pathlib import Path

from corollary.campaign.files.imports.file_form import Form
from corollary.campaign.files.imports.imports import check_import
from corollary.campaign.files.tools.formats import read_records, recognised, write_file

from .snapshots import ANSWERS, BELIEFS, ONTO, closed, lines, snapshot_of, write_lines


def test_doccano_keeps_what_has_no_place_beside_it(tmp_path: Path) -> None:
    write_file(snapshot_of(ANSWERS, beliefs=BELIEFS), tmp_path / "x.jsonl", "doccano")
    robin, oak, thing, new = lines(tmp_path / "x.jsonl")
    assert (robin["id"], robin["text"], robin["label"]) == (
        "robin",
        "the robin",
        ["animal", "bird", "sparrow"],
    )
    assert robin["corollary"] == {"item": "robin", "no": ["fish", "plant", "red"]}
    assert set(oak["corollary"]["predicted"]) == {"red"}
    assert (thing["label"], new["label"]) == ([], [])
    # as doccano hands it out: an id of its own, and a label that someone has picked since
    thing |= {"id": 3, "label": ["bird"], "Comments": []}
    (one,) = read_records(write_lines(tmp_path / "y.jsonl", [thing]), "doccano")
    assert (one.item, one.labels["bird"], one.listed, one.fields) == ("thing", True, True, {})


def test_doccano_is_of_a_closed_world_only_if_someone_says_so(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "x.jsonl", [{"id": 1, "text": "a", "label": ["fish"], "page": 2}])
    assert recognised(path) == "doccano"
    assert "red" not in closed(check_import(path, ONTO, Form(format="doccano")))["1"]
    assert (
        closed(check_import(path, ONTO, Form(format="doccano", complete=True)))["1"]["red"] is False
    )
    (one,) = read_records(path, "doccano")
    assert one.fields == {"page": 2}
