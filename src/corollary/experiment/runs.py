"""Many simulations: in parallel processes, each result a line of JSON once it is there, resumed where they stopped."""

from __future__ import annotations

import gzip
import json
import os
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, cast

from ..logic.errors import CorollaryError
from .origin import Origin, origin_here

if TYPE_CHECKING:
    from .data.datasets import Dataset
    from .simulation import Curve

#: A job: `dataset` (a name), `seed`, `method`, and `settings` for `simulate`; own data: `files` for `read_dataset`.
Job = Mapping[str, Any]
#: Computes the curve of a job. Other processes import it by its name.
Runner = Callable[[Job], "Curve"]
#: Called after each job with the job, its curve, the number of jobs done and of all jobs.
Progress = Callable[[Job, "Curve", int, int], None]

#: Processes are the parallelism: inside each, everything runs on one thread.
ONE_THREAD = dict.fromkeys(
    (
        "COROLLARY_THREADS",
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "NUMBA_NUM_THREADS",
    ),
    "1",
)
#: What processes inherit: that, and to import nothing that happens to lie in the working folder.
HANDED_DOWN = {**ONE_THREAD, "PYTHONSAFEPATH": "1"}


class RunError(CorollaryError):
    """Jobs that failed; the results of all others are in the file."""


def run_all(
    jobs: Iterable[Job],
    path: str | os.PathLike[str],
    *,
    processes: int = 2,
    progress: Progress | None = None,
    runner: Runner | None = None,
) -> None:
    """Run every job whose result is not yet in the file; results are appended, one line of JSON each.

    A line is on disk before the next job of its process starts, so an interrupted run loses at most what it was working
    on. Calling again with the same file does the rest. A job that fails does not stop the others; RunError names it.
    Each line has its origin: the commit and the versions that made it. `runner` computes a job in place of `run`.
    """
    if processes < 1:
        raise CorollaryError(f"processes must be at least 1, got {processes}")
    path = Path(path)
    done = {job_key(job) for job, _ in results(path, repair=True)}
    wanted = {job_key(job): job for job in jobs}
    waiting = [job for key, job in wanted.items() if key not in done]
    finished = len(wanted) - len(waiting)
    failures: list[tuple[Job, str]] = []
    origin = origin_here() if waiting else Origin()
    n_workers = min(processes, len(waiting))
    with path.open("ab", buffering=0) as file, _workers(n_workers, runner or run) as workers:
        for job, outcome in _outcomes(waiting, workers):
            if isinstance(outcome, str):
                failures.append((job, outcome))
                continue
            append_result(file.fileno(), job, outcome, origin)
            finished += 1
            if progress is not None:
                progress(job, outcome, finished, len(wanted))
    if failures:
        job, why = failures[0]
        raise RunError(
            f"{len(failures)} of {len(wanted)} jobs failed; the first is {job_key(job)}:\n{why}"
        )


def job_key(job: Job) -> str:
    """What makes two jobs the same."""
    return json.dumps(job, sort_keys=True)


def results(path: str | os.PathLike[str], *, repair: bool = False) -> Iterator[tuple[Job, Curve]]:
    """The jobs and curves in a file of results (compressed, if its name ends in .gz); nothing if there is no file.

    Half a line at the end, left by a process that was killed while writing, is no result; `repair` cuts it off.
    """
    return ((job, curve) for job, curve, _ in results_with_origin(path, repair=repair))


def results_with_origin(
    path: str | os.PathLike[str], *, repair: bool = False
) -> Iterator[tuple[Job, Curve, Origin]]:
    """The same, each with what made it."""
    from .simulation import Curve

    path = Path(path)
    if not path.exists():
        return
    content = path.read_bytes()
    if path.suffix == ".gz":
        content = gzip.decompress(content)
        repair = False
    whole = content.rfind(b"\n") + 1
    if repair and whole < len(content):
        os.truncate(path, whole)
    for number, line in enumerate(content[:whole].splitlines(), 1):
        try:
            record = json.loads(line)
            found = (
                record["job"],
                Curve.from_json(record["curve"]),
                Origin.from_json(record.get("origin")),
            )
        except (ValueError, KeyError, TypeError) as error:
            raise CorollaryError(
                f"{path}, line {number} is not a result: {error}; remove the line to run it again"
            ) from error
        yield found


def origins_of(jobs: Iterable[Job], path: str | os.PathLike[str]) -> list[Origin]:
    """What made the result of each job; of those that have none in the file yet, what would make it now."""
    kept = {job_key(job): origin for job, _, origin in results_with_origin(path)}
    wanted = [job_key(job) for job in jobs]
    if not kept.keys() >= set(wanted):
        kept = dict.fromkeys(wanted, origin_here()) | kept
    return [kept[key] for key in wanted]


def append_result(descriptor: int, job: Job, curve: Curve, origin: Origin) -> None:
    """One write, then down to the disk: readers and a restart see whole lines."""
    record = {"job": job, "curve": curve.to_json()}
    if origin != Origin():  # what was not recorded stays so
        record["origin"] = origin.to_json()
    line = json.dumps(record, separators=(",", ":")) + "\n"
    os.write(descriptor, line.encode())
    os.fsync(descriptor)


# -- processes -------------------------------------------------------------------------------------------------------


class _Worker:
    """A process, its pipe, and the job it works on."""

    def __init__(self, runner: Runner) -> None:
        context = get_context("spawn")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=_work, args=(other, runner), daemon=True)
        self.process.start()
        other.close()  # so that the death of the process ends the pipe
        self.job: Job | None = None


@contextmanager
def _workers(n: int, runner: Runner) -> Iterator[list[_Worker]]:
    """Processes that inherit one thread each; whatever happens, none outlives the block."""
    before = {name: os.environ.get(name) for name in HANDED_DOWN}
    os.environ.update(HANDED_DOWN)  # BLAS and numba read these while a new process imports them
    workers: list[_Worker] = []
    try:
        workers.extend(_Worker(runner) for _ in range(n))
        yield workers
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
        for worker in workers:
            worker.process.terminate()
            worker.process.join()
            worker.pipe.close()


def _outcomes(jobs: list[Job], workers: list[_Worker]) -> Iterator[tuple[Job, Curve | str]]:
    """Each job with its curve or, where it failed, with the reason, in the order in which they finish."""
    queue = iter(jobs)
    busy = {worker.pipe: worker for worker in workers if _hand_out(worker, queue)}
    while busy:
        for pipe in wait(list(busy)):
            worker = busy[cast(Connection, pipe)]
            job = cast(Job, worker.job)
            with _told_if_dead(worker):
                outcome = worker.pipe.recv()
            yield job, outcome
            if not _hand_out(worker, queue):
                del busy[worker.pipe]


def _hand_out(worker: _Worker, queue: Iterator[Job]) -> bool:
    worker.job = next(queue, None)
    if worker.job is not None:
        with _told_if_dead(worker):
            worker.pipe.send(dict(worker.job))
    return worker.job is not None


@contextmanager
def _told_if_dead(worker: _Worker) -> Iterator[None]:
    try:
        yield
    except (EOFError, OSError):  # the other end of the pipe is gone
        worker.process.join()
        ended = f"a process ended with exit code {worker.process.exitcode} while it ran {job_key(worker.job or {})}"
        raise RunError(f"{ended}; start again to go on with the rest") from None


def _work(pipe: Connection, runner: Runner) -> None:
    """A worker's life: a job in, a curve or the text of an error out, until the other end is gone."""
    Thread(target=_end_with_parent, daemon=True).start()
    try:
        while True:
            job = pipe.recv()
            try:
                outcome: Curve | str = runner(job)
            except CorollaryError as error:
                outcome = str(error)
            except Exception:
                outcome = traceback.format_exc()
            pipe.send(outcome)
    except (EOFError, BrokenPipeError, KeyboardInterrupt):
        return


def _end_with_parent() -> None:
    """A parent that was killed cannot end its workers: they end by themselves, in the middle of a job."""
    parent = parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)


# -- one job ---------------------------------------------------------------------------------------------------------


def run(job: Job) -> Curve:
    """The curve of one job; its seed is both the split of the data and the `random_state`.

    Seed 0 is the official split where there is one.
    """
    from ..learning.session.options import grouped
    from .simulation import simulate

    settings = grouped(job.get("settings", {}))
    return simulate(dataset_of(job), job["method"], random_state=job["seed"], **settings)


def dataset_of(job: Job) -> Dataset:
    """The data set a job is about, split by its seed."""
    files = job.get("files")
    return _dataset(job["dataset"], job["seed"], None if files is None else json.dumps(files))


@lru_cache(maxsize=2)
def _dataset(name: str, seed: int, files: str | None) -> Dataset:
    if files is not None:
        from .data.files import read_dataset

        return read_dataset(name, seed=seed, **json.loads(files))
    from .data.datasets import load_dataset

    return load_dataset(name, seed=seed or None)
