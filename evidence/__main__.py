"""Make all tables of the evidence: `make evidence`, or `python -m evidence [--quick] [TABLE ...]`.

An interrupted run goes on where it stopped. Runs are kept in results/runs.jsonl, and compressed after each table.
"""

from __future__ import annotations

import argparse
import gzip
import os
import sys
import time
from pathlib import Path

from corollary.cli.experiments.simulate import told_progress
from corollary.experiment.origin import check_one_origin
from corollary.experiment.runs import job_key, origins_of, results, run_all
from corollary.logic.errors import CorollaryError

from . import again
from .kept import Kept
from .page import SUMMARY_PAGE, pages, rungs_of
from .tables import TABLES, Jobs, Table, quick

ROOT = Path(__file__).parents[1]


def main() -> None:
    """Run what is missing, table by table, and write the pages after each."""
    parser = argparse.ArgumentParser(
        prog="evidence", description="Make the tables of the evidence."
    )
    parser.add_argument(
        "tables",
        metavar="TABLE",
        nargs="*",
        help=f"of {', '.join(one.name for one in TABLES)}; all",
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="small data sets, few seeds: within a quarter of an hour",
    )
    parser.add_argument(
        "--out", type=Path, help="folder of the runs [evidence/results, or evidence/quick]"
    )
    parser.add_argument(
        "--pages", type=Path, help="folder of the pages [docs, or that of the runs]"
    )
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument(
        "--mix-commits", action="store_true", help="go on with runs that another commit made"
    )
    parser.add_argument(
        "--again", type=int, metavar="N", help="make N runs of earlier commits again, and no others"
    )
    parser.add_argument(
        "--only-pages", action="store_true", help="run nothing: write the pages from the kept runs"
    )
    options = parser.parse_args()
    tables = list(quick()) if options.quick else list(TABLES)
    wanted = [table for table in tables if not options.tables or table.name in options.tables]
    if unknown := set(options.tables) - {table.name for table in tables}:
        parser.error(
            f"no table {', '.join(sorted(unknown))}; there are: {', '.join(one.name for one in tables)}"
        )
    out = options.out or ROOT / "evidence" / ("quick" if options.quick else "results")
    where = options.pages or (out if options.quick else ROOT / "docs")
    out.mkdir(parents=True, exist_ok=True)
    runs, repeated = out / "runs.jsonl", out / "again.jsonl"
    if options.again:
        unpack(repeated)
        jobs = again.drawn(Kept(packed(runs), runs), options.again)
        with told_progress(len(jobs)) as progress:
            run_all(jobs, repeated, processes=options.processes, progress=progress)
        pack(repeated)
        repeated.unlink()
    elif not options.only_pages:
        unpack(runs)
        for table in wanted:
            about = "" if options.quick else f", about {table.hours:g} hours on two cores"
            print(f"{table.title} ({table.name}{about})", flush=True)
            make(table, runs, processes=options.processes, mixed=options.mix_commits)
            pack(runs)
            write_pages(
                where, pages(tables, Kept(runs), Kept(packed(repeated)), is_quick=options.quick)
            )
    kept = Kept(packed(runs), runs)
    write_pages(where, pages(tables, kept, Kept(packed(repeated)), is_quick=options.quick))
    if runs.exists() and all(complete(table, kept) for table in tables):
        pack(runs)
        runs.unlink()
    print(where / SUMMARY_PAGE)


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
    print(
        f"  {len(jobs):,} runs, {len(jobs) - waiting:,} of them there, in {processes} processes",
        flush=True,
    )
    started = time.perf_counter()
    with told_progress(len(jobs)) as progress:
        run_all(jobs.values(), runs, processes=processes, progress=progress)
    if waiting:
        print(f"  {waiting:,} runs in {(time.perf_counter() - started) / 60:.1f} min", flush=True)


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


if __name__ == "__main__":
    try:
        main()
    except CorollaryError as error:
        sys.exit(f"evidence: {error}")
