"""The session of a campaign: it has all items from the start, and is trained from outside."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from functools import lru_cache
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from ...learning.choosing.best_questions import Chooser, Stay
from ...learning.choosing.question_worth import price_list
from ...learning.knowledge import Knowledge
from ...learning.question import ItemQuestion, Question, Settled
from ...learning.session.asking import Wording, best_questions, restate
from ...learning.session.core import Core
from ...learning.session.scoring import Scoring
from ...learning.session.training import Train, TrainingInput
from ...logic.engines import Facts, Floats
from ...logic.ontology import Ontology
from ..settings import Settings
from .measured_costs import asked_for

#: Of so many different rows it is remembered what follows from them.
ROWS = 10_000


class Recalling(Knowledge):
    """Knowledge of items many of which have the same answers: what follows from a row is worked out once."""

    def __init__(
        self, onto: Ontology, given: Facts | None, ids: Sequence[Hashable], *, propagate: bool
    ):
        self._after = lru_cache(maxsize=ROWS)(self._work_out)
        super().__init__(onto, given, ids, propagate=propagate)

    def complete(self, facts: Facts) -> Facts:
        """Facts and all that follows from them."""
        if (
            len(facts) > 2 or not self.propagate
        ):  # more come at once when all is built, and hardly ever again
            return super().complete(facts)
        return (
            np.stack([self._after(row.tobytes()) for row in facts]) if len(facts) else facts.copy()
        )

    def _work_out(self, row: bytes) -> Facts:
        known: Facts = super().complete(np.frombuffer(row, np.int8)[None])[0]
        return known


class CampaignSession(Core):
    """What a session is made of; `answers`, `known`, `skipped` and `held` are those of all items.

    It starts with beliefs, and keeps no log and no record of what they predicted: a campaign's log has both.
    People ask for questions faster than models are trained: items like those asked about since the last one wait.
    """

    def __init__(
        self,
        onto: Ontology,
        ids: Sequence[str],
        beliefs: Floats,
        settings: Settings,
        *,
        cost: Floats | None = None,
        answers: Facts,
        known: Facts,
        skipped: npt.NDArray[np.bool_],
        held: npt.NDArray[np.bool_],
    ):
        knowledge = Recalling(onto, None, ids, propagate=True)
        # What is known comes with the answers; it is not worked out again.
        knowledge.take_all(answers, known, skipped, held)
        asks = asked_for(settings, onto)
        scoring = Scoring(
            onto=onto,
            cost=price_list(onto, {}, None, asked=asks) if cost is None else cost,
            asks=asks,
            stay=cast(Stay | None, settings.stay),
            random_state=settings.seed,
        )
        super().__init__(knowledge, scoring, beliefs=beliefs)
        self.random_state = settings.seed
        #: Items of which something was said since their questions were scored.
        self._unscored: set[int] = set()

    # -- what is known and believed ----------------------------------------------------------------------------------

    @property
    def answers(self) -> Facts:
        """The answers in effect, without what follows."""
        return self.knowledge.answered

    @property
    def known(self) -> Facts:
        """All that is known; the array itself, for reading only."""
        return self.knowledge.known

    @property
    def sure(self) -> Facts:
        """What is not asked any more: what is known; where people can be wrong, without what they said."""
        return self.knowledge.known

    def known_of(self, i: int) -> Facts:
        """What is known of the item in row i, as it is now."""
        row: Facts = self.known[i].copy()
        return row

    def follow(self, facts: Facts) -> Facts:
        """Facts of one or two items and all that follows from them."""
        return self.knowledge.complete(facts)

    @property
    def beliefs(self) -> Floats:
        """The probability of every cell by the last model; before the first, how common each label is."""
        return np.asarray(self.beliefs_in_use, np.float64)

    def predict(self) -> Facts:
        """The most probable legal labelling of every item."""
        return self.knowledge.onto.most_probable(self.beliefs, self.knowledge.known)

    # -- asking ------------------------------------------------------------------------------------------------------

    @property
    def chooser(self) -> Chooser:
        """Every question scored, those of items that changed since last time anew."""
        chooser = super().chooser
        if self._unscored:
            rows = np.array(sorted(self._unscored), np.int64)
            self._unscored.clear()
            chooser.follow(self.knowledge, rows)
        return chooser

    def ask(self, n: int) -> list[Question | ItemQuestion]:
        """The n best questions; with n = 0 all are scored, so that the first comes at once."""
        return best_questions(self, n, Wording())

    def best(
        self,
        last: tuple[int, int] | None = None,
        *,
        who: str | None = None,  # noqa: ARG002 (where answers are facts nobody is asked one again)
    ) -> tuple[int, int] | None:
        """The row and the column of the best question (K: the whole item); `last` is where a person may stay."""
        chooser = self.chooser
        if self.scoring.stay is not None:
            chooser.return_to((last, chooser.place[1]))
        found = chooser.next()
        return None if found is None else found[:2]

    def drawn(self, at: float, *, who: str | None = None) -> tuple[int, int] | None:  # noqa: ARG002 (as of `best`)
        """The best question about one of the open items, all equally probable; `at` from 0 to 1 tells which."""
        chooser = self.chooser
        rows = np.flatnonzero(chooser.values > -np.inf)
        if not len(rows):
            return None
        i = int(rows[int(at * len(rows))])
        return i, int(chooser.label[i])

    def restate(
        self, item: str, answers: Mapping[str, bool], *, skipped: Collection[str | None] = ()
    ) -> tuple[Settled, ...]:
        """Replace all answers about an item; what is known now and was not. See Session.restate."""
        i = self.knowledge.row(item)
        settled = restate(self.knowledge, i, answers, skipped)
        self._restated(i)
        return settled

    def hold(self, item: str, held: bool = True) -> None:
        """Do not ask about an item for now, say because someone else has it."""
        i = self.knowledge.row(item)
        if self.knowledge.held[i] != held:
            self.knowledge.held[i] = held
            self._restated(i)

    def _restated(self, i: int) -> None:
        """Something was said of item i: its questions are scored when one is wanted, those of several items at once.

        One that someone holds is out of the queue without a score.
        """
        self.changed((i,))
        self._unscored.discard(i)
        chooser = self.scored
        if chooser is not None:
            chooser.discount(i)
        if chooser is not None and self.knowledge.held[i] and self.scoring.stay != "label":
            chooser.update(i, -np.inf, 0)
        else:
            self._unscored.add(i)

    # -- training ----------------------------------------------------------------------------------------------------

    def train(self, train: Train, *, cost: Floats | None = None, **how: Any) -> TrainingInput:
        """Begin a training in the background, on all that is known now; what it is trained on.

        `cost` (K+1,) is what each question costs from then on; `how` are fields of `TrainingInput`.
        """
        self.ask(0)  # the beliefs in use decide until then
        if cost is not None:
            self.scoring.cost = cost
        known = self.knowledge.frozen()
        facts, sure = self._to_learn(known)
        seed = self.random_state
        wanted = TrainingInput(onto=known.onto, facts=facts, sure=sure, random_state=seed, **how)
        self.begin(train, wanted, known)
        return wanted

    def _to_learn(self, known: Knowledge) -> tuple[Facts, Facts | None]:
        """What a model is trained on, and if people can be wrong, what of it is certain."""
        return known.known, None
