"""Share the rows of a batch among the cores: kernels release the interpreter lock, rows are independent."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import CorollaryError
from . import Facts, Floats, Inferred

NAME = "corollary-rows"


def cores() -> int:
    """How many cores this process may use: those it is given, or as many as COROLLARY_THREADS says."""
    if wanted := os.environ.get("COROLLARY_THREADS"):
        if not wanted.isdecimal() or int(wanted) < 1:
            raise CorollaryError(f"COROLLARY_THREADS must be a whole number from 1, got {wanted!r}")
        return int(wanted)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def _pool(_pid: int) -> ThreadPoolExecutor:
    # Keyed by process: a pool does not survive a fork.
    return ThreadPoolExecutor(max_workers=cores(), thread_name_prefix=NAME)


def over_rows(kernel: Callable[[int, int], None], n: int, *, at_least: int = 256) -> None:
    """Call `kernel(start, stop)` for slices that cover the n rows, in threads once each has enough to do."""
    shares = min(cores(), n // at_least) if n >= 2 * at_least else 1
    if shares <= 1 or threading.current_thread().name.startswith(
        NAME
    ):  # a thread of the pool must not wait for the pool
        kernel(0, n)
        return
    bounds = [n * i // shares for i in range(shares + 1)]
    list(_pool(os.getpid()).map(kernel, bounds[:-1], bounds[1:]))


def over_jobs(jobs: Sequence[Callable[[], None]]) -> None:
    """Run independent jobs, at the same time where every core gets one; the rows of a job then have one thread."""
    if len(jobs) < cores() or cores() == 1 or threading.current_thread().name.startswith(NAME):
        for job in jobs:
            job()
        return
    list(_pool(os.getpid()).map(lambda job: job(), jobs))


def infer_rows(
    kernel: Callable[..., None],
    shape: tuple[npt.NDArray[Any], ...],
    odds: Floats,
    known: Facts,
    *,
    both: bool,
    at_least: int = 256,
) -> Inferred:
    """Run a kernel `(odds, known, *shape, posterior, log_z, both)` on all rows; an empty `both` is not filled."""
    posterior = np.empty_like(odds)
    log_z = np.empty(len(odds))
    legal_both = np.empty_like(odds) if both else None

    def run(start: int, stop: int) -> None:
        rows = slice(start, stop)
        filled = posterior[:0] if legal_both is None else legal_both[rows]
        kernel(odds[rows], known[rows], *shape, posterior[rows], log_z[rows], filled)

    over_rows(run, len(odds), at_least=at_least)
    return Inferred(posterior, log_z, legal_both, np.zeros(len(odds)))
