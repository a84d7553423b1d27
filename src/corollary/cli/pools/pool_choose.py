"""`corollary pool choose`: the items of a pool that people are to label first, as a file for a campaign."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ...logic.errors import CorollaryError
from ..progress import told_progress
from ..reading import count
from ..terminal import echo
from .pool_options import (
    beside,
    computing_options,
    ontology_options,
    pool_argument,
    pool_asked_for,
    share_at_random_option,
)


@click.command("choose")
@pool_argument
@click.argument("target", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--items",
    "n",
    type=click.IntRange(1),
    default=50_000,
    show_default=True,
    help="The number of items.",
)
@share_at_random_option
@ontology_options
@computing_options
def choose(folder: Path, target: Path, *, n: int, share_at_random: float, **options: Any) -> None:
    """Write the items of a pool that are to be labelled first.

    \b
    corollary pool choose items/ first.parquet --ontology birds.onto --items 50000
    corollary new birds.sqlite --items first.parquet --ontology birds.onto

    They are the items with the best questions, and some drawn at random. If nothing is known, and
    there are no texts to read, all are drawn at random. FILE is a Parquet file with all their
    columns, for `corollary new`. `corollary pool refill` adds further items later.
    """  # noqa: D301 (click keeps the lines after a backslash)
    if target.suffix != ".parquet":
        raise CorollaryError(f"{target}: the items are written as .parquet")
    with pool_asked_for(folder, options) as pool, told_progress("choosing") as progress:
        table = pool.working_set(
            n, share_at_random=share_at_random, keep=beside(target), progress=progress
        )
        write(target, table)
    echo(f"{target}: {count(table.num_rows, 'item')} of {len(pool):,}")


def write(target: Path, table: Any) -> None:
    """The items as a file."""
    from pyarrow import parquet

    from ...logic.whole_file import written_whole

    with written_whole(target) as partial:
        parquet.write_table(table, partial)
