"""`corollary datasets`: the known data sets, which of them are here, and fetching the others."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...logic.errors import CorollaryError, nearest

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from ...experiment.data.downloads import Original


#: Of a table that is not printed on a terminal: every row on one line.
WIDTH = 200


@click.group("datasets")
def command() -> None:
    """List or fetch the data sets that `corollary simulate` knows."""


@command.command("list")
def list_all() -> None:
    """Each data set, its size, and where it was found or how to get it."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from ...experiment.data.known import KNOWN, PACKAGED, folders, how_to_get, search

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    table.add_column("name", no_wrap=True)
    for title in ("rows", "features", "labels", "constraints"):
        table.add_column(title, justify="right")
    table.add_column("about")
    table.add_column("where", overflow="fold")
    places = folders()
    for name, known in KNOWN.items():
        sizes = (known.rows, known.features, known.labels, known.constraints)
        place = search(name, places)
        where = (
            how_to_get(name)
            if place is None
            else "with the package"
            if place == PACKAGED.get(name)
            else place
        )
        table.add_row(
            name,
            *(f"{size:,}" if size else "texts" for size in sizes),
            known.about,
            Text(str(where)),
        )
    Console(highlight=False, width=None if sys.stdout.isatty() else WIDTH).print(table)


@command.command("fetch")
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where to keep it; else in the cache.",
)
@click.option("--from", "home", metavar="URL", help="Another home of the files, such as a mirror.")
def fetch_some(names: tuple[str, ...], *, folder: Path | None, home: str | None) -> None:
    """Fetch data sets from their public homes and check them.

    Files that are here already and intact are not fetched again.
    """
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    from ...experiment.data.downloads import ORIGINALS, fetch
    from ...experiment.data.known import read

    for name in names:
        check_name(name)
    originals = ORIGINALS if home is None else at_home(home)
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        for name in names:
            place = fetch(
                name,
                check=partial(read, name),
                tell=lambda line: bars.console.print(
                    line, markup=False, highlight=False, soft_wrap=True
                ),
                progress=progress_in(bars),
                folder=folder,
                originals=originals,
            )
            bars.console.print(f"{name}: {place}", markup=False, highlight=False, soft_wrap=True)


def check_name(name: str) -> None:
    """Refuse, before anything is fetched, a name that is not known or not for download."""
    from ...experiment.data.downloads import ORIGINALS
    from ...experiment.data.known import KNOWN, how_to_get

    if name not in KNOWN:
        raise CorollaryError(
            f"unknown data set {name!r}{nearest(name, KNOWN)}; known are {', '.join(KNOWN)}"
        )
    if name not in ORIGINALS:
        raise CorollaryError(f"{name}: {how_to_get(name)}")


def at_home(home: str) -> dict[str, tuple[Original, ...]]:
    """The originals, with the checksums that are known, at another home."""
    from ...experiment.data.downloads import ORIGINALS

    if not home.startswith(("http://", "https://")):
        raise CorollaryError(
            f"the home must be an address that starts with http:// or https://, got {home!r}"
        )
    return {
        name: tuple(
            replace(original, url=f"{home.rstrip('/')}/{original.file}") for original in files
        )
        for name, files in ORIGINALS.items()
    }


def progress_in(bars: Progress) -> Callable[[str, int, int | None], None]:
    """A bar for each file."""
    tasks: dict[str, TaskID] = {}

    def show(file: str, done: int, total: int | None) -> None:
        if file not in tasks:
            tasks[file] = bars.add_task(file, total=total)
        bars.update(tasks[file], completed=done, total=total)

    return show
