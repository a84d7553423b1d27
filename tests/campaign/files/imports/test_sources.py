"""Rows of tables and JSON lines: how they are found, and how broken ones are told."""

from __future__ import annotations

import pytest

from corollary.campaign.files.imports.file_form import Form
from corollary.campaign.files.imports.imports import check_import
from corollary.campaign.items import Item

from .refusals import ONTO, refused


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_what_separates_the_columns_is_found(write, separator):
    path = write(
        "x.csv",
        separator.join(("id", "text"))
        + "\n"
        + separator.join(("a", '"say ""hi"", \n twice"'))
        + "\n",
    )
    assert list(check_import(path, ONTO).items()) == [Item("a", 'say "hi", \n twice')]


def test_what_separates_the_columns_can_be_told(write):
    path = write("x.csv", "id:text,with,commas\na:robin\n")
    assert list(check_import(path, ONTO, Form(delimiter=":")).items()) == [
        Item("a", None, {"text,with,commas": "robin"})
    ]
    path = write("x.csv", "id\ttext, a, b\na\tcarp\n")
    assert [item.id for item in check_import(path, ONTO, Form(delimiter="\\t")).items()] == ["a"]
    assert "separated by one sign" in refused(path, Form(delimiter="::"))


def test_tsv_byte_order_mark_and_blank_lines(write):
    path = write("x.tsv", b"\xef\xbb\xbfid\ttext\r\na\tone, two\r\n\r\n")
    assert list(check_import(path, ONTO).items()) == [Item("a", "one, two")]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "is empty; its first line must name the columns"),
        (b"id,text\n", "has no rows"),
        (b"id,text\na,b,c\n", "line 2: 3 columns, but the first line names 2"),
        (b'id,text\na,b\nc,"open\n', "line 3: not a good table"),
        (b"id,text\na,ok\nb,caf\xe9\n", "line 3, byte 6 (0xE9, after 'b,caf'): not UTF-8 text"),
        (
            "id,text\na,é\n".encode("utf-16"),
            "is UTF-16 text; save it as UTF-8, or pass encoding='utf-16'",
        ),
        (b"id,text\na,x\0y\n", "has a NUL or half a character"),
        (b"id,text\n" + b"x" * 501 + b",y\n", "is longer than 500 characters"),
    ],
)
def test_broken_tables(write, content, told):
    assert told in refused(write("x.csv", content))


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('{"id": "a"}\n{"id": }\n', "line 2: not JSON, column 8"),
        ('["a"]\n', "line 1: each line must be an object"),
        ('{"id": NaN}\n', "NaN is no number in JSON"),
        ('{"id": 1.5}\n', "an id must be a text or a whole number, got 1.5"),
        ('{"text": "a"}\n{"id": "b"}\n', "line 1: column 'id': the id is missing"),
        ('{"id": "a", "labels": [1]}\n', "labels must be named by texts"),
    ],
)
def test_broken_json_lines(write, content, told):
    assert told in refused(write("x.jsonl", content))


def test_other_encodings(write):
    for encoding in ("cp1252", "utf-16", "latin-1"):
        path = write("x.csv", "id,text\na,café\n".encode(encoding))
        assert list(check_import(path, ONTO, Form(encoding=encoding)).items()) == [
            Item("a", "café")
        ]
    assert "unknown encoding 'uft'" in refused(path, Form(encoding="uft"))
    assert "not utf-16 text" in refused(write("x.csv", b"\xff\xfei"), Form(encoding="utf-16"))


def test_a_line_without_end_does_not_fill_the_memory(write, monkeypatch):
    monkeypatch.setattr("corollary.campaign.files.imports.sources.LONGEST_LINE", 100)
    assert "line 1 has more than 100 bytes" in refused(write("x.csv", "x" * 1000))


def test_a_first_line_of_empty_cells_is_told(write):
    assert "empty cells only" in refused(write("x.csv", ",,,\n"))
    assert "empty cells only" in refused(write("y.csv", ",,,\n,,,\n"))


def test_columns_are_not_separated_by_quotes_or_line_ends(write):
    for sign in ('"', "\n", "\r"):
        assert "one sign such as" in refused(write("x.csv", "id,text\na,b\n"), Form(delimiter=sign))


@pytest.mark.parametrize("depth", [101, 990, 100_000])
def test_what_is_nested_without_end_is_told(write, depth):
    deep = "[" * depth + "]" * depth
    assert "nested more than 100 deep" in refused(write("x.jsonl", f'{{"id": "a", "n": {deep}}}\n'))
    assert "nested more than 100 deep" in refused(
        write("x.json", f'[{{"text": "a", "label": [], "n": {deep}}}]')
    )


def test_what_is_nested_within_reason_is_read(write):
    deep = "[" * 99 + "]" * 99
    [item] = check_import(write("x.jsonl", f'{{"id": "a", "n": {deep}}}\n'), ONTO).items()
    assert item.fields["n"] == deep
