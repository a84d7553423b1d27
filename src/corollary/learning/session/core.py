"""The core of every session: known labels, beliefs in use, and scored questions."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Set
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from threading import Thread
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from ...logic.engines import Facts, Floats
from ..choosing.best_questions import Chooser
from ..features.one_thread import one_thread_of_blas
from ..knowledge import Knowledge
from ..stopping.calibration import TrackRecord
from .scoring import Scoring
from .training import Train, TrainingInput, TrainingResult

#: Logs that a training begins, and how long it took: the first `ask` waits for one.
LOG = logging.getLogger("corollary.learning")
#: Up to one item in this number waits until its track record is needed.
WAITING = 32
Found = TypeVar("Found")


def in_background(work: Callable[[], Found]) -> Future[Found]:
    """Start work in a thread that ends with the program."""
    coming = Future[Found]()

    def run() -> None:
        try:
            coming.set_result(work())
        except BaseException as error:  # raised where the result is wanted
            coming.set_exception(error)

    Thread(target=run, name="corollary-training", daemon=True).start()
    return coming


class Trained(NamedTuple):
    """A training, the known labels at its start, and every question scored by its beliefs."""

    result: TrainingResult
    known: Knowledge
    chooser: Chooser


class Core:
    """Known labels, beliefs in use, and scored questions.

    Pass `beliefs` if no training comes first. With `record`, predictions are compared with later
    answers.
    """

    def __init__(
        self,
        knowledge: Knowledge,
        scoring: Scoring,
        *,
        beliefs: npt.NDArray[np.floating] | None = None,
        record: bool = False,
    ):
        self.knowledge = knowledge
        self.scoring = scoring
        self._beliefs = beliefs
        #: Every question scored by the beliefs in use; None until one is needed.
        self.scored: Chooser | None = None
        self._coming: Future[Trained] | None = None
        self._changed: set[int] = set()  # items with answers since a training began
        self._trainings = 0
        self._track = TrackRecord(knowledge.onto, knowledge.known) if record else None

    # -- beliefs ------------------------------------------------------------------------------------------------------

    @property
    def has_beliefs(self) -> bool:
        """Whether there are beliefs."""
        return self._beliefs is not None

    @property
    def beliefs_in_use(self) -> npt.NDArray[np.floating]:
        """The beliefs in use; one half everywhere before there are any."""
        if self._beliefs is None:
            return np.broadcast_to(0.5, self.knowledge.known.shape)
        return self._beliefs

    @property
    def probable_facts(self) -> Facts:
        """All that is known, and the answers of fallible annotators that are probably right."""
        known = self.knowledge.known
        testimony = self.knowledge.testimony
        if testimony is None or not len(rows := testimony.rows):
            return known
        out = known.copy()
        out[rows] = testimony.probable(self.beliefs_in_use, known, rows)
        return out

    @property
    def track(self) -> TrackRecord:
        """The predictions, and the answers that came later."""
        assert self._track is not None
        return self._track

    @property
    def chooser(self) -> Chooser:
        """Every question scored by the beliefs in use, which must be there."""
        if self.scored is None:
            self.scored = self.scoring.chooser(self.beliefs_in_use, self.knowledge)
        return self.scored

    # -- answers -------------------------------------------------------------------------------------------------------

    def changed(self, rows: Collection[int], *, drawn: Set[int] = frozenset()) -> None:
        """Note that some items got answers, some of them drawn at random."""
        self._changed.update(rows)
        if self._track is not None:
            self._track.drawn[[i for i in rows if i in drawn]] = True

    def rescore(self, i: int, values: Floats | None = None) -> None:
        """Score the questions of an item anew, or use the scores computed ahead."""
        self._changed.add(i)
        if self.scored is not None:
            if self._track is not None:
                self._track.drawn[i] |= i in self.scored.drawn
            self.scored.changed(i, values)

    # -- training ------------------------------------------------------------------------------------------------------

    def begin(
        self, train: Train, wanted: TrainingInput, known: Knowledge, *, wait: bool = False
    ) -> None:
        """Train, and score all questions by the result.

        `known` is a frozen copy of the knowledge. Without `wait` the training runs in the
        background until `take_up`.
        """
        self._changed.clear()
        self._trainings += 1
        work = partial(self._trained, train, wanted, known, self._trainings)
        if wait:
            self._use(work())
        else:
            self._coming = in_background(work)

    def _trained(
        self, train: Train, wanted: TrainingInput, known: Knowledge, number: int
    ) -> Trained:
        if self._track is not None:
            self._track.work_out(unless=len(known.known) // WAITING)
        begun = time.perf_counter()
        n_items, n_labels = known.known.shape
        LOG.info("training %d begins: %s items, %s labels", number, f"{n_items:,}", f"{n_labels:,}")
        with one_thread_of_blas:
            result = train(wanted)
            if known.testimony is not None:
                known.testimony.learn(result.beliefs, known.known)
        chooser = self.scoring.chooser(
            result.beliefs, known, number=number, neighbours=result.neighbours
        )
        LOG.info("training %d took %.1f s", number, time.perf_counter() - begun)
        return Trained(result, known, chooser)

    @property
    def awaited(self) -> bool:
        """Whether a training in the background is running or waits to be used."""
        return self._coming is not None

    @property
    def done(self) -> bool:
        """Whether a training is done and waits to be used; any thread may read this."""
        coming = self._coming
        return coming is not None and coming.done()

    def finish(self) -> None:
        """Wait until a training in the background is done; `take_up` raises its error."""
        coming = self._coming
        if coming is not None:
            with suppress(Exception):
                coming.result()

    def take_up(self, *, wait: bool = False) -> TrainingResult | None:
        """Use a training in the background if it is done; raise its error if it failed."""
        coming = self._coming
        if coming is None or not (wait or coming.done()):
            return None
        self._coming = None
        trained = coming.result()
        self._use(trained)
        return trained.result

    def _use(self, trained: Trained) -> None:
        """Use a training from now on, with the answers since it began."""
        changed = sorted(self._changed)
        mine = self.knowledge.testimony
        if trained.known.testimony is not None and mine is not None:
            mine.take_up(trained.known.testimony)
        chooser = trained.chooser
        chooser.follow(self.knowledge, np.array(changed, np.int64))
        for i in changed:
            chooser.discount(i)
        if self.scored is not None:
            chooser.return_to(self.scored.place)
        if self._track is not None:
            if self._beliefs is None:
                self._track.begin(self.knowledge.known)
            else:
                self._track.turn(self.beliefs_in_use, self.probable_facts)
        self._beliefs = trained.result.beliefs
        self.scored = chooser
