"""Objects of JSON files, read bit by bit."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corollary.campaign.files.tools import json_objects as objects
from corollary.campaign.files.tools.json_objects import objects_in
from corollary.logic.errors import CorollaryError

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(
    found=st.lists(st.dictionaries(st.text(), VALUES, max_size=4), max_size=5),
    chunk=st.integers(1, 40),
    ascii=st.booleans(),
)
def test_lists_and_lines_are_read_whatever_the_pieces(tmp_path_factory, found, chunk, ascii):
    path = tmp_path_factory.mktemp("json") / "one.json"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(objects, "CHUNK", chunk)
        for indent in (None, 2):
            path.write_text(json.dumps(found, indent=indent, ensure_ascii=ascii), encoding="utf-8")
            assert [one for _, one in objects_in(path)] == found
        path.write_text(
            "\n".join(json.dumps(one, ensure_ascii=ascii) for one in found), encoding="utf-8"
        )
        assert [one for _, one in objects_in(path)] == found


def test_places_are_told(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1}\n\n{"a": 2}\n')
    assert [place for place, _ in objects_in(path)] == ["line 1", "line 3"]
    path.write_text('[{"a": 1},\n {"a": 2}]\n')
    assert [place for place, _ in objects_in(path)] == ["object 1", "object 2"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[{"a": 1}', "cut off"),
        ('[{"a": 1} {"a": 2}]', "comma"),
        ('[{"a": 1}] 5', "after the end"),
        ('[{"a": }]', "line 1: not good JSON"),
        ('{"a": 1}\n{"a": "b', "line 2"),
        ("[1]", "expected an object"),
        ('{"a": NaN}', "NaN"),
    ],
)
def test_bad_files_are_told(tmp_path, text, told):
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(CorollaryError, match=told):
        list(objects_in(path))


def test_an_error_ends_the_reading_at_once(tmp_path, monkeypatch):
    path = tmp_path / "bad.json"
    path.write_text('[{"a": 1},\n{"a": oops}' + ',{"b": "c"}' * 10_000 + "]")
    monkeypatch.setattr(objects, "CHUNK", 100)
    read = objects_in(path)
    next(read)
    with pytest.raises(CorollaryError, match="line 2"):
        next(read)


def test_other_encodings_are_told(tmp_path):
    path = tmp_path / "latin.json"
    path.write_bytes('[{"a": "é"}]'.encode("latin-1"))
    with pytest.raises(CorollaryError, match="UTF-8"):
        list(objects_in(path))
