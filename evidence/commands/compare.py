"""`python -m evidence compare`: the paper's methods and Corollary's default, as a report."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import corollary as co
from corollary.cli.experiments.simulate import (
    WIDTH,
    file_options,
    mix_option,
    processes_option,
    questions_per_round,
    start_option,
)
from corollary.cli.terminal import echo
from corollary.experiment.methods import PAPER
from corollary.experiment.runs import dataset_of, origins_of
from corollary.logic.errors import CorollaryError, nearest

from ..reports import choice_report
from ..reports import report as plain_report
from ..reports.choice_report import ChoiceReport, ToTarget, make_choice_report
from ..reports.choice_rules import rules
from ..reports.comparison import Curves, contenders, contenders_alike, default_with, jobs_by_place
from ..reports.reliability import Trust, before_and_after
from ..reports.report import ROUNDS, Report, make_report
from .running import (
    Jobs,
    check_runs,
    distinct_option,
    out_option,
    places_of,
    repeats_in_words,
    reuse_option,
    run_jobs,
    seeds_option,
    start_in_words,
    targets_of,
    targets_option,
)

if TYPE_CHECKING:
    from rich.table import Table


#: What --propagation says, as simulations are told.
PROPAGATE = {"on": True, "off": False, None: None}


@click.command("compare")
@click.argument("sources", metavar="DATASET|FILE...", nargs=-1, required=True)
@click.option(
    "--method",
    "methods",
    metavar="NAME",
    multiple=True,
    help="Another beside them, see simulate --help; repeatable.",
)
@click.option(
    "--paper",
    metavar="NAME",
    multiple=True,
    help="Only this one of the paper's; repeatable. [all seven]",
)
@click.option(
    "--learner",
    "learners",
    metavar="NAME",
    multiple=True,
    help="Of all but the paper's; repeatable. [auto]",
)
@click.option(
    "--same-learner",
    metavar="NAME",
    help="One learner, start, rounds and predictor for all: only the choice differs.",
)
@click.option(
    "--propagation",
    type=click.Choice(["on", "off"]),
    help="With --same-learner: whether answers have consequences, for all. [by method]",
)
@seeds_option
@start_option
@targets_option
@click.option(
    "--per-round",
    type=questions_per_round,
    metavar="N|auto",
    help="Questions between two trainings, for all. [the paper's for its methods, auto]",
)
@distinct_option
@reuse_option
@out_option("comparison")
@click.option(
    "--reliability",
    is_flag=True,
    help="Also draw how far beliefs can be trusted, before and after.",
)
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
    python -m evidence compare iris segment --seeds 3 --out comparison
    python -m evidence compare things.csv --ontology things.onto --method gain
    python -m evidence compare iris --same-learner auto --method LOG-CP:marginals --method badge:items

    The paper's seven methods run as in the paper, with its logistic regression. Beside them run
    posterior, the default, and any other method with --learner. With --same-learner
    all of them have that learner, the same start (--start), the same rounds and the same predictor,
    and the report has ratios with intervals.

    `corollary simulate --help` lists the methods. Other tools' strategies choose whole items:
    random, entropy, margin, bald, core-set, typiclust and badge, as in margin:items. The last four
    also choose cells, as in badge:cells. activeml-core-set:items is scikit-activeml's own code,
    smalltext-core-set:items that of small-text. LOG-CP:marginals scores the posterior's marginals.

    Each run is kept once it is done: the same command goes on where it was stopped. The folder gets
    report.md, report.json, figures, and the curves of all runs in runs.jsonl, each with the commit
    and the versions that made it. Runs of different commits are reported together only with
    --mix-commits. With --reliability each data set has a calibration figure too: of the paper's
    classifier, of its posterior, and of the default.
    """  # noqa: D301 (the backslash tells click to keep the lines)
    from rich.console import Console

    if reliability and options["same_learner"]:
        raise CorollaryError(
            "--reliability holds the paper's learner against the default's: not with --same-learner"
        )
    if reliability and not can_draw():
        raise CorollaryError("--reliability draws figures: pip install 'corollary[plots]'")
    targets = targets_of(options)
    jobs = jobs_of(sources, **options)
    path = out / "runs.jsonl"
    curves = run_jobs(jobs, path, reuse=reuse, processes=processes, mixed=mix_commits)
    told: dict[str, Any] = {
        "targets": targets,
        "about": about(options),
        "origins": origins_of(jobs.values(), path),
        "mixed": mix_commits,
    }
    console = Console(highlight=False, width=None if sys.stdout.isatty() else WIDTH)
    if options["same_learner"]:
        choice = make_choice_report(curves, ours=default_with(options["same_learner"]), **told)
        written = write_choice(choice, curves, out, rules_of(options))
        for one in choice.to_targets:
            console.print(choice_table(choice, one))
    else:
        report = make_report(curves, **told)
        trusts = trusts_of(jobs, start=options["start"]) if reliability else {}
        written = write(report, curves, out, trusts)
        console.print(table_of(report))
        echo("* the paper's best; early: the mean test AUC over the questions it needs")
    echo(written)


def jobs_of(sources: Sequence[str], **options: Any) -> Jobs:
    """Every run there must be; what cannot work is said before anything runs."""
    same = options["same_learner"]
    learners = options["learners"] or ("auto",)
    if same is not None and options["learners"]:
        raise CorollaryError("--same-learner names the learner of all methods: leave out --learner")
    if same is None and options["propagation"] is not None:
        raise CorollaryError(
            "--propagation is for methods that differ in their choice alone: it needs --same-learner"
        )
    check_runs(options, learners=learners if same is None else (same,), methods=options["methods"])
    for method in options["paper"]:
        if method not in PAPER:
            raise CorollaryError(
                f"--paper names one of {', '.join(PAPER)}; got {method!r}{nearest(method, PAPER)}"
            )
    paper = options["paper"] or PAPER
    if same is None:
        entered = contenders(options["methods"], learners=learners, paper=paper)
    else:
        entered = contenders_alike(options["methods"], learner=same, paper=paper)
    return jobs_by_place(
        places_of(sources, options),
        entered,
        seeds=options["seeds"],
        targets=targets_of(options),
        start=options["start"],
        per_round=options["per_round"],
        propagate=PROPAGATE[options["propagation"]],
        distinct=options["distinct"] or None,
    )


def about(options: dict[str, Any]) -> dict[str, Any]:
    """What the report says of how it came about."""
    same = options["same_learner"]
    growing = "growing" if same else "the paper's for its methods, else growing"
    alike = (
        {"learner of all": same, "consequences of answers": options["propagation"] or "by method"}
        if same
        else {}
    )
    return {
        "of the paper's methods": ", ".join(options["paper"]) or "all seven",
        **alike,
        "seeds, each with its own split": options["seeds"],
        "known at the start": start_in_words(options["start"]),
        ROUNDS: options["per_round"] or growing,
        "items that occur in both parts": repeats_in_words(distinct=options["distinct"]),
        "corollary": co.__version__,
    }


def trusts_of(jobs: Jobs, *, start: int | None) -> dict[str, Trust]:
    """How far beliefs can be trusted on each data set, in the split of its first seed."""
    first = {dataset: job for (dataset, _, seed), job in jobs.items() if seed == 0}
    return {
        dataset: before_and_after(dataset_of(job), start=start) for dataset, job in first.items()
    }


def can_draw() -> bool:
    """Whether matplotlib is there."""
    from importlib.util import find_spec

    return find_spec("matplotlib") is not None


def write(report: Report, curves: Curves, folder: Path, trusts: dict[str, Trust]) -> str:
    """The report in the folder, and a line on what is there."""
    figures: list[str] = []
    if can_draw():
        from ..reports.figures import draw_all

        figures = draw_all(curves, report, folder, trusts=trusts)
    return save(
        folder,
        plain_report.as_json(report),
        plain_report.as_markdown(report, figures=figures),
        figures,
    )


def write_choice(report: ChoiceReport, curves: Curves, folder: Path, how: str) -> str:
    """The same of --same-learner; `how` it was compared."""
    figures: list[str] = []
    if can_draw():
        from ..reports.figures import draw_choice

        figures = draw_choice(
            curves, [one.target for one in report.to_targets], folder, report.ours
        )
    return save(
        folder,
        choice_report.as_json(report),
        choice_report.as_markdown(report, how=how, figures=figures),
        figures,
    )


def save(folder: Path, found: dict[str, Any], page: str, figures: Sequence[str]) -> str:
    """What was found and the page of it as files, and a line on what is there."""
    (folder / "report.json").write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    (folder / "report.md").write_text(page, encoding="utf-8")
    without = (
        "" if can_draw() else "; no figures, they need matplotlib: pip install 'corollary[plots]'"
    )
    return f"{folder / 'report.md'}, report.json, {len(figures)} figures{without}"


def table_of(report: Report) -> Table:
    """A row for each data set and contender: questions, ratio and early AUC to each target."""
    from rich.table import Table

    table = Table(box=None, padding=(0, 1), header_style="bold")
    table.add_column("data set")
    table.add_column("method")
    for target in report.targets:
        table.add_column(f"to {target:g}", justify="right")
        table.add_column("ratio", justify="right")
        table.add_column("early", justify="right")
    rows = plain_report.rows_of(report)
    for row, after in zip(rows, [*rows[1:], None], strict=True):
        table.add_row(*row, end_section=after is not None and after[0] != row[0])
    return table


def rules_of(options: dict[str, Any]) -> str:
    """How the choice alone was compared, in words."""
    return rules(
        per_round=options["per_round"] or "auto", propagate=PROPAGATE[options["propagation"]]
    )


def choice_table(report: ChoiceReport, one: ToTarget) -> Table:
    """A row for each method, to one target: questions on each data set, and the default's over its own on all."""
    from rich.table import Table

    table = Table(box=None, padding=(0, 1), header_style="bold")
    table.add_column(f"to {one.target:g}")
    for dataset in report.datasets:
        table.add_column(dataset, justify="right")
    table.add_column(f"{report.ours} over it", justify="right")
    for row in choice_report.rows_of(report, one):
        table.add_row(*row)
    return table
