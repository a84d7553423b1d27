"""The learning session of a campaign: told of all items at once, and trained by a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from ...learning.choosing.best_questions import Stay
from ...learning.features.likeness import Alike
from ...learning.knowledge import Knowledge
from ...learning.question import Settled
from ...learning.session.saved_session import Log
from ...learning.session.session import Session, Trained
from ...logic.engines import Facts, Floats
from ...logic.ontology import Ontology
from ..settings import Settings

#: What fits facts (N, K) and gives beliefs and which items are alike; runs in the background.
Train = Callable[[Facts], tuple[Floats, Alike | None]]
#: Of so many different rows it is remembered what follows from them.
ROWS = 10_000


class Recalling(Knowledge):
    """Knowledge of items many of which have the same answers: what follows from a row is worked out once."""

    def __init__(self, onto: Ontology, given: Facts, ids: Sequence[Hashable], *, propagate: bool):
        self._after = lru_cache(maxsize=ROWS)(self._work_out)
        super().__init__(onto, given, ids, propagate=propagate)

    def complete(self, facts: Facts) -> Facts:
        """Facts and all that follows from them."""
        if len(facts) > 2 or not self.propagate:  # more come at once when all is built, and hardly ever again
            return super().complete(facts)
        return np.stack([self._after(row.tobytes()) for row in facts]) if len(facts) else facts.copy()

    def _work_out(self, row: bytes) -> Facts:
        known: Facts = super().complete(np.frombuffer(row, np.int8)[None])[0]
        return known


class CampaignSession(Session):
    """A session that starts with beliefs at hand; `answers`, `known`, `skipped` and `held` are those of all items.

    People ask for questions faster than models are trained: items like those asked about since the last one wait.
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
        skipped: npt.NDArray[np.bool_],
        held: npt.NDArray[np.bool_],
    ):
        self._first: Floats | None = beliefs
        self._train: Train | None = None
        self._unscored: set[int] = set()  # items of which something was said since their questions were scored
        super().__init__(
            onto,
            beliefs=self._believe,
            facts=np.full((len(ids), len(onto)), -1, np.int8),
            item_ids=ids,
            propagate=False,  # what is known comes with the answers; it is not worked out again
            item_cost=settings.item_cost,
            stay=cast(Stay | None, settings.stay),
            random_state=settings.seed,
        )
        self._knowledge = Recalling(onto, self._knowledge.given, ids, propagate=False)
        self.propagate = self._knowledge.propagate = True
        self.diverse = True
        self._knowledge.answered[:] = answers
        self._knowledge.known[:] = known
        self._knowledge.skipped[:] = skipped
        self._knowledge.held[:] = held
        self._track.begin(known)  # what the model was trained on does not tell how good it is

    def _believe(self, facts: Facts) -> Floats:
        """The beliefs at hand when the session starts, later what a training gives."""
        if self._first is not None:
            first, self._first = self._first, None
            return first
        assert self._train is not None
        beliefs, self._likeness = self._train(facts)
        return beliefs

    def _alike(self) -> Alike | None:
        """Which items are alike, as the last training told."""
        return self._likeness

    def train(self, train: Train) -> None:
        """Start a training in the background; nothing happens while one is under way or waits to be taken up."""
        self._ready()  # the beliefs at hand decide until then
        if self._coming is None:
            self._train = train
            self.retrain(wait=False)

    @property
    def awaited(self) -> bool:
        """Whether a training was begun and not yet taken up."""
        return self._coming is not None

    def take_up(self, *, wait: bool = False) -> bool:
        """Go on with what the training gave, once it is done; True if so. Its error, if it failed."""
        if self._coming is None or not (wait or self._coming.done):
            return False
        self._take_up(wait=wait)
        return True

    def best(self, last: tuple[int, int] | None = None) -> tuple[int, int] | None:
        """The row and the column of the best question (K: the whole item); `last` is where a person may stay."""
        chooser = self._ready().chooser
        if self.stay is not None:
            chooser.return_to((last, chooser.place[1]))
        found = chooser.next()
        return None if found is None else found[:2]

    def finish(self) -> None:
        """Wait until a training in the background is done; `take_up` then tells how it went."""
        if self._coming is not None:
            with suppress(Exception):
                self._coming.result()

    def restate(
        self, item: Any, answers: Mapping[str, bool], *, skipped: Collection[str | None] = ()
    ) -> tuple[Settled, ...]:
        """Replace all answers about an item; see Session.restate."""
        settled = super().restate(item, answers, skipped=skipped)
        self._log = Log(self._knowledge)  # a campaign has a log of its own, and this one would grow for months
        return settled

    def _refresh(self, i: int, values: Floats | None = None) -> None:
        """Something was said of item i: its questions are scored when one is wanted, those of several items at once.

        One that someone holds is out of the queue without a score.
        """
        self._changed.add(i)
        self._unscored.discard(i)
        if self._trained is not None:
            self._trained.chooser.tell(i)
        if self._trained is not None and self._knowledge.held[i] and self.stay != "label":
            self._trained.chooser.update(i, -np.inf, 0)
        elif values is not None:
            super()._refresh(i, values)
        else:
            self._unscored.add(i)

    def _ready(self) -> Trained:
        """The beliefs, and every question scored."""
        ready = super()._ready()
        if self._unscored:
            rows = np.array(sorted(self._unscored), np.int64)
            self._unscored.clear()
            ready.chooser.follow(self._knowledge, rows)
        return ready

    def follow(self, facts: Facts) -> Facts:
        """Facts of one or two items and all that follows from them."""
        return self._knowledge.complete(facts)

    def known_of(self, i: int) -> Facts:
        """What is known of the item in row i, as it is now."""
        row: Facts = self._knowledge.known[i].copy()
        return row

    @property
    def known(self) -> Facts:
        """All that is known; the array itself, for reading only."""
        return self._knowledge.known
