"""Files of patterns: rules of thumb as regular expressions, each with what it says of a text that it is found in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ....logic.errors import CorollaryError, nearest
from ....logic.formats.files import decode, read_bytes
from ....logic.language.grammar import BARE
from ....logic.ontology import Ontology
from ...argument_checks import shown
from .rules import Said, check_rule_names

_LINE = re.compile(
    r"(?:(?P<name>[^/]+?)\s*:\s*)?/(?P<pattern>(?:[^/\\]|\\.)+)/(?P<flags>\w*)\s*->\s*(?P<says>.*)"
)
_SAID = re.compile(
    rf'(?P<no>~\s*|!\s*|not\s+)?(?:"(?P<quoted>(?:[^"\\]|\\["\\])*)"|(?P<bare>{BARE}))'
)
_FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL}
_EXAMPLE = "write it as in: /\\bgills?\\b/i -> fish, ~bird"


@dataclass(frozen=True)
class PatternRule:
    """A rule of thumb: of a text in which the pattern is found, it says this."""

    name: str
    pattern: re.Pattern[str]
    says: Mapping[str, bool]
    place: str

    #: It is stopped where it looks at a text for too long.
    limited: ClassVar[bool] = True

    def __call__(self, item: Any) -> Said:
        """What it says of a text."""
        if not isinstance(item, str):
            raise CorollaryError(f"a pattern is looked for in a text, got {shown(item)}")
        return self.says if self.pattern.search(item) else None


def read_rules(path: str | PathLike[str], onto: Ontology | None = None) -> list[PatternRule]:
    r"""Read rules of thumb from a file of patterns, one a line: `/\bgills?\b/i -> fish, ~bird`.

    A text that contains the regular expression is a fish and no bird; about other texts the rule is
    silent. The letters after the second stroke are those of Python's `re`: i (ignore case), m, s. A
    name may come in front, `gills: /\bgills?\b/ -> fish`; without one the pattern is the name.
    Labels are written as in the notation. A line that begins with # is a comment.

    Parameters
    ----------
    path
        The file.
    onto
        If given, unknown labels, and rules that it does not allow, are errors.

    Returns
    -------
    list of PatternRule

    Raises
    ------
    CorollaryError
        If a line is no rule; the message names the file and the line.
    """
    file = str(path)
    text = decode(read_bytes(Path(path)), file=file)
    lines = ((number, line.strip()) for number, line in enumerate(text.splitlines(), 1))
    rules = [
        _read_rule(line, f"{file}, line {number}", onto)
        for number, line in lines
        if line and not line.startswith("#")
    ]
    check_rule_names([rule.name for rule in rules], file)
    return rules


def _read_rule(line: str, place: str, onto: Ontology | None) -> PatternRule:
    found = _LINE.fullmatch(line)
    if found is None:
        raise CorollaryError(f"{place}: {shown(line)} is no rule; {_EXAMPLE}")
    unknown = [letter for letter in found["flags"] if letter not in _FLAGS]
    if unknown:
        raise CorollaryError(
            f"{place}: {unknown[0]!r} after the pattern means nothing; known are {', '.join(_FLAGS)}"
        )
    flags = sum(_FLAGS[letter] for letter in set(found["flags"]))
    try:
        pattern = re.compile(found["pattern"].replace("\\/", "/"), flags)
    except (re.error, OverflowError, RecursionError) as error:
        raise CorollaryError(
            f"{place}: {found['pattern']!r} is no regular expression: {error}"
        ) from None
    says = dict(_read_says(found["says"], place))
    if onto is not None:
        _check_says(says, place, onto)
    return PatternRule(
        found["name"] or f"/{found['pattern']}/{found['flags']}", pattern, says, place
    )


def _read_says(text: str, place: str) -> Iterator[tuple[str, bool]]:
    seen: set[str] = set()
    at = 0
    while (said := _SAID.match(text, at)) is not None:
        label = said["bare"] or re.sub(r"\\(.)", r"\1", said["quoted"] or "")
        if label in seen:
            raise CorollaryError(f"{place}: {label!r} is said twice; remove one")
        seen.add(label)
        yield label, said["no"] is None
        comma = re.compile(r"\s*(,\s*|$)").match(text, said.end())
        if comma is None:
            at = said.end()
            break
        at = comma.end()
        if not comma[1]:
            return
    raise CorollaryError(
        f"{place}: expected a label, or ~ and a label, got {shown(text[at:])}; {_EXAMPLE}"
    )


def _check_says(says: Mapping[str, bool], place: str, onto: Ontology) -> None:
    for label in says:
        if label not in onto:
            raise CorollaryError(f"{place}: {label!r} is no label{nearest(label, onto.labels)}")
    row = np.array([[says.get(label, -1) for label in onto.labels]], np.int8)
    if onto.closure(row)[1][0]:
        raise CorollaryError(f"{place}: what it says cannot all be true: {', '.join(says)}")
