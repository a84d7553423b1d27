"""What `compare` and `ladder` share: their options, and runs that go on where they were stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

import corollary as co
from corollary.cli.experiments.simulate import (
    READING,
    TARGETS,
    Command,
    check_commits,
    source_of,
    told_progress,
)
from corollary.cli.terminal import echo
from corollary.experiment.data.known import KNOWN
from corollary.experiment.runs import Job, dataset_of, job_key, results, run_all
from corollary.experiment.simulation import check_settings
from corollary.learning.learners.learner import make_learner
from corollary.logic.errors import CorollaryError

from ..reports.comparison import Curves, placed
from ..reports.report import title
from ..simulation import adopt, check_method, run

#: Runs by data set, contender and seed.
Jobs = Mapping[tuple[str, str, int], Job]

seeds_option = click.option(
    "--seeds",
    default=3,
    show_default=True,
    metavar="N",
    help="Runs of each, each with its own split.",
)
targets_option = click.option(
    "--target",
    "targets",
    type=float,
    metavar="AUC",
    multiple=True,
    help="Repeatable. [0.99 and 0.999]",
)
distinct_option = click.option(
    "--distinct",
    is_flag=True,
    help="Leave out items known at the start that occur in the test part too.",
)
reuse_option = click.option(
    "--reuse",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    multiple=True,
    help="Results to take runs from, JSON lines, also .gz; repeatable.",
)


def out_option(folder: str) -> Callable[[Command], Command]:
    """The folder to write to."""
    return click.option(
        "--out",
        type=click.Path(file_okay=False, path_type=Path),
        default=Path(folder),
        show_default=True,
        help="Folder of the runs and the report; go on from there.",
    )


def targets_of(options: Mapping[str, Any]) -> tuple[float, ...]:
    """The targets asked for, or the usual ones, in order."""
    return tuple(sorted(set(options["targets"] or TARGETS)))


def places_of(sources: Sequence[str], options: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The data sets; options on files are for those that are files."""
    files = {name: options[name] for name in READING if options.get(name) not in (None, ())}
    own = [source for source in sources if source.lower() not in KNOWN]
    places = [source_of(source, files if source in own or not own else {}) for source in sources]
    once = {title(place["dataset"]): place for place in places}
    if len(once) < len(places):
        raise CorollaryError(
            "two of the data sets have one name; name each once, and rename files that are called alike"
        )
    return places


def check_runs(
    options: Mapping[str, Any], *, learners: Iterable[str] = (), methods: Iterable[str] = ()
) -> None:
    """Say before anything runs what cannot work."""
    if options["seeds"] < 1:
        raise CorollaryError(f"--seeds must be at least 1, got {options['seeds']}")
    per_round: Any = "auto" if options.get("per_round") is None else options["per_round"]
    for target in targets_of(options):
        check_settings(per_round=per_round, start=options["start"], until=target)
    for learner in learners:
        make_learner(learner, onto=co.Ontology(["any"]))
    for method in methods:
        check_method(method)


def run_jobs(
    jobs: Jobs, path: Path, *, reuse: Sequence[Path], processes: int, mixed: bool
) -> Curves:
    """Run what is not there yet; the curves of all jobs in their places."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for file in reuse:
        echo(f"{adopt(jobs.values(), path, source=file):,} runs taken from {file}", err=True)
    check_commits(jobs.values(), path, mixed=mixed)
    check_data(jobs.values(), done=[job for job, _ in results(path)])
    with told_progress(len(jobs)) as progress:
        run_all(jobs.values(), path, processes=processes, progress=progress, runner=run)
    return placed(jobs, results(path))


def check_data(jobs: Iterable[Job], *, done: Sequence[Job]) -> None:
    """Tell here what is wrong with data that are still to be run on, not in a process that fails on it."""
    ready = set(map(job_key, done))
    waiting = {job["dataset"]: job for job in jobs if job_key(job) not in ready}
    for job in waiting.values():
        dataset_of(job)


def start_in_words(start: int | None) -> str:
    """What is known at the start."""
    return "the whole training part" if start is None else f"{start} items of each label"


def repeats_in_words(*, distinct: bool) -> str:
    """What was done with items that occur both in the training part and in the test part."""
    return "left out of training" if distinct else "kept"
