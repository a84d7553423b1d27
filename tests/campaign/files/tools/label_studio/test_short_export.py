"""Label Studio's short export."""

from __future__ import annotations

from corollary.campaign.files.tools.formats import Record, read_records

from .payloads import question, written


def test_the_short_export_is_read(tmp_path):
    about = {
        "annotator": 3,
        "annotation_id": 8,
        "created_at": "",
        "updated_at": "",
        "lead_time": 2.0,
    }
    shown = {"item": "robin", "text": "the robin"}
    path = written(
        tmp_path,
        {**shown, "id": 1, "labels": [{"taxonomy": [["animal", "bird"]]}], **about},
        {**shown, "id": 2, "labels": {"choices": ["animal", "fish"]}, **about},
        {**shown, "id": 3, "labels": "plant", **about},
        {**question()["data"], "id": 4, "answer": "No", **about},
    )
    tree, many, single, asked = read_records(path, "label-studio-min")
    assert tree.labels == {"animal": True, "bird": True}
    assert many.labels == {"animal": True, "fish": True}
    assert single == Record("task 3", "robin", {"plant": True}, "the robin", {}, "label-studio-3")
    assert (asked.labels, asked.listed) == ({"bird": False}, False)
