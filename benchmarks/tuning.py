"""Suite `tuning`: each default beside its neighbours, on development data.

Development data are scikit-learn's digits, wine and breast cancer. No data set of the comparison or of the evidence is
among them, so that a default can be chosen here and be measured there. Runs are kept in `results/tuning-runs.jsonl`
until the code changes: a suite that was stopped goes on where it was, and the default is run once for all cases.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from evidence.reports.intervals import ratio_interval

from .tuning_runs import DATA, LINES, MOST, TARGETS, WHOLE, Outcome, Run, Setting, outcomes
from .unseen import FIELDS, bits, kinds_of_digits

SEEDS = (0, 1, 2)
#: Where little is known at the start.
SMALL = tuple(name for name in DATA if name != WHOLE)
DEFAULT = Setting()
MEMBERS = ("linear", "gaussian", "forest", "wide gaussian", "narrow gaussian", "boosting")
#: Stands for never, as a number of items.
NEVER = 10**9

STAY = "learning.choosing.best_questions.STAY_WHILE"
SCARCE = "learning.learners.pool.SCARCE"
BEST_FIRST = Setting(stay=None)

#: By case the settings and what they are called, the default first.
CHOICES: dict[str, dict[str, Setting]] = {
    "rounds": {
        "10 % more": DEFAULT,
        **{f"{percent} % more": Setting(percent=percent) for percent in (5, 20, 40)},
    },
    "staying on an item": {
        "from 1/2 of the best": DEFAULT,
        "never": BEST_FIRST,
        "from 3/4 of the best": Setting(constants=((STAY, 0.75),)),
        "from 1/4 of the best": Setting(constants=((STAY, 0.25),)),
        "always": Setting(constants=((STAY, 0.0),)),
    },
    "members": {
        "all": DEFAULT,
        **{
            f"without {name}": Setting(members=tuple(other for other in MEMBERS if other != name))
            for name in MEMBERS
            if name != "boosting"
        },
        "linear alone": Setting(members=("linear",)),
    },
    "boosting": {"all": DEFAULT, "without boosting": Setting(members=MEMBERS[:-1])},
    "l2 of the linear field": {
        "0.1": DEFAULT,
        **{f"{l2:g}": Setting(changes=(("linear", "l2", l2),)) for l2 in (0.03, 0.3)},
    },
    "width of the Gaussian fields": {
        "gamma 0.5, 2 and 8": DEFAULT,
        "gamma 0.25, 1 and 4": Setting(changes=(("gaussian", "*gamma", 0.5),)),
        "gamma 1, 4 and 16": Setting(changes=(("gaussian", "*gamma", 2.0),)),
    },
    "l2 of the Gaussian fields": {
        "0.03": DEFAULT,
        **{f"{l2:g}": Setting(changes=(("gaussian", "l2", l2),)) for l2 in (0.01, 0.1)},
    },
    "landmarks of the Gaussian fields": {
        "500": DEFAULT,  # here all items: more cannot be tried
        "100": Setting(changes=(("gaussian", "landmarks", 100),)),
    },
    "trees of the forest": {
        "150": DEFAULT,  # half of all training is theirs: would fewer do?
        "50": Setting(changes=(("forest", "size", 50),)),
    },
    "weights of the members": {
        "found from 100 items on": DEFAULT,
        "found from 30 items on": Setting(constants=((SCARCE, 30),)),
        "always equal": Setting(constants=((SCARCE, NEVER),)),
    },
    "score": {
        "posterior, staying": DEFAULT,
        "posterior": BEST_FIRST,
        "gain": Setting("gain"),
        **{
            f"{name} on marginals": Setting(f"{name}:marginals")
            for name in ("PROBABILITY-CP", "LOG-CP", "LINEAR-CP")
        },
    },
}
#: As so many items counts a label that none of the known ones has; the default first.
HALVES = (0.5, 0.0, 0.25, 1.0)


def beside(
    settings: Mapping[str, Setting],
    *,
    data: Sequence[str] = SMALL,
    seeds: Sequence[int] = SEEDS,
    items: int = MOST,
    processes: int = 2,
    path: Path = LINES,
) -> dict[str, Any]:
    """Questions to two AUCs from three known items a label, mean over data and seeds, and in times of the default's.

    Times are the geometric mean over data sets of the ratio of means over seeds, with an interval by bootstrap over
    data sets and seeds. Seconds are those of all training in a run, on one thread.
    """
    runs = {
        name: [[Run(one, seed, setting, items) for seed in seeds] for one in data]
        for name, setting in settings.items()
    }
    found = outcomes(
        (run for rows in runs.values() for row in rows for run in row),
        processes=processes,
        path=path,
    )
    figures: dict[str, Any] = {}
    default: Mapping[float, list[list[int]]] = {}
    for name, rows in runs.items():
        by_data = [[found[run] for run in row] for row in rows]
        asked = {target: _questions(by_data, place) for place, target in enumerate(TARGETS)}
        default = default or asked
        for target, questions in asked.items():
            times = ratio_interval(questions, [[one] for one in default[target]])
            figures[f"{name}, to {target}"] = round(float(np.mean(questions)), 1)
            figures[f"{name}, to {target}, times"] = round(times.value, 3)
            figures[f"{name}, to {target}, times from to"] = [
                round(times.low, 3),
                round(times.high, 3),
            ]
            figures |= {
                f"{name}, {one}, to {target}": some
                for one, some in zip(data, questions, strict=True)
            }
        seconds = [one.seconds for row in by_data for one in row]
        figures[f"{name}, seconds of training"] = round(float(np.mean(seconds)), 2)
    return figures


def _questions(by_data: Sequence[Sequence[Outcome]], place: int) -> list[list[int]]:
    return [[one.questions[place] for one in row] for row in by_data]


def never_seen(
    *,
    shares: Sequence[float] = (0.03, 0.1, 0.3),
    seeds: Sequence[int] = SEEDS,
    halves: Sequence[float] = HALVES,
) -> dict[str, Any]:
    """Kinds of digits, most in no known item: bits that the fields are surprised by an item, by what one counts."""
    figures: dict[str, Any] = {}
    known = [kinds_of_digits(share=share, seed=seed) for share in shares for seed in seeds]
    for half in halves:
        for field, settings in FIELDS.items():
            surprised = [bits(data, half, **settings) for data in known]
            figures[f"{half:g} of an item, {field}, bits"] = round(float(np.mean(surprised)), 3)
            print(f"{half:g} of an item, {field}: {np.mean(surprised):.3f} bits", flush=True)
    return figures


def _case(case: str) -> Callable[..., dict[str, Any]]:
    made = partial(beside, CHOICES[case], data=(WHOLE,) if case == "boosting" else SMALL)
    made.__doc__ = f"{WHOLE}: the same." if case == "boosting" else beside.__doc__
    return made


CASES: dict[str, Callable[..., dict[str, Any]]] = {
    **{case: _case(case) for case in CHOICES},
    "labels never seen": never_seen,
}
