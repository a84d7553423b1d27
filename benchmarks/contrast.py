"""Suite `contrast`: hearing items alike, beside not hearing them, on development data; and how far they are heard.

Development data are scikit-learn's digits, as they are and by fewer directions, where no line parts them, and clusters
that are drawn. No data set of the comparison or of the evidence is among them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np
from scipy import sparse
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

import corollary as co
from corollary.experiment.data.datasets import draw_split
from corollary.experiment.simulation import simulate
from corollary.learning.choosing import contrast
from corollary.learning.session.options import Asking
from evidence.reports.intervals import ratio_interval

from . import tuning_runs

TARGETS = (0.99, 0.999)
SEEDS = (0, 1, 2, 3)
FEW_SEEDS = SEEDS[:2]
Made = tuple[Any, Any, co.Ontology]


def by_directions(name: str, n: int) -> Made:
    """Digits along the directions in which they vary most."""
    X, Y, onto = tuning_runs.DATA[name]()
    return PCA(n, random_state=0).fit_transform(X), Y, onto


def sparse_digits() -> Made:
    """How dark each pixel is, one of four, as a sparse sign."""
    X, Y, onto = tuning_runs.DATA["digits, one of ten"]()
    dark = (X // 4).astype(np.int64)
    return (
        sparse.csr_matrix(
            np.column_stack([dark == one for one in (1, 2, 3, 4)]).astype(np.float64)
        ),
        Y,
        onto,
    )


def clusters(
    shares: Sequence[float], each: int, width: int, apart: float, n: int, *, seed: int
) -> Made:
    """Classes of so many clusters each, in so many directions, so far apart in times of a cluster's width."""
    rng = np.random.default_rng(seed)
    names = [f"c{k}" for k in range(len(shares))]
    middle = rng.normal(size=(len(shares), each, width)) * apart
    of, which = rng.choice(len(shares), n, p=shares), rng.integers(each, size=n)
    onto = co.Ontology(names, [co.exactly_one(*names)])
    return (
        middle[of, which] + rng.normal(size=(n, width)),
        np.eye(len(names), dtype=np.int8)[of],
        onto,
    )


DIGITS = ("digits, one of ten", "digits in a tree", "digits under rules")
DATA: dict[str, Callable[[int], Made]] = {
    **{name: lambda _, name=name: tuning_runs.DATA[name]() for name in DIGITS},  # type: ignore[misc]
    "digits, one of ten, 6 directions": lambda _: by_directions(DIGITS[0], 6),
    "digits in a tree, 6 directions": lambda _: by_directions(DIGITS[1], 6),
    "digits under rules, 8 directions": lambda _: by_directions(DIGITS[2], 8),
    "digits, sparse signs": lambda _: sparse_digits(),
    "clusters, even": lambda seed: clusters([0.2] * 5, 3, 6, 2.0, 2_000, seed=seed),
    "clusters, some rare": lambda seed: clusters(
        [0.6, 0.2, 0.12, 0.06, 0.02], 3, 6, 2.0, 2_000, seed=seed
    ),
    "clusters, most of one": lambda seed: clusters(
        [0.8, 0.15, 0.03, 0.015, 0.005], 4, 8, 2.0, 6_000, seed=seed
    ),
}
#: What takes long to train runs on some of them, with two seeds.
FEW = ("digits, one of ten, 6 directions", "digits in a tree", "clusters, even")
#: Nothing to speak of.
HARDLY = 1e-9
#: By what the settings are called, the constants; the default first.
SETTINGS: dict[str, Mapping[str, Any]] = {
    "as it is": {},
    "not the known ones": {
        "HEARD": np.array([0.3, HARDLY]),
        "SHARES": np.column_stack([contrast.EACH, np.full(len(contrast.EACH), HARDLY)]),
    },
    "both alike at first": {"HEARD": np.array([0.15, 0.15])},
    "at first 0.1": {"HEARD": np.array([0.07, 0.03])},
    "at first 0.6": {"HEARD": np.array([0.4, 0.2])},
    "always as at first": {"COUNTS": 1e9},
    "no answer fades": {"FADES": 1.0},
    "answers fade by half": {"FADES": 0.5},
}
LEARNERS: dict[str, tuple[object, Sequence[str]]] = {
    "the paper's logistic regression": ("logistic", tuple(DATA)),
    "scikit-learn's logistic regression": (LogisticRegression(max_iter=500), FEW),
    "scikit-learn's random forest": (RandomForestClassifier(20, random_state=0), FEW),
    "the default learner": ("auto", FEW),
}


def questions(data: str, method: str, learner: object, seed: int) -> list[int]:
    """Questions to each target, reached and kept, from three known items a label, staying on items alike."""
    X, Y, onto = DATA[data](seed)
    known = draw_split(Y, len(Y) // 3, seed=seed, covering=True)
    curve = simulate(
        co.Dataset(X, Y, onto, train=known, name=data),
        method,
        learner=learner,
        per_round="auto",
        start=3,
        until=TARGETS[-1],
        balanced=False,
        asking=Asking(stay="item"),
        random_state=seed,
    )
    reached = [curve.questions_to(target, kept=True) for target in TARGETS]
    return [asked for asked in reached if asked is not None]


def beside(
    learner: object,
    settings: Mapping[str, Mapping[str, Any]],
    data: Sequence[str],
    *,
    seeds: Sequence[int] = SEEDS,
) -> dict[str, Any]:
    """Questions of `contrast` in times of those of `posterior`, from three known items a label: by data set, in all."""
    figures: dict[str, Any] = {}
    plain = {name: [questions(name, "posterior", learner, seed) for seed in seeds] for name in data}
    for words, constants in settings.items():
        with ExitStack() as stack:
            for name, value in constants.items():
                stack.enter_context(patch.object(contrast, name, value))
            ours = {
                name: [questions(name, "contrast", learner, seed) for seed in seeds]
                for name in data
            }
        for place, target in enumerate(TARGETS):
            asked, others = (
                [[run[place] for run in runs[name]] for name in data] for runs in (ours, plain)
            )
            times = ratio_interval(asked, [[one] for one in others])
            figures[f"{words}, to {target}, times"] = round(times.value, 3)
            figures[f"{words}, to {target}, times from to"] = [
                round(times.low, 3),
                round(times.high, 3),
            ]
            if not constants:
                for name, mine, other in zip(data, asked, others, strict=True):
                    figures[f"{name}, to {target}"] = [
                        round(float(np.mean(one)), 1) for one in (other, mine)
                    ]
        print(
            f"{words}: {figures[f'{words}, to {TARGETS[-1]}, times']} to {TARGETS[-1]}", flush=True
        )
    return figures


def _case(*arguments: Any, seeds: Sequence[int] = SEEDS) -> Callable[..., dict[str, Any]]:
    made = partial(beside, *arguments, seeds=seeds)
    made.__doc__ = beside.__doc__
    return made


CASES: dict[str, Callable[..., dict[str, Any]]] = {
    "a linear field": _case("crf", SETTINGS, tuple(DATA)),
    **{
        name: _case(learner, {"as it is": {}}, data, seeds=FEW_SEEDS if data is FEW else SEEDS)
        for name, (learner, data) in LEARNERS.items()
    },
}
