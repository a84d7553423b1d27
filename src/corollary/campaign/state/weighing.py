"""Answers of fallible people.

The sure labels of an item, and the answers that are weighed as reports.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from ...learning.session.hearing import options_to_pick, statements
from ...logic.engines import Facts
from ...logic.ontology import Ontology
from .standing import IMPORT, Doubted, Opinion, Said, claims, find_clash, settle

#: The number of replies about whole items, and of sure answers, whose statements and consequences
#: are cached.
REPLIES = 10_000


class Statement(NamedTuple):
    """One reply: its values by position of the label.

    `options` is the number of options of a pick.
    """

    who: str
    cells: dict[int, bool]
    options: int = 0


class ItemEvidence(NamedTuple):
    """The answers about an item.

    Sure ones by label, their consequences (K,), and the replies of people.
    """

    sure: dict[str, bool]
    known: Facts
    statements: list[Statement]


class Hearings:
    """The answers about items under one ontology, as evidence."""

    def __init__(self, onto: Ontology):
        self._onto = onto
        self._states = lru_cache(maxsize=REPLIES)(self._work_out)
        self._follow = lru_cache(maxsize=REPLIES)(self._draw)

    def of(self, said: Said) -> ItemEvidence:
        """Return the evidence about one item.

        Decisions of leads, imported labels and accepted predictions are sure. All other answers
        may be wrong.
        """
        onto = self._onto
        answers = self._sure(said)
        known = self._follow(tuple(answers.items()))
        replies: dict[tuple[int, str], dict[int, bool]] = {}
        for label, by in _opinions(said, sure=False).items():
            for one in by.values() if label in onto.index else ():
                replies.setdefault((one.seq, one.who), {})[onto.index[label]] = one.value
        stated = []
        for (seq, who), cells in sorted(replies.items(), key=lambda reply: reply[0][0]):
            whole = seq in said.wholes
            values, options = (
                self._states(tuple(sorted(cells.items())), known.tobytes()) if whole else (cells, 0)
            )
            stated.append(Statement(who, dict(values), options))
        return ItemEvidence(answers, known, stated)

    def _sure(self, said: Said) -> dict[str, bool]:
        """Return the certain answers, by label."""
        certain = replace(said, opinions=_opinions(said, sure=True))
        if not certain.opinions and not certain.decided:
            return {}
        found = settle(
            certain, *claims(certain, self._onto), partial(find_clash, self._onto)
        ).effect
        return {label: opinion.value for label, opinion in found.items()}

    def _draw(self, answers: tuple[tuple[str, bool], ...]) -> Facts:
        """Answers and all that follows, (K,)."""
        row = np.full((1, len(self._onto)), -1, np.int8)
        row[0, [self._onto.index[label] for label, _ in answers]] = [value for _, value in answers]
        known: Facts = self._onto.propagate(row)[0]
        return known

    def _work_out(
        self, cells: tuple[tuple[int, bool], ...], known: bytes
    ) -> tuple[Mapping[int, bool], int]:
        """Return the values stated by a reply about a whole item, and its number of options."""
        row = np.frombuffer(known, np.int8)
        return statements(self._onto, row, dict(cells)), options_to_pick(self._onto, row)


def doubted_of(said: Said, likely: Facts, onto: Ontology) -> Doubted:
    """Return the opinions that differ from the most probable labelling; never a sure one."""
    return frozenset(
        (one.seq, label)
        for label, by in _opinions(said, sure=False).items()
        if label in onto.index
        for one in by.values()
        if one.value != likely[onto.index[label]]
    )


def _opinions(said: Said, *, sure: bool) -> dict[str, dict[str, Opinion]]:
    """The opinions that were brought along or accepted, or those of people."""

    def is_sure(one: Opinion) -> bool:
        return one.who == IMPORT or one.seq in said.accepted

    parts = {
        label: {who: one for who, one in by.items() if is_sure(one) == sure}
        for label, by in said.opinions.items()
    }
    return {label: by for label, by in parts.items() if by}
