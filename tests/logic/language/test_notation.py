from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.logic.errors import NotationError, OntologyError
from corollary.logic.language import constraints as c
from corollary.logic.language import formula as f
from corollary.logic.language.notation import (
    WIDTH,
    Document,
    document,
    parse,
    quote,
    render,
    render_constraint,
    render_expression,
)
from corollary.logic.language.syntax import parse_formula

from ..formats.documents import documents, expressions, nasty_names

EXAMPLE = """\
# Who is who
animal > bird, fish, mammal
animal > exclusive: bird, fish, mammal

animal > exactly one: bird, fish   # a partition
animal > at least one: bird, fish
animal covered by bird, fish
exclusive: bird, fish, mammal
exactly one: adult, juvenile
at least one: a,
    b,  # more

    c
equivalent: human, person
rule: flies & ~bird >> insect | bat
"""


def test_every_statement():
    parsed = parse(EXAMPLE)
    two, three = ("bird", "fish"), ("bird", "fish", "mammal")
    assert parsed.constraints == (
        c.Subsumes("animal", three),
        c.Subsumes("animal", three),
        c.Exclusive(three),
        c.Subsumes("animal", two),
        c.Exclusive(two),
        c.Covers("animal", two),
        c.Subsumes("animal", two),
        c.Covers("animal", two),
        c.Covers("animal", two),
        c.Exclusive(three),
        c.ExactlyOne(("adult", "juvenile")),
        c.AtLeastOne(("a", "b", "c")),
        c.Equivalent(("human", "person")),
        c.Formula(parse_formula("flies & ~bird >> insect | bat")),
    )
    assert parsed.labels == (
        *("animal", "bird", "fish", "mammal", "adult", "juvenile", "a", "b", "c"),
        *("human", "person", "flies", "insect", "bat"),
    )


def test_sources():
    parsed = parse(EXAMPLE, file="who.onto")
    assert [str(constraint.source) for constraint in parsed.constraints[:4]] == [
        *("who.onto:2", "who.onto:3", "who.onto:3", "who.onto:5")
    ]
    assert str(parsed.constraints[-1].source) == "who.onto:15"
    assert str(parse("a > b").constraints[0].source) == "line 1"


def test_names_and_labels_are_plain_text():
    parsed = parse("a > b\nrule: c")
    assert {type(label) for label in parsed.labels} == {str}
    assert type(parsed.constraints[0].parent) is str
    assert type(parsed.constraints[1].expression.name) is str


def test_blank_text_is_an_empty_document():
    assert parse("") == parse("\n # nothing \n\n") == Document((), ())
    assert render(Document((), ())) == ""


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_line_ends_and_byte_order_mark(ends):
    assert parse("\ufeff" + EXAMPLE.replace("\n", ends)) == parse(EXAMPLE)
    assert parse(EXAMPLE.rstrip("\n")) == parse(EXAMPLE)


def test_words_of_statements_can_be_labels_where_they_fit():
    assert parse("rule > labels, exclusive\ncovered covered by exactly, one").labels == (
        *("rule", "labels", "exclusive", "covered", "exactly", "one"),
    )
    assert parse("exclusive:a,b").constraints == (c.Exclusive(("a", "b")),)
    assert parse("at  least\tone : a").constraints == (c.AtLeastOne(("a",)),)


def test_declared_labels_come_first_and_are_all():
    assert parse("b > a\nlabels: a, b, c").labels == ("b", "a", "c")
    assert parse("labels: a, b, c\nb > a\nlabels: d").labels == ("a", "b", "c", "d")


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        (
            "labels: animal, bird\nanimal > brid",
            2,
            10,
            "'brid' is not declared in 'labels:'; did you mean 'bird'?",
        ),
        (
            "rule: animal >> brd\nlabels: animal, bird",
            1,
            17,
            "'brd' is not declared in 'labels:'; did you mean 'bird'?",
        ),
        ("labels: a, b\nlabels: c, a", 2, 12, "'a' is declared twice, first in line 1"),
        ("exclusive: a, b,\n  a", 2, 3, "exclusive names the label 'a' twice"),
        ("a > b, a", 1, 8, "subsumes names the label 'a' twice"),
        ("a covered by a", 1, 14, "covers names the label 'a' twice"),
        ("b > c\na > exclusive: b", 2, 1, "exclusive needs at least 2 labels"),
        ("exclusive: a", 1, 12, "exclusive needs at least 2 labels"),
        ("equivalent: a", 1, 13, "equivalent needs at least 2 labels"),
        ('a > b, ""', 1, 8, "a label name is empty"),
        ('a > b, " b"', 1, 8, "white space around it"),
        ('labels: a, "b "', 1, 12, "white space around it"),
        ('rule: a & a >> "b "', 1, 16, "white space around it"),
        ('exclusive: a, "b\u200b"', 1, 15, "unprintable"),
    ],
)
def test_slips_have_a_place(text, line, column, message):
    with pytest.raises(NotationError) as caught:
        parse(text, file="x.onto")
    assert (caught.value.line, caught.value.column) == (line, column)
    assert str(caught.value).startswith(f"x.onto, line {line}, column {column}: ")
    assert message in str(caught.value)


SOFT = """\
animal (weight 3) > bird, fish
animal (weight 0.1) covered by bird, fish
exclusive (weight 1e-05): bird, fish
exactly one (weight 2.5): adult, juvenile
at least one (weight 600): a, b
equivalent (weight 1): human, person
rule (weight 3): bird >> flies
"""


def test_every_statement_may_have_a_weight():
    parsed = parse(SOFT.replace("(weight 3) >", "(  weight\t3.0 )>"), file="zoo.onto")
    two = ("bird", "fish")
    assert parsed.constraints == (
        c.Soft(c.Subsumes("animal", two), 3.0),
        c.Soft(c.Covers("animal", two), 0.1),
        c.Soft(c.Exclusive(two), 1e-5),
        c.Soft(c.ExactlyOne(("adult", "juvenile")), 2.5),
        c.Soft(c.AtLeastOne(("a", "b")), 600.0),
        c.Soft(c.Equivalent(("human", "person")), 1.0),
        c.Soft(c.Formula(parse_formula("bird >> flies")), 3.0),
    )
    assert str(parsed.constraints[-1].source) == "zoo.onto:7"
    assert render(parsed) == SOFT


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("rule (weight x): a", 14, "a weight is a number, as in '(weight 3)'; got 'x'"),
        ("rule (weight): a", 13, "a weight is a number, as in '(weight 3)'; got ''"),
        ("a (weight -1) > b", 11, "a weight is a number above 0, up to 600; got -1.0"),
        ("a (weight nan) > b", 11, "a weight is a number above 0, up to 600; got nan"),
        (
            "exclusive (weight inf): a, b",
            19,
            "got inf; leave the weight out where the constraint always holds",
        ),
        ("a > exclusive (weight 3): b, c", 23, "write each in a line of its own, with its weight"),
        (
            "a (weight 3) > exactly one: b, c",
            11,
            "write each in a line of its own, with its weight",
        ),
        ("labels (weight 3): a", 18, "expected '>' or 'covered by', got ':'"),
        ("rule (weight 3) a", 17, "expected '>' or 'covered by', got 'a'"),
    ],
)
def test_weights_that_cannot_be(text, column, message):
    with pytest.raises(NotationError) as caught:
        parse(f"labels: a, b, c, rule, labels, exclusive\n{text}")
    assert (caught.value.line, caught.value.column) == (2, column)
    assert message in str(caught.value)


@given(documents(soft=True))
@settings(max_examples=200)
def test_what_is_rendered_parses_to_the_same(given_document):
    assert parse(render(given_document)) == given_document


@given(documents(soft=True))
def test_each_constraint_renders_as_one_statement(given_document):
    for constraint in given_document.constraints:
        assert parse(render_constraint(constraint)).constraints == (constraint,)


@given(expressions(nasty_names))
@settings(max_examples=400)
def test_expressions_come_back_as_the_same_tree(expression):
    assert parse_formula(render_expression(expression)) == expression


@given(expressions(st.sampled_from("abc")))
def test_no_parentheses_are_needless(expression):
    text = render_expression(expression)
    opened = []
    for at, character in enumerate(text):
        if character == "(":
            opened.append(at)
        elif character == ")":
            start = opened.pop()
            without = text[:start] + text[start + 1 : at] + text[at + 1 :]
            assert parse_formula(without) != expression


@given(nasty_names)
def test_quoted_names_come_back(name):
    assert parse_formula(quote(name)) == f.Name(name)
    assert parse(f"{quote(name)} > other-{len(name)}").labels[0] == name


def test_ordinary_names_are_not_quoted():
    for name in (
        "bird",
        "GO:0000001",
        "n0001",
        "semi-aquatic",
        "3d",
        "鸟",
        "http://x.org/a.b",
        "Rule",
        "order",
    ):
        assert quote(name) == name
    for name in (
        "big bird",
        "and",
        "rule",
        "a-",
        "-a",
        "#",
        "rule:x",
        "x#y",
        "a,b",
        'a"b',
        "e\u0301",
    ):
        assert quote(name).startswith('"')


def test_degenerate_expressions_are_rendered_as_what_they_mean():
    assert render_expression(f.And(())) == "true"
    assert render_expression(f.Or(())) == "false"
    assert render_expression(f.Not(f.And((f.Or((f.Name("a"), f.Name("b"))),)))) == "~(a | b)"


def test_neighbours_are_rendered_as_one_statement():
    text = "animal > exactly one: bird, fish\nfish > exclusive: cod, eel\nbird > at least one: robin, wren\n"
    assert render(parse(text)) == text
    apart = (c.Subsumes("a", ("b", "c")), c.Exclusive(("c", "b")))
    assert render(Document(("a", "b", "c"), apart)) == "a > b, c\nexclusive: c, b\n"


def test_labels_are_rendered_only_when_needed():
    constraints = (c.Subsumes("a", ("b",)),)
    assert render(Document(("a", "b"), constraints)) == "a > b\n"
    assert render(Document(("b", "a"), constraints)) == "labels: b, a\na > b\n"
    assert render(Document(("a", "b", "c"), constraints)) == "labels: a, b, c\na > b\n"


def test_long_lists_are_wrapped():
    labels = tuple(f"label-{k}" for k in range(500))
    text = render(Document(labels, (c.Exclusive(labels),)))
    assert max(map(len, text.splitlines())) <= WIDTH
    assert min(map(len, text.splitlines()[:-1])) > WIDTH - 15
    assert parse(text).constraints == (c.Exclusive(labels),)
    huge = "x" * 300
    assert parse(render(Document((huge, "a"), (c.Exclusive((huge, "a")),)))).labels == (huge, "a")


@pytest.mark.parametrize(
    "broken",
    [
        Document(("a",), (c.Subsumes("a", ("b",)),)),
        Document(("a", "a"), ()),
        Document(("a ",), ()),
        Document(("a",), (c.Exclusive(("a",)),)),
        Document(("a", "b"), (c.Subsumes("a", ("b", "b")),)),
        Document(("a",), (c.Subsumes("a", ()),)),
    ],
)
def test_what_is_no_ontology_is_not_rendered(broken):
    with pytest.raises(OntologyError):
        render(broken)


def test_document_adds_labels_in_order_of_mention():
    made = document(
        [c.Subsumes("a", ("b",)), c.Exclusive(("c", "b"))], labels=["c"], not_expressed=["x"]
    )
    assert made == Document(
        ("c", "a", "b"), (c.Subsumes("a", ("b",)), c.Exclusive(("c", "b"))), ("x",)
    )


@pytest.mark.slow
def test_twenty_five_thousand_lines():  # what is quadratic would not come to its end
    text = "".join(
        f"n{k // 3} > exclusive: n{3 * k + 1}, n{3 * k + 2}, n{3 * k + 3}\n" for k in range(25_000)
    )
    assert len(parse(text).constraints) == 50_000


def test_the_page_tells_the_truth():
    page = (Path(__file__).parents[3] / "docs" / "notation.md").read_text(encoding="utf-8")
    zoo = parse(re.search(r"```onto[^\n]*\n(.*?)```", page, re.DOTALL)[1])
    assert len(zoo.constraints) == 8
    begin = page.index("| you write")
    table = page[begin : page.index("\n\n", begin)]
    examples = [
        row.replace(r"\|", "|") for row in re.findall(r"^\| `(.+?)` \|", table, re.MULTILINE)
    ]
    assert len(examples) == 13
    for example in examples:
        assert render(parse(example)) == f"{example}\n"
    flies = "flies & ~bird >> insect | bat", "(flies & (~bird)) >> (insect | bat)"
    assert all(f"`{text}`" in page for text in flies)
    assert len({parse_formula(text) for text in flies}) == 1
    with pytest.raises(NotationError) as caught:
        parse("labels: animal, bird, fish\n\n\n\n\n\nanimal > brid, fish", file="zoo.onto")
    assert str(caught.value) in page
