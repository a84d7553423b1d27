"""A training: beliefs learnt from what is known, or given, and what every question is worth under them."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from ...logic.engines import Facts, Floats
from ...logic.errors import CorollaryError
from ...logic.ontology import Ontology
from ..choosing.best_questions import Chooser, Stay
from ..choosing.fallible_worth import fallible_scores
from ..choosing.on_device import fallible_scores_on, posterior_on, scorer_on, scores_on
from ..choosing.picks import Asks
from ..choosing.question_worth import by_cost, scores_of
from ..choosing.scores import AnyScore
from ..choosing.strategy import Situation, Strategy, Worth
from ..features.encoded import Encoded
from ..features.learner_inputs import check_matrix
from ..features.likeness import Alike, Flags, NearestKnown, alike_and_placed
from ..features.tables_and_text import default_features
from ..knowledge import Knowledge, Rows
from ..learners.crf import CRF
from ..learners.learner import Learner
from ..learners.logistic import Logistic
from ..learners.meaning import Meaning
from ..learners.pool import Pool, can_read
from ..meaning.label_texts import label_texts
from ..meaning.reader import Reader, can_be_read, read_items
from ..one_thread import one_thread_of_blas
from ..testimony import Testimony
from .arguments import Beliefs
from .options import Reading

#: Tells that a training begins, and how long it took: the first `ask` waits for one.
LOG = logging.getLogger("corollary.learning")
#: Learners that take numbers only; a scikit-learn pipeline or a learner of one's own sees X as it is.
NEEDS_MATRIX = (Logistic, CRF, Pool, Meaning)
#: What is known in, beliefs (N, K) out.
Believe = Callable[[Knowledge], npt.NDArray[np.floating]]


#: Makes of other items what a learner takes that was fitted to some.
Prepare = Callable[[Any], Any]


def to_learn_from(
    learner: Learner, X: Any, onto: Ontology, reading: Reading
) -> tuple[Any, Prepare | None]:
    """Turn items into what a learner takes: texts and tables become numbers if need be.

    Texts are read if the learner can read, or if an encoder is named. The second part turns other
    items into the same; None if that is not possible.
    """
    said = label_texts(onto.labels, reading.meaning)  # raises an error even if nothing is read
    if not isinstance(learner, NEEDS_MATRIX) or isinstance(X, Encoded):
        return X, None if isinstance(X, Encoded) else lambda others: others
    own = reading.similarity is not None
    encoder = reading.encoder
    if can_be_read(X) and not own and (can_read(learner) or encoder != "auto"):
        reader = Reader(onto, said, encoder=encoder).fit(X)
        return reader.read(X), reader.read
    if own or encoder != "auto":
        meaning = reading.meaning
        return read_items(
            onto, X, encoder=encoder, meaning=meaning, similarity=reading.similarity
        ), None
    found, features = default_features(X)
    return found, features.transform


class Trained(NamedTuple):
    """What a training gave: the beliefs, and every question scored by them; and how far people can be trusted."""

    beliefs: npt.NDArray[np.floating]
    chooser: Chooser
    testimony: Testimony | None = None


def taught_of(known: Knowledge, held_out: npt.NDArray[np.bool_] | None) -> Facts:
    """What is known, but for the cells that a learner is not to see unless they were answered."""
    taught = known.known.copy()
    if held_out is not None:
        taught[held_out & (known.answered < 0)] = -1
    return taught


class LearntBeliefs:
    """Beliefs of a learner fitted to items and what is known of them, but for the cells that it is not to see."""

    def __init__(self, learner: Learner, X: Any, held_out: npt.NDArray[np.bool_] | None):
        self.learner = learner
        self.X = X
        self._held_out = held_out

    def __call__(self, known: Knowledge) -> Floats:
        return self.learner.fit(self.X, taught_of(known, self._held_out)).predict_proba(self.X)


class GivenBeliefs:
    """Beliefs that are there: a matrix, or a function of the facts that returns one; float32 stays so."""

    def __init__(self, onto: Ontology, given: Beliefs):
        self._onto = onto
        self._given = given

    def __call__(self, known: Knowledge) -> npt.NDArray[np.floating]:
        given = self._given
        beliefs = self._onto.check_beliefs(given(known.known.copy()) if callable(given) else given)
        if beliefs.dtype != np.float32:
            beliefs = np.asarray(beliefs, np.float64)
        if beliefs.shape != known.known.shape:
            raise CorollaryError(
                f"beliefs must have the shape {known.known.shape}, got {beliefs.shape}"
            )
        return beliefs


class Likeness:
    """Which items are alike: found once, at the first training."""

    def __init__(self, X: Any, *, random_state: int):
        self._X = X
        self._random_state = random_state
        self._found: tuple[Alike, NearestKnown] | None = None

    def __call__(self) -> Alike:
        """The nearest items of each."""
        return self._both()[0]

    def among(self, known: Flags) -> Rows:
        """The nearest items of each among those that are known."""
        return self._both()[1].among(known)

    def _both(self) -> tuple[Alike, NearestKnown]:
        if self._found is None:
            matrix = check_matrix(
                self._X if isinstance(self._X, Encoded) else default_features(self._X)[0]
            )
            found, place = alike_and_placed(matrix, random_state=self._random_state)
            self._found = found, NearestKnown(matrix, place)
        return self._found


@dataclass(kw_only=True)
class Training:
    """How a session is trained: where beliefs come from, by what questions are scored, and which are put first.

    `cost` (K+1,) is what each question costs; `asks` tells whether people are asked for yes or no, for all labels of an
    item at once, or for both.
    `alike` tells, after the beliefs, which items are alike. `prices` are what it costs to ask each of some people.
    With `trusted` it is known how far each of them can be trusted, and not found out. `device` is where many questions
    are scored at once.
    """

    onto: Ontology
    believe: Believe
    cost: Floats
    score: AnyScore = "posterior"
    propagate: bool = True
    refresh: Literal["always", "never"] = "always"
    asks: Asks = "labels"
    stay: Stay | None = None
    share_at_random: float = 0.0
    alike: Callable[[], Alike | None] | None = None
    prices: Mapping[Hashable, float] = field(default_factory=dict)
    random_state: int = 0
    trusted: bool = False
    device: str = "cpu"
    _begun: int = field(default=0, init=False)
    _kept: Floats | None = field(
        default=None, init=False
    )  # all scores, where they are never refreshed

    def __post_init__(self) -> None:
        #: What scores on a device; None where the engines do.
        self.scorer = scorer_on(self.onto, self.device)

    def of(self, known: Knowledge) -> Callable[[], Trained]:
        """The next training, on what is known: to be run now, or in the background."""
        self._begun += 1
        number = self._begun
        trusted = self.trusted

        def train() -> Trained:
            begun = time.perf_counter()
            n_items, n_labels = known.known.shape
            LOG.info(
                "training %d begins: %s items, %s labels", number, f"{n_items:,}", f"{n_labels:,}"
            )
            with one_thread_of_blas:
                beliefs = self.believe(known)
                if known.testimony is not None and not trusted:
                    known.testimony.learn(beliefs, known.known)
            worth = self._worth(beliefs, number, known)
            seed = (self.random_state, number)
            like = None if self.alike is None else self.alike()
            chooser = Chooser(
                worth,
                known,
                stay=self.stay,
                share_at_random=self.share_at_random,
                seed=seed,
                alike=like,
                crowd=self.asks != "labels",
                cells_at_once=None if self.scorer is None else self.scorer.cells_at_once,
            )
            LOG.info("training %d took %.1f s", number, time.perf_counter() - begun)
            return Trained(beliefs, chooser, known.testimony)

        return train

    def _worth(self, beliefs: npt.NDArray[np.floating], number: int, known: Knowledge) -> Worth:
        """What questions are worth under some beliefs, by cost."""
        if self.score == "random":
            drawn = np.random.default_rng([self.random_state, number]).random(beliefs.shape)
            return by_cost(lambda rows, _: drawn[rows], self.cost)
        if known.testimony is not None:
            told = fallible_scores(
                self.onto, beliefs, known.testimony, asked=self.asks, prices=self.prices
            )
            if self.scorer is not None and not self.prices:
                told = fallible_scores_on(
                    self.scorer, self.onto, beliefs, known.testimony, asked=self.asks, few=told
                )
            return by_cost(told, self.cost)
        if isinstance(self.score, Strategy):
            scores = self.score.worth(self._situation(beliefs, number, known))
        else:
            propagated = self.propagate
            asked = self.asks
            scores = scores_of(self.score, self.onto, beliefs, propagated=propagated, asked=asked)
            if self.scorer is not None:
                scores = scores_on(
                    self.scorer,
                    self.score,
                    self.onto,
                    beliefs,
                    propagated=propagated,
                    asked=asked,
                    few=scores,
                )
        worth = by_cost(scores, self.cost)
        if self.refresh == "always":
            return worth
        if self._kept is None:
            self._kept = worth(np.arange(len(beliefs)), known.known)
        kept = self._kept
        return lambda rows, _: kept[rows]

    def _situation(
        self, beliefs: npt.NDArray[np.floating], number: int, known: Knowledge
    ) -> Situation:
        """What a strategy sees."""
        learnt = self.believe if isinstance(self.believe, LearntBeliefs) else None
        return Situation(
            self.onto,
            np.asarray(beliefs, np.float64),
            known.known.copy(),
            known.answered,
            learner=learnt and learnt.learner,
            X=None if learnt is None else learnt.X,
            propagated=self.propagate,
            seed=(self.random_state, number),
            infer=None if self.scorer is None else posterior_on(self.scorer, self.onto),
        )
