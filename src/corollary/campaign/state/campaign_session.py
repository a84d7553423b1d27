"""The learning session of a campaign: told of all items at once, and trained by a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import cast

import numpy as np
import numpy.typing as npt

from ...learning.choosing.best_questions import Stay
from ...learning.choosing.question_worth import price_list
from ...learning.features.likeness import Alike
from ...learning.knowledge import Knowledge
from ...learning.question import ItemQuestion, Question, Settled
from ...learning.session.asking import Wording, best_questions, restate
from ...learning.session.beliefs_in_use import BeliefsInUse
from ...learning.session.training import GivenBeliefs, Trained, Training
from ...logic.engines import Facts, Floats
from ...logic.ontology import Ontology
from ..settings import Settings
from .pick_price import asked_for

#: What fits facts (N, K) and gives beliefs and which items are alike; runs in the background. Where people can be wrong
#: it gets what is sure besides.
Train = Callable[[Facts, Facts | None], tuple[Floats, Alike | None]]
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


class CampaignSession:
    """Made of what a session is made of; `answers`, `known`, `skipped` and `held` are those of all items.

    It starts with beliefs at hand, and keeps no log and no record of what they predicted: a campaign's log has both.
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
        self.random_state = settings.seed
        self._first: Floats | None = beliefs
        self._train: Train | None = None
        self._likeness: Alike | None = None
        self._unscored: set[int] = (
            set()
        )  # items of which something was said since their questions were scored
        # What is known comes with the answers; it is not worked out again.
        self._knowledge = Recalling(onto, None, ids, propagate=True)
        self._knowledge.take_all(answers, known, skipped, held)
        asks = asked_for(settings, onto)
        self._training = Training(
            onto=onto,
            believe=GivenBeliefs(onto, self._believe),
            cost=price_list(onto, {}, None, asked=asks) if cost is None else cost,
            asks=asks,
            stay=cast(Stay | None, settings.stay),
            alike=lambda: self._likeness,
            random_state=settings.seed,
        )
        self._in_use = BeliefsInUse(self._knowledge, record=False)

    def _believe(self, facts: Facts) -> Floats:
        """The beliefs at hand when the session starts, later what a training gives."""
        if self._first is not None:
            first = self._first
            self._first = None
            return first
        assert self._train is not None
        beliefs, self._likeness = self._train(*self._taught(facts))
        return np.asarray(beliefs, np.float64)

    def _taught(self, facts: Facts) -> tuple[Facts, Facts | None]:
        """What a learner is taught, and where people can be wrong what of it is sure."""
        return facts, None

    # -- what is known and believed ----------------------------------------------------------------------------------

    @property
    def answers(self) -> Facts:
        """What was answered and stands, without what follows."""
        return self._knowledge.answered

    @property
    def known(self) -> Facts:
        """All that is known; the array itself, for reading only."""
        return self._knowledge.known

    @property
    def sure(self) -> Facts:
        """What is not asked any more: what is known; where people can be wrong, without what they said."""
        return self._knowledge.known

    def known_of(self, i: int) -> Facts:
        """What is known of the item in row i, as it is now."""
        row: Facts = self.known[i].copy()
        return row

    def follow(self, facts: Facts) -> Facts:
        """Facts of one or two items and all that follows from them."""
        return self._knowledge.complete(facts)

    @property
    def beliefs(self) -> Floats:
        """What the last model, or before it what is common, says of every cell."""
        return np.asarray(self._ready().beliefs, np.float64)

    def believed_of(self, i: int) -> Floats:
        """What the beliefs in use say of the item in row i, (1, K); no question is scored for it."""
        return np.asarray(self._in_use_beliefs()[i : i + 1], np.float64)

    def _in_use_beliefs(self) -> npt.NDArray[np.floating]:
        if self._in_use.trained is None:
            self._begin(wait=True)
        return self._in_use.beliefs

    def predict(self) -> Facts:
        """The most probable legal labelling of every item."""
        return self._knowledge.onto.most_probable(self.beliefs, self._knowledge.known)

    # -- asking ------------------------------------------------------------------------------------------------------

    def ask(self, n: int) -> list[Question | ItemQuestion]:
        """The n best questions; with n = 0 all are scored, so that the first comes at once."""
        return best_questions(self._ready(), self._knowledge, n, Wording())

    def best(
        self,
        last: tuple[int, int] | None = None,
        *,
        who: str | None = None,  # noqa: ARG002 (where answers are facts nobody is asked one again)
    ) -> tuple[int, int] | None:
        """The row and the column of the best question (K: the whole item); `last` is where a person may stay."""
        chooser = self._ready().chooser
        if self._training.stay is not None:
            chooser.return_to((last, chooser.place[1]))
        found = chooser.next()
        return None if found is None else found[:2]

    def drawn(self, at: float, *, who: str | None = None) -> tuple[int, int] | None:  # noqa: ARG002 (as of `best`)
        """The best question about one of the open items, all equally probable; `at` from 0 to 1 tells which."""
        chooser = self._ready().chooser
        rows = np.flatnonzero(chooser.values > -np.inf)
        if not len(rows):
            return None
        i = int(rows[int(at * len(rows))])
        return i, int(chooser.label[i])

    def restate(
        self, item: str, answers: Mapping[str, bool], *, skipped: Collection[str | None] = ()
    ) -> tuple[Settled, ...]:
        """Replace all answers about an item; what is known now and was not. See Session.restate."""
        i = self._knowledge.row(item)
        settled = restate(self._knowledge, i, answers, skipped)
        self._changed(i)
        return settled

    def hold(self, item: str, held: bool = True) -> None:
        """Do not ask about an item for now, say because someone else has it."""
        i = self._knowledge.row(item)
        if self._knowledge.held[i] != held:
            self._knowledge.held[i] = held
            self._changed(i)

    def _changed(self, i: int) -> None:
        """Something was said of item i: its questions are scored when one is wanted, those of several items at once.

        One that someone holds is out of the queue without a score.
        """
        self._in_use.changed((i,))
        self._unscored.discard(i)
        trained = self._in_use.trained
        if trained is not None:
            trained.chooser.tell(i)
        if trained is not None and self._knowledge.held[i] and self._training.stay != "label":
            trained.chooser.update(i, -np.inf, 0)
        else:
            self._unscored.add(i)

    def _ready(self) -> Trained:
        """The beliefs, and every question scored."""
        if self._in_use.trained is None:
            self._begin(wait=True)
        ready = self._in_use.trained
        assert ready is not None
        if self._unscored:
            rows = np.array(sorted(self._unscored), np.int64)
            self._unscored.clear()
            ready.chooser.follow(self._knowledge, rows)
        return ready

    # -- training ----------------------------------------------------------------------------------------------------

    def train(self, train: Train, *, cost: Floats | None = None) -> None:
        """Start a training in the background; nothing happens while one is under way or waits to be taken up.

        `cost` (K+1,) is what each question costs from then on.
        """
        self._ready()  # the beliefs at hand decide until then
        if not self.awaited:
            self._train = train
            if cost is not None:
                self._training.cost = cost
            self._begin(wait=False)

    def _begin(self, *, wait: bool) -> None:
        self._in_use.begin(self._training.of(self._knowledge.frozen(waiting=wait)), wait=wait)

    @property
    def awaited(self) -> bool:
        """Whether a training was begun and not yet taken up."""
        return self._in_use.coming is not None

    @property
    def trained(self) -> bool:
        """Whether a training is done and not yet taken up; from any thread."""
        coming = self._in_use.coming
        return coming is not None and coming.done

    def take_up(self, *, wait: bool = False) -> bool:
        """Go on with what the training gave, once it is done; True if so. Its error, if it failed."""
        return self._in_use.take_up(wait=wait)

    def finish(self) -> None:
        """Wait until a training in the background is done; `take_up` then tells how it went."""
        coming = self._in_use.coming
        if coming is not None:
            with suppress(Exception):
                coming.result()
