from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.logic.errors import FormatError
from corollary.logic.formats import cnf
from corollary.logic.language import formula as f
from corollary.logic.language.constraints import AtLeastOne, Covers, Exclusive, Formula, Subsumes
from corollary.logic.language.notation import Document, parse
from corollary.logic.language.syntax import parse_formula

from ...fuzz.frame import within
from .documents import PLAIN, documents, worlds

EXAMPLE = """\
c an example
c label 1 big bird
c label 3 fish
p cnf 4 8
1 2 3 0
-1 2 0
-1 -3 0
-1 2 4 0 -4 0
-1 -2 -3 0
c a clause over several lines
-1
 -2 4
 0
1 0
"""


def from_text(text):
    return cnf.read(text.encode(), file="t.cnf")


def test_clauses_become_constraints():
    found = from_text(EXAMPLE)
    assert found.labels == ("big bird", "x2", "fish", "x4")
    assert found.constraints == (
        AtLeastOne(("big bird", "x2", "fish")),
        Subsumes("x2", ("big bird",)),
        Exclusive(("big bird", "fish")),
        Covers("big bird", ("x2", "x4")),
        Formula(parse_formula("~x4")),
        Formula(parse_formula('~"big bird" | ~x2 | ~fish')),
        Formula(parse_formula('~"big bird" | ~x2 | x4')),
        AtLeastOne(("big bird",)),
    )
    assert [str(constraint.source) for constraint in found.constraints][-2:] == [
        "t.cnf:13",
        "t.cnf:14",
    ]


def test_usual_variants():
    assert from_text("p  cnf\t2 1 \r\n1 -2 0\r\n%\r\n0\r\n").constraints == (
        Subsumes("x1", ("x2",)),
    )
    assert from_text("p cnf 1 0").labels == ("x1",)
    assert from_text("c\np cnf 1 1\n0\n").constraints == (Formula(f.FALSE),)
    assert from_text("p cnf 2 2\n1 -1 2 0\n1 1 2 0").constraints == (AtLeastOne(("x1", "x2")),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("c only a comment\n", "line 2: the header 'p cnf VARIABLES CLAUSES' is missing"),
        ("1 2 0\n", "line 1: a clause before the header"),
        ("p cnf 2\n", "line 1: expected 'p cnf VARIABLES CLAUSES', got 'p cnf 2'"),
        ("p wcnf 2 1\n", "line 1: expected 'p cnf"),
        ("p cnf -2 1\n", "line 1: expected 'p cnf"),
        ("p cnf 2 1\np cnf 2 1\n", "line 2: a second header"),
        ("p cnf 2 1\n1 3 0\n", "line 2: variable 3 is out of range: the header says 2"),
        ("p cnf 2 1\n1 x 0\n", "line 2: expected a number, got 'x'"),
        ("p cnf 2 1\n1 2", "line 2: the last clause does not end with 0"),
        ("p cnf 2 2\n1 2 0\n", "the header says 2 clauses, found 1"),
        ("p cnf 2 1\n1 2 0\n1 0\n", "the header says 1 clauses, found 2"),
        ("c label 3 a\np cnf 2 0\n", "names variable 3, the header says 2"),
        ("c label 1 a\nc label 2 a\np cnf 2 0\n", "variables 1 and 2 are both called 'a'"),
        ("c label 1 x2\np cnf 2 0\n", "variables 1 and 2 are both called 'x2'"),
        ("c label 1 a\nc label 1 b\np cnf 2 0\n", "line 2: variable 1 is called 'a' and 'b'"),
        ("p cnf 99999999999 0\n", "at most 5,000,000 are read"),
        ("p cnf 2 1\n" + "9" * 5000 + " 0\n", "line 2: expected a number"),
    ],
)
def test_errors_name_the_line(text, message):
    with pytest.raises(FormatError) as caught:
        from_text(text)
    assert str(caught.value).startswith("t.cnf, line ")
    assert message in str(caught.value)


@given(documents())
@settings(max_examples=150)
def test_round_trip_keeps_names_and_worlds(given_document):
    data, lost = cnf.write(given_document)
    assert lost == []
    back = cnf.read(data, file="t.cnf")
    assert back.labels == given_document.labels
    assert worlds(back) == worlds(given_document)


@given(documents(names=st.sampled_from(PLAIN)))
def test_what_is_read_is_written_as_the_same_clauses(given_document):
    once, _ = cnf.write(given_document)
    again, _ = cnf.write(cnf.read(once, file="t.cnf"))
    assert sorted(tuple(sorted(line.split())) for line in once.splitlines()) == sorted(
        tuple(sorted(line.split())) for line in again.splitlines()
    )


def test_groups_and_formulas_that_do_not_fit_are_listed():
    labels = tuple(f"l{k}" for k in range(1_500))
    data, lost = cnf.write(Document(labels, (Exclusive(labels), Exclusive(labels[:3]))))
    assert len(lost) == 1
    assert "more than 1,000,000 clauses" in lost[0]
    assert len(cnf.read(data, file="t.cnf").constraints) == 3
    parity = " <-> ".join(labels[:40])
    _, lost = cnf.write(parse(f"rule: {parity}"))
    assert len(lost) == 1
    assert "more than 1,024 clauses" in lost[0]


@pytest.mark.parametrize(
    "text",
    [
        "p cnf {} 1\n1 0\n",
        "p cnf 1 {}\n1 0\n",
        "c label {} a\np cnf 1 0\n",
        "p cnf 1 1\n{} 0\n",
        "p cnf \u0663 0\n",
    ],
)
def test_a_number_of_5_000_digits_is_refused(text):
    with pytest.raises(FormatError, match="line [12]: expected a number"):
        from_text(text.format("9" * 5_000))


def test_a_comment_of_many_spaces_is_read_at_once():
    with within():
        assert from_text("c label 1" + " " * 200_000 + "\np cnf 1 0\n").labels == ("x1",)
