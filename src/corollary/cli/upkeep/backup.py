"""`corollary backup`: a copy of a campaign, also while a server runs."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from ..campaigns import place_argument, told_warnings
from ..terminal import echo


@click.command("backup")
@place_argument
@click.argument(
    "target", metavar="[FILE]", type=click.Path(dir_okay=False, path_type=Path), required=False
)
def command(place: str, target: Path | None) -> None:
    """Copy a campaign to a file, also while a server runs.

    \b
    corollary backup birds.sqlite
    corollary backup birds.sqlite copies/monday.sqlite
    corollary backup postgresql://me@host/db birds.jsonl.gz

    The copy is complete, and of one moment. FILE ends in .sqlite (from SQLite only), or in
    .jsonl.gz, which `corollary restore` can bring to either kind of database. Without FILE the copy
    is written to this folder, named after the time.
    """  # noqa: D301 (click keeps the lines after a backslash)
    from ...campaign.storage.store import Store

    file = target or Path(f"{name_of(place)}-{datetime.now(UTC):%Y-%m-%d-%H%M%S}.jsonl.gz")
    with told_warnings(), Store.open(place, readonly=True) as store:
        store.backup(file)
        echo(
            f"{file}: {store.name}, {store.count_items():,} items; bring it back with: corollary restore {file} NEW"
        )


def name_of(place: str) -> str:
    """The name of a file or database, without its ending."""
    return Path(place.rpartition("/")[2].partition("?")[0]).stem or "campaign"
