"""`corollary pool refill`: further items of a pool for a campaign, as those that it has get labelled."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from ..campaigns import opened, person, place_argument, who_option
from ..forms import tell_import
from ..progress import told_progress
from ..reading import count
from ..terminal import echo
from .pool_choose import write
from .pool_options import (
    beside,
    computing_options,
    pool_argument,
    share_at_random_option,
    told_by,
    trained,
)

if TYPE_CHECKING:
    from ...campaign.campaign import Campaign
    from ...scale.pool import Pool

BUSY = (
    "Write the items to a file with --to FILE.parquet, and add that on its page or send it to its API "
    "(POST /api/items?name=FILE), or stop it first"
)


@click.command("refill")
@place_argument
@pool_argument
@click.option(
    "--open",
    "wanted",
    type=click.IntRange(1),
    default=50_000,
    show_default=True,
    help="Items to be open.",
)
@click.option(
    "--to",
    "target",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write them to a file instead.",
)
@share_at_random_option
@who_option
@computing_options
def refill(
    place: str,
    folder: Path,
    *,
    wanted: int,
    target: Path | None,
    share_at_random: float,
    who: str | None,
    **options: Any,
) -> None:
    """Add items of a pool to a campaign, as others get labelled.

    \b
    corollary pool refill birds.sqlite items/ --open 50000
    corollary pool refill birds.sqlite items/ --to more.parquet

    A model learns from the known labels of the campaign and the pool. New items are added until
    --open items are open again: those with the best questions, and some drawn at random. Nothing is
    taken out. While a server has the campaign, --to writes a file to add on its page.
    """  # noqa: D301 (click keeps the lines after a backslash)
    with opened(place, readonly=target is not None, busy=BUSY) as campaign:
        me = None if target else person(campaign, who)
        n_open = open_items(campaign)
        if n_open >= wanted:
            echo(f"{count(n_open, 'item')} of {place} are open already: nothing to add")
            return
        onto, facts, more = told_by(campaign)
        asked = more | {name: value for name, value in options.items() if value is not None}
        with trained(folder, onto, asked, facts) as pool, told_progress("choosing") as progress:
            keep = beside(Path(f"{folder}.refill") if target is None else target)
            table = pool.working_set(
                wanted - n_open,
                without=campaign.state.ids,
                share_at_random=share_at_random,
                keep=keep,
                progress=progress,
            )
        if not table.num_rows:
            echo(f"nothing of {folder} is open that is not in {place}: nothing to add")
        elif target is not None:
            write(target, table)
            echo(
                f"{target}: {count(table.num_rows, 'item')} of {len(pool):,}; {n_open:,} of {place} are open"
            )
        else:
            assert me is not None
            add(campaign, me, table, pool)
            echo(
                f"added {count(table.num_rows, 'item')} of {len(pool):,}: {open_items(campaign):,} are open"
            )


def open_items(campaign: Campaign) -> int:
    """Of how many items something is open."""
    with campaign.lock:
        state = campaign.state
        return int((state.facts[state.in_use()] < 0).any(axis=1).sum())


def add(campaign: Campaign, me: str, table: Any, pool: Pool) -> None:
    """Add items as a file of them would be: all is checked first."""
    from ...campaign.files.imports.file_form import Form
    from ...campaign.files.imports.imports import check_for

    columns = pool.columns
    form = Form(
        id=columns.of_id[0] if columns.of_id else None,
        text=columns.text,
        vector=columns.learnt[0] if columns.kind == "vector" else None,
        labels=columns.labels,
        ignore=columns.learnt if columns.kind == "beliefs" else (),
        limit=1 << 40,  # they come from a pool, as many as were asked for
    )
    with TemporaryDirectory() as place, told_progress(f"adding {count(table.num_rows, 'item')}"):
        write(path := Path(place) / "items.parquet", table)
        found = check_for(path, campaign, form)
        campaign.add(me, found.items(), found.facts)
    tell_import(found)
