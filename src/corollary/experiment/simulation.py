"""A whole labelling run against a known truth: ask, answer, retrain, measure, until little is left to gain."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from ..learning.argument_checks import seed_of
from ..learning.choosing.strategy import Strategy
from ..learning.session.options import Annotators, Asking, Reading, check_kinds, experiment
from ..learning.session.session import Session
from ..logic.engines import Floats
from ..logic.errors import CorollaryError
from .data.datasets import Dataset
from .methods import Method, method_named
from .metrics import questions_to, weighted_auc

Ints = npt.NDArray[np.int64]
Part = Literal["test", "full", "right"]
#: Questions between two trainings: a number, or "auto" for rounds that grow (see `round_size`).
PerRound = int | Literal["auto"]
#: Figures are kept to this many digits after the point: files stay small, and the target 0.999 is well inside.
DIGITS = 6


@dataclass(frozen=True, eq=False)
class Curve:
    """The course of a run: point 0 is before the first question, then one point for each round.

    Attributes
    ----------
    asked : array
        The number of questions.
    cost : array
        The cost of the questions.
    fixed : array
        The number of known cells of the test part.
    auc_full, auc_test : array
        The area under the precision-recall curve, averaged over labels and weighted by their
        positives, on all items and on the test part.
    seconds_choosing, seconds_training, seconds_evaluating : float
        The time of each part of the run.
    settings : dict
        The options of the run.
    right : array
        With pairs, the share of the test part's components that are predicted without a mistake.
    """

    asked: Ints
    cost: Floats
    fixed: Ints
    auc_full: Floats
    auc_test: Floats
    seconds_choosing: float
    seconds_training: float
    seconds_evaluating: float
    settings: Mapping[str, Any]
    right: Floats | None = None

    def questions_to(self, target: float, *, part: Part = "test", kept: bool = False) -> int | None:
        """Return the number of questions until the AUC reached a target; None if it never did.

        Parameters
        ----------
        target
            The wanted AUC.
        part
            "test" for the test part, "full" for all items.
        kept
            If True, count until the AUC reached the target for good.

        Returns
        -------
        int or None
        """
        return questions_to(self.asked, self._auc(part), target, kept=kept)

    def cost_to(self, target: float, *, part: Part = "test") -> float | None:
        """Return the cost of questions until the AUC reached a target; None if it never did.

        Parameters
        ----------
        target
            The wanted AUC.
        part
            "test" for the test part, "full" for all items.

        Returns
        -------
        float or None
        """
        reached = np.flatnonzero(self._auc(part) >= target)
        return float(self.cost[reached[0]]) if len(reached) else None

    def _auc(self, part: Part) -> Floats:
        if part == "right" and self.right is not None:
            return self.right
        if part not in ("test", "full"):
            raise CorollaryError(
                f"part must be 'test' or 'full', or with pairs 'right', got {part!r}"
            )
        return self.auc_test if part == "test" else self.auc_full

    def to_json(self) -> dict[str, Any]:
        """The curve as what JSON can hold."""
        return {
            "asked": self.asked.tolist(),
            "cost": self.cost.tolist(),
            "fixed": self.fixed.tolist(),
            "auc_full": [None if np.isnan(auc) else auc for auc in self.auc_full.tolist()],
            "auc_test": [None if np.isnan(auc) else auc for auc in self.auc_test.tolist()],
            "seconds_choosing": round(self.seconds_choosing, 3),
            "seconds_training": round(self.seconds_training, 3),
            "seconds_evaluating": round(self.seconds_evaluating, 3),
            "settings": dict(self.settings),
            **({} if self.right is None else {"right": self.right.tolist()}),
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Self:
        """Make the curve from a record of `to_json`.

        Parameters
        ----------
        record
            The record.

        Returns
        -------
        Curve
        """
        return cls(
            np.array(record["asked"], np.int64),
            np.array(
                record.get("cost", record["asked"]), np.float64
            ),  # older results: each question costs 1
            np.array(record["fixed"], np.int64),
            np.array(record["auc_full"], np.float64),
            np.array(record["auc_test"], np.float64),
            float(record["seconds_choosing"]),
            float(record["seconds_training"]),
            float(record["seconds_evaluating"]),
            dict(record["settings"]),
            np.array(record["right"], np.float64) if "right" in record else None,
        )


#: Called with the curve so far after every round.
Progress = Callable[[Curve], None]


def simulate(
    dataset: Dataset,
    method: str | Strategy = "posterior",
    *,
    learner: object = "auto",
    asking: Asking = Asking(),
    reading: Reading = Reading(),
    per_round: PerRound = 100,
    start: int | None = None,
    until: float | None = 0.999,
    predict: str | None = None,
    balanced: bool = True,
    distinct: bool = False,
    max_rounds: int | None = None,
    progress: Progress | None = None,
    random_state: Any = 0,
) -> Curve:
    """Label the test part of a data set question by question, and measure after every round.

    Parameters
    ----------
    dataset
        The data set. Its training part is known from the start.
    method
        The name of a score (posterior, log, ...), a name of the paper (LOG-CP, ...) or a
        `Strategy` of your own, see `method_named`.
    learner, asking, reading
        As for `Session`. The method sets the score, and decides whether answers propagate unless
        an `Experiment` says so. By default the meaning of labels is that of the data set.
    per_round
        The questions of a round, or "auto" for rounds that grow, see `round_size`.
    start
        If given, only as many items of each label are known from the start, drawn at random.
    until
        The run ends when both AUCs reach this value; None runs until all labels are known. With
        pairs, the share of components of which all is predicted right.
    predict
        The prediction of open cells, "beliefs" or "posterior". By default the method decides.
    balanced
        Train on all positives of each label and on equally many negatives, as in the paper.
    distinct
        Leave out items of the training part that the test part has, too.
    max_rounds
        The run ends after this number of rounds.
    progress
        A function that is called with the curve after every round.
    random_state
        The seed of all random choices.

    Raises
    ------
    CorollaryError
        If an argument is wrong.
    """
    how = method_named(method, predict=predict)
    random_state = seed_of(random_state)
    check_settings(
        per_round=per_round,
        start=start,
        until=until,
        random_state=random_state,
        max_rounds=max_rounds,
    )
    if not isinstance(dataset, Dataset):
        raise CorollaryError(
            f"simulate needs a Dataset, got {dataset!r}; load_dataset('iris') gives one"
        )
    check_kinds(asking, reading, Annotators())
    if dataset.pairs is not None:
        from .linked_simulation import simulate_linked

        if start is not None or predict is not None or distinct:
            raise CorollaryError("with pairs there is no start, predict or distinct yet")
        return simulate_linked(
            dataset,
            method,
            learner=learner,
            asking=asking,
            reading=reading,
            per_round=per_round,
            until=until,
            max_rounds=max_rounds,
            progress=progress,
            random_state=random_state,
        )
    run_of = experiment(asking)
    if asking.score != "auto" or run_of.held_out is not None:
        raise CorollaryError(
            "asking: in simulate the method sets the score, and balanced the held-out cells; "
            "leave out score and held_out"
        )
    if distinct:
        dataset = dataset.without_repeats()
    if start is not None:
        dataset = dataset.with_start(start, seed=random_state)
    propagate = how.propagate if run_of.propagate is None else run_of.propagate
    rng = np.random.default_rng(random_state)
    session = Session(
        dataset.onto,
        dataset.X,
        learner=learner,
        facts=np.where(dataset.train[:, None], dataset.Y, np.int8(-1)),
        asking=replace(
            run_of,
            score=how.score,
            propagate=propagate,
            held_out=surplus_negatives(dataset.Y, dataset.train, rng) if balanced else None,
        ),
        reading=replace(reading, meaning=dataset.meaning) if reading.meaning == "auto" else reading,
        random_state=random_state,
    )
    run = _Run(dataset, how, session)
    encoder = reading.encoder
    settings = {
        "dataset": dataset.name,
        "method": how.name,
        "learner": learner if isinstance(learner, str) else repr(learner),
        **(
            {"encoder": encoder if isinstance(encoder, str) else repr(encoder)}
            if dataset.X.ndim == 1
            else {}
        ),
        "per_round": per_round,
        "start": start,
        "until": until,
        "random_state": random_state,
        "refresh": run_of.refresh,
        "predict": how.predict,
        "propagate": propagate,
        "balanced": balanced,
        "distinct": distinct,
        "costs": None if asking.costs is None else dict(asking.costs),
        "item_cost": asking.item_cost,
        "pick": asking.pick,
        "stay": session.asking.stay,
        "diverse": asking.diverse,
        **({"share_at_random": share} if (share := asking.share_at_random) else {}),
    }
    run.train()
    run.measure()
    while not run.over(until) and (max_rounds is None or len(run.asked) <= max_rounds):
        run.ask(per_round)
        run.train()
        run.measure()
        if progress is not None:
            progress(run.curve(settings))
    return run.curve(settings)


class _Run:
    """A session, the truth, and the points measured so far."""

    def __init__(self, dataset: Dataset, method: Method, session: Session):
        self.dataset = dataset
        self.method = method
        self.session = session
        self.test = np.flatnonzero(dataset.test)
        self.truth = dataset.Y.astype(np.bool_)
        self.predicted = dataset.Y.astype(
            np.float64
        )  # the training part is known; the test part is filled in
        self.asked: list[int] = []
        self.fixed: list[int] = []
        self.auc_full: list[float] = []
        self.auc_test: list[float] = []
        self.cost: list[float] = []
        self.questions = 0
        self.spent = 0.0
        self.choosing = self.training = self.evaluating = 0.0

    def ask(self, per_round: PerRound) -> None:
        start = perf_counter()
        n = round_size(
            per_round, asked=self.questions, cells=self.test.size * len(self.dataset.onto)
        )
        asked = self.session.answer_from(self.dataset.Y, n)
        self.questions += len(asked.item)
        self.spent += float(asked.cost.sum())
        self.choosing += perf_counter() - start

    def train(self) -> None:
        start = perf_counter()
        self.session.retrain()
        self.training += perf_counter() - start

    def measure(self) -> None:
        start = perf_counter()
        known = self.session.facts[self.test]
        beliefs = self.session.beliefs[self.test]
        if self.method.predict == "posterior":
            self.predicted[self.test] = self.dataset.onto.posterior(beliefs, known)
        else:
            self.predicted[self.test] = np.where(known >= 0, known, beliefs)
        self.asked.append(self.questions)
        self.cost.append(round(self.spent, DIGITS))
        self.fixed.append(int((known >= 0).sum()))
        self.auc_full.append(round(weighted_auc(self.predicted, self.truth), DIGITS))
        self.auc_test.append(
            round(weighted_auc(self.predicted[self.test], self.truth[self.test]), DIGITS)
        )
        self.evaluating += perf_counter() - start

    def over(self, until: float | None) -> bool:
        if self.fixed[-1] == self.test.size * len(self.dataset.onto):
            return True
        return until is not None and self.auc_full[-1] >= until and self.auc_test[-1] >= until

    def curve(self, settings: Mapping[str, Any]) -> Curve:
        return Curve(
            np.array(self.asked, np.int64),
            np.array(self.cost),
            np.array(self.fixed, np.int64),
            np.array(self.auc_full),
            np.array(self.auc_test),
            self.choosing,
            self.training,
            self.evaluating,
            settings,
        )


def round_size(per_round: PerRound, *, asked: int, cells: int) -> int:
    """How many questions the next round has; `auto`: 10 % of those asked so far, at least 1 for each 5,000 cells.

    So a small data set is measured after every question, and a large one is not retrained thousands of times.
    """
    return max(1, asked // 10, cells // 5_000) if per_round == "auto" else per_round


def surplus_negatives(
    Y: npt.NDArray[np.int8], train: npt.NDArray[np.bool_], rng: np.random.Generator
) -> npt.NDArray[np.bool_]:
    """The cells (N, K) of the training part beyond all positives and equally many sampled negatives of each label."""
    surplus = np.zeros(Y.shape, np.bool_)
    for k in range(Y.shape[1]):
        negatives = np.flatnonzero(train & (Y[:, k] == 0))
        positives = int((train & (Y[:, k] == 1)).sum())
        surplus[rng.permutation(negatives)[positives:], k] = True
    return surplus


def check_settings(
    *,
    per_round: PerRound,
    start: int | None = None,
    until: float | None,
    random_state: int = 0,
    max_rounds: int | None = None,
) -> None:
    """An error that says which setting of a simulation cannot be."""
    wholes = (
        ("per_round", 1 if per_round == "auto" else per_round, 1, ", or 'auto'"),
        ("start", start or 0, 0, ""),
        ("random_state", random_state, 0, ""),
        ("max_rounds", max_rounds or 0, 0, ""),
    )
    for name, value, least, other in wholes:
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
            raise CorollaryError(
                f"{name} must be a whole number from {least}{other}, got {value!r}"
            )
    if until is not None and not 0 < until <= 1:
        raise CorollaryError(f"until must be an AUC above 0 and up to 1, or None, got {until!r}")
