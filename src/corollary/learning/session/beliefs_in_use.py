"""Which beliefs decide: those of the last training, until one in the background is done and taken up."""

from __future__ import annotations

from collections.abc import Callable, Collection, Set

import numpy as np
import numpy.typing as npt

from ...logic.engines import Facts, Floats
from ..knowledge import Knowledge
from ..stopping.calibration import TrackRecord
from .background_training import Background
from .training import Trained

#: What was learnt of this share of the items, one in so many, may wait until it is wanted.
WAITING = 32


class BeliefsInUse:
    """The training that decides, the one that is coming, and what was said since that one began."""

    def __init__(self, knowledge: Knowledge, *, record: bool = True):
        self._knowledge = knowledge
        self._changed: set[int] = (
            set()
        )  # items of which something was said since the last training began
        #: What decides; None before the first training.
        self.trained: Trained | None = None
        #: A training in the background, until it is taken up.
        self.coming: Background[Trained] | None = None
        self._track = TrackRecord(knowledge.onto, knowledge.known) if record else None

    @property
    def track(self) -> TrackRecord:
        """What beliefs predicted, against what was then answered; where it is on record elsewhere there is none."""
        assert self._track is not None
        return self._track

    @property
    def training(self) -> bool:
        """Whether a training is under way in the background."""
        return self.coming is not None and not self.coming.done

    @property
    def beliefs(self) -> npt.NDArray[np.floating]:
        """The beliefs that decide; before the first training none, that is as many yes as no."""
        return (
            np.broadcast_to(0.5, self._knowledge.known.shape)
            if self.trained is None
            else self.trained.beliefs
        )

    @property
    def standing(self) -> Facts:
        """All that is known, and where people can be wrong, of what they said all that is probable."""
        testimony = self._knowledge.testimony
        known = self._knowledge.known
        if testimony is None or not len(rows := testimony.rows):
            return known
        out = known.copy()
        out[rows] = testimony.believed(self.beliefs, known, rows)
        return out

    def begin(self, train: Callable[[], Trained], *, wait: bool) -> None:
        """Train, on what is known now: at once, or in the background while people answer."""
        self._changed.clear()

        def run() -> Trained:
            if self._track is not None:
                self._track.work_out(unless=len(self._knowledge.known) // WAITING)
            return train()

        if wait:
            self._use(run())
        else:
            self.coming = Background(run)

    def take_up(self, *, wait: bool = False) -> bool:
        """Go on with what the training in the background gave, once it is done; True if so."""
        if self.coming is None or not (wait or self.coming.done):
            return False
        coming = self.coming
        self.coming = None
        self._use(coming.result())
        return True

    def _use(self, trained: Trained) -> None:
        """Let a training decide from now on; what was said since it began is scored by it."""
        changed = sorted(self._changed)
        if trained.testimony is not None and self._knowledge.testimony is not None:
            self._knowledge.testimony.take_up(trained.testimony)
        trained.chooser.follow(self._knowledge, np.array(changed, np.int64))
        for i in changed:
            trained.chooser.tell(i)
        if self.trained is not None:
            trained.chooser.return_to(self.trained.chooser.place)
        if self._track is not None and self.trained is None:
            self._track.begin(self._knowledge.known)
        elif self._track is not None:
            self._track.turn(self.beliefs, self.standing)
        self.trained = trained

    def changed(self, rows: Collection[int], *, drawn: Set[int] = frozenset()) -> None:
        """Something was said of some items, which a training under way has not seen; some had been drawn by chance."""
        self._changed.update(rows)
        if self._track is not None:
            self._track.drawn[[i for i in rows if i in drawn]] = True

    def rescore(self, i: int, values: Floats | None = None) -> None:
        """Something was said of item i: score its questions anew, or put the scores that were foreseen."""
        self._changed.add(i)
        if self.trained is not None:
            if self._track is not None:
                self._track.drawn[i] |= i in self.trained.chooser.drawn
            self.trained.chooser.changed(i, values)
