"""The grammar of the notation: text in, statements and expressions out, and errors that point at the place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from . import formula as f
from .errors import NotationError

#: Expressions nested deeper than this are refused, so that no later walk over the tree can run out of stack.
MAX_DEPTH = 100
#: And those of more parts, counted as written out: a part may be shared by many in memory, never in text.
MAX_PARTS = 1_000_000

#: A name that needs no quotes: word characters, with `. / : -` inside.
BARE = r"\w+(?:[.\/:\-]+\w+)*"

FORMULA_WORDS = frozenset({"not", "and", "or", "implies", "iff", "true", "false"})
STATEMENT_WORDS = ("labels", "exclusive", "equivalent", "rule")

_FORMULA = rf"""
?formula: implication
    | formula (IFF | IFF_WORD) implication -> iff
?implication: disjunction
    | disjunction (IMPLIES | IMPLIES_WORD) implication -> implies
?disjunction: conjunction
    | conjunction ((OR | OR_WORD) conjunction)+ -> any_of
?conjunction: negation
    | negation ((AND | AND_WORD) negation)+ -> all_of
?negation: (NOT | NOT_WORD) negation -> negate
    | "(" formula ")"
    | TRUE -> true
    | FALSE -> false
    | (BARE | QUOTED) -> label

IFF: "<->"
IMPLIES: ">>" | "->"
OR: "|"
AND: "&"
NOT: "~" | "!"
IFF_WORD: "iff"
IMPLIES_WORD: "implies"
OR_WORD: "or"
AND_WORD: "and"
NOT_WORD: "not"
TRUE: "true"
FALSE: "false"
BARE: /{BARE}/
QUOTED: /"(?:[^"\\\n]|\\["\\])*"/
COMMENT: /#[^\n]*/
%ignore COMMENT
"""

_DOCUMENT = r"""
document: statement? (_NEWLINE statement?)*
?statement: LABELS names -> group
    | EXCLUSIVE names -> group
    | EXACTLY_ONE names -> group
    | AT_LEAST_ONE names -> group
    | EQUIVALENT names -> group
    | (BARE | QUOTED) ">" names -> children
    | (BARE | QUOTED) ">" EXCLUSIVE names -> children
    | (BARE | QUOTED) ">" EXACTLY_ONE names -> children
    | (BARE | QUOTED) ">" AT_LEAST_ONE names -> children
    | (BARE | QUOTED) COVERED_BY names -> children
    | RULE formula -> rule
names: (BARE | QUOTED) ("," (BARE | QUOTED))*

LABELS.2: /labels[^\S\n]*:/
EXCLUSIVE.2: /exclusive[^\S\n]*:/
EXACTLY_ONE.2: /exactly[^\S\n]+one[^\S\n]*:/
AT_LEAST_ONE.2: /at[^\S\n]+least[^\S\n]+one[^\S\n]*:/
EQUIVALENT.2: /equivalent[^\S\n]*:/
RULE.2: /rule[^\S\n]*:/
COVERED_BY.2: /covered[^\S\n]+by(?!\w)/
_NEWLINE: /\n/
BLANK: /[^\S\n]+/
%ignore BLANK
"""

#: What a terminal of the grammar is called in an error, in the order in which it is told.
_IN_WORDS = {
    "BARE": "a label name",
    "QUOTED": "a label name",
    "NOT": "'~'",
    "LPAR": "'('",
    "COMMA": "','",
    "RPAR": "')'",
    "MORETHAN": "'>'",
    "COVERED_BY": "'covered by'",
    **dict.fromkeys(("AND", "OR", "IMPLIES", "IFF"), "an operator (& | >> <->)"),
    "EXCLUSIVE": "'exclusive:'",
    "EXACTLY_ONE": "'exactly one:'",
    "AT_LEAST_ONE": "'at least one:'",
    "EQUIVALENT": "'equivalent:'",
    "LABELS": "'labels:'",
    "RULE": "'rule:'",
    "_NEWLINE": "the end of the line",
    "$END": "the end of the text",
}


class Mention(str):
    """A label name and where it was written."""

    __slots__ = ("column", "line")
    line: int
    column: int


@dataclass(slots=True)
class Statement:
    """One statement as written: `keyword` is the word before the labels, empty for a plain `parent > children`."""

    line: int
    keyword: str
    parent: Mention | None = None
    labels: tuple[Mention, ...] = ()
    expression: f.Expression | None = None


def parse_formula(text: str) -> f.Expression:
    """Read a formula such as `flies & ~bird >> insect | bat`; it may run over several lines."""
    expression: f.Expression = _run("formula", text, None)
    check_expression(expression)
    return f.rename(expression, str)


def parse_statements(text: str, *, file: str | None = None) -> list[Statement]:
    """Read a whole text in the notation. Names, in formulas too, are Mentions."""
    statements: list[Statement] = _run("document", text, file)
    for statement in statements:
        if statement.expression is not None:
            try:
                check_expression(statement.expression)
            except NotationError as error:
                raise error_at(text, statement.line, 1, str(error), file=file) from None
    return statements


def check_expression(expression: f.Expression) -> None:
    """Refuse what is no expression, and one that is nested too deeply or too large to be worked on."""
    level, depth, parts = [expression], 0, 0
    while level:
        depth += 1
        parts += len(level)
        for part in level:
            if not _well_made(part):
                raise NotationError(f"{part!r} is not a part of a formula; write formulas as text, such as 'a & ~b'")
        if depth > MAX_DEPTH:
            raise NotationError(f"the formula is nested more than {MAX_DEPTH} deep; split it into several")
        if parts > MAX_PARTS:
            raise NotationError(f"the formula has more than {MAX_PARTS:,} parts; split it into several")
        level = [part for whole in level for part in f.parts_of(whole)]


def _well_made(part: object) -> bool:
    """Whether it is an expression, as far as can be seen without going inside."""
    match part:
        case f.Name(name):
            return isinstance(name, str)
        case f.Constant(value):
            return isinstance(value, bool)
        case f.And(parts) | f.Or(parts):
            return isinstance(parts, tuple)
    return isinstance(part, f.Not | f.Implies | f.Iff)


def error_at(text: str, line: int, column: int, message: str, *, file: str | None = None) -> NotationError:
    """A NotationError that shows the line with a caret under the place."""
    written = text.split("\n")[line - 1]
    start = max(0, column - 80)  # of a very long line only the part around the place is shown
    excerpt = written[start : start + 120].rstrip()
    caret = re.sub(r"[^\t]", " ", written[start : column - 1]) + "^"
    place = f"{file}, line {line}" if file else f"line {line}"
    return NotationError(f"{place}, column {column}: {message}\n    {excerpt}\n    {caret}", line=line, column=column)


def _run(start: str, text: str, file: str | None) -> Any:
    from lark.exceptions import UnexpectedInput

    try:
        return _parser(start).parse(text)
    except UnexpectedInput as error:
        raise _explained(error, text, file) from None
    except _Reserved as word:
        message = f"{str(word)!r} is a word of the notation; as a label name it goes in double quotes"
        raise error_at(text, word.args[0].line, word.args[0].column, message, file=file) from None


class _Reserved(Exception):
    """A word of formulas where a label name should be."""


@lru_cache(maxsize=2)
def _parser(start: str) -> Any:
    from lark import Lark

    if start == "formula":
        grammar, lines = _FORMULA + "%ignore /\\s+/", None
    else:
        grammar, lines = _DOCUMENT + _FORMULA, _Lines()
    return Lark(grammar, start=start, parser="lalr", transformer=_Builder(), postlex=lines)


class _Lines:
    """Drops the line ends that do not end a statement: after a comma and inside parentheses."""

    always_accept = ("_NEWLINE",)

    def process(self, tokens: Iterator[Any]) -> Iterator[Any]:
        depth, after_comma = 0, False
        for token in tokens:
            kind = token.type
            if kind == "_NEWLINE" and (depth or after_comma):
                continue
            after_comma = kind == "COMMA"
            if kind == "LPAR":
                depth += 1
            elif kind == "RPAR":
                depth -= 1
            yield token


class _Builder:
    """One method for each rule and name of the grammar: builds the result while parsing, with no tree between."""

    def document(self, parts: list[Any]) -> list[Statement]:
        return parts

    def names(self, parts: list[Any]) -> tuple[Mention, ...]:
        return tuple(parts)

    def BARE(self, token: Any) -> Mention:  # noqa: N802 (named as the terminal)
        if token in FORMULA_WORDS:
            raise _Reserved(token)
        return _mention(token, token)

    def QUOTED(self, token: Any) -> Mention:  # noqa: N802 (named as the terminal)
        return _mention(re.sub(r"\\(.)", r"\1", token[1:-1]), token)

    def group(self, parts: list[Any]) -> Statement:
        return Statement(parts[0].line, _keyword(parts[0]), labels=parts[1])

    def children(self, parts: list[Any]) -> Statement:
        keyword = _keyword(parts[1]) if len(parts) == 3 else ""
        return Statement(parts[0].line, keyword, parent=parts[0], labels=parts[-1])

    def rule(self, parts: list[Any]) -> Statement:
        return Statement(parts[0].line, "rule", expression=parts[1])

    def label(self, parts: list[Any]) -> f.Expression:
        return f.Name(parts[0])

    def true(self, _: list[Any]) -> f.Expression:
        return f.TRUE

    def false(self, _: list[Any]) -> f.Expression:
        return f.FALSE

    def negate(self, parts: list[Any]) -> f.Expression:
        return f.Not(parts[1])

    def all_of(self, parts: list[Any]) -> f.Expression:
        return f.And(tuple(parts[::2]))

    def any_of(self, parts: list[Any]) -> f.Expression:
        return f.Or(tuple(parts[::2]))

    def implies(self, parts: list[Any]) -> f.Expression:
        return f.Implies(parts[0], parts[2])

    def iff(self, parts: list[Any]) -> f.Expression:
        return f.Iff(parts[0], parts[2])


def _mention(name: str, token: Any) -> Mention:
    mention = Mention(name)
    mention.line, mention.column = token.line, token.column
    return mention


def _keyword(token: str) -> str:
    """`at   least one :` -> `at least one`."""
    return " ".join(token.rstrip(":").split())


def _explained(error: Any, text: str, file: str | None) -> NotationError:
    """The parser's complaint in the words of the notation."""
    at_end = getattr(getattr(error, "token", None), "type", None) == "$END"
    place = len(text.rstrip()) if at_end else error.pos_in_stream
    line, column = text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place)
    message = _slip(text, place) or f"expected {_expected(error)}, got {_got(text, place)}"
    return error_at(text, line, column, message + _hint(text, place), file=file)


def _expected(error: Any) -> str:
    names = error.interactive_parser.accepts()
    if "_NEWLINE" in names:
        names.discard("$END")
    words = list(dict.fromkeys(word for name, word in _IN_WORDS.items() if name in names))
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _got(text: str, place: int) -> str:
    if not text[place:].strip():
        return "the end of the text"
    if text[place] in "\r\n":
        return "the end of the line"
    token = re.compile(rf"{BARE}|<->|->|>>|\S").match(text, place)
    found = token.group() if token else text[place]
    return f"{found!r}" if found.isprintable() else f"the character U+{ord(found[0]):04X}"


def _slip(text: str, place: int) -> str | None:
    """A quoted name that cannot be read: say why."""
    if not text.startswith('"', place):
        return None
    rest = text[place + 1 :].split("\n", 1)[0]
    if re.match(r'(?:[^"\\]|\\.)*"', rest):
        return 'in a quoted name a backslash stands only before " or another backslash; double it'
    return "the quoted name is not closed on this line"


_TOKEN = re.compile(rf'#[^\n]*|"(?:[^"\\\n]|\\.)*"|{BARE}|\S|\n')


def _hint(text: str, place: int) -> str:
    """What probably went wrong earlier on; every character is looked at once, however long the text."""
    opened: list[int] = []
    statement, tokens = 0, list[str]()  # where the current statement begins, and what it has so far
    for found in _TOKEN.finditer(text, 0, place):
        token = found.group()
        if token == "\n" and not opened and tokens[-1:] != [","]:
            statement, tokens = found.end(), []
        elif token != "\n" and not token.startswith("#"):
            tokens.append(token)
        if token == "(":
            opened.append(found.start())
        elif token == ")" and opened:
            opened.pop()
    if opened:
        return f"; the '(' of line {text.count(chr(10), 0, opened[-1]) + 1} is still open"
    if text.find("\n", statement, place) >= 0:
        return f"; this line continues line {text.count(chr(10), 0, statement) + 1}, which ends with a comma"
    if tokens[:1] == ["rule"]:
        return ""
    if re.compile(r"[&|~!>]|->|<->").match(text, place):
        return "; a formula begins with 'rule:'"
    if (keyword := " ".join(tokens)) in ("exclusive", "exactly one", "at least one", "equivalent", "labels"):
        return f"; write '{keyword}:' if that is meant"
    bare = re.compile(BARE)
    if tokens and text[place - 1] == " " and bare.fullmatch(tokens[-1]) and bare.match(text, place):
        return "; a name of several words stands in quotes"
    if text.startswith(",", place) and len(tokens) == 1 and (bare.match(tokens[0]) or tokens[0].startswith('"')):
        return "; a line that only names labels begins with 'labels:'"
    return ""
