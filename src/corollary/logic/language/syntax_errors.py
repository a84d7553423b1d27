"""Errors of a text in the notation: the parser's complaints in plain words, with their place."""

from __future__ import annotations

import re
from typing import Any

from ..errors import NotationError
from .grammar import BARE

#: Words for the terminals of the grammar in an error, in the order in which they are listed.
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
    "SYMMETRIC": "'symmetric'",
    "FUNCTIONAL": "'functional'",
    "INVERSE": "'inverse'",
    "_NEWLINE": "the end of the line",
    "$END": "the end of the text",
}


def error_at(
    text: str, line: int, column: int, message: str, *, file: str | None = None
) -> NotationError:
    """A NotationError that shows the line with a caret under the place."""
    written = text.split("\n")[line - 1]
    start = max(0, column - 80)  # of a very long line only the part around the place is shown
    excerpt = written[start : start + 120].rstrip()
    caret = re.sub(r"[^\t]", " ", written[start : column - 1]) + "^"
    place = f"{file}, line {line}" if file else f"line {line}"
    return NotationError(
        f"{place}, column {column}: {message}\n    {excerpt}\n    {caret}", line=line, column=column
    )


def explained(error: Any, text: str, file: str | None) -> NotationError:
    """The parser's complaint in the words of the notation."""
    at_end = getattr(getattr(error, "token", None), "type", None) == "$END"
    place = len(text.rstrip()) if at_end else error.pos_in_stream
    line = text.count("\n", 0, place) + 1
    column = place - text.rfind("\n", 0, place)
    message = _slip(text, place) or f"expected {_expected(error)}, got {_got(text, place)}"
    return error_at(text, line, column, message + _hint(text, place), file=file)


def _expected(error: Any) -> str:
    names = error.interactive_parser.accepts()
    if "_NEWLINE" in names:
        names.discard("$END")
    if "AND" in names:  # after a label, where '(' would begin the variables of a rule about pairs
        names.discard("LPAR")
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
        return 'in a quoted name a backslash must be followed by " or another backslash; double it'
    return "the quoted name is not closed on this line"


#: The text that is probably one name without its quotes.
_RUN = re.compile(r"""[^\s,;()<>=&|~!#"\\]+""")


def _unquoted(text: str, place: int) -> str:
    """A name that needs quotes, if a sign inside it stopped the parser."""
    start = (
        max(
            text.rfind(end, 0, place)
            for end in (" ", "\t", "\n", ",", ";", "(", ">", "|", "&", "~", "!")
        )
        + 1
    )
    run = _RUN.match(text, start)
    if not run or not start <= place < run.end() or text[place].isalnum() or text[place] in "_.:/-":
        return ""
    if text[start] == "'":
        return "; quotes are double ones"
    name = run.group()
    return (
        f'; write "{name}": a name with {text[place]} in it needs quotes'
        if re.search(r"\w", name)
        else ""
    )


_TOKEN = re.compile(rf'#[^\n]*|"(?:[^"\\\n]|\\.)*"|{BARE}|\S|\n')


def _hint(text: str, place: int) -> str:
    """What probably went wrong earlier on; every character is looked at once, however long the text."""
    opened: list[int] = []
    # where the current statement begins, and what it has so far
    statement = 0
    tokens = list[str]()
    for found in _TOKEN.finditer(text, 0, place):
        token = found.group()
        if token == "\n" and not opened and tokens[-1:] != [","]:
            statement = found.end()
            tokens = []
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
    if unquoted := _unquoted(text, place):
        return unquoted
    if tokens[:1] == ["rule"]:
        return ""
    if re.compile(r"[&|~!>]|->|<->").match(text, place):
        return "; a formula begins with 'rule:'"
    if (keyword := " ".join(tokens)) in (
        "exclusive",
        "exactly one",
        "at least one",
        "equivalent",
        "labels",
    ):
        return f"; write '{keyword}:' if that is meant"
    if tokens[:1] == ["relation"] and text[place] != ">":
        return "; a relation is written as in 'relation eats(animal, food)'"
    bare = re.compile(BARE)
    if tokens and text[place - 1] == " " and bare.fullmatch(tokens[-1]) and bare.match(text, place):
        return "; a name of several words needs quotes"
    if (
        text.startswith(",", place)
        and len(tokens) == 1
        and (bare.match(tokens[0]) or tokens[0].startswith('"'))
    ):
        return "; a line that only names labels begins with 'labels:'"
    return ""
