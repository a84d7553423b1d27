"""Make all tables of the evidence: `make evidence`, or `python -m evidence tables`.

An interrupted run goes on where it stopped. Runs are kept in results/runs.jsonl, and compressed after each table.
"""

from __future__ import annotations

import gzip
import time
from pathlib import Path

import click

from corollary.cli.experiments.simulate import mix_option, processes_option, told_progress
from corollary.experiment.origin import check_one_origin
from corollary.experiment.runs import job_key, origins_of, results, run_all
from corollary.logic.errors import CorollaryError

from .. import again
from ..kept import Kept
from ..page import SUMMARY_PAGE, pages, rungs_of
from ..simulation import run as run_named
from ..tables import TABLES, Jobs, Table
from ..tables import quick as quick_tables

ROOT = Path(__file__).parents[2]
FOLDER = click.Path(file_okay=False, path_type=Path)


@click.command("tables")
@click.argument("names", metavar="[TABLE]...", nargs=-1)
@click.option("--quick", is_flag=True, help="Small data sets and few seeds: minutes.")
@click.option(
    "--out", type=FOLDER, help="Folder of the runs. [evidence/results, or evidence/quick]"
)
@click.option("--pages", "where", type=FOLDER, help="Folder of the pages. [docs, or that of --out]")
@click.option(
    "--again",
    "n_again",
    type=int,
    metavar="N",
    help="Repeat N runs of earlier commits, and run nothing else.",
)
@click.option("--only-pages", is_flag=True, help="Run nothing: write the pages from kept runs.")
@mix_option
@processes_option
def command(
    names: tuple[str, ...],
    *,
    quick: bool,
    out: Path | None,
    where: Path | None,
    n_again: int | None,
    only_pages: bool,
    mix_commits: bool,
    processes: int,
) -> None:
    """Make the tables of the evidence, all or those named.

    Runs that are missing are run, and the pages are written after each table.
    """
    tables = list(quick_tables()) if quick else list(TABLES)
    known = [table.name for table in tables]
    if unknown := [name for name in names if name not in known]:
        raise CorollaryError(f"no table {', '.join(unknown)}; there are: {', '.join(known)}")
    wanted = [table for table in tables if not names or table.name in names]
    out = out or ROOT / "evidence" / ("quick" if quick else "results")
    where = where or (out if quick else ROOT / "docs")
    out.mkdir(parents=True, exist_ok=True)
    runs, repeated = out / "runs.jsonl", out / "again.jsonl"
    if n_again:
        unpack(repeated)
        jobs = again.drawn(Kept(packed(runs), runs), n_again)
        with told_progress(len(jobs)) as progress:
            run_all(jobs, repeated, processes=processes, progress=progress, runner=run_named)
        pack(repeated)
        repeated.unlink()
    elif not only_pages:
        unpack(runs)
        for table in wanted:
            about = "" if quick else f", about {table.hours:g} hours on two cores"
            click.echo(f"{table.title} ({table.name}{about})")
            make(table, runs, processes=processes, mixed=mix_commits)
            pack(runs)
            write_pages(where, pages(tables, Kept(runs), Kept(packed(repeated)), is_quick=quick))
    kept = Kept(packed(runs), runs)
    write_pages(where, pages(tables, kept, Kept(packed(repeated)), is_quick=quick))
    if runs.exists() and all(complete(table, kept) for table in tables):
        pack(runs)
        runs.unlink()
    click.echo(where / SUMMARY_PAGE)


def make(table: Table, runs: Path, *, processes: int, mixed: bool) -> None:
    """Run a table; of a ladder the first rung, and then what follows from it."""
    run(table.jobs(), runs, processes=processes, mixed=mixed)
    if table.ladder:
        run(rungs_of(table, Kept(runs))[1], runs, processes=processes, mixed=mixed)


def run(jobs: Jobs, runs: Path, *, processes: int, mixed: bool) -> None:
    """Run what is not there yet, and tell how far it is."""
    done = {job_key(job) for job, _ in results(runs)}
    waiting = sum(job_key(job) not in done for job in jobs.values())
    if waiting and not mixed:
        what = f"remove {runs} and {packed(runs)} to run all anew, or pass --mix-commits (make evidence MIX=1)"
        check_one_origin(origins_of(jobs.values(), runs), what=what)
    click.echo(
        f"  {len(jobs):,} runs, {len(jobs) - waiting:,} of them there, in {processes} processes",
    )
    started = time.perf_counter()
    with told_progress(len(jobs)) as progress:
        run_all(jobs.values(), runs, processes=processes, progress=progress, runner=run_named)
    if waiting:
        click.echo(f"  {waiting:,} runs in {(time.perf_counter() - started) / 60:.1f} min")


def complete(table: Table, kept: Kept) -> bool:
    """Whether all runs of a table are there."""
    return not kept.missing(table.jobs()) and not (
        table.ladder and kept.missing(rungs_of(table, kept)[1])
    )


def packed(runs: Path) -> Path:
    """Where runs are kept compressed."""
    return runs.with_name(runs.name + ".gz")


def pack(runs: Path) -> None:
    """Keep the runs compressed, too."""
    write(packed(runs), gzip.compress(runs.read_bytes(), mtime=0))


def unpack(runs: Path) -> None:
    """The runs as lines that more can be added to, as far as they are not there."""
    if packed(runs).exists() and not runs.exists():
        runs.write_bytes(gzip.decompress(packed(runs).read_bytes()))


def write_pages(folder: Path, texts: dict[str, str]) -> None:
    """The pages, each under its name."""
    for name, text in texts.items():
        write(folder / name, text.encode())


def write(path: Path, content: bytes) -> None:
    """A file, whole or as it was before."""
    partial = path.with_suffix(".partial")
    partial.write_bytes(content)
    partial.replace(path)
