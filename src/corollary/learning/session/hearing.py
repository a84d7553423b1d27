"""Answers of people who can be wrong: the current labels, doubtful answers, and trust in each person."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from ...logic.engines import Facts, Floats
from ...logic.errors import CorollaryError
from ...logic.ontology import Ontology
from ..argument_checks import shown
from ..choosing.fallible_worth import whom_to_ask
from ..choosing.picks import is_one_pick
from ..knowledge import Cells, Rows
from ..question import ItemQuestion, Question, Settled
from ..reliability import Reliability
from ..testimony import Report
from ..witnesses.parts import Parts
from ..witnesses.reports import read_reports
from .asking import cell_of, cells_of
from .core import Core

#: An answer is evidence against another one if leaving it out raises the other's odds by this
#: factor.
DISAGREES = 1.05


class ClashWarning(UserWarning):
    """Answers that cannot all be true, from people who can be wrong."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """An answer that may be wrong.

    `probability` is the probability that it is wrong. `without` is the probability of its value if
    the answer is left out. `against` has the answers that disagree: author, label and value.
    """

    item: Hashable
    label: str
    value: bool
    who: Hashable | None
    probability: float
    without: float = field(compare=False)
    against: tuple[tuple[Hashable | None, str, bool], ...] = field(compare=False)

    def __str__(self) -> str:
        said = f"{self.item}: {'not ' * (not self.value)}{self.label}"
        by = "" if self.who is None else f", said {self.who}"
        others = "".join(
            f"; {who or 'someone'} said {'not ' * (not value)}{label}"
            for who, label, value in self.against
        )
        return f"{said}{by}: wrong with {self.probability:.0%} ({self.without:.0%} probable without it{others})"


@dataclass(frozen=True, slots=True)
class Trust:
    """The accuracy of an annotator, a model or a rule.

    `sensitivity` is the share of right answers if the truth is yes, `specificity` if it is no. Each
    has a 90 % interval. `answers` is the number of answers, `wrong` the expected number of wrong
    ones; both include picks. `votes` is the number of times a model or a rule chose a label of a
    group, `right` the share of right choices.
    """

    sensitivity: float
    specificity: float
    sensitivity_interval: tuple[float, float]
    specificity_interval: tuple[float, float]
    answers: int
    wrong: float
    votes: int = 0
    right: float | None = None
    right_interval: tuple[float, float] | None = None


def read_witnesses(onto: Ontology, witnesses: Any, known: Facts, ids: Sequence[Hashable]) -> Parts:
    """Return models and rules as witnesses, with their reports about every item of `ids`."""
    said = read_reports(witnesses, onto, items=ids)
    return Parts(said, onto, known)


def trust_in(others: Parts, probable: Floats, without: Floats) -> dict[Hashable, Trust]:
    """Return the accuracy of models and rules, given the probability of each cell by all evidence.

    A probability above one half counts as yes. Votes are also compared with the probabilities
    `without` these witnesses, because witnesses confirm themselves.
    """
    counts, right = (each.sum(axis=2, keepdims=True) for each in others.counts(probable))
    trust = Reliability(counts.shape[1], 1)
    trust.count(counts, right)
    low, high = trust.interval()
    votes, together, _ = others.right_votes(probable)
    _, alone, perfect = others.right_votes(without)
    out: dict[Hashable, Trust] = {}
    for w, name in enumerate(others.votes.witnesses):
        no, yes = ((float(low[y, w, 0]), float(high[y, w, 0])) for y in (0, 1))
        rates = float(trust.rates[1, w, 0]), float(trust.rates[0, w, 0])
        said = float(counts[:, w].sum())
        wrong = said - float(right[:, w].sum())
        vote, interval = _vote(votes[w], together[w], alone[w], perfect[w])
        out[name] = Trust(*rates, yes, no, round(said), wrong, round(votes[w]), vote, interval)
    return out


def _vote(
    votes: float, together: float, alone: float, perfect: float
) -> tuple[float | None, tuple[float, float] | None]:
    """Return the share of right votes, and its interval; None without votes.

    There are three estimates of the number of right votes. The first counts the witness's own
    reports, which confirm themselves. The second leaves them out. The third divides the second by
    the result of a perfect witness, because a model with few facts takes that one for wrong, too.
    The interval reaches from the least to the largest estimate, and 5 % beyond.
    """
    from scipy.special import betaincinv

    if not votes:
        return None, None
    found = sorted(min(one, votes) for one in (together, alone, alone / max(perfect / votes, 1e-9)))
    a = np.array([found[0], found[-1]]) + 0.5
    b = votes - np.array([found[0], found[-1]]) + 0.5
    low, high = betaincinv(a, b, (0.05, 0.95))
    return found[1] / votes, (float(low), float(high))


class Hearing:
    """The replies of people who can be wrong."""

    def __init__(self, core: Core):
        knowledge = core.knowledge
        assert knowledge.testimony is not None
        self._core = core
        self._knowledge = knowledge
        self._onto = knowledge.onto
        self._testimony = knowledge.testimony

    def hear(
        self, i: int, k: int, value: bool | Collection[str], who: Hashable | None
    ) -> tuple[tuple[Settled, ...], ClashWarning | None]:
        """Take a reply; return the newly settled labels, and a warning if answers clash now."""
        if not isinstance(who, Hashable):
            raise CorollaryError(f"who must be a name or a number, got {shown(who)}")
        knowledge = self._knowledge
        testimony = self._testimony
        onto = self._onto
        cells: Cells = cells_of(knowledge, i, k, value)
        options = 0
        if k == len(onto):
            options = options_to_pick(onto, knowledge.known[i])
            cells = statements(onto, knowledge.given_of(i), cells)
        before = self._standing(i)
        clashed = self._clash(i)
        testimony.say(i, cells, who, options=options)
        now = self._standing(i)
        clash = None
        if not clashed and self._clash(i):
            worst = max(self.doubts_of(i), key=lambda doubt: doubt.probability)
            count = len(testimony.of_item(i))
            clash = ClashWarning(
                f"{count} answers about {knowledge.ids[i]!r} cannot all be true; "
                f"most likely wrong: {worst}"
            )
        new = sorted(
            np.flatnonzero((now >= 0) & (now != before)).tolist(), key=lambda j: (j not in cells, j)
        )
        stand = {
            onto.labels[r.label]: r.value for r in testimony.of_item(i) if now[r.label] == r.value
        }
        said = knowledge.answers_of(i) | stand
        return tuple(
            [Settled(knowledge.ids[i], onto.labels[j], bool(now[j]), onto, said) for j in new]
        ), clash

    def addressed(
        self, questions: Sequence[Question | ItemQuestion]
    ) -> list[Question | ItemQuestion]:
        """Return the questions, each with the best person to ask if people have prices."""
        prices = self._core.scoring.prices
        if not prices:
            return list(questions)
        out: list[Question | ItemQuestion] = []
        for question in questions:
            if isinstance(question, Question):
                i, k = cell_of(question, self._knowledge)
                p = float(self.probable(np.array([i]))[0, k])
                question = replace(question, who=whom_to_ask(p, self._testimony, i, k, prices))
            out.append(question)
        return out

    @property
    def rows(self) -> Rows:
        """The items with an answer."""
        return self._testimony.rows

    def frozen(self) -> Hearing:
        """Return a copy that later answers do not change."""
        twin = copy(self._core)
        twin.knowledge = self._knowledge.frozen()
        return Hearing(twin)

    def doubtful(self, n: int, *, at_least: float = 0.0, settled: bool = True) -> list[Doubt]:
        """Return the n answers most likely to be wrong, the worst first.

        Without `settled`, answers about certain labels are left out.
        """
        reports, columns, wrong = self._weighed()
        asked = (wrong >= at_least) & (
            settled | (self._knowledge.known[columns[0], columns[1]] < 0)
        )
        order = np.argsort(-wrong, kind="stable")
        worst = [reports[r] for r in order[asked[order]][:n].tolist()]
        doubts = {i: self.doubts_of(i) for i in dict.fromkeys(report.item for report in worst)}
        return [
            doubts[report.item][self._testimony.of_item(report.item).index(report)]
            for report in worst
        ]

    def _weighed(self) -> tuple[list[Report], npt.NDArray[np.int64], Floats]:
        """Return all reports, the same as columns, and the probability that each is wrong."""
        reports = self._testimony.reports
        rows = self._testimony.rows
        columns = (
            np.fromiter(chain.from_iterable(reports), np.int64).reshape(-1, len(Report._fields)).T
        )
        item, label, value = columns[:3]
        p = self.probable(rows)[np.searchsorted(rows, item), label]
        return reports, columns, np.where(value == 1, 1.0 - p, p)

    def reliability(self) -> dict[Hashable | None, Trust]:
        """Return the accuracy of each person who answered, and of models and rules."""
        testimony = self._testimony
        n = len(self._testimony.names)
        _, columns, doubt = self._weighed()
        wrong = np.bincount(columns[3], doubt, minlength=n)
        count = np.bincount(columns[3], minlength=n)
        low, high = (
            (np.zeros((2, 0, 1)), np.ones((2, 0, 1)))
            if testimony.trust is None
            else testimony.trust.interval()
        )
        out: dict[Hashable | None, Trust] = {}
        for w, name in enumerate(testimony.names):
            (no,), (yes,) = testimony.rates_of(np.array([w]))
            at = [
                (float(low[y, w, 0]), float(high[y, w, 0])) if w < low.shape[1] else (0.0, 1.0)
                for y in (0, 1)
            ]
            out[name] = Trust(float(yes), float(no), at[1], at[0], int(count[w]), float(wrong[w]))
        return out | self._of_others()

    def _of_others(self) -> dict[Hashable | None, Trust]:
        """Return the accuracy of models and rules."""
        others = self._testimony.others
        if not isinstance(others, Parts):
            return {}
        rows = np.arange(others.shape[0])
        alone = self._onto.posterior(
            self._core.beliefs_in_use, self._knowledge.known, evidence=self._testimony.said[rows]
        )
        return {**trust_in(others, self.probable(rows), alone)}

    def probable(self, rows: Rows) -> Floats:
        """Return the probability of each label of some items, given all evidence."""
        evidence = self._testimony.evidence_of(rows)
        return self._onto.posterior(
            self._core.beliefs_in_use[rows], self._knowledge.known[rows], evidence=evidence
        )

    def _standing(self, i: int) -> Facts:
        known: Facts = self._testimony.probable(
            self._core.beliefs_in_use, self._knowledge.known, np.array([i])
        )[0]
        return known

    def _clash(self, i: int) -> bool:
        """Return whether the answers about an item contradict each other."""
        row: Facts = self._knowledge.known[i].copy()
        for report in self._testimony.of_item(i):
            if row[report.label] not in (-1, report.value):
                return True
            row[report.label] = report.value
        return bool(self._onto.closure(row[None])[1][0])

    def doubts_of(self, i: int) -> list[Doubt]:
        """Return every answer about an item, with the probability that it is wrong."""
        testimony = self._testimony
        onto = self._onto
        said = self._testimony.of_item(i)
        n = len(said) + 1
        evidence = np.repeat(
            testimony.evidence_of(np.array([i])), n, axis=0
        )  # first with all answers, then without each of them in turn
        evidence[np.arange(1, n), [report.label for report in said]] -= testimony.ratios(said)
        beliefs, known = (
            np.repeat(of[i : i + 1], n, axis=0)
            for of in (self._core.beliefs_in_use, self._knowledge.known)
        )
        found = onto.posterior(beliefs, known, evidence=evidence)
        names = testimony.names
        out = []
        for r, report in enumerate(said):
            wrong = [_wrong(report, row) for row in found]
            right = [
                row[report.label] if report.value else 1.0 - row[report.label] for row in found
            ]
            against = [
                other
                for o, other in enumerate(said, start=1)
                if other is not report and right[o] * wrong[0] > DISAGREES * right[0] * wrong[o]
            ]
            disagreeing = tuple(
                (names[other.who], onto.labels[other.label], other.value) for other in against
            )
            item = self._knowledge.ids[i]
            label = onto.labels[report.label]
            name = names[report.who]
            out.append(
                Doubt(item, label, report.value, name, wrong[0], 1.0 - wrong[r + 1], disagreeing)
            )
        return out


def statements(onto: Ontology, given: Facts, cells: Cells) -> dict[int, bool]:
    """Return the statements of a reply about a whole item: narrowest labels are on, others off.

    Everything else follows from them. If every label counted, one mistake would look like many.
    """
    on = [k for k, value in cells.items() if value]
    alone = np.full((len(on), len(onto)), -1, np.int8)
    alone[np.arange(len(on)), on] = 1
    follows = onto.propagate(alone)[:, on] == 1 if on else np.zeros((0, 0), np.bool_)
    # Of labels that imply each other only the first is kept.
    implied = [
        any(follows[a, b] and (not follows[b, a] or a < b) for a in range(len(on)) if a != b)
        for b in range(len(on))
    ]
    narrow = {k: True for k, is_implied in zip(on, implied, strict=True) if not is_implied}
    rows = np.stack([given, np.full_like(given, -1)])
    rows[:, list(narrow)] = 1
    after, clash = onto.closure(rows)
    # A reply that contradicts the given facts, or itself, is wrong, but its statements are kept.
    (beside,) = rows[-1:] if clash.all() else after[~clash][:1]
    return narrow | {k: False for k, value in cells.items() if not value and beside[k] < 0}


def _wrong(report: Report, probable: Floats) -> float:
    p = float(probable[report.label])
    return 1.0 - p if report.value else p


def options_to_pick(onto: Ontology, known: Facts) -> int:
    """Return the number of options; 0 if a reply about a whole item is not a single pick."""
    if not is_one_pick(onto, known):
        return 0
    return max(
        int(choice.final[known[choice.labels] < 0].sum()) + choice.none for choice in onto.choices
    )
