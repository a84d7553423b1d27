"""Answers of people who can be wrong, trust in each person, and the resulting evidence."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from copy import copy, deepcopy
from functools import cache
from typing import NamedTuple, Protocol, Self

import numpy as np
import numpy.typing as npt

from ..logic.compiled.posterior import log_odds
from ..logic.engines import Facts, Floats
from ..logic.ontology import Ontology
from .evidence import Evidence
from .reliability import Reliability

Rows = npt.NDArray[np.int64]
#: The expected accuracy of a new person. It counts like this number of answers.
EXPECTED = 0.95
LEANING = 20.0
#: Accuracy on yes and on no share up to this number of answers. A model cannot distinguish a person
#: who says yes too often from questions chosen because yes is likely. With separate rates, people
#: who never err seemed wrong in half of the cases where the truth was no.
TIED = 100.0
#: People asked the same again repeat their errors: earlier answers count for this share.
AGAIN = 0.5
#: A model of few items is too sure or not sure enough, and people would be blamed for answers that
#: it does not expect. To judge people, its log-odds are divided by a temper, and people err in a
#: share of their answers. The pair that makes the answers most probable is used.
TEMPERS = (0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 3.0, 4.0)
ERRORS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.25, 0.35)
#: Of more items than this, every second, third and so on is used for it.
ENOUGH = 2000
#: Trust and probable labels are computed in turn, this number of times. Run to its end, it blames
#: people for errors of a model of few items: seen in single runs on digits.
ROUNDS = 6


class Report(NamedTuple):
    """One answer: item, label and person by position, and yes or no.

    `options` is the number of options if it is a pick, else 0.
    """

    item: int
    label: int
    value: bool
    who: int
    options: int = 0


class Others(Protocol):
    """Witnesses whose reports are complete from the start: models and rules."""

    def evidence(self) -> Floats:
        """Return their addition to the log-odds of each cell, (N, K)."""
        ...

    def update(self, posterior: Floats, /) -> None:
        """Learn how far to trust people from the probabilities of their answers."""
        ...


class Testimony:
    """Answers, the trust in each person, and the resulting evidence (N, K).

    `others` are models and rules, whose evidence about all items is there from the start.
    """

    def __init__(self, onto: Ontology, n_items: int, others: Others | None = None):
        self.onto = onto
        self.others = others
        self.places: dict[Hashable, int] = {}  # of people
        self.by_item: dict[int, list[Report]] = {}
        self._given = None if others is None else others.evidence()
        self.said = Evidence(n_items, len(onto))
        self._n_items = n_items
        self._set_trust(np.empty((2, 0)), np.empty(0))

    # -- answers
    # -----------------------------------------------------------------------------------------------------

    def say(
        self, i: int, statements: Mapping[int, bool], who: Hashable, *, options: int = 0
    ) -> None:
        """Add someone's answers about item i; `options` is the number of options of a pick."""
        witness = self.index(who)
        self.restate(
            i,
            [
                *self.of_item(i),
                *(Report(i, k, value, witness, options) for k, value in statements.items()),
            ],
        )

    def restate(self, i: int, reports: Sequence[Report]) -> None:
        """Replace all answers about item i."""
        self.by_item[i] = list(reports)
        self._weigh(i)

    def hear_all(self, reports: Mapping[int, Sequence[Report]]) -> None:
        """Replace all answers about many items."""
        self.by_item.update({i: list(said) for i, said in reports.items()})
        self._weigh_all()

    def take_back(self, i: int, labels: Sequence[int], who: Hashable | None) -> bool:
        """Forget the answers about labels of an item, of one person or of all.

        Return whether there were any.
        """
        gone = [
            r
            for r in self.of_item(i)
            if r.label in labels and (who is None or r.who == self.places.get(who))
        ]
        if gone:
            self.restate(i, [report for report in self.by_item[i] if report not in gone])
        return bool(gone)

    @property
    def reports(self) -> list[Report]:
        """All answers, item by item."""
        return [report for said in self.by_item.values() for report in said]

    @property
    def names(self) -> list[Hashable]:
        """The people who answered, in the order of their first answers."""
        return list(self.places)

    def of_item(self, i: int) -> list[Report]:
        """Return the answers about an item, in order."""
        return self.by_item.get(i, [])

    @property
    def rows(self) -> Rows:
        """The items with an answer."""
        return np.array(sorted(i for i, said in self.by_item.items() if said), np.int64)

    def index(self, who: Hashable) -> int:
        """Return the position of a person, who may be new."""
        return self.places.setdefault(who, len(self.places))

    # -- how far it can be trusted -----------------------------------------------------------------------------------

    def learn(self, beliefs: npt.NDArray[np.floating], known: Facts) -> None:
        """Find how far to trust each person, given beliefs about each item that ignore its answers."""
        said = np.array(self.reports, np.int64).reshape(-1, len(Report._fields))
        item, label, value, who, options = said.T
        rows, row = np.unique(item, return_inverse=True)
        share = self._shares(item, label, who)
        people = len(self.places)
        once = _once(item, label, who)
        trust = Reliability(people, 1, expected=EXPECTED, leaning=LEANING)
        if self.others is not None:
            rows = np.arange(len(beliefs))
            row = item
        odds = log_odds(beliefs[rows]) / (self._temper(beliefs, known, said) if len(said) else 1.0)
        for _ in range(ROUNDS if len(rows) else 0):
            evidence = (
                np.zeros((len(rows), len(self.onto))) if self._given is None else self._given[rows]
            )
            np.add.at(evidence, (row, label), share * self.log_ratio(value, who, options))
            found = self.onto.marginals(odds, known[rows], evidence=evidence)[0]
            probable = found[row, label]
            if self.others is not None:
                self.others.update(found)
                self._given = self.others.evidence()
            plain = options == 0
            trust.update(who[plain], 0 * label[plain], value[plain], probable[plain], once[plain])
            trust.count(*_of_both(trust.counts, trust.right))
            right = np.bincount(who[~plain], probable[~plain], minlength=people)
            picks = np.bincount(who[~plain], minlength=people)
            usual = (right.sum() + LEANING * EXPECTED) / (picks.sum() + LEANING)
            if len(said):
                self._set_trust(
                    trust.rates[:, :, 0], (right + LEANING * usual) / (picks + LEANING), trust
                )
        self._weigh_all()

    def _temper(self, beliefs: npt.NDArray[np.floating], known: Facts, said: Rows) -> float:
        """Return the divisor of the beliefs' log-odds, found together with people's error rate."""
        items = np.unique(said[:, 0])
        said = said[np.isin(said[:, 0], items[:: -(-len(items) // ENOUGH)])]
        item, label, value, who, options = said.T
        rows, row = np.unique(item, return_inverse=True)
        share = _once(item, label, who)
        odds = log_odds(beliefs[rows])
        sure = known[rows]
        others = np.maximum(options - 1, 1)

        @cache
        def without(temper: float) -> float:
            return float(self.onto.marginals(odds / temper, sure)[1].sum())

        @cache
        def likely(temper: float, error: float) -> float:
            """Return the log-likelihood of the answers, with the prior about people."""
            right = np.log1p(-error)
            wrong = np.log(error) - np.where(options > 0, np.log(others), 0.0)
            yes = value == 1
            evidence = np.zeros((len(rows), len(self.onto)))
            np.add.at(evidence, (row, label), share * np.where(yes, right - wrong, wrong - right))
            found = float(self.onto.marginals(odds / temper, sure, evidence=evidence)[1].sum())
            before = LEANING * (EXPECTED * right + (1.0 - EXPECTED) * np.log(error))
            return (
                found
                - without(temper)
                + float((share * np.where(yes, wrong, right)).sum() + before)
            )

        temper = 1.0
        error = 1.0 - EXPECTED
        while True:  # in turn, each time more probable, until neither changes
            last = temper, error
            temper = max(TEMPERS, key=lambda one: likely(one, error))
            error = max(ERRORS, key=lambda one: likely(temper, one))
            if (temper, error) == last:
                return temper

    def log_ratio(self, value: npt.ArrayLike, who: Rows, options: Rows) -> Floats:
        """Return the addition of each answer to the log-odds of its cell."""
        specificity, sensitivity = self.rates_of(who)
        said = np.asarray(value, np.bool_)
        likely = np.where(said, sensitivity, 1 - sensitivity)
        unlikely = np.where(said, 1 - specificity, specificity)
        picked = self._of(who, self._picks, EXPECTED)  # a wrong pick may be any other option
        among = np.log(picked) - np.log1p(-picked) + np.log(np.maximum(options - 1, 1))
        return np.where(options > 0, among, np.log(likely) - np.log(unlikely))

    def rates_of(self, who: Rows) -> tuple[Floats, Floats]:
        """Return specificity and sensitivity of people; new people get the average."""
        of_all = self._rates.mean(axis=1) if self._rates.shape[1] else np.full(2, EXPECTED)
        return self._of(who, self._rates[0], of_all[0]), self._of(who, self._rates[1], of_all[1])

    @property
    def errors(self) -> float:
        """The share of wrong answers, by the trust in people.

        The expected one before any answer.
        """
        said = np.array(self.reports, np.int64).reshape(-1, len(Report._fields))
        if not len(said):
            return 1.0 - EXPECTED
        _, _, _, who, options = said.T
        right = np.where(
            options > 0, self._of(who, self._picks, EXPECTED), np.mean(self.rates_of(who), axis=0)
        )
        return float(1.0 - right.mean())

    @property
    def usual(self) -> tuple[float, float, float]:
        """The average specificity, sensitivity and share of right picks."""
        specificity, sensitivity = (
            float(rate.mean()) if rate.size else EXPECTED for rate in self._rates
        )
        return specificity, sensitivity, float(self._picks.mean()) if self._picks.size else EXPECTED

    def take_up(self, learnt: Testimony) -> None:
        """Use the trust that another testimony found; the other one then uses the answers here."""
        self._set_trust(*learnt.learnt)
        self.others = deepcopy(learnt.others)
        self._given = learnt.given
        self._weigh_all()
        learnt.said = self.said  # it weighs questions by the answers here

    def trust_for_log(self) -> dict[str, list[float]]:
        """Return the trust in each person for the log.

        Counts of no and yes, right ones of each, and picks.
        """
        if self.trust is None:
            return {}
        columns = np.concatenate(
            [self.trust.counts[:, :, 0], self.trust.right[:, :, 0], self._picks[None]]
        )
        return {
            str(who): columns[:, w].tolist()
            for who, w in self.places.items()
            if w < columns.shape[1]
        }

    def trust_as(self, trusted: Mapping[str, Sequence[float]]) -> None:
        """Take the trust from a log, before any answer."""
        self.places = {who: w for w, who in enumerate(trusted)}
        if trusted:
            columns = np.array(list(trusted.values()), np.float64).T
            trust = Reliability(len(trusted), 1, expected=EXPECTED, leaning=LEANING)
            trust.count(columns[:2, :, None], columns[2:4, :, None])
            self._set_trust(trust.rates[:, :, 0], columns[4], trust)

    @property
    def given(self) -> Floats | None:
        """The evidence of other witnesses, if there are any."""
        return self._given

    @property
    def evidence(self) -> Floats:
        """The evidence of all answers, (N, K), computed anew each time.

        `evidence_of` is for some items.
        """
        return self.evidence_of(np.arange(self._n_items))

    def evidence_of(self, rows: Rows) -> Floats:
        """Return the evidence of people and other witnesses about some items, (n, K)."""
        out = self.said[rows]
        if self._given is not None:
            out += self._given[rows]
        return out

    def frozen(self) -> Self:
        """A copy that later reports do not change."""
        twin = copy(self)
        twin.others = deepcopy(self.others)
        twin.places = self.places.copy()
        twin.said = self.said.copy()
        twin.by_item = self.by_item.copy()  # its lists are replaced, never changed
        return twin

    # -- current labels ------------------------------------------------------------------------------

    def probable(self, beliefs: npt.NDArray[np.floating], known: Facts, rows: Rows) -> Facts:
        """Return known labels of some items, their probable answers, and all consequences.

        Probable labels without an answer are left out, because a learner would learn from itself.
        """
        likely = self.onto.most_probable(
            beliefs[rows], known[rows], evidence=self.evidence_of(rows)
        )
        out: Facts = known[rows].copy()
        for row, i in enumerate(rows.tolist()):
            for report in self.of_item(i):
                if likely[row, report.label] == report.value:
                    out[row, report.label] = report.value
        return self.onto.propagate(out)

    def _weigh(self, i: int) -> None:
        """Compute the evidence about one item."""
        self.said.put(i, self.weight(self.of_item(i)))

    def _weigh_all(self) -> None:
        """The evidence of all items, as `_weigh` has that of one."""
        said = np.array(self.reports, np.int64).reshape(-1, len(Report._fields))
        item, label, value, who, options = said.T
        self.said.put_all(
            item, label, self._shares(item, label, who) * self.log_ratio(value, who, options)
        )

    def weight(self, said: Sequence[Report]) -> Floats:
        """Return the addition of answers about one item to the log-odds of its labels, (K,)."""
        row = np.zeros(len(self.onto))
        np.add.at(row, [report.label for report in said], self.ratios(said))
        return row

    def ratios(self, said: Sequence[Report]) -> Floats:
        """Return the addition of each answer about one item to the log-odds of its cell."""
        _, label, value, who, options = np.array(said, np.int64).reshape(-1, len(Report._fields)).T
        return self._shares(0 * label, label, who) * self.log_ratio(value, who, options)

    @staticmethod
    def _shares(item: Rows, label: Rows, who: Rows) -> Floats:
        """Return 1 for the last answer of each person about each cell, less for earlier ones."""
        share = np.ones(len(item))
        seen = set()
        for r in range(len(item) - 1, -1, -1):
            cell = int(item[r]), int(label[r]), int(who[r])
            share[r] = AGAIN if cell in seen else 1.0
            seen.add(cell)
        return share

    def _set_trust(self, rates: Floats, picks: Floats, trust: Reliability | None = None) -> None:
        self.learnt = self._rates, self._picks, self.trust = rates, picks, trust

    @staticmethod
    def _of(who: Rows, rates: Floats, unknown: float) -> Floats:
        """Return the rate of each person, or the usual rate for those who came later."""
        if not rates.size:
            return np.full(len(who), unknown)
        return np.where(who < len(rates), rates[np.minimum(who, len(rates) - 1)], unknown)


def _once(item: Rows, label: Rows, who: Rows) -> Floats:
    """Return the weight of each report in judging people.

    All answers of one person about a cell count as one.

    Doubtful cells are asked again. If all their answers counted, people would be judged by them
    alone.
    """
    _, cell, times = np.unique(
        np.stack([item, label, who]), axis=1, return_inverse=True, return_counts=True
    )
    return 1.0 / times[cell.ravel()]


def _of_both(counts: Floats, right: Floats) -> tuple[Floats, Floats]:
    """Return counts of no and yes (2 x people x 1), each with up to `TIED` of the other's."""
    share = TIED / np.maximum(counts[::-1], TIED)
    return counts + share * counts[::-1], right + share * right[::-1]
