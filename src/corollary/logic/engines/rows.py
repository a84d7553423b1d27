"""Share the rows of a batch among the cores: kernels release the interpreter lock, rows are independent."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from ..errors import CorollaryError

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
