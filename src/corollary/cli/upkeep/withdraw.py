"""`corollary withdraw`: take items out of a campaign, and keep their answers."""

from __future__ import annotations

from pathlib import Path

import click

from ...logic.errors import CorollaryError
from ..campaigns import figures, opened, person, place_argument, who_option
from ..reading import count
from ..terminal import echo

BUSY = "Withdraw on its page, or with its API (POST /api/withdrawals), or stop it first"


@click.command("withdraw")
@place_argument
@click.argument("items", metavar="[ITEM]...", nargs=-1)
@click.option(
    "--from",
    "source",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A text file with the ids of items, one on each line.",
)
@click.option(
    "--reason", default="", metavar="TEXT", help="The reason, shown to people who still answer."
)
@click.option("--undo", is_flag=True, help="Bring the items back, with all that was said of them.")
@who_option
def command(
    place: str,
    items: tuple[str, ...],
    *,
    source: Path | None,
    reason: str,
    undo: bool,
    who: str | None,
) -> None:
    """Take items out of a campaign; their answers are kept.

    \b
    corollary withdraw birds.sqlite robin-17 --reason "there twice"
    corollary withdraw birds.sqlite --from blurred.txt
    corollary withdraw birds.sqlite robin-17 --undo
    corollary withdraw birds.sqlite

    Withdrawn items are not asked, learnt from, counted or exported. Without an ITEM they are listed.
    Nothing is erased: a withdrawal is an event that can be undone, and the answers come back with
    the item. `corollary export --withdrawn` writes them to a file.
    """  # noqa: D301 (click keeps the lines after a backslash)
    named = [*items, *(() if source is None else ids_in(source))]
    if not named:
        if undo:
            raise CorollaryError(
                "say which items shall come back; without --undo those that are withdrawn are listed"
            )
        with opened(place, readonly=True) as campaign:
            for event in campaign.withdrawn():
                why = (event.detail or {}).get("reason")
                echo(f"{event.item}: event {event.seq} by {event.who}{f', {why}' if why else ''}")
        return
    with opened(place, busy=BUSY) as campaign:
        me = person(campaign, who)
        events = (
            campaign.bring_back(named, who=me)
            if undo
            else campaign.withdraw(named, who=me, reason=reason)
        )
        done = f"{count(len(events), 'item')} {'brought back' if undo else 'withdrawn'}"
        if same := len(set(named)) - len(events):
            done += f", {same:,} {'were not withdrawn' if undo else 'were withdrawn before'}"
        echo(f"{done}: {figures(campaign.progress())}")


def ids_in(path: Path) -> list[str]:
    """The ids in a file, one on each line."""
    try:
        found = [line.strip() for line in path.read_text(encoding="utf-8-sig").splitlines()]
    except UnicodeDecodeError as error:
        raise CorollaryError(
            f"{path} is not UTF-8 text (byte {error.start + 1:,}); save it as UTF-8"
        ) from None
    ids = [one for one in found if one]
    if not ids:
        raise CorollaryError(f"{path} names no items; write the id of one on each line")
    return ids
