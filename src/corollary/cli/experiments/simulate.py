"""`corollary simulate`: how many questions each method needs on a data set whose answers are known."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

import corollary as co
from corollary.logic.errors import CorollaryError, nearest

from ..terminal import echo

if TYPE_CHECKING:
    from rich.table import Table

    from corollary.experiment.runs import Job, Progress
    from corollary.experiment.simulation import Curve

Command = TypeVar("Command", bound=Callable[..., Any])

FILE = click.Path(exists=True, dir_okay=False)
#: Options that say how a file of the user's own is read.
READING = ("ontology", "labels", "label_column", "separator", "ignore", "train")
TARGETS = (0.99, 0.999)
#: Of a table that is not printed on a terminal: every row on one line.
WIDTH = 200


def questions_per_round(text: str) -> int | Literal["auto"]:
    """A number of questions, or `auto`."""
    try:
        return "auto" if text == "auto" else int(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is neither a whole number nor auto") from None


def check_processes(context: click.Context, parameter: click.Parameter, processes: int) -> int:  # noqa: ARG001 (click calls it)
    """At least one run at a time."""
    if processes < 1:
        raise CorollaryError(f"--processes must be at least 1, got {processes}")
    return processes


start_option = click.option(
    "--start",
    type=int,
    metavar="N",
    help="Know only N items of each label at the start; 0: nothing. [all of training]",
)
processes_option = click.option(
    "--processes",
    default=os.cpu_count() or 1,
    callback=check_processes,
    metavar="N",
    help="Runs at a time. [one for each core]",
)
mix_option = click.option(
    "--mix-commits",
    is_flag=True,
    help="Take runs together that different commits made; else that is refused.",
)


def file_options(command: Command) -> Command:
    """Options that say how a file of the user's own is read; they arrive by the names in READING."""
    options = (
        click.option("--ontology", type=FILE, help="For a FILE: the labels and constraints."),
        click.option(
            "--labels",
            type=FILE,
            help="For a FILE: the table with the true labels, if it is another one.",
        ),
        click.option(
            "--label-column",
            metavar="NAME",
            help="For a FILE: the column that holds the names of the true labels.",
        ),
        click.option(
            "--separator",
            metavar="TEXT",
            help="For a FILE: the text between the names in that column. [@]",
        ),
        click.option(
            "--ignore",
            metavar="COLUMN",
            multiple=True,
            help="For a FILE: a column that is no feature; repeatable.",
        ),
        click.option(
            "--train",
            type=float,
            metavar="SHARE|N",
            help="For a FILE: how much is known at the start. [0.5]",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


@click.command("simulate")
@click.argument("source", metavar="DATASET|FILE")
@click.option(
    "--method",
    "methods",
    metavar="NAME",
    multiple=True,
    help="A score or LOG-CP, ...; repeatable. [posterior]",
)
@click.option(
    "--learner", default="auto", show_default=True, metavar="NAME", help="What predicts the labels."
)
@click.option(
    "--per-round",
    type=questions_per_round,
    metavar="N|auto",
    help="Questions between two trainings; auto: growing. [100; with pairs auto]",
)
@start_option
@click.option(
    "--seeds",
    default=1,
    show_default=True,
    metavar="N",
    help="Runs of each method, each with its own split.",
)
@click.option(
    "--until",
    default=0.999,
    show_default=True,
    metavar="AUC",
    help="Stop when both AUCs are as high as this.",
)
@click.option("--to-the-end", is_flag=True, help="Stop only when everything is known.")
@click.option(
    "--refresh", type=click.Choice(["always", "never"]), default="always", show_default=True
)
@click.option(
    "--predict",
    type=click.Choice(["beliefs", "posterior"]),
    help="What counts for open cells. [by method]",
)
@click.option(
    "--stay",
    type=click.Choice(["label", "item", "settle", "never"]),
    help="Go on with one label, or one item, while it is worth it, or until an item is settled. [an item, where the "
    "posterior chooses; settle, where the learner knows each label alone]",
)
@click.option(
    "--item-cost",
    type=float,
    metavar="COST",
    help="Ask for all labels of an item at once too, at this cost in yes/no questions.",
)
@click.option(
    "--pick",
    type=click.Choice(["auto", "always"]),
    help="Ask which label it is: if that gains more, or always.",
)
@click.option(
    "--seconds",
    type=(float, float),
    metavar="YES_NO WHOLE",
    help="How long people take for yes or no, and with --pick for a whole item: tell the cost in seconds.",
)
@click.option(
    "--diverse", is_flag=True, help="Within a round, let items like those already asked about wait."
)
@click.option(
    "--unbalanced",
    is_flag=True,
    help="Train on all negatives, not on as many as there are positives.",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Keep the curves as JSON lines; go on from there.",
)
@click.option(
    "--untied",
    is_flag=True,
    help="For a data set with pairs: also run without what ties relations to types.",
)
@click.option(
    "--components",
    type=int,
    metavar="N",
    help="For a data set with pairs: take only N components, drawn at random.",
)
@mix_option
@processes_option
@file_options
def command(
    source: str,
    *,
    out: Path | None,
    processes: int,
    mix_commits: bool,
    seconds: tuple[float, float] | None,
    untied: bool,
    components: int | None,
    **options: Any,
) -> None:
    """Compare methods on a data set whose answers are known.

    \b
    corollary simulate iris --method posterior --method LOG-CP --seeds 3
    corollary simulate things.csv --ontology things.onto --out results.jsonl
    corollary simulate conll04 --untied --components 150

    Methods: random, entropy, probability, log, linear, expected, posterior, gain. The paper's
    names: RANDOM and ENTROPY, without propagation; RANDOM-CP, ENTROPY-CP, PROBABILITY-CP, LOG-CP,
    LINEAR-CP. Seed 0 is the official split of a data set that has one. `corollary datasets list` names the
    data sets.
    """  # noqa: D301 (click keeps the lines after a backslash)
    from rich.console import Console

    from corollary.experiment.runs import dataset_of, results, run_all

    from .simulate_linked import LINKED, simulate_pairs

    console = Console(highlight=False, width=None if sys.stdout.isatty() else WIDTH)
    if source.lower() in LINKED:
        given = options | {"out": out, "mix_commits": mix_commits, "item_cost": seconds}
        console.print(simulate_pairs(source.lower(), untied=untied, components=components, **given))
        return
    if untied or components is not None:
        raise CorollaryError("--untied and --components are for a data set with pairs: conll04")
    if seconds is not None:
        options["item_cost"] = item_cost_of(
            seconds, item_cost=options["item_cost"], pick=options["pick"]
        )
    options["per_round"] = options["per_round"] or 100
    jobs = jobs_of(source, **options)
    dataset_of(jobs[0])  # errors in the data are shown here, before a process fails on it
    with TemporaryDirectory() as folder:
        path = out or Path(folder) / "results.jsonl"
        check_commits(jobs, path, mixed=mix_commits)
        with told_progress(len(jobs)) as progress:
            run_all(jobs, path, processes=processes, progress=progress)
        done = [(job, curve) for job, curve in results(path) if job in jobs]
        found = sorted(
            done, key=lambda one: jobs.index(one[0])
        )  # as asked for, not as they finished
    console.print(summary(found, seconds=None if seconds is None else seconds[0]))


def check_commits(jobs: Collection[Job], path: Path, *, mixed: bool) -> None:
    """Refuse, before anything runs, runs of several commits together; where they are allowed tell of them."""
    from corollary.experiment.origin import check_one_origin, count_codes
    from corollary.experiment.runs import origins_of

    origins = origins_of(jobs, path)
    if not mixed:
        check_one_origin(
            origins,
            what=f"name another place than {path} to run all of them, or pass --mix-commits",
        )
    elif len(counted := count_codes(origins)) > 1:
        echo(
            "runs of several commits: "
            + "; ".join(f"{code}: {n:,}" for code, n in counted.items()),
            err=True,
        )


def item_cost_of(
    seconds: tuple[float, float], *, item_cost: float | None, pick: str | None
) -> float | None:
    """What a whole item costs in yes/no questions, by how long people take for each; None where none is asked for."""
    if not all(0 < one < math.inf for one in seconds):
        raise CorollaryError(
            f"--seconds must be two numbers above 0, got {seconds[0]:g} and {seconds[1]:g}"
        )
    if item_cost is not None:
        raise CorollaryError("--item-cost: leave it out, --seconds sets the cost of a whole item")
    return None if pick is None else seconds[1] / seconds[0]


def jobs_of(
    source: str,
    *,
    methods: Sequence[str],
    seeds: int,
    learner: str,
    per_round: int | Literal["auto"],
    **options: Any,
) -> list[Job]:
    """One job for each method and seed; what cannot work is said before anything runs."""
    from corollary.experiment.methods import method_named
    from corollary.experiment.simulation import check_settings
    from corollary.learning.learners.learner import make_learner

    if seeds < 1:
        raise CorollaryError(f"--seeds must be at least 1, got {seeds}")
    settings = {
        "learner": learner,
        "per_round": per_round,
        "until": None if options["to_the_end"] else options["until"],
        "refresh": options["refresh"],
        "predict": options["predict"],
        "balanced": not options["unbalanced"],
    }
    for name in ("start", "stay", "item_cost", "pick"):
        if (
            options[name] is not None
        ):  # left out otherwise, so that results of before keep their names
            settings[name] = None if options[name] == "never" else options[name]
    if options["diverse"]:
        settings["diverse"] = True
    check_settings(per_round=per_round, start=options["start"], until=settings["until"])
    make_learner(
        learner, onto=co.Ontology(["any"])
    )  # a wrong name is an error before anything runs
    where = source_of(
        source, {name: options[name] for name in READING if options[name] not in (None, ())}
    )
    methods = methods or ("posterior",)
    for method in methods:
        method_named(method, predict=options["predict"])
    return [
        {**where, "method": method, "seed": seed, "settings": settings}
        for seed in range(seeds)
        for method in methods
    ]


def source_of(source: str, files: dict[str, Any]) -> dict[str, Any]:
    """A known data set by its name, or files of the user's own."""
    from corollary.experiment.data.known import KNOWN

    if source.lower() in KNOWN:
        if files:
            option = next(iter(files)).replace("_", "-")
            raise CorollaryError(
                f"{source} is a known data set; --{option} is for files of your own"
            )
        return {"dataset": source.lower()}
    if not Path(source).exists():
        hint = nearest(source.lower(), KNOWN)
        raise CorollaryError(
            f"{source!r} is neither a file nor a known data set{hint}; known are {', '.join(KNOWN)}"
        )
    if "ontology" not in files:
        raise CorollaryError(
            f"{source} needs the labels and constraints that go with it: --ontology FILE"
        )
    return {
        "dataset": source,
        "files": {name: list(v) if isinstance(v, tuple) else v for name, v in files.items()},
    }


@contextmanager
def told_progress(total: int) -> Iterator[Progress]:
    """Yield a callback that shows the progress of runs.

    A bar on a terminal, elsewhere a line for each.
    """
    if not sys.stderr.isatty():
        yield lambda job, curve, done, _: echo(
            f"{done} of {total}: {in_words(job, curve)}", err=True
        )
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task("starting", total=total)
        yield lambda job, curve, done, _: bars.update(
            task, completed=done, description=in_words(job, curve)
        )


def in_words(job: Job, curve: Curve) -> str:
    """`iris, posterior, seed 0: 31 questions`."""
    return f"{Path(job['dataset']).name}, {job['method']}, seed {job['seed']}: {int(curve.asked[-1]):,} questions"


def summary(found: Sequence[tuple[Job, Curve]], *, seconds: float | None = None) -> Table:
    """One row for each method: questions to the targets on the test part and on all data, and how the runs ended.

    With the `seconds` of a yes or no the cost is a person's time.
    """
    from rich.table import Table

    table = Table(box=None, padding=(0, 1), header_style="bold")
    table.add_column("method")
    for target in TARGETS:
        table.add_column(f"to {target:g}\ntest / all", justify="right")
    for title in (
        "asked\nin all",
        "cells\nknown",
        "last AUC\ntest / all",
        "seconds\nask / train",
        "seeds",
    ):
        table.add_column(title, justify="right")
    priced = any((curve.cost != curve.asked).any() for _, curve in found)
    unit, counted = (1.0, "cost") if seconds is None else (seconds, "people's s")
    if priced := priced or seconds is not None:
        table.add_column(f"{counted} to\n{TARGETS[-1]:g}", justify="right")
    for method in dict.fromkeys(job["method"] for job, _ in found):
        curves = [curve for job, curve in found if job["method"] == method]
        reached = [
            [[c.questions_to(target, part=part) for c in curves] for part in ("test", "full")]
            for target in TARGETS
        ]
        table.add_row(
            method,
            *(" / ".join(map(mean_in_words, both)) for both in reached),
            mean_in_words([int(c.asked[-1]) for c in curves]),
            mean_in_words([int(c.fixed[-1]) for c in curves]),
            f"{mean([c.auc_test[-1] for c in curves]):.4f} / {mean([c.auc_full[-1] for c in curves]):.4f}",
            f"{mean([c.seconds_choosing for c in curves]):.1f} / {mean([c.seconds_training for c in curves]):.1f}",
            str(len(curves)),
            *(
                [mean_in_words([times(unit, c.cost_to(TARGETS[-1])) for c in curves])]
                if priced
                else []
            ),
        )
    return table


def times(unit: float, cost: float | None) -> float | None:
    """A cost in other units; None where a run did not get there."""
    return None if cost is None else unit * cost


def mean(numbers: Sequence[float]) -> float:
    """The mean over the seeds."""
    return sum(numbers) / len(numbers)


def mean_in_words(numbers: Sequence[float | None]) -> str:
    """`1,200`, or a dash where a run did not get there."""
    reached = [number for number in numbers if number is not None]
    return f"{mean(reached):,.0f}" if len(reached) == len(numbers) else "–"
