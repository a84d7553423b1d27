"""`corollary import`: further items, or labels that are known already, for a campaign that is there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..campaigns import figures, opened, person, place_argument, who_option
from ..forms import ITEMS_FILE, form_of, form_options, tell_import
from ..progress import told_progress
from ..reading import count
from ..terminal import echo

BUSY = (
    "Add the file on its page, or send it to its API (POST /api/items?name=FILE), or stop it first"
)


@click.command("import")
@place_argument
@click.argument("source", metavar="FILE", type=ITEMS_FILE)
@click.option(
    "--only-labels", is_flag=True, help="The items are there already: take their labels only."
)
@click.option(
    "--format",
    metavar="FORMAT",
    help="Of a file of another tool: label-studio, prodigy, doccano, ...",
)
@click.option("--check", is_flag=True, help="Only look whether all is well.")
@who_option
@form_options
def command(place: str, source: Path, *, check: bool, who: str | None, **options: Any) -> None:
    """Add items, or labels that are known already.

    \b
    corollary import birds.sqlite more.csv
    corollary import birds.sqlite experts.csv --only-labels
    corollary import birds.sqlite labels.csv --check
    corollary import birds.sqlite annotated.json --format label-studio --complete

    A table with the columns item, label and value (yes or no) adds labels to items of the campaign.
    Any other table adds items, and labels as in `corollary new`. Everything is checked first: with
    one mistake nothing is added.

    Files of other tools add new items, and labels. If labels were picked from a list, the others
    count as no only with --complete, else as unknown. The names of people are not kept. If people
    disagree, nothing is imported: connect the tool (corollary serve --label-studio) to keep both.
    """  # noqa: D301 (click keeps the lines after a backslash)
    from ...campaign.files.imports.imports import check_for

    with opened(place, readonly=check, busy=BUSY) as campaign:
        me = person(campaign, who)
        with told_progress(f"reading {source}"):
            found = check_for(source, campaign, form_of(options))
        tell_import(found)
        brings = f"{count(found.n_items, 'item')} and {count(len(found.facts), 'label')}"
        if check:
            echo(f"{source} is fine: it would add {brings}")
            return
        with told_progress(f"adding {brings}"):
            campaign.add(me, found.items(), found.facts)
        echo(f"added {brings}: {figures(campaign.progress())}")
