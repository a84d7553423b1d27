"""What the commands tell of work that lasts over a second: a bar on a terminal, elsewhere a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from threading import Event, Thread

from .terminal import echo

AFTER = 1.0  # seconds in which nothing is told
EVERY = 10.0  # seconds between two lines

#: Takes how many are done, and of how many.
Told = Callable[[int, int], None]


@contextmanager
def told_progress(doing: str, things: str = "items") -> Iterator[Told]:
    """Tell how far work is, by a callback: `exporting: 12,000 of 23,700 items`."""
    begun = time.monotonic()
    with ExitStack() as shown:
        show: Told | None = None

        def told(done: int, total: int) -> None:
            nonlocal show
            if show is None and time.monotonic() - begun >= AFTER and done < total:
                bar = _bar if sys.stderr.isatty() else _lines
                show = shown.enter_context(bar(doing, things))
            if show is not None:
                show(done, total)

        yield told


@contextmanager
def told_wait(doing: str) -> Iterator[None]:
    """Tell of work that cannot say how far it is: `opening birds.sqlite ...`, and how long it has lasted."""
    begun, done = time.monotonic(), Event()

    def tell() -> None:
        if done.wait(AFTER):
            return
        if sys.stderr.isatty():
            from rich.console import Console

            with Console(stderr=True).status("") as status:
                while not done.wait(0.5):
                    status.update(f"{doing}, {time.monotonic() - begun:.0f} s")
            return
        echo(f"{doing} ...", err=True)
        while not done.wait(EVERY):
            echo(f"{doing} ... {time.monotonic() - begun:.0f} s", err=True)

    telling = Thread(target=tell, name="corollary-progress", daemon=True)
    telling.start()
    try:
        yield
    finally:
        done.set()
        telling.join()


@contextmanager
def _bar(doing: str, things: str) -> Iterator[Told]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn(things))
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task(doing, total=None)
        yield lambda done, total: bars.update(task, completed=done, total=total)


@contextmanager
def _lines(doing: str, things: str) -> Iterator[Told]:
    last = 0.0

    def told(done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last >= EVERY:
            last = time.monotonic()
            echo(f"{doing}: {done:,} of {total:,} {things}", err=True)

    yield told
