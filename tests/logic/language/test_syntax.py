from __future__ import annotations

import subprocess
import sys

import pytest

from corollary.logic.errors import NotationError
from corollary.logic.language.formula import FALSE, TRUE, And, Iff, Implies, Name, Not, Or
from corollary.logic.language.syntax import MAX_DEPTH, parse_formula, parse_statements

from ...fuzz.frame import within

a, b, c, d = map(Name, "abcd")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", a),
        ("((a))", a),
        ("~a", Not(a)),
        ("!a", Not(a)),
        ("not not a", Not(Not(a))),
        ("a & b & c", And((a, b, c))),
        ("a and b & c", And((a, b, c))),
        ("(a & b) & c", And((And((a, b)), c))),
        ("a | b or c", Or((a, b, c))),
        ("a | (b | c)", Or((a, Or((b, c))))),
        ("a | b & c", Or((a, And((b, c))))),
        ("~a & b", And((Not(a), b))),
        ("~(a & b)", Not(And((a, b)))),
        ("a >> b >> c", Implies(a, Implies(b, c))),
        ("a -> b implies c", Implies(a, Implies(b, c))),
        ("(a >> b) >> c", Implies(Implies(a, b), c)),
        ("a | b >> c & d", Implies(Or((a, b)), And((c, d)))),
        ("a >> b <-> c >> d", Iff(Implies(a, b), Implies(c, d))),
        ("a iff b <-> c", Iff(Iff(a, b), c)),
        ("a <-> (b <-> c)", Iff(a, Iff(b, c))),
        ("true | false", Or((TRUE, FALSE))),
        ("a->b", Implies(a, b)),
        ("a<->b", Iff(a, b)),
        ("a>>b", Implies(a, b)),
        ("a-b", Name("a-b")),
        (
            "GO:0000001 & n0001 & semi-aquatic & 3d",
            And(tuple(map(Name, ("GO:0000001", "n0001", "semi-aquatic", "3d")))),
        ),
        ("notary | order | android", Or((Name("notary"), Name("order"), Name("android")))),
        ("not-a & or:b", And((Name("not-a"), Name("or:b")))),
        ("鸟 & é", And((Name("鸟"), Name("é")))),
        ('"big bird" & "and"', And((Name("big bird"), Name("and")))),
        (r'"say \"hi\" \\ # x"', Name(r'say "hi" \ # x')),
        ("a &\n  b  # both\n", And((a, b))),
        ("  a\t&\u00a0b ", And((a, b))),
    ],
)
def test_formula(text, expected):
    assert parse_formula(text) == expected


def test_the_documented_example():
    flies, bird, insect, bat = map(Name, ("flies", "bird", "insect", "bat"))
    assert parse_formula("flies & ~bird >> insect | bat") == Implies(
        And((flies, Not(bird))), Or((insect, bat))
    )


def test_names_in_a_result_are_plain_text():
    assert type(parse_formula("a").name) is str


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("", 1, 1, "expected a label name, '~' or '(', got the end of the text"),
        ("a &", 1, 4, "expected a label name, '~' or '(', got the end of the text"),
        ("a b", 1, 3, "expected an operator (& | >> <->) or the end of the text, got 'b'"),
        ("a & & b", 1, 5, "expected a label name, '~' or '(', got '&'"),
        (
            "a & (b | c",
            1,
            11,
            "expected ')' or an operator (& | >> <->), got the end of the text; the '(' of line 1",
        ),
        ("a) & (b", 1, 2, "got ')'"),
        ("a &\n\n ,b", 3, 2, "expected a label name, '~' or '(', got ','"),
        (
            "and & b",
            1,
            1,
            "'and' is a word of the notation; as a label name it goes in double quotes",
        ),
        ("a and or", 1, 7, "'or' is a word of the notation"),
        ('a & "b', 1, 5, "the quoted name is not closed on this line"),
        (r'a & "b\n"', 1, 5, "a backslash must be followed by"),
        ("a \x00 b", 1, 3, "got the character U+0000"),
        ("a ⊃ b", 1, 3, "got '⊃'"),
    ],
)
def test_formula_errors(text, line, column, message):
    with pytest.raises(NotationError) as caught:
        parse_formula(text)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert f"line {line}, column {column}: " in str(caught.value)
    assert message in str(caught.value)


def test_the_caret_is_under_the_place():
    with pytest.raises(NotationError) as caught:
        parse_statements("a > b\n\tb > exclusive: c, , d\n")
    first, written, caret = str(caught.value).splitlines()
    assert first == "line 2, column 20: expected a label name, got ','"
    assert written == "    \tb > exclusive: c, , d"
    assert caret == "    \t" + " " * 18 + "^"
    assert written.expandtabs()[caret.expandtabs().index("^")] == ","


def test_the_excerpt_of_a_long_line_is_short():
    with pytest.raises(NotationError) as caught:
        parse_formula(" & ".join(["a"] * 5_000) + " b & c" * 100)
    _, written, caret = str(caught.value).splitlines()
    assert len(written) < 130
    assert written[caret.index("^")] == "b"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a > b,\nc > d", "this line continues line 1, which ends with a comma"),
        ("a > b\nrule: (a & b\nc > d", "the '(' of line 2 is still open"),
        ("a & b", "a formula begins with 'rule:'"),
        ("a >> b", "a formula begins with 'rule:'"),
        ("~a", "a formula begins with 'rule:'"),
        ("a", "expected '>' or 'covered by', got the end of the text"),
        (
            "exclusive a, b",
            "expected '>' or 'covered by', got 'a'; write 'exclusive:' if that is meant",
        ),
        ("animal > big bird, fish", "got 'bird'; a name of several words needs quotes"),
        (
            "exclusive: reverted_payment?, a",
            """got '?'; write "reverted_payment?": a name with ? in it needs quotes""",
        ),
        ("rule: what's_up >> b", """write "what's_up": a name with ' in it needs quotes"""),
        ("exclusive: a, 'b c'", """got "'"; quotes are double ones"""),
        ("animal, bird", "got ','; a line that only names labels begins with 'labels:'"),
        ("rule: a &\n b", "expected a label name, '~' or '(', got the end of the line"),
        ("a > exactly: b", "got ':'"),
        ("= a", "expected a label name, 'exclusive:'"),
    ],
)
def test_statement_hints(text, message):
    with pytest.raises(NotationError, match="line") as caught:
        parse_statements(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "a >",
        "a > b c",
        "rule:",
        "rule: a (",
        "exclusive:",
        "a covered by",
        "rule: (a",
        "rule: a)",
        ",",
    ],
)
def test_no_terminal_of_the_grammar_is_named_in_an_error(text):
    with pytest.raises(NotationError) as caught:
        parse_statements(text)
    said = str(caught.value).splitlines()[0]
    assert not any(word.isupper() and len(word) > 1 for word in said.split())


@pytest.mark.parametrize(
    "text", ["~" * 5_000 + "a", " >> ".join(["a"] * 5_000), " <-> ".join(["a"] * 5_000)]
)
def test_too_deep(text):
    with pytest.raises(NotationError, match=f"nested more than {MAX_DEPTH} deep"):
        parse_formula(text)
    with pytest.raises(
        NotationError, match=f"line 2, column 1: .* nested more than {MAX_DEPTH} deep"
    ):
        parse_statements("a > b\nrule: " + text)


def test_parentheses_and_long_lists_may_be_as_many_as_they_like():
    assert parse_formula("(" * 5_000 + "a" + ")" * 5_000) == a
    assert len(parse_formula(" & ".join(["a"] * 5_000)).parts) == 5_000


def test_lark_is_loaded_when_first_needed():
    code = "import sys, corollary.logic.language.syntax; assert 'lark' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    "line", ["a > " + "a:" * 25_000 + "a, x y", "a > " + "a." * 25_000 + "- b", "x" * 50_000 + " b"]
)
def test_the_hint_about_a_long_line_comes_at_once(line):
    with within(), pytest.raises(NotationError, match="line 1, column"):
        parse_statements(line)
