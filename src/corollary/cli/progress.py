"""Progress of work that lasts over a second: a bar on a terminal, elsewhere a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import NamedTuple

from .terminal import echo, harmless

AFTER = 1.0  # seconds before anything is shown
EVERY = 10.0  # seconds between two lines

#: Called with the number done and the total.
Progress = Callable[[int, int], None]


class Far(NamedTuple):
    """The progress of work; a total of 0 means unknown."""

    done: int = 0
    total: int = 0


@contextmanager
def told_progress(doing: str, things: str = "items") -> Iterator[Progress]:
    """Show work while it lasts, as `writing x.csv ...

    12,000 of 23,700 items`, and yield a callback.

    If the work never calls it, or has counted everything, the seconds so far are shown.
    """
    begun = time.monotonic()
    ended = Event()
    far = Far()

    def note(done: int, total: int) -> None:
        nonlocal far
        far = Far(done, total) if done < total else Far()

    def tell() -> None:
        if not ended.wait(AFTER):
            (_show_bar if sys.stderr.isatty() else _write_lines)(
                doing, things, begun, ended, lambda: far
            )

    telling = Thread(target=tell, name="corollary-progress", daemon=True)
    telling.start()
    try:
        yield note
    finally:
        ended.set()
        telling.join()


def _write_lines(
    doing: str, things: str, begun: float, ended: Event, far: Callable[[], Far]
) -> None:
    echo(f"{doing} ...", err=True)
    while not ended.wait(EVERY):
        done, total = far()
        counted = f"{done:,} of {total:,} {things}, " if total else ""
        echo(f"{doing} ... {counted}{time.monotonic() - begun:.0f} s", err=True)


def _show_bar(doing: str, things: str, begun: float, ended: Event, far: Callable[[], Far]) -> None:  # noqa: ARG001 (the bar counts by itself)
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[counted]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task(escape(harmless(doing)), total=None, counted="")
        while not ended.wait(0.1):
            done, total = far()
            counted = f"{done:,} of {total:,} {things}" if total else ""
            bars.update(task, completed=done, total=total or None, counted=counted)
