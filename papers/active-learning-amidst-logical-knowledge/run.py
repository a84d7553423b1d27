"""Run every experiment of the paper and ours beside it: `make paper`, or `python run.py [--quick] [--processes N]`.

An interrupted run goes on where it stopped; a finished one replaces the result file and starts afresh the next time.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import platform
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from corollary.experiment.methods import BEYOND, PAPER, PAPER_ROUNDS
from corollary.experiment.origin import check_one_origin
from corollary.experiment.runs import Job, Progress, job_key, origins_of, results, run_all
from corollary.experiment.simulation import Curve

HERE = Path(__file__).parent

#: About how long RANDOM takes, in seconds on one core, and the others' share of it: for the order and the time left.
SECONDS = {
    "iris": 1,
    "satimage": 4,
    "segment": 6,
    "shuttle": 8,
    "pendigits": 13,
    "vowel": 16,
    "letter": 17,
    "nell-11": 18,
    "nell-7": 20,
    "nell-13": 42,
}
SHARE = {"RANDOM": 1.0, "ENTROPY": 0.7, "RANDOM-CP": 0.6}
QUICK = ("iris", "segment", "satimage")
RANDOM = ("RANDOM", "RANDOM-CP")
RANDOM_SEEDS, SEEDS = range(10), range(3)
ABLATED = ("segment", "pendigits", "nell-11")
#: Choosing, propagating, predicting, each with and without logic; the other three combinations are among the methods.
ABLATION: tuple[tuple[str, dict[str, Any]], ...] = (
    ("ENTROPY", {"predict": "posterior"}),
    ("ENTROPY-CP", {"predict": "posterior"}),
    ("POSTERIOR", {"predict": "beliefs"}),
    ("POSTERIOR", {"predict": "posterior"}),
    ("posterior", {"predict": "beliefs"}),
)
UNBALANCED = ("ENTROPY-CP", "PROBABILITY-CP", "LOG-CP", "LINEAR-CP")


def job(dataset: str, method: str, seed: int, **settings: Any) -> Job:
    """One simulation; its seed is the split and the random state."""
    return {
        "dataset": dataset,
        "method": method,
        "seed": seed,
        "settings": {"per_round": PAPER_ROUNDS[dataset], "learner": "logistic", **settings},
    }


def all_jobs() -> list[Job]:
    """Everything the report needs, shortest first, so that a part of the results is useful."""
    jobs = [
        job(dataset, method, seed)
        for dataset in PAPER_ROUNDS
        for method in (*PAPER, *BEYOND)
        for seed in (RANDOM_SEEDS if method in RANDOM else SEEDS)
    ]
    jobs += [
        job(dataset, method, 0, refresh="never")
        for dataset in PAPER_ROUNDS
        for method in PAPER
        if method not in RANDOM
    ]
    for dataset in ABLATED:
        jobs += [
            job(dataset, method, seed, **settings)
            for method, settings in ABLATION
            for seed in SEEDS
        ]
        jobs += [
            job(dataset, method, seed, balanced=False) for method in UNBALANCED for seed in SEEDS
        ]
    return sorted(jobs, key=lambda one: (SECONDS[one["dataset"]], one["seed"]))


def expected_seconds(one: Job) -> float:
    """About how long a job takes."""
    return SECONDS[one["dataset"]] * SHARE.get(one["method"], 0.25)


def quick_jobs() -> list[Job]:
    """The small data sets, one seed."""
    return [one for one in all_jobs() if one["dataset"] in QUICK and one["seed"] == 0]


class TimeLeft:
    """Estimates the time left from what the jobs finished so far took, against what was expected of them."""

    def __init__(self, jobs: Iterable[Job]):
        self._left = sum(map(expected_seconds, jobs))
        self._done = 0.0
        self._started = time.perf_counter()

    def after(self, one: Job) -> float:
        """Seconds left, now that this job is done."""
        self._done += expected_seconds(one)
        self._left -= expected_seconds(one)
        return self._left * (time.perf_counter() - self._started) / self._done


@contextmanager
def told_progress(jobs: Iterable[Job]) -> Iterator[Progress]:
    """A callback that tells what is done and how long it may still take: a bar on a terminal, elsewhere plain lines."""
    left = TimeLeft(jobs)
    last = 0.0

    def words(one: Job, seconds: float) -> str:
        return f"{one['dataset']}, {one['method']}, seed {one['seed']}; about {seconds / 60:.0f} min left"

    def line(one: Job, _curve: Curve, done: int, total: int) -> None:
        nonlocal last
        seconds = left.after(one)
        if time.perf_counter() - last > 10 or done == total:
            last = time.perf_counter()
            print(f"{done} of {total}: {words(one, seconds)}", flush=True)

    if not sys.stdout.isatty():
        yield line
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bars

    with Bars(BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}")) as bars:
        task = bars.add_task("starting", total=None)

        def bar(one: Job, _curve: Curve, done: int, total: int) -> None:
            bars.update(task, completed=done, total=total, description=words(one, left.after(one)))

        yield bar


def main() -> None:
    """Run what is missing; once all is there, put it in place of the results of the last time."""
    parser = argparse.ArgumentParser(description="Run the experiments of the paper.")
    parser.add_argument(
        "--quick", action="store_true", help="small data sets, one seed: two minutes, into quick/"
    )
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument(
        "--mix-commits", action="store_true", help="go on with runs that another commit made"
    )
    options = parser.parse_args()
    folder = HERE / ("quick" if options.quick else "results")
    folder.mkdir(exist_ok=True)
    unfinished = folder / "unfinished.jsonl"
    jobs = quick_jobs() if options.quick else all_jobs()
    if not options.mix_commits:
        check_one_origin(
            origins_of(jobs, unfinished),
            what=f"remove {unfinished} to run all anew, or pass --mix-commits",
        )
    done = {job_key(one) for one, _ in results(unfinished)}
    waiting = [one for one in jobs if job_key(one) not in done]
    print(
        f"{len(jobs)} runs, {len(jobs) - len(waiting)} of them done before, in {options.processes} processes"
    )
    started = time.perf_counter()
    with told_progress(waiting) as progress:
        run_all(jobs, unfinished, processes=options.processes, progress=progress)
    seconds = time.perf_counter() - started
    keep(unfinished, jobs, folder / "curves.jsonl.gz")
    about = {
        "machine": machine(),
        "processes": options.processes,
        "runs": len(waiting),
        "seconds": round(seconds),
    }
    (folder / "run.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
    print(f"{len(waiting)} runs in {seconds / 60:.1f} min: {folder / 'curves.jsonl.gz'}")


def keep(unfinished: Path, jobs: Iterable[Job], path: Path) -> None:
    """The results of these jobs in their order, compressed; the same results give the same bytes."""
    lines = {
        job_key(json.loads(line)["job"]): line
        for line in unfinished.read_text(encoding="utf-8").splitlines()
    }
    text = "".join(lines[job_key(one)] + "\n" for one in jobs)
    partial = path.with_suffix(".partial")
    partial.write_bytes(gzip.compress(text.encode(), mtime=0))
    partial.replace(path)
    unfinished.unlink()


def machine() -> str:
    """What the figures were measured on."""
    return f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"


if __name__ == "__main__":
    main()
