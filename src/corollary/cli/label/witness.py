"""`corollary witness`: machines that say something of items; they count by how far they prove right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..campaigns import opened, person, place_argument, who_option
from ..progress import told_progress
from ..reading import count
from ..terminal import echo
from .witness_ask import ask
from .witness_rules import rules
from .witness_told import BUSY, FILE, finish, tell_event, tell_witnesses, train_option


@click.group("witness")
def command() -> None:
    """Let machines say what they think: files, rules, language models.

    What they say is evidence, weighed by how far each proves right, and never a fact. The next model weighs it. While a
    server runs, send reports to its API, or stop it first.
    """


@command.command("add")
@place_argument
@click.argument("source", metavar="FILE", type=FILE)
@click.option("--name", required=True, metavar="NAME", help="What the witness is called.")
@click.option(
    "--item",
    "item_column",
    metavar="COLUMN",
    help="Column of the items' ids. [item, item_id, id, key]",
)
@click.option(
    "--version", metavar="TEXT", help="Of a model, where a file of Label Studio has several."
)
@click.option("--encoding", metavar="NAME", help="Of the text: utf-8, utf-16, cp1252, ... [utf-8]")
@click.option(
    "--delimiter",
    "separator",
    metavar="SIGN",
    help="What separates the columns of a CSV file. [found out]",
)
@train_option
@who_option
def add(place: str, source: Path, *, name: str, train: bool, who: str | None, **form: Any) -> None:
    """Take the predictions in a file.

    \b
    corollary witness add birds.sqlite old-model.csv --name "old model"

    FILE is CSV, JSON lines, Parquet, or tasks of Label Studio. A table has the columns item, label
    and probability, or item and one for each label; an empty cell is no report. Everything is
    checked first: with one mistake nothing is taken. A new report about a cell replaces the
    witness's earlier one. `corollary witness remove` takes all back.
    """  # noqa: D301 (click keeps the lines after a backslash)
    from ...campaign.files.predictions.predictions import read_predictions

    with opened(place, busy=BUSY) as campaign:
        me = person(campaign, who)
        ids = set(campaign.state.ids)
        onto = campaign.state.onto
        with told_progress(f"reading {source}"):
            found = read_predictions(source, onto, name, ids.__contains__, **form)
        for note in found.notes:
            echo(note)
        with told_progress("writing"):
            said = [(str(one.item), one.label, one.value) for one in found.reports]
            tell_event(campaign.report(me, name, said, kind="file"))
        finish(campaign, train=train)


@command.command("list")
@place_argument
def list_all(place: str) -> None:
    """Each witness, of how much it spoke, and how far it is trusted."""
    with opened(place, readonly=True) as campaign:
        tell_witnesses(campaign.witnesses())


@command.command("remove")
@place_argument
@click.argument("name")
@who_option
def remove(place: str, name: str, *, who: str | None) -> None:
    """Take back all that a witness said; the log keeps it."""
    with opened(place, busy=BUSY) as campaign:
        events = campaign.remove_witness(person(campaign, who), name)
        echo(f"{name}: {count(len(events), 'report')} taken back")


command.add_command(rules)
command.add_command(ask)
