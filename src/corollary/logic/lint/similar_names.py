"""Pairs of labels that are probably one name, misspelt in one place."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from ..errors import bare
from ..language.constraints import Constraint, Covers, Formula, Soft, Subsumes

#: Letters of a name in which one may be wrong; among shorter ones (cat, car) similar names are common.
SHORTEST = 5
#: The same where both names have their place, in a hierarchy or a group: fountain and mountain are two labels.
SHORTEST_IN_PLACE = 10
#: Letters of the word in which two names differ: "vitamin a" and "vitamin b" are two labels.
SHORTEST_WORD = 3

BETWEEN_WORDS = re.compile(r"[ _\-]+|(?<=[a-z])(?=[A-Z])")
NUMERAL = re.compile(r"[ivx]+")


def similar_names(
    labels: Sequence[str], constraints: Iterable[Constraint]
) -> list[tuple[str, str]]:
    """Pairs of labels of which one may be misspelt, in order.

    Two names are a pair if they differ only in capitals, spaces, hyphens and underscores, in two
    letters swapped, or in one letter doubled. Names that differ in any other letter are a pair if
    they are long. Short ones are, too, if one has no place in a hierarchy or a group, such as `brd`
    for `bird` in a rule. Numbers, numerals and single letters distinguish labels.
    """
    place = {label: k for k, label in enumerate(labels)}
    in_place = _in_place(constraints)

    def is_slip(one: str, other: str) -> bool:
        a = bare(one)
        b = bare(other)
        if a == b:
            return True
        least = (
            SHORTEST_IN_PLACE if {one, other} <= in_place and not is_typing_slip(a, b) else SHORTEST
        )
        return max(len(a), len(b)) >= least and is_one_slip(a, b)

    found = {
        (one, other) if place[one] < place[other] else (other, one)
        for one, other in _candidates(labels)
    }
    return sorted(
        (pair for pair in found if is_slip(*pair)),
        key=lambda pair: (place[pair[0]], place[pair[1]]),
    )


def is_one_slip(a: str, b: str) -> bool:
    """Whether one letter more, less or other, or two that are swapped, make one name of the other."""
    if len(a) > len(b):
        a, b = b, a
    start = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(a))
    if len(a) < len(b):
        return a[start:] == b[start + 1 :]
    return a[start + 1 :] == b[start + 1 :] or _is_swap(a, b, start)


def is_typing_slip(a: str, b: str) -> bool:
    """Whether two letters are swapped, or one is doubled: few real names differ in that."""
    if len(a) > len(b):
        a, b = b, a
    start = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(a))
    if len(a) < len(b):
        return start > 0 and b[start] == b[start - 1] and a[start:] == b[start + 1 :]
    return _is_swap(a, b, start)


def _is_swap(a: str, b: str, start: int) -> bool:
    return a[start : start + 2] == b[start : start + 2][::-1] and a[start + 2 :] == b[start + 2 :]


def _in_place(constraints: Iterable[Constraint]) -> set[str]:
    """Labels that stand in a group, or under a label."""
    found: set[str] = set()
    for constraint in constraints:
        hard = constraint.constraint if isinstance(constraint, Soft) else constraint
        if isinstance(hard, Subsumes | Covers):
            found.update(hard.children)
        elif not isinstance(hard, Formula):
            found.update(hard.labels)
    return found


def _candidates(labels: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Pairs that are the same without capitals and separators, or once a letter is left out of one word of each."""
    spelt: dict[object, list[str]] = defaultdict(list)
    for label in labels:
        spelt[bare(label)].append(label)
        words = tuple(word.casefold() for word in BETWEEN_WORDS.split(label))
        for i, word in enumerate(words):
            if not word.isalpha() or NUMERAL.fullmatch(word) or len(word) < SHORTEST_WORD - 1:
                continue
            shorter = (
                {word[:j] + word[j + 1 :] for j in range(len(word))}
                if len(word) >= SHORTEST_WORD
                else set()
            )
            for spelling in {word, *shorter}:
                spelt[words[:i], spelling, words[i + 1 :]].append(label)
    for near in spelt.values():
        yield from combinations(near, 2)
