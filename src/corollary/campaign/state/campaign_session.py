"""The session of a campaign: it has all items from the start, and the campaign trains it."""

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

#: The number of different rows whose consequences are cached.
ROWS = 10_000


class Recalling(Knowledge):
    """Knowledge that caches consequences, because many items have the same answers."""

    def __init__(
        self, onto: Ontology, given: Facts | None, ids: Sequence[Hashable], *, propagate: bool
    ):
        self._after = lru_cache(maxsize=ROWS)(self._work_out)
        super().__init__(onto, given, ids, propagate=propagate)

    def complete(self, facts: Facts) -> Facts:
        """Return the facts with their consequences."""
        if (
            len(facts) > 2 or not self.propagate
        ):  # many rows come only when the session is built: no use in caching them
            return super().complete(facts)
        return (
            np.stack([self._after(row.tobytes()) for row in facts]) if len(facts) else facts.copy()
        )

    def _work_out(self, row: bytes) -> Facts:
        known: Facts = super().complete(np.frombuffer(row, np.int8)[None])[0]
        return known


class CampaignSession(Core):
    """The session of a campaign, over all of its items.

    It keeps no log and no record of predictions, because the campaign's log has both. People ask
    for questions faster than models are trained. So items similar to those asked about since the
    last model wait.

    Parameters
    ----------
    onto, ids, beliefs, settings
        The ontology in force, the ids of the items, their first probabilities (n, K), the settings.
    cost
        The cost of each question, (K+1,); the last is the question for the whole item.
    answers, known
        The answers in effect, and these with their consequences, int8 (n, K).
    skipped
        The questions that are not asked for now, bool (n, K+1).
    held
        The items that nobody is asked about for now, bool (n,).
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
        # `known` has the consequences of the answers already.
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
        #: Items with new answers since their questions were scored.
        self._unscored: set[int] = set()

    # -- known labels and probabilities ------------------------------------------------------------

    @property
    def answers(self) -> Facts:
        """The answers in effect, without their consequences."""
        return self.knowledge.answered

    @property
    def known(self) -> Facts:
        """All known labels; the array itself, for reading only."""
        return self.knowledge.known

    @property
    def sure(self) -> Facts:
        """The labels that need no more questions: the known ones.

        If annotators can be wrong, their answers are not among them.
        """
        return self.knowledge.known

    def known_of(self, i: int) -> Facts:
        """Return a copy of the known labels of row `i`, int8 (K,)."""
        row: Facts = self.known[i].copy()
        return row

    def follow(self, facts: Facts) -> Facts:
        """Return the facts of one or two items with their consequences."""
        return self.knowledge.complete(facts)

    @property
    def beliefs(self) -> Floats:
        """The last model's probability of each cell; before the first, how common each label is."""
        return np.asarray(self.beliefs_in_use, np.float64)

    def predict(self) -> Facts:
        """Return the most probable legal labelling of every item."""
        return self.knowledge.onto.most_probable(self.beliefs, self.knowledge.known)

    # -- asking ------------------------------------------------------------------------------------------------------

    @property
    def chooser(self) -> Chooser:
        """The scored questions; items that changed since the last call are scored again."""
        chooser = super().chooser
        if self._unscored:
            rows = np.array(sorted(self._unscored), np.int64)
            self._unscored.clear()
            chooser.follow(self.knowledge, rows)
        return chooser

    def ask(self, n: int) -> list[Question | ItemQuestion]:
        """Return the n best questions.

        With n = 0 the questions are only scored, so that the first one comes at once later.
        """
        return best_questions(self, n, Wording())

    def best(
        self,
        last: tuple[int, int] | None = None,
        *,
        who: str | None = None,  # noqa: ARG002 (if answers are facts, nobody is asked one again)
    ) -> tuple[int, int] | None:
        """Return the best question as (row, column); column K is the whole item.

        Parameters
        ----------
        last
            The last question of this person, who may stay at its item or label.
        who
            The person who is asked.
        """
        chooser = self.chooser
        if self.scoring.stay is not None:
            chooser.return_to((last, chooser.place[1]))
        found = chooser.next()
        return None if found is None else found[:2]

    def drawn(self, at: float, *, who: str | None = None) -> tuple[int, int] | None:  # noqa: ARG002 (as of `best`)
        """Return the best question about one open item, drawn uniformly by `at` from 0 to 1."""
        chooser = self.chooser
        rows = np.flatnonzero(chooser.values > -np.inf)
        if not len(rows):
            return None
        i = int(rows[int(at * len(rows))])
        return i, int(chooser.label[i])

    def restate(
        self, item: str, answers: Mapping[str, bool], *, skipped: Collection[str | None] = ()
    ) -> tuple[Settled, ...]:
        """Replace all answers about an item; return the labels known only now.

        See Session.restate.
        """
        i = self.knowledge.row(item)
        settled = restate(self.knowledge, i, answers, skipped)
        self._restated(i)
        return settled

    def hold(self, item: str, held: bool = True) -> None:
        """Do not ask about an item for now, for example because someone else has it."""
        i = self.knowledge.row(item)
        if self.knowledge.held[i] != held:
            self.knowledge.held[i] = held
            self._restated(i)

    def _restated(self, i: int) -> None:
        """Mark item `i` as changed: its questions are scored when the next one is wanted."""
        self.changed((i,))
        self._unscored.discard(i)
        chooser = self.scored
        if chooser is not None:
            chooser.discount(i)
        # An item that someone holds leaves the queue without a score.
        if chooser is not None and self.knowledge.held[i] and self.scoring.stay != "label":
            chooser.update(i, -np.inf, 0)
        else:
            self._unscored.add(i)

    # -- training ----------------------------------------------------------------------------------------------------

    def train(self, train: Train, *, cost: Floats | None = None, **how: Any) -> TrainingInput:
        """Start a training in the background, on all labels known now.

        Parameters
        ----------
        train
            Does the training.
        cost
            The cost of each question from now on, (K+1,).
        **how
            Other fields of `TrainingInput`.

        Returns
        -------
        TrainingInput
            The input of the training.
        """
        self.ask(0)  # the current beliefs choose questions until the training is done
        if cost is not None:
            self.scoring.cost = cost
        known = self.knowledge.frozen()
        facts, sure = self._to_learn(known)
        seed = self.random_state
        wanted = TrainingInput(onto=known.onto, facts=facts, sure=sure, random_state=seed, **how)
        self.begin(train, wanted, known)
        return wanted

    def _to_learn(self, known: Knowledge) -> tuple[Facts, Facts | None]:
        """Return the labels to train on and, if annotators can be wrong, the certain ones."""
        return known.known, None
