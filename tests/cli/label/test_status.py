"""`corollary status`."""

from __future__ import annotations

import json


def test_status_in_words_tables_and_json(call, place):
    text = call("status", place, "--labels", "--people").stdout
    assert text.startswith("things\n")
    assert "4 items, 8 labels, 1 person" in text
    assert "2 imported" in text
    assert "no model yet" in text
    assert "red square" in text
    found = json.loads(call("status", place, "--json").stdout)
    assert (found["name"], found["items"], found["imported"]) == ("things", 4, 2)
    assert [one["label"] for one in found["by_label"]][:2] == ["animal", "bird"]
