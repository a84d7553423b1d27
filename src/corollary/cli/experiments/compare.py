"""`corollary compare`: the paper's methods and Corollary's default, on data whose answers are known, as a report."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import corollary as co
from corollary.logic.errors import CorollaryError, nearest

from ..terminal import echo
from .simulate import (
    READING,
    TARGETS,
    WIDTH,
    check_commits,
    file_options,
    mix_option,
    processes_option,
    questions_per_round,
    source_of,
    start_option,
    told_progress,
)

if TYPE_CHECKING:
    from rich.table import Table

    from corollary.experiment.comparison import Curves
    from corollary.experiment.reliability import Trust
    from corollary.experiment.report import Report
    from corollary.experiment.runs import Job


@click.command("compare")
@click.argument("sources", metavar="DATASET|FILE...", nargs=-1, required=True)
@click.option("--method", "methods", metavar="NAME", multiple=True, help="Another method beside them; repeatable.")
@click.option("--paper", metavar="NAME", multiple=True, help="Only this one of the paper's; repeatable. [all seven]")
@click.option("--learner", "learners", metavar="NAME", multiple=True, help="Of all but the paper's; repeatable. [auto]")
@click.option("--seeds", default=3, show_default=True, metavar="N", help="Runs of each, each with its own split.")
@start_option
@click.option("--target", "targets", type=float, metavar="AUC", multiple=True, help="Repeatable. [0.99 and 0.999]")
@click.option(
    "--per-round",
    type=questions_per_round,
    metavar="N|auto",
    help="Questions between two trainings, for all. [the paper's for its methods, auto]",
)
@click.option(
    "--reuse",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    multiple=True,
    help="Results to take runs from, JSON lines, also .gz; repeatable.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("comparison"),
    show_default=True,
    help="Folder of the runs and the report; go on from there.",
)
@click.option("--reliability", is_flag=True, help="Also draw how far beliefs can be trusted, before and after.")
@mix_option
@processes_option
@file_options
def command(
    sources: tuple[str, ...],
    *,
    out: Path,
    processes: int,
    reuse: Sequence[Path],
    reliability: bool,
    mix_commits: bool,
    **options: Any,
) -> None:
    """Compare Corollary with the methods of the paper, as a report.

    \b
    corollary compare iris segment --seeds 3 --out comparison
    corollary compare things.csv --ontology things.onto --method gain

    The paper's seven methods run as in the paper, with its logistic regression; posterior, the default, and any other
    method with --learner. Each run is kept once it is done: the same command goes on where it was stopped. The folder
    gets report.md, report.json, figures, and the curves of all runs in runs.jsonl, each with the commit and the
    versions that made it; runs of different commits are reported together only with --mix-commits. With --reliability
    each data set has a figure more: what came true of what was believed, by the paper's classifier, by its posterior,
    and by the default.
    """  # noqa: D301 (the backslash tells click to keep the lines)
    from rich.console import Console

    from corollary.experiment.comparison import placed
    from corollary.experiment.report import make_report
    from corollary.experiment.runs import adopt, origins_of, results, run_all

    if reliability and not can_draw():
        raise CorollaryError("--reliability draws figures: pip install 'corollary[plots]'")
    targets = tuple(sorted(set(options["targets"] or TARGETS)))
    jobs = jobs_of(sources, **{**options, "targets": targets})
    out.mkdir(parents=True, exist_ok=True)
    path = out / "runs.jsonl"
    for file in reuse:
        echo(f"{adopt(jobs.values(), path, source=file):,} runs taken from {file}", err=True)
    check_commits(jobs.values(), path, mixed=mix_commits)
    check_data(jobs.values(), done=[job for job, _ in results(path)])
    with told_progress(len(jobs)) as progress:
        run_all(jobs.values(), path, processes=processes, progress=progress)
    curves = placed(jobs, results(path))
    origins = origins_of(jobs.values(), path)
    report = make_report(curves, targets=targets, about=about(options), origins=origins, mixed=mix_commits)
    trusts = trusts_of(jobs, start=options["start"]) if reliability else {}
    written = write(report, curves, out, trusts)
    Console(highlight=False, width=None if sys.stdout.isatty() else WIDTH).print(table_of(report))
    echo("* the paper's best; early: the mean test AUC over the questions it needs")
    echo(written)


def jobs_of(sources: Sequence[str], **options: Any) -> dict[tuple[str, str, int], Job]:
    """Every run there must be; what cannot work is said before anything runs."""
    from corollary.experiment.comparison import contenders, jobs_by_place
    from corollary.experiment.methods import PAPER, method_named
    from corollary.experiment.simulation import check_settings
    from corollary.learning.learners.learner import make_learner

    if options["seeds"] < 1:
        raise CorollaryError(f"--seeds must be at least 1, got {options['seeds']}")
    per_round: Any = "auto" if options["per_round"] is None else options["per_round"]
    for target in options["targets"]:
        check_settings(per_round=per_round, start=options["start"], until=target)
    learners = options["learners"] or ("auto",)
    for learner in learners:
        make_learner(learner, onto=co.Ontology(["any"]))
    for method in options["methods"]:
        method_named(method)
    for method in options["paper"]:
        if method not in PAPER:
            raise CorollaryError(f"--paper names one of {', '.join(PAPER)}; got {method!r}{nearest(method, PAPER)}")
    return jobs_by_place(
        places_of(sources, {name: options[name] for name in READING if options[name] not in (None, ())}),
        contenders(options["methods"], learners=learners, paper=options["paper"] or PAPER),
        seeds=options["seeds"],
        targets=options["targets"],
        start=options["start"],
        per_round=options["per_round"],
    )


def places_of(sources: Sequence[str], files: dict[str, Any]) -> list[dict[str, Any]]:
    """The data sets; options on files are for those that are files."""
    from corollary.experiment.data.known import KNOWN
    from corollary.experiment.report import title

    own = [source for source in sources if source.lower() not in KNOWN]
    places = [source_of(source, files if source in own or not own else {}) for source in sources]
    once = {title(place["dataset"]): place for place in places}
    if len(once) < len(places):
        raise CorollaryError(
            "two of the data sets have one name; name each once, and rename files that are called alike"
        )
    return places


def check_data(jobs: Any, *, done: Sequence[Job]) -> None:
    """Tell here what is wrong with data that are still to be run on, not in a process that fails on it."""
    from corollary.experiment.runs import dataset_of, job_key

    ready = set(map(job_key, done))
    waiting = {job["dataset"]: job for job in jobs if job_key(job) not in ready}
    for job in waiting.values():
        dataset_of(job)


def about(options: dict[str, Any]) -> dict[str, Any]:
    """What the report says of how it came about."""
    start = "the whole training part" if options["start"] is None else f"{options['start']} items of each label"
    return {
        "of the paper's methods": ", ".join(options["paper"]) or "all seven",
        "seeds, each with its own split": options["seeds"],
        "known at the start": start,
        "questions between two trainings": options["per_round"] or "the paper's for its methods, else growing",
        "corollary": co.__version__,
    }


def trusts_of(jobs: dict[tuple[str, str, int], Job], *, start: int | None) -> dict[str, Trust]:
    """How far beliefs can be trusted on each data set, in the split of its first seed."""
    from corollary.experiment.reliability import before_and_after
    from corollary.experiment.runs import dataset_of

    first = {dataset: job for (dataset, _, seed), job in jobs.items() if seed == 0}
    return {dataset: before_and_after(dataset_of(job), start=start) for dataset, job in first.items()}


def can_draw() -> bool:
    """Whether matplotlib is there."""
    from importlib.util import find_spec

    return find_spec("matplotlib") is not None


def write(report: Report, curves: Curves, folder: Path, trusts: dict[str, Trust]) -> str:
    """The report in the folder, and a line on what is there."""
    from corollary.experiment.report import as_json, as_markdown

    figures: list[str] = []
    if drawn := can_draw():
        from corollary.plot.comparison import draw_all

        figures = draw_all(curves, report, folder, trusts=trusts)
    (folder / "report.json").write_text(json.dumps(as_json(report), indent=2) + "\n", encoding="utf-8")
    (folder / "report.md").write_text(as_markdown(report, figures=figures), encoding="utf-8")
    without = "" if drawn else "; no figures, they need matplotlib: pip install 'corollary[plots]'"
    return f"{folder / 'report.md'}, report.json, {len(figures)} figures{without}"


def table_of(report: Report) -> Table:
    """A row for each data set and contender: questions, ratio and early AUC to each target."""
    from rich.table import Table

    from corollary.experiment.report import rows_of

    table = Table(box=None, padding=(0, 1), header_style="bold")
    table.add_column("data set")
    table.add_column("method")
    for target in report.targets:
        table.add_column(f"to {target:g}", justify="right")
        table.add_column("ratio", justify="right")
        table.add_column("early", justify="right")
    rows = rows_of(report)
    for row, after in zip(rows, [*rows[1:], None], strict=True):
        table.add_row(*row, end_section=after is not None and after[0] != row[0])
    return table
