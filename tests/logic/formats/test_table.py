from __future__ import annotations

import pytest
from hypothesis import given

from corollary.logic.errors import FormatError
from corollary.logic.formats import read, table
from corollary.logic.language.constraints import Subsumes
from corollary.logic.language.notation import Document, document

from ...real_data import data_path
from .documents import documents


def from_text(text, **options):
    return table.read(text.encode(), file="t.csv", **options)


def test_rows():
    found = from_text("bird,animal\nfish,animal\nrobin,bird\nstone,\n")
    assert found.labels == ("bird", "animal", "fish", "robin", "stone")
    assert found.constraints == tuple(
        Subsumes(p, (c,)) for c, p in [("bird", "animal"), ("fish", "animal"), ("robin", "bird")]
    )
    assert [str(constraint.source) for constraint in found.constraints] == [
        "t.csv:1",
        "t.csv:2",
        "t.csv:3",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "child,parent\na,b\n",
        "Parent,Child\nb,a\n",
        "\ufeffCHILD , PARENT\r\n\r\n a , b \r\n",
        "a,b",
    ],
)
def test_headers(text):
    assert from_text(text).constraints == (Subsumes("b", ("a",)),)


def test_headers_can_be_said():
    assert from_text("class,superclass\na,b\n", header=True).constraints == (Subsumes("b", ("a",)),)
    assert from_text("child,parent\n", header=False).constraints == (
        Subsumes("parent", ("child",)),
    )


def test_further_columns_are_listed():
    assert from_text("child,parent,kind,\na,b,x,\n").not_expressed == (
        "the column 'kind'",
        "the column ''",
    )
    assert from_text("a,b\nc,d,x,y\ne,f,z\n").not_expressed == ("column 3", "column 4")
    assert from_text("a,b,,\n").not_expressed == ()


def test_a_repeated_row_is_said_once():
    assert len(from_text("a,b\na,b\n").constraints) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\nc\n", "row 2: expected child,parent, got one column"),
        ("a;b\n", "row 1: .* pass delimiter=';'"),
        ("a,b\n\n,c\n", "row 3: the child is empty"),
        ("a,b\nc,c\n", "row 2: 'c' is its own parent"),
        ('a,b\n"c,d\n', "row 2: unexpected end of data"),
        ('a,b\n"c"x,d\n', "row 2: .*expected after"),
        ("a,b\nc\u200b,d\n", "row 2: the label name .* unprintable"),
        (",\n", "has no rows"),
    ],
)
def test_errors_name_the_row(text, message):
    with pytest.raises(FormatError, match=f"t.csv.*{message}"):
        from_text(text)


@given(documents())
def test_round_trip_of_the_tree(given_document):
    tree = [
        constraint for constraint in given_document.constraints if isinstance(constraint, Subsumes)
    ]
    data, lost = table.write(given_document)
    assert len(lost) == len(given_document.constraints) - len(tree)
    edges = dict.fromkeys((child, c.parent) for c in tree for child in c.children)
    back = table.read(data, file="t.csv")
    assert back == document([Subsumes(p, (c,)) for c, p in edges], labels=given_document.labels)


def test_labels_called_as_the_header():
    made = Document(("child", "parent"), (Subsumes("parent", ("child",)),))
    assert table.read(table.write(made)[0], file="t.csv") == made


def test_wordnet_nouns():
    nouns = read(data_path("wordnet_imagenet", "wordnet30_noun_hypernyms.tsv.gz"))
    assert len(nouns.labels) == 82_115
    assert len(nouns.constraints) == 84_427
    assert nouns.not_expressed == ("the column 'kind'",)


@pytest.mark.parametrize("delimiter", [None, "", ",,", 3, "\n", '"'])
def test_a_delimiter_is_one_character(delimiter):
    with pytest.raises(FormatError, match="delimiter must be one character"):
        table.read(b"a,b\n", file="t", delimiter=delimiter)
