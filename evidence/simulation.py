"""Simulated runs of methods by name, other tools' strategies included, and results taken over."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from corollary.experiment import simulation
from corollary.experiment.data.datasets import Dataset
from corollary.experiment.methods import SCORES, method_named
from corollary.experiment.runs import (
    Job,
    append_result,
    dataset_of,
    job_key,
    results,
    results_with_origin,
)
from corollary.experiment.simulation import Curve, PerRound, round_size
from corollary.learning.session.options import Asking, experiment, grouped
from corollary.logic.errors import CorollaryError, nearest

from .strategies.forms import Form
from .strategies.named import NAMES, make_strategy


def check_method(name: str) -> None:
    """Raise an error if no method has this name."""
    if ":" in name:
        split(name)
    else:
        method_named(name)


def split(name: str) -> tuple[str, Form]:
    """The strategy and the form in the name of a method: margin and items of `margin:items`.

    `LOG-CP:marginals` scores the posterior's marginals in place of the learner's probabilities.
    """
    base, _, form = name.partition(":")
    known = NAMES.get(form, ())
    strategy = base
    if form == "marginals" and base.removesuffix("-CP").isupper():
        strategy = base.removesuffix("-CP").lower()
    if strategy not in known:
        named = (*SCORES, *(f"{one}:{kind}" for kind, some in NAMES.items() for one in some))
        hint = nearest(name, named)
        raise CorollaryError(f"no method {name!r}{hint}; there are: {', '.join(named)}")
    return strategy, cast(Form, form)


def simulate(
    dataset: Dataset, method: str = "posterior", *, per_round: PerRound = 100, **settings: Any
) -> Curve:
    """Simulate as the package does, also with the name of another tool's strategy."""
    if ":" not in method:
        return simulation.simulate(dataset, method, per_round=per_round, **settings)
    name, form = split(method)
    cells = int(dataset.test.sum()) * len(dataset.onto)
    strategy = make_strategy(
        name, form, batch=lambda asked: round_size(per_round, asked=asked, cells=cells)
    )
    asking = experiment(settings.pop("asking", Asking()))
    if asking.propagate is None:
        base = method.partition(":")[0]
        asking = replace(asking, propagate=base != base.upper() or base.endswith("-CP"))
    curve = simulation.simulate(dataset, strategy, per_round=per_round, asking=asking, **settings)
    return replace(curve, settings={**curve.settings, "method": method})


def run(job: Job) -> Curve:
    """The curve of one job; its seed is both the split of the data and the `random_state`."""
    settings = grouped(job.get("settings", {}))
    return simulate(dataset_of(job), job["method"], random_state=job["seed"], **settings)


def adopt(
    jobs: Iterable[Job], path: str | os.PathLike[str], *, source: str | os.PathLike[str]
) -> int:
    """Copy the results of these jobs from another file, if `path` does not have them yet.

    Results keep their origin. Returns how many were copied.
    """
    if not Path(source).exists():
        raise CorollaryError(f"{source} does not exist; there is nothing to reuse")
    wanted = {job_key(job) for job in jobs} - {
        job_key(job) for job, _ in results(path, repair=True)
    }
    adopted = 0
    with Path(path).open("ab", buffering=0) as file:
        for job, curve, origin in results_with_origin(source):
            if (key := job_key(job)) in wanted:
                wanted.remove(key)
                append_result(file.fileno(), job, curve, origin)
                adopted += 1
    return adopted
