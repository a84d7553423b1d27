"""`python -m evidence ladder`: from the paper's best method to the default, one change at a time, as a report."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

import corollary as co
from corollary.cli.experiments.simulate import (
    file_options,
    mix_option,
    processes_option,
    start_option,
)
from corollary.cli.terminal import echo
from corollary.experiment.runs import origins_of

from ..reports.comparison import jobs_by_place
from ..reports.ladder import (
    as_json,
    as_markdown,
    climb,
    first_contenders,
    make_ladder,
    steps_table,
)
from .running import (
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


@click.command("ladder")
@click.argument("sources", metavar="DATASET|FILE...", nargs=-1, required=True)
@seeds_option
@start_option
@targets_option
@distinct_option
@reuse_option
@out_option("ladder")
@mix_option
@processes_option
@file_options
def command(
    sources: tuple[str, ...],
    *,
    out: Path,
    processes: int,
    reuse: Sequence[Path],
    mix_commits: bool,
    **options: Any,
) -> None:
    """Go from the paper's best to the default, change by change.

    \b
    python -m evidence ladder iris segment --seeds 3 --out ladder

    The paper's methods run first, as published; the best of them on each data set is then changed step by step: its
    rounds, what it learns from, how it predicts, what it scores, its learner, and last its score. Each run is kept once
    it is done: the same command goes on where it was stopped. The folder gets report.md, report.json and runs.jsonl.
    """  # noqa: D301 (the backslash tells click to keep the lines)
    check_runs(options)
    targets = targets_of(options)
    first = jobs_by_place(
        places_of(sources, options),
        first_contenders(),
        seeds=options["seeds"],
        targets=targets,
        start=options["start"],
        distinct=options["distinct"] or None,
    )
    path = out / "runs.jsonl"
    how: dict[str, Any] = {"reuse": reuse, "processes": processes, "mixed": mix_commits}
    best, jobs = climb(first, run_jobs(first, path, **how), targets[-1])
    ladder = make_ladder(
        run_jobs(jobs, path, **how),
        best,
        targets=targets,
        about=about(options),
        origins=origins_of([*first.values(), *jobs.values()], path),
        mixed=mix_commits,
    )
    (out / "report.json").write_text(json.dumps(as_json(ladder), indent=2) + "\n", encoding="utf-8")
    (out / "report.md").write_text(as_markdown(ladder), encoding="utf-8")
    echo(steps_table(ladder, ladder.climbed[-1]))
    echo(f"{out / 'report.md'}, report.json")


def about(options: dict[str, Any]) -> dict[str, Any]:
    """What the report says of how it came about."""
    return {
        "seeds, each with its own split": options["seeds"],
        "known at the start": start_in_words(options["start"]),
        "items that occur in both parts": repeats_in_words(distinct=options["distinct"]),
        "corollary": co.__version__,
    }
