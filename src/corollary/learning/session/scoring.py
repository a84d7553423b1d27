"""Scores the questions of a session."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from ...logic.engines import Floats
from ...logic.ontology import Ontology
from ..choosing.best_questions import Chooser, Stay
from ..choosing.fallible_worth import fallible_scores
from ..choosing.on_device import fallible_scores_on, posterior_on, scorer_on, scores_on
from ..choosing.picks import Asks
from ..choosing.question_worth import by_cost, scores_of
from ..choosing.scores import AnyScore
from ..choosing.strategy import Situation, Strategy, Worth
from ..features.encoded import Encoded
from ..features.matrices import check_matrix
from ..features.neighbours import Flags, Nearest, NearestKnown, nearest_and_placed
from ..knowledge import Knowledge, Rows

if TYPE_CHECKING:
    from ..learners.learner import Learner


class Neighbours:
    """The nearest neighbours of items, found at the first training."""

    def __init__(self, X: Any, *, random_state: int):
        self._X = X
        self._random_state = random_state
        self._found: tuple[Nearest, NearestKnown] | None = None

    def __call__(self) -> Nearest:
        """Return the nearest neighbours of each item."""
        return self._both()[0]

    def among(self, known: Flags) -> Rows:
        """Return the nearest neighbours of each item among the known items."""
        return self._both()[1].among(known)

    def _both(self) -> tuple[Nearest, NearestKnown]:
        from ..features.tables_and_text import default_features

        if self._found is None:
            matrix = check_matrix(
                self._X if isinstance(self._X, Encoded) else default_features(self._X)[0]
            )
            found, place = nearest_and_placed(matrix, random_state=self._random_state)
            self._found = found, NearestKnown(matrix, place)
        return self._found


@dataclass(kw_only=True)
class Scoring:
    """The score of questions, and their order.

    `cost` (K+1,) is the cost of each question. `asks` says whether people answer yes or no, pick a
    label, or both. With `neighbours`, the neighbours of an item that was asked about wait until
    the next training. `prices` are the prices of annotators. `device` scores many questions at
    once. A strategy of your own sees the learner and `X`, if the session has a learner.
    """

    onto: Ontology
    cost: Floats
    score: AnyScore = "posterior"
    propagate: bool = True
    refresh: Literal["always", "never"] = "always"
    asks: Asks = "labels"
    stay: Stay | None = None
    share_at_random: float = 0.0
    neighbours: Neighbours | None = None
    prices: Mapping[Hashable, float] = field(default_factory=dict)
    random_state: int = 0
    device: str = "cpu"
    learner: Learner | None = None
    X: Any = None
    _kept: Floats | None = field(
        default=None, init=False
    )  # all scores, where they are never refreshed

    def __post_init__(self) -> None:
        #: The scorer on a device; None if the engines score.
        self.scorer = scorer_on(self.onto, self.device)

    def chooser(
        self,
        beliefs: npt.NDArray[np.floating],
        known: Knowledge,
        *,
        number: int = 0,
        neighbours: Nearest | None = None,
    ) -> Chooser:
        """Score every question by the beliefs of training `number`."""
        if neighbours is None and self.neighbours is not None:
            neighbours = self.neighbours()
        return Chooser(
            self._worth(beliefs, number, known),
            known,
            stay=self.stay,
            share_at_random=self.share_at_random,
            seed=(self.random_state, number),
            neighbours=neighbours,
            crowd=self.asks != "labels",
            cells_at_once=None if self.scorer is None else self.scorer.cells_at_once,
        )

    def _worth(self, beliefs: npt.NDArray[np.floating], number: int, known: Knowledge) -> Worth:
        """Return the worth of questions for their cost."""
        if self.score == "random":
            drawn = np.random.default_rng([self.random_state, number]).random(beliefs.shape)
            return by_cost(lambda rows, _: drawn[rows], self.cost)
        if known.testimony is not None:
            fallible = fallible_scores(
                self.onto, beliefs, known.testimony, asked=self.asks, prices=self.prices
            )
            if self.scorer is not None and not self.prices:
                fallible = fallible_scores_on(
                    self.scorer, self.onto, beliefs, known.testimony, asked=self.asks, few=fallible
                )
            return by_cost(fallible, self.cost)
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
        """Return the input of a strategy."""
        return Situation(
            self.onto,
            np.asarray(beliefs, np.float64),
            known.known.copy(),
            known.answered,
            learner=self.learner,
            X=self.X,
            propagated=self.propagate,
            seed=(self.random_state, number),
            infer=None if self.scorer is None else posterior_on(self.scorer, self.onto),
        )
