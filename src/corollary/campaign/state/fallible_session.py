"""The session of a campaign whose annotators can be wrong.

Their answers are evidence, and the same question can be asked again.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ...learning.knowledge import Knowledge
from ...learning.packed_facts import PackedFacts
from ...learning.question import Settled
from ...learning.session.asking import answered_by
from ...learning.session.hearing import Doubt, Hearing
from ...learning.session.training import TrainingResult
from ...learning.testimony import Report, Testimony
from ...logic.engines import Facts, Floats
from ...logic.ontology import Ontology
from ..settings import Settings
from .campaign_session import CampaignSession
from .weighing import ItemEvidence, Statement


class FallibleSession(CampaignSession):
    """A session in which annotators can be wrong.

    `answers` and `known` hold the labels in effect. The certain labels are kept apart from them,
    and the answers of annotators are kept as testimony.
    """

    def __init__(
        self,
        onto: Ontology,
        ids: Sequence[str],
        beliefs: Floats,
        settings: Settings,
        *,
        answers: Facts,
        known: Facts,
        evidence: Mapping[int, ItemEvidence],
        trust: Mapping[str, Sequence[float]],
        **rest: Any,
    ):
        testimony = Testimony(onto, len(ids))
        testimony.trust_as(trust)
        given = np.full_like(answers, -1)
        sure = np.repeat(onto.propagate(given_row(onto)), len(ids), axis=0)
        for i, one in evidence.items():
            given[i, [onto.index[label] for label in one.sure]] = list(one.sure.values())
            sure[i] = one.known
        testimony.hear_all(
            {i: _reports(testimony, i, one.statements) for i, one in evidence.items()}
        )
        super().__init__(onto, ids, beliefs, settings, answers=given, known=sure, **rest)
        self._answers = PackedFacts.of(answers)
        self._standing = known
        self._testimony = self.knowledge.testimony = testimony
        self._elsewhere: dict[
            str, dict[int, tuple[float, int]]
        ] = {}  # by person: another question about an item, with its worth
        self.hearing = Hearing(self)

    # -- known labels and probabilities ------------------------------------------------------------

    @property
    def answers(self) -> Facts:
        return self._answers[:]

    @property
    def known(self) -> Facts:
        return self._standing

    def predict(self) -> Facts:
        evidence = self._testimony.evidence
        return self.knowledge.onto.most_probable(
            self.beliefs, self.knowledge.known, evidence=evidence
        )

    def likely(self, i: int, evidence: ItemEvidence) -> Facts:
        """Return the most probable labelling of item `i` under this evidence, int8 (K,)."""
        weight = self._testimony.weight(_reports(self._testimony, i, evidence.statements))
        beliefs = self.beliefs_in_use[i : i + 1]
        row: Facts = self.knowledge.onto.most_probable(
            beliefs, evidence.known[None], evidence=weight[None]
        )[0]
        return row

    def likely_all(self, rows: npt.NDArray[np.int64]) -> Facts:
        """Return the most probable labellings of some rows, int8 (n, K)."""
        evidence = self._testimony.evidence_of(rows)
        sure = self.knowledge.known[rows]
        return self.knowledge.onto.most_probable(self.beliefs_in_use[rows], sure, evidence=evidence)

    def testified(self) -> tuple[npt.NDArray[np.int64], Floats]:
        """Return the rows with answers, and what these answers add to the log-odds, (n, K)."""
        rows = self._testimony.rows
        return rows, self._testimony.evidence_of(rows)

    def trust(self) -> dict[str, list[float]]:
        """Return the estimated reliability of each person, in the form that the log keeps."""
        return self._testimony.trust_for_log()

    # -- asking ------------------------------------------------------------------------------------------------------

    def best(
        self, last: tuple[int, int] | None = None, *, who: str | None = None
    ) -> tuple[int, int] | None:
        """Return the best question that `who` has not answered yet, as (row, column)."""
        chooser = self.chooser
        passed = dict[int, tuple[float, int]]()
        found = super().best(last)
        while found is not None and who is not None and self._has_told(*found, who):
            i = found[0]
            if self.scoring.stay == "label":  # it keeps the worth of every question
                chooser.refresh(i, without=self._told(i, who, all_of=i in passed))
                passed[i] = (0.0, 0)
            else:
                passed.setdefault(i, chooser.best_of(i))
                chooser.update(i, *self._else(i, who))
            found = super().best(last)
        for i, best in passed.items():
            if self.scoring.stay == "label":
                chooser.refresh(i)
            else:
                chooser.update(i, *best)
        return found

    def drawn(self, at: float, *, who: str | None = None) -> tuple[int, int] | None:
        """Draw a question at random; None if `who` has already answered it."""
        found = super().drawn(at)
        return None if found is None or (who is not None and self._has_told(*found, who)) else found

    def _else(self, i: int, who: str) -> tuple[float, int]:
        """Return the best question of item `i` that `who` has not answered; kept until it changes."""
        kept = self._elsewhere.setdefault(who, {})
        if i not in kept:
            chooser = self.chooser
            now = chooser.best_of(i)
            chooser.refresh(i, without=self._told(i, who))
            kept[i] = chooser.best_of(i)
            chooser.update(i, *now)
        return kept[i]

    def _told(self, i: int, who: str, *, all_of: bool = False) -> npt.NDArray[np.bool_]:
        """Mark the questions of item `i` that `who` is not asked, bool (K+1,)."""
        out = np.full(len(self.knowledge.onto) + 1, all_of)
        out[[*answered_by(self.knowledge, i, who), -1]] = True
        return out

    def _has_told(self, i: int, k: int, who: str) -> bool:
        answered = answered_by(self.knowledge, i, who)
        return bool(answered) if k == len(self.knowledge.onto) else k in answered

    def hear(
        self,
        item: str,
        evidence: ItemEvidence,
        answers: Mapping[str, bool],
        *,
        skipped: Collection[str | None] = (),
    ) -> tuple[Settled, ...]:
        """Replace all evidence about an item and its answers in effect.

        Parameters
        ----------
        item
            The id of the item.
        evidence
            Everything said about it: sure answers, and the replies of annotators.
        answers
            The answers in effect, by label.
        skipped
            Questions nobody is asked for now; None is the question for the whole item.

        Returns
        -------
        tuple of Settled
            The labels that are known now and were not known before.
        """
        onto = self.knowledge.onto
        i = self.knowledge.row(item)
        row = np.full(len(onto), -1, np.int8)
        before = self._standing[i].copy()
        row[[onto.index[label] for label in answers]] = list(answers.values())
        known = self.knowledge.complete(row[None])[0]
        cells = {onto.index[label]: value for label, value in evidence.sure.items()}
        self.knowledge.restate(
            i, cells, [len(onto) if label is None else onto.index[label] for label in skipped]
        )
        self._testimony.restate(i, _reports(self._testimony, i, evidence.statements))
        self._answers[i] = row
        self._standing[i] = known
        self._restated(i)
        new = sorted(
            np.flatnonzero((known >= 0) & (before < 0)).tolist(), key=lambda k: (row[k] < 0, k)
        )
        return tuple(
            [Settled(item, onto.labels[k], bool(known[k]), onto, dict(answers)) for k in new]
        )

    def _restated(self, i: int) -> None:
        for kept in self._elsewhere.values():
            kept.pop(i, None)
        super()._restated(i)

    # -- training ----------------------------------------------------------------------------------------------------

    def _to_learn(self, known: Knowledge) -> tuple[Facts, Facts | None]:
        return self._standing.copy(), known.known  # a copy: people answer during the training

    def take_up(self, *, wait: bool = False) -> TrainingResult | None:
        result = super().take_up(wait=wait)
        if result is not None:
            self._elsewhere.clear()
        return result

    # -- reliability of people ---------------------------------------------------------------------

    def frozen(self) -> Hearing:
        """Return a copy of the answers and their weights, to be read while others answer."""
        return self.hearing.frozen()

    def doubts_of(self, i: int) -> list[Doubt]:
        """Return each answer about an item with its probability of being wrong, and why."""
        return self.hearing.doubts_of(i)


def given_row(onto: Ontology) -> Facts:
    """Return the row of an item without any known label, int8 (1, K)."""
    return np.full((1, len(onto)), -1, np.int8)


def _reports(testimony: Testimony, i: int, said: Sequence[Statement]) -> list[Report]:
    """Turn statements about item `i` into reports, in which people are numbers."""
    return [
        Report(i, k, value, testimony.index(one.who), one.options)
        for one in said
        for k, value in one.cells.items()
    ]
