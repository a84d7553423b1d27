"""Which columns say what: found by their names, or named."""

from __future__ import annotations

import corollary as co
from corollary.campaign.files.imports.file_form import Form
from corollary.campaign.files.imports.imports import check_import
from corollary.campaign.items import Item

from ....fuzz.frame import within
from .refusals import ONTO, refused


def test_the_columns_are_found_and_numbers_are_numbers(write):
    path = write("x.csv", "ID,Text,weight,code,note\na,robin,3,007,\nb,carp,4.5,12,big\n")
    found = check_import(path, ONTO)
    assert list(found.items()) == [
        Item("a", "robin", {"weight": 3, "code": "007"}),
        Item("b", "carp", {"weight": 4.5, "code": "12", "note": "big"}),
    ]
    assert (found.n_items, found.facts) == (2, [])
    assert str(found.columns) == "id: ID; text: Text; shown beside: weight, code, note"


def test_columns_can_be_named_left_out_and_rows_numbered(write):
    path = write("x.csv", "text,who,what\nno,ann,robin\nno,ben,carp\n")
    found = check_import(path, ONTO, Form(id=":row", text="what", ignore=("text",)))
    assert list(found.items()) == [
        Item("1", "robin", {"who": "ann"}),
        Item("2", "carp", {"who": "ben"}),
    ]


def test_missing_columns(write):
    text = refused(write("x.csv", "foo,text\na,ok\n"))
    assert "has no column that is known to hold the ids" in text
    assert "Its columns are: foo, text" in text
    assert "has no column 'txt' for the text; did you mean 'text'?" in refused(
        write("x.csv", "id,text\na,ok\n"), Form(text="txt")
    )
    assert "has no column 'x' to ignore" in refused(
        write("x.csv", "id,text\na,ok\n"), Form(ignore=("x",))
    )
    assert "has two columns 'id'" in refused(write("x.csv", "id,id\na,ok\n"))


TEXTS = co.Ontology.parse("exclusive: text, call, balance")


def test_a_column_that_holds_prose_wins_over_a_label_of_its_name(write):
    path = write("x.csv", "id,text,call\na,text my mother,yes\nb,what is left,\nc,hello,no\n")
    found = check_import(path, TEXTS)
    assert [item.text for item in found.items()] == ["text my mother", "what is left", "hello"]
    assert found.facts == [("a", "call", True), ("c", "call", False)]
    assert found.notes == [
        "the column 'text' holds texts and is read as such; for the label of this name it says nothing"
    ]
    assert check_import(path, TEXTS, Form(text="text")).notes == []
    lines = write(
        "x.jsonl", '{"id": "a", "balance": "what is left there?", "text": true}\n{"id": "b"}\n'
    )
    found = check_import(lines, TEXTS)
    assert next(found.items()).fields == {"balance": "what is left there?"}
    assert found.facts == [("a", "text", True)]


def test_a_column_of_yes_and_no_with_a_slip_is_no_prose(write):
    text = refused(write("x.csv", "id,bird\na,yes\nb,present\n"))
    assert "line 3: column 'bird': 'present' is neither yes nor no" in text
    assert "If the column holds the texts of the items pass text='bird'" in text
    assert "or pass ignore='bird'" in text


def test_items_that_show_nothing_are_told_of(write):
    path = write("x.csv", "id,bird\na,yes\nb,no\n")
    (note,) = check_import(path, ONTO).notes
    assert note.startswith("there is nothing to see of the items but their ids")
    assert note.endswith("--text COLUMN")
    assert check_import(write("y.csv", "id,size\na,3\n"), ONTO).notes == []
    assert check_import(path, ONTO, Form(text="id")).notes == []


def test_many_columns_are_read_in_time(write):
    names = [f"c{n}" for n in range(32_000)]
    path = write("x.csv", f"id,{','.join(names)}\na,{','.join('1' * len(names))}\n")
    with within():
        assert len(next(check_import(path, ONTO).items()).fields) == len(names)


def test_every_problem_is_told_with_its_place(write):
    path = write("x.csv", "id,labels\na,brd\n,bird\nc,bird;fish\nd,\na,\nd,city\n")
    text = refused(path)
    assert text.startswith(f"{path} has 5 problems:")
    for line in (
        "line 2: column 'labels': unknown label 'brd'; did you mean 'bird'?",
        "line 3: column 'id': the id is missing",
        "line 4: item 'c': These answers cannot all be true: bird is yes, fish is yes",
        "line 6: column 'id': the id 'a' is there already, in line 2",
        "line 7: column 'id': the id 'd' is there already, in line 5",
    ):
        assert line in text
    assert text.endswith("Nothing was imported")


def test_of_many_problems_the_first_are_told(write):
    text = refused(write("x.csv", "id,labels\n" + "".join(f"{n},bird;fish\n" for n in range(30))))
    assert "has 30 problems, the first 5:\n  line 2: item '0'" in text
    assert text.count("\n") == 6
    assert "has 100 or more problems" in refused(write("x.csv", "id,labels\n" + "x,brd\n" * 300))
