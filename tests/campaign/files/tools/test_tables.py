"""Tables of anybody's labels as records: names in a column, a column or a row for each label."""

from __future__ import annotations

import json

import pytest

import corollary as co
from corollary.campaign.files.imports.file_form import Form
from corollary.campaign.files.tools.tables import read_table

ONTO = co.Ontology.parse('labels: bird, fish, "red, white"')


@pytest.fixture
def records(tmp_path):
    def records(text, name="x.csv", **form):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return [(one.item, one.labels, one.listed) for one in read_table(path, ONTO, Form(**form))]

    return records


def test_names_in_a_column(records):
    text = 'id,labels\na,bird;fish\nb,"red, white"\nc,\nd,dragon\n'
    assert records(text) == [
        ("a", {"bird": True, "fish": True}, True),
        ("b", {"red, white": True}, True),
        ("c", {}, True),
        ("d", {"dragon": True}, True),  # whoever checks says that this is no label
    ]
    assert records("id,labels\na,bird/fish\n", separator="/") == [
        ("a", {"bird": True, "fish": True}, True)
    ]


def test_a_column_or_a_row_for_each_label(records):
    assert records("id,bird,fish\na,yes,no\nb,,1\n") == [
        ("a", {"bird": True, "fish": False}, False),
        ("b", {"fish": True}, False),
    ]
    assert records("item,label,value\na,bird,yes\na,fish,\n") == [
        ("a", {"bird": True}, False),
        ("a", {}, False),
    ]


def test_json_lines_with_lists_and_with_objects(records):
    lines = [
        {"id": "a", "labels": ["bird"]},
        {"id": "b", "labels": {"bird": True, "fish": {"value": False, "source": "asked"}}},
        {"id": "c", "labels": None},
    ]
    assert records("\n".join(map(json.dumps, lines)), "x.jsonl") == [
        ("a", {"bird": True}, True),
        ("b", {"bird": True, "fish": False}, False),
        ("c", {}, True),
    ]


def test_what_is_wrong_is_told_with_its_place(records):
    with pytest.raises(co.CorollaryError, match="x.csv has no labels: .*Its columns are: id, text"):
        records("id,text\na,b\n")
    with pytest.raises(
        co.CorollaryError, match="x.csv, line 2: column 'bird': 'maybe' is neither yes nor no"
    ):
        records("id,bird\na,maybe\n")
    with pytest.raises(
        co.CorollaryError, match="line 1: column 'labels': labels must be named by texts"
    ):
        records('{"id": "a", "labels": [1]}', "x.jsonl")
