"""`corollary restore`: a campaign from a backup."""

from __future__ import annotations

from pathlib import Path

import click

from ..campaigns import figures, opened, told_warnings
from ..terminal import echo


@click.command("restore")
@click.argument(
    "backup", metavar="BACKUP", type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.argument("place", metavar="CAMPAIGN")
def command(backup: Path, place: str) -> None:
    """Make a campaign of a backup.

    \b
    corollary restore birds-2026-03-02-081500.jsonl.gz birds.sqlite
    corollary restore birds.sqlite.bak postgresql://me@host/db

    CAMPAIGN must be a new file or an empty database: nothing is ever overwritten.
    """  # noqa: D301 (click keeps the lines after a backslash)
    from ...campaign.storage.backups import restore

    with told_warnings():
        restore(backup, place)
    with opened(place, readonly=True) as campaign:
        echo(
            f"{place}: {campaign.name}, {campaign.state.seq:,} events; {figures(campaign.progress())}"
        )
