"""Text in the notation read: statements and expressions out, and errors that point at the place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ..errors import NotationError
from . import formula as f
from .grammar import DOCUMENT, FORMULA, FORMULA_WORDS
from .syntax_errors import error_at, explained

#: Expressions nested deeper than this are refused, so that no later walk over the tree can run out of stack.
MAX_DEPTH = 100
#: And those of more parts, counted as written out: a part may be shared by many in memory, never in text.
MAX_PARTS = 1_000_000


class Mention(str):
    """A label name and where it was written."""

    __slots__ = ("column", "line")
    line: int
    column: int


@dataclass(slots=True)
class Statement:
    """One statement as written: `keyword` is the word before the labels, empty for a plain `parent > children`.

    `weight` is what stands for a number in `(weight 3)`, of the whole statement or of its keyword. Of a relation,
    `ends` are the formulas of head and tail, and `properties` the words after them.
    """

    line: int
    keyword: str
    parent: Mention | None = None
    labels: tuple[Mention, ...] = ()
    expression: f.Expression | None = None
    weight: Mention | None = None
    ends: tuple[f.Expression, ...] = ()
    properties: tuple[tuple[str, Mention | None], ...] = ()


def parse_formula(text: str) -> f.Expression:
    """Read a formula such as `flies & ~bird >> insect | bat`; it may run over several lines."""
    expression: f.Expression = _run("formula", text, None)
    check_expression(expression)
    return f.rename(expression, str)


def parse_statements(text: str, *, file: str | None = None) -> list[Statement]:
    """Read a whole text in the notation. Names, in formulas too, are Mentions."""
    statements: list[Statement] = _run("document", text, file)
    for statement in statements:
        rule = () if statement.expression is None else (statement.expression,)
        for expression in (*rule, *statement.ends):
            try:
                check_expression(expression)
            except NotationError as error:
                raise error_at(text, statement.line, 1, str(error), file=file) from None
    return statements


def check_expression(expression: f.Expression) -> None:
    """Raise an error unless this is an expression, neither nested too deeply nor too large."""
    level = [expression]
    depth = 0
    parts = 0
    while level:
        depth += 1
        parts += len(level)
        for part in level:
            if not _well_made(part):
                raise NotationError(
                    f"{part!r} is not a part of a formula; write formulas as text, such as 'a & ~b'"
                )
        if depth > MAX_DEPTH:
            raise NotationError(
                f"the formula is nested more than {MAX_DEPTH} deep; split it into several"
            )
        if parts > MAX_PARTS:
            raise NotationError(
                f"the formula has more than {MAX_PARTS:,} parts; split it into several"
            )
        level = [part for whole in level for part in f.parts_of(whole)]


def _well_made(part: object) -> bool:
    """Whether it is an expression, as far as can be seen without going inside."""
    match part:
        case f.Name(name, of):
            return isinstance(name, str) and isinstance(of, tuple) and len(of) <= 2
        case f.Constant(value):
            return isinstance(value, bool)
        case f.And(parts) | f.Or(parts):
            return isinstance(parts, tuple)
    return isinstance(part, f.Not | f.Implies | f.Iff)


def _run(start: str, text: str, file: str | None) -> Any:
    from lark.exceptions import UnexpectedInput

    try:
        return _parser(start).parse(text)
    except UnexpectedInput as error:
        raise explained(error, text, file) from None
    except _Reserved as word:
        message = (
            f"{str(word)!r} is a word of the notation; as a label name it goes in double quotes"
        )
        raise error_at(text, word.args[0].line, word.args[0].column, message, file=file) from None


class _Reserved(Exception):
    """A word of formulas where a label name should be."""


@lru_cache(maxsize=2)
def _parser(start: str) -> Any:
    from lark import Lark

    if start == "formula":
        grammar = FORMULA + "%ignore /\\s+/"
        lines = None
    else:
        grammar = DOCUMENT + FORMULA
        lines = _Lines()
    return Lark(grammar, start=start, parser="lalr", transformer=_Builder(), postlex=lines)


class _Lines:
    """Drops the line ends that do not end a statement: after a comma and inside parentheses."""

    always_accept = ("_NEWLINE",)

    def process(self, tokens: Iterator[Any]) -> Iterator[Any]:
        depth = 0
        after_comma = False
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
        return Statement(
            parts[0].line, _keyword(parts[0]), labels=parts[1], weight=_weight(parts[0])
        )

    def children(self, parts: list[Any]) -> Statement:
        parent, *between, labels = parts
        keyword = next((_keyword(token) for token in between if token.type != "WEIGHT"), "")
        weight = next((found for token in between if (found := _weight(token)) is not None), None)
        return Statement(parent.line, keyword, parent=parent, labels=labels, weight=weight)

    def rule(self, parts: list[Any]) -> Statement:
        return Statement(parts[0].line, "rule", expression=parts[1], weight=_weight(parts[0]))

    def label(self, parts: list[Any]) -> f.Expression:
        return f.Name(parts[0])

    def atom(self, parts: list[Any]) -> f.Expression:
        return f.Name(parts[0], tuple(map(str, parts[1:])))

    def relation(self, parts: list[Any]) -> Statement:
        keyword, name, *rest = parts
        ends = tuple(part for part in rest if not isinstance(part, tuple))
        said = tuple(part for part in rest if isinstance(part, tuple))
        return Statement(keyword.line, "relation", parent=name, ends=ends, properties=said)

    def property(self, parts: list[Any]) -> tuple[str, Mention | None]:
        if isinstance(parts[-1], Mention):
            return "inverse", parts[-1]
        return " ".join(parts), None

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
    mention.line = token.line
    mention.column = token.column
    return mention


def _keyword(token: str) -> str:
    """`at   least one (weight 3) :` -> `at least one`."""
    return " ".join(token.partition("(")[0].rstrip(":").split())


def _weight(token: Any) -> Mention | None:
    """Return the number of `(weight 3)` and its place; None without a weight."""
    if (found := re.search(r"\(\s*weight\b\s*([^()]*?)\s*\)", token)) is None:
        return None
    mention = Mention(found[1])
    mention.line = token.line
    mention.column = token.column + found.start(1)
    return mention
