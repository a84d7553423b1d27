"""Benchmarks: what they share is the machine, the clock, the memory and where the data sets are."""

from __future__ import annotations

import gzip
import json
import os
import platform
import resource
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")
#: The figures of every suite.
RESULTS = Path(__file__).parent / "results"


class Missing(Exception):
    """A data set that is not on this machine."""


def machine() -> str:
    """This machine in a few words."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{cores} cores, {platform.machine()}, {platform.system()}, Python {platform.python_version()}"


def timed(function: Callable[[], T], *, repeat: int = 1) -> tuple[T, float]:
    """The result and the fewest seconds it took."""
    best = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        result = function()
        best = min(best, time.perf_counter() - start)
    return result, best


def peak_megabytes(function: Callable[[], T]) -> tuple[T, float]:
    """The result and by how much the resident memory grew at most, sampled every few milliseconds."""
    page = resource.getpagesize()

    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * page

    before = peak = resident()
    done = threading.Event()

    def watch() -> None:
        nonlocal peak
        while not done.wait(0.005):
            peak = max(peak, resident())

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        result = function()
        peak = max(peak, resident())
    finally:
        done.set()
        thread.join()
    return result, (peak - before) / 1e6


def data(path: str) -> Path:
    """A file of the data sets: in COROLLARY_DATA or in ../shared/datasets beside the checkout."""
    folders = [os.environ.get("COROLLARY_DATA"), Path(__file__).parents[2] / "shared" / "datasets"]
    for folder in folders:
        if folder and (Path(folder) / path).exists():
            return Path(folder) / path
    raise Missing(f"{path}: set COROLLARY_DATA to the folder of the data sets")


def rows(path: str) -> list[list[str]]:
    """The rows of a gzipped table with tabs."""
    with gzip.open(data(path), "rt", encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t") for line in file]


def add_line(path: Path, record: dict[str, Any]) -> None:
    """Keep a record as a line of a file, on its own also where a process that was killed left half a one."""
    after = path.read_bytes()[-1:] if path.exists() else b""
    with path.open("a", encoding="utf-8") as file:
        file.write(
            ("\n" if after not in (b"", b"\n") else "")
            + json.dumps(record, separators=(",", ":"))
            + "\n"
        )


def kept_lines(path: Path) -> list[dict[str, Any]]:
    """The records of such a file; half a line is none."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found
