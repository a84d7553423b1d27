"""Methods compared: what they run with, questions to a target, ratios to the paper's best, how good they are early."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from corollary.experiment.methods import PAPER, PAPER_ROUNDS
from corollary.experiment.runs import Job, job_key
from corollary.experiment.simulation import Curve, PerRound
from corollary.learning.choosing.scores import CONTRAST

#: The end of a run unless a setting says otherwise; jobs that keep to it do not name it.
UNTIL = 0.999
DEFAULT = "posterior"

#: Data set -> contender -> seed -> curve; the contenders in the order of the report.
Curves = Mapping[str, Mapping[str, Mapping[int, Curve]]]


@dataclass(frozen=True)
class Contender:
    """A method of choosing questions, and whether it stands for the paper; the others run as Corollary does.

    The paper's methods have the paper's learner, its rounds, and its balanced start. Corollary's have rounds that grow,
    and all that is known to learn from. Where they are `alike` all run as Corollary's, and predict by the posterior:
    only the choice differs.
    """

    method: str
    learner: str
    of_paper: bool
    alike: bool = False

    @property
    def name(self) -> str:
        """`LOG-CP` is the paper's; `posterior (auto)` names its learner, unless all have the same."""
        return self.method if self.of_paper or self.alike else f"{self.method} ({self.learner})"

    def settings(self, dataset: str, *, per_round: PerRound | None = None) -> dict[str, Any]:
        """What `simulate` is told; of the paper's methods, the very settings of the reproduction."""
        if self.alike:
            return {
                "per_round": per_round or "auto",
                "learner": self.learner,
                "balanced": False,
                "predict": "posterior",
            }
        if per_round is None:
            per_round = PAPER_ROUNDS.get(dataset, "auto") if self.of_paper else "auto"
        return {
            "per_round": per_round,
            "learner": self.learner,
            **({} if self.of_paper else {"balanced": False}),
        }


def default_with(learner: str) -> str:
    """What a session chooses by with a learner, if nobody says otherwise and items are numbers."""
    return DEFAULT if learner in ("auto", "pool", "meaning") else CONTRAST


def contenders(
    methods: Sequence[str] = (),
    *,
    learners: Sequence[str] = ("auto",),
    paper: Sequence[str] = PAPER,
) -> list[Contender]:
    """The paper's seven, or some, Corollary's default, and other methods asked for, these with each of the learners."""
    ours = dict.fromkeys((DEFAULT, *methods))
    return [
        *(Contender(method, "logistic", of_paper=True) for method in PAPER if method in paper),
        *(
            Contender(method, learner, of_paper=False)
            for learner in dict.fromkeys(learners)
            for method in ours
        ),
    ]


def contenders_alike(
    methods: Sequence[str] = (), *, learner: str = "auto", paper: Sequence[str] = PAPER
) -> list[Contender]:
    """The paper's seven, or some, Corollary's default, and other methods asked for, all with one learner."""
    of_paper = (method for method in PAPER if method in paper)
    entered = dict.fromkeys((*of_paper, DEFAULT, default_with(learner), *methods))
    return [Contender(method, learner, of_paper=method in PAPER, alike=True) for method in entered]


def jobs_by_place(
    sources: Sequence[Mapping[str, Any]],
    entered: Sequence[Contender],
    *,
    seeds: int,
    targets: Sequence[float],
    start: int | None = None,
    per_round: PerRound | None = None,
    **more: Any,
) -> dict[tuple[str, str, int], Job]:
    """One job for each data set (`dataset`, and `files` for one's own), contender and seed; by these three.

    `more` are settings that all share; what is None is left out, so that the runs keep their names.
    """
    common = {name: value for name, value in {"start": start, **more}.items() if value is not None}
    if max(targets) != UNTIL:
        common["until"] = max(targets)
    return {
        (source["dataset"], one.name, seed): {
            **source,
            "method": one.method,
            "seed": seed,
            "settings": {**one.settings(source["dataset"], per_round=per_round), **common},
        }
        for source in sources
        for seed in range(seeds)
        for one in entered
    }


def placed(jobs: Mapping[tuple[str, str, int], Job], found: Iterable[tuple[Job, Curve]]) -> Curves:
    """The curves of the jobs, by data set, contender and seed."""
    curves = {job_key(job): curve for job, curve in found}
    places: dict[str, dict[str, dict[int, Curve]]] = {}
    for (dataset, name, seed), job in jobs.items():
        places.setdefault(dataset, {}).setdefault(name, {})[seed] = curves[job_key(job)]
    return places


# -- figures ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Figures:
    """How a contender did on one data set, to one target."""

    name: str
    #: By seed; None for a run that did not get there.
    questions: tuple[int | None, ...]
    #: Over the seeds; None if a run did not get there.
    mean: float | None
    #: The mean over that of the paper's best; None where one of the two did not get there, or the best needs none.
    ratio: float | None
    #: The same ratio on each seed.
    ratios: tuple[float | None, ...]
    #: The mean test AUC over the questions that the paper's best needs; None if none of the seven gets there.
    early: float | None


@dataclass(frozen=True)
class Standing:
    """All contenders on one data set, to one target; `best` is the one of the paper's with the fewest questions."""

    dataset: str
    target: float
    best: str | None
    figures: tuple[Figures, ...]

    def of(self, name: str) -> Figures:
        """How one contender did."""
        return next(figures for figures in self.figures if figures.name == name)

    @property
    def needed(self) -> float | None:
        """The questions of the paper's best, mean over the seeds."""
        return None if self.best is None else self.of(self.best).mean


@dataclass(frozen=True)
class Overall:
    """How a contender did over all data sets, to one target."""

    name: str
    target: float
    #: The geometric mean of the ratios above 0; None without any.
    ratio: float | None
    #: The data sets in it.
    averaged: tuple[str, ...]
    #: Those where the contender or the paper's best needs no question.
    no_question: tuple[str, ...]
    #: Those where a run of the contender, or some run of each of the seven, did not get there.
    not_reached: tuple[str, ...]
    #: Those where the mean test AUC over the questions of the paper's best is lower than that method's.
    behind_early: tuple[str, ...]


def standing(dataset: str, curves: Mapping[str, Mapping[int, Curve]], target: float) -> Standing:
    """All contenders on one data set; the paper's best has the fewest questions, by the mean over the seeds."""
    needed = {
        name: [curve.questions_to(target) for curve in seeds.values()]
        for name, seeds in curves.items()
    }
    means = {name: mean_if_all(numbers) for name, numbers in needed.items()}
    best = fewest({name: mean for name, mean in means.items() if name in PAPER})
    horizon = None if best is None else means[best]
    figures = []
    for name, numbers in needed.items():
        rivals = needed[best] if best is not None else [None] * len(numbers)
        early = None if horizon is None else early_area(curves[name].values(), horizon)
        ratios = tuple(ratio(one, other) for one, other in zip(numbers, rivals, strict=True))
        figures.append(
            Figures(name, tuple(numbers), means[name], ratio(means[name], horizon), ratios, early)
        )
    return Standing(dataset, target, best, tuple(figures))


def overall(standings: Sequence[Standing], name: str) -> Overall:
    """One contender over all data sets, to the target that the standings share."""
    (target,) = {standing.target for standing in standings}
    averaged = []
    ratios = []
    no_question = []
    not_reached = []
    behind = []
    for one in standings:
        figures = one.of(name)
        if figures.mean is None or one.needed is None:
            not_reached.append(one.dataset)
        elif not figures.ratio:  # 0, or None: the paper's best needs no question
            no_question.append(one.dataset)
        else:
            averaged.append(one.dataset)
            ratios.append(figures.ratio)
        if one.best is not None and is_behind(figures.early, one.of(one.best).early):
            behind.append(one.dataset)
    apart = (tuple(averaged), tuple(no_question), tuple(not_reached), tuple(behind))
    return Overall(name, target, geometric_mean(ratios), *apart)


def mean_if_all(numbers: Sequence[int | None]) -> float | None:
    """The mean; None if one is missing."""
    there = [number for number in numbers if number is not None]
    return sum(there) / len(there) if there and len(there) == len(numbers) else None


def fewest(means: Mapping[str, float | None]) -> str | None:
    """The name with the smallest mean, the first of equals; None if nobody has one."""
    there = {name: mean for name, mean in means.items() if mean is not None}
    return min(there, key=lambda name: there[name], default=None)


def ratio(ours: float | None, theirs: float | None) -> float | None:
    """Our questions over theirs; None where one of the two is missing, or theirs are none."""
    return None if ours is None or not theirs else ours / theirs


def early_area(curves: Iterable[Curve], questions: float) -> float:
    """The mean test AUC over the first questions, averaged over the runs; the AUC at the start if there are none."""
    return float(np.mean([mean_height(curve.asked, curve.auc_test, questions) for curve in curves]))


def mean_height(asked: npt.ArrayLike, auc: npt.ArrayLike, upto: float) -> float:
    """The mean of a curve from 0 up to some point, straight between its points and level after the last.

    Straight lines, not steps, so that a run which was measured seldom does not look worse for it.
    """
    asked = np.asarray(asked, np.float64)
    auc = np.asarray(auc, np.float64)
    if upto <= 0:
        return float(auc[0])
    x = np.append(asked[asked < upto], upto)
    y = np.interp(x, asked, auc)
    return float(np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2) / upto)


def is_behind(ours: float | None, theirs: float | None) -> bool:
    """Whether our early area is the smaller one, by more than rounding."""
    return ours is not None and theirs is not None and ours < theirs - 1e-9


def geometric_mean(numbers: Sequence[float]) -> float | None:
    """The geometric mean; None of nothing."""
    return math.exp(sum(map(math.log, numbers)) / len(numbers)) if numbers else None
