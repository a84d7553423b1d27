"""From the paper's best method to the default, one change at a time: what each change saves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from corollary.experiment.methods import PAPER
from corollary.experiment.origin import Origin, check_one_origin, count_codes
from corollary.experiment.runs import Job
from corollary.logic.errors import CorollaryError

from .choice_report import ALL, explained, interval_in_words, is_worse
from .comparison import DEFAULT, UNTIL, Contender, Curves, fewest, mean_if_all
from .intervals import DRAWS, Interval, groups_of, ratio_interval
from .report import bold, in_words, origins_in_words, spread_of, table, title

#: Data set, contender or rung, seed.
Place = tuple[str, str, int]
#: Those of the paper's methods that choose, and draw consequences; one of them is its best on every data set.
CANDIDATES = tuple(method for method in PAPER if method.endswith("-CP") and method != "RANDOM-CP")
FIRST = "the paper's best, as published"
#: A setting that is not named any more, as in the runs of the default.
LEFT_OUT = object()
#: What changes on each rung, in words, and what `simulate` is told.
CHANGES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("rounds that grow", {"per_round": "auto"}),
    ("learns from all that is known", {"balanced": False}),
    ("predicts by the posterior", {"predict": "posterior"}),
    ("scores the posterior's marginals", {"method": "{best}:marginals"}),
    ("one field over the legal labellings", {"learner": "crf"}),
    ("the pool of learners", {"learner": "auto"}),
    ("chooses by the posterior's entropy", {"method": DEFAULT, "stay": None}),
    ("stays on an item while that is worth it: the default", {"stay": LEFT_OUT}),
)
RUNGS = (FIRST, *(words for words, _ in CHANGES))

HOW = f"""\
The first rung is the paper's method as published. It has its logistic regression, its balanced start, its number of
questions between two trainings, and its beliefs as predictions. Of {", ".join(CANDIDATES)} it is the
one with the fewest questions to the highest target on that data set, by the mean over the seeds. Each rung below
changes one thing more and keeps all earlier changes; the last one is the default. The saving of a change depends
on the order.
The tables count questions until the average AUC on the test part is at least the target for good. Ratios are over the
rung before, with 95 % intervals (bootstrap over data sets and seeds, {DRAWS:,} samples). They are below 1 if the change
saves questions.
"""


def first_contenders() -> list[Contender]:
    """Those among which the paper's best is found."""
    return [Contender(method, "logistic", of_paper=True) for method in CANDIDATES]


def best_of(curves: Mapping[str, Mapping[int, Any]], target: float) -> str | None:
    """The one with the fewest questions, by the mean over the seeds; None if a run of each did not get there."""
    return fewest(
        {
            method: mean_if_all([curve.questions_to(target, kept=True) for curve in runs.values()])
            for method, runs in curves.items()
        }
    )


def rungs(best: str, first: Job) -> dict[str, Job]:
    """The job of each rung, by its words; `first` is the paper's best as published, of one data set and seed."""
    jobs = {FIRST: first}
    job = first
    for words, change in CHANGES:
        settings = {
            name: value
            for name, value in {**job["settings"], **change}.items()
            if value is not LEFT_OUT
        }
        method = settings.pop("method", job["method"]).format(best=best)
        job = {**job, "method": method, "settings": settings}
        jobs[words] = job
    return jobs


def climb(
    first: Mapping[Place, Job], published: Curves, target: float
) -> tuple[dict[str, str], dict[Place, Job]]:
    """The paper's best on each data set, and the jobs of all rungs by data set, rung and seed.

    `first` are the jobs of the paper's methods as published, `published` their curves.
    """
    best = {dataset: best_of(by_method, target) for dataset, by_method in published.items()}
    if lost := [dataset for dataset, method in best.items() if method is None]:
        raise CorollaryError(
            f"on {', '.join(lost)} none of the paper's methods gets to {target:g} on all seeds"
        )
    jobs = {
        (dataset, rung, seed): job
        for (dataset, method, seed), start in first.items()
        if method == best[dataset]
        for rung, job in rungs(method, start).items()
    }
    return {dataset: str(method) for dataset, method in best.items()}, jobs


# -- report ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Climbed:
    """To one target: the questions on each rung of each data set, by seed, and over those of the rung before."""

    target: float
    #: Data set -> rung -> by seed.
    questions: dict[str, dict[str, tuple[int | None, ...]]]
    #: Rung -> data set or group -> over the rung before.
    steps: dict[str, dict[str, Interval | None]]
    #: Rung -> over the first rung, on all data sets.
    so_far: dict[str, Interval | None]


@dataclass(frozen=True)
class Ladder:
    """All that is told."""

    #: Data set -> the paper's best.
    best: dict[str, str]
    groups: dict[str, list[str]]
    climbed: tuple[Climbed, ...]
    #: Data set -> rung -> seconds of training in a run.
    seconds: dict[str, dict[str, float]]
    about: dict[str, Any]
    made_by: dict[str, int] = field(default_factory=dict)
    made_with: dict[str, int] = field(default_factory=dict)


def make_ladder(
    curves: Curves,
    best: Mapping[str, str],
    *,
    targets: Sequence[float] = (UNTIL,),
    about: dict[str, Any] | None = None,
    origins: Sequence[Origin] = (),
    mixed: bool = False,
) -> Ladder:
    """Everything worked out from the curves: by data set, rung and seed."""
    if not mixed:
        check_one_origin(origins, what="pass mixed=True to report them together")
    named = {title(dataset): by_rung for dataset, by_rung in curves.items()}
    groups = groups_of(named)
    climbed = []
    for target in targets:
        questions = {
            dataset: {
                rung: tuple(curve.questions_to(target, kept=True) for curve in runs.values())
                for rung, runs in by_rung.items()
            }
            for dataset, by_rung in named.items()
        }
        columns = {**{dataset: [dataset] for dataset in named}, **groups, ALL: list(named)}
        steps = {
            rung: {
                column: over(questions, rung, before, datasets)
                for column, datasets in columns.items()
            }
            for before, rung in pairwise(RUNGS)
        }
        so_far = {rung: over(questions, rung, FIRST, list(named)) for rung in RUNGS[1:]}
        climbed.append(Climbed(target, questions, steps, so_far))
    seconds = {
        dataset: {
            rung: float(np.mean([curve.seconds_training for curve in runs.values()]))
            for rung, runs in by_rung.items()
        }
        for dataset, by_rung in named.items()
    }
    made_with = dict(Counter(origin.made_with for origin in origins))
    chosen = {title(dataset): method for dataset, method in best.items()}
    return Ladder(
        chosen, groups, tuple(climbed), seconds, about or {}, count_codes(origins), made_with
    )


def over(
    questions: Mapping[str, Mapping[str, Sequence[int | None]]],
    rung: str,
    other: str,
    datasets: Sequence[str],
) -> Interval | None:
    """The questions of one rung over another's, on the data sets where all runs of both got there; None if none."""
    ours = []
    theirs = []
    for dataset in datasets:
        one, two = (
            [n for n in questions[dataset][name] if n is not None] for name in (rung, other)
        )
        if one and len(one) == len(two) == len(questions[dataset][rung]):
            ours.append(one)
            theirs.append([two])
    return ratio_interval(ours, theirs, of=len(datasets)) if ours else None


def as_json(ladder: Ladder) -> dict[str, Any]:
    """The ladder as what JSON can hold."""
    return asdict(ladder)


def as_markdown(ladder: Ladder) -> str:
    """The ladder as a page."""
    parts = ["# From the paper's best to the default", HOW, *sections(ladder)]
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


def sections(ladder: Ladder, *, level: int = 2) -> list[str]:
    """What was run, and the tables, under headings of a level."""
    mark = "#" * level
    about = filter(
        None, [in_words(ladder.about), origins_in_words(ladder.made_by, ladder.made_with)]
    )
    best = ", ".join(f"{method} on {name}" for name, method in ladder.best.items())
    parts = ["\n".join(about), f"The paper's best: {best}."]
    for one in ladder.climbed:
        parts += [f"{mark} To AUC {one.target:g}", steps_table(ladder, one), counts_table(one)]
    return [*parts, f"{mark} Seconds of training in a run", seconds_table(ladder)]


def steps_table(ladder: Ladder, one: Climbed) -> str:
    """A row for each change: over the rung before, by group and in all; over the first rung. Bold costs questions."""
    columns = [*(ladder.groups if len(ladder.groups) > 1 else []), ALL]
    rows = []
    for rung, found in one.steps.items():
        row = [
            rung,
            *(
                bold(interval_in_words(found[column]), when=is_worse(found[column]))
                for column in columns
            ),
        ]
        rows.append([*row, interval_in_words(one.so_far[rung])])
    told = (found for steps in one.steps.values() for found in steps.values())
    return explained(
        table(["over the rung before", *columns, "all, over the first rung"], rows), told
    )


def counts_table(one: Climbed) -> str:
    """A row for each rung, a column for each data set."""
    rows = [
        [rung, *(spread_of(by_rung[rung]) for by_rung in one.questions.values())] for rung in RUNGS
    ]
    return table(["questions", *one.questions], rows)


def seconds_table(ladder: Ladder) -> str:
    """The same for seconds."""
    rows = [
        [rung, *(f"{by_rung[rung]:,.1f}" for by_rung in ladder.seconds.values())] for rung in RUNGS
    ]
    return table(["", *ladder.seconds], rows)
