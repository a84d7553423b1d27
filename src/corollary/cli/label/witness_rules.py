"""`corollary witness rules`: rules of thumb, as patterns or functions, each a witness."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...logic.errors import CorollaryError
from ..campaigns import opened, person, place_argument, who_option
from ..progress import told_progress
from ..reading import count
from ..terminal import echo
from .witness_told import BUSY, FILE, finish, tell_event, tell_textless, train_option

if TYPE_CHECKING:
    from ...campaign.campaign import Campaign
    from ...learning.witnesses.rules.rules import Rule


@click.command("rules")
@place_argument
@click.argument("source", metavar="FILE", type=FILE)
@train_option
@who_option
def rules(place: str, source: Path, *, train: bool, who: str | None) -> None:
    """Ask rules of thumb in a file; each is a witness.

    \b
    corollary witness rules birds.sqlite rules.txt

    A line is a pattern, and labels for texts that contain it: `gills: /\\bgills?\\b/i -> fish, ~bird`.
    Without a name in front, the pattern is the name.

    A FILE that ends in .py is RUN AS CODE, with all your rights on this machine. Use no such file
    from strangers. Each function in it takes the text of an item. It returns None, or a dict from
    labels to True, False or a probability.
    """  # noqa: D301 (click keeps the lines after a backslash)
    from ...learning.witnesses.rules.rules import rule_reports

    with opened(place, busy=BUSY) as campaign:
        me = person(campaign, who)
        onto = campaign.state.onto
        asked = functions_in(source) if source.suffix == ".py" else patterns_in(source, campaign)
        items = [item for item in campaign.items(limit=len(campaign.state.ids)) if item.text]
        tell_textless(len(campaign.state.ids) - len(items))
        said: dict[str, list[tuple[str, str, float]]] = {name: [] for name in asked}
        with told_progress(f"asking {count(len(asked), 'rule')}") as progress:
            texts = [item.text for item in items]
            for one in rule_reports(onto, texts, asked, progress=progress):
                said[one.witness].append((items[int(one.item)].id, one.label, one.value))
        for name, cells in said.items():
            if cells:
                tell_event(campaign.report(me, name, cells, kind="rule"))
            else:
                echo(f"{name}: says nothing of any item")
        finish(campaign, train=train)


def patterns_in(source: Path, campaign: Campaign) -> dict[str, Rule]:
    """The rules in a file of patterns."""
    from ...learning.witnesses.rules.patterns import read_rules

    return {rule.name: rule for rule in read_rules(source, campaign.state.onto)}


def functions_in(source: Path) -> dict[str, Rule]:
    """The functions that a file of Python defines, which is run for it."""
    import runpy
    from types import FunctionType

    try:
        names = runpy.run_path(str(source))
    except Exception as error:
        raise CorollaryError(f"{source} cannot be run: {type(error).__name__}: {error}") from error
    own: dict[str, Rule] = {
        name: one
        for name, one in names.items()
        if isinstance(one, FunctionType)
        and one.__module__ == names["__name__"]
        and not name.startswith("_")
    }
    if not own:
        raise CorollaryError(
            f"{source} defines no function; write one that takes a text and gives back a dict"
        )
    return own
