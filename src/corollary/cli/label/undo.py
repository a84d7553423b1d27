"""`corollary undo`: take back the last answer, or any by its number."""

from __future__ import annotations

from typing import Any

import click

from ..campaigns import figures, opened, person, place_argument, who_option
from ..reading import count
from ..terminal import echo

BUSY = "Undo on its page, or with its API (POST /api/undo), or stop it first"


@click.command("undo")
@place_argument
@click.argument("event", type=int, required=False)
@who_option
def command(place: str, event: int | None, *, who: str | None) -> None:
    """Take back an answer, and all that followed from it.

    \b
    corollary undo birds.sqlite
    corollary undo birds.sqlite 1207 --as mara

    Without the number of an EVENT your last answer is taken back. A lead may take back everybody's
    answers, and decisions, gold answers, withdrawals and changes of the ontology. Nothing is
    erased: an undo is an event of its own, and the log keeps both.
    """  # noqa: D301 (click keeps the lines after a backslash)
    with opened(place, busy=BUSY) as campaign:
        undone = campaign.undo(person(campaign, who), event)
        said = undone.undone
        names = campaign.names
        about = (
            said.item if said.label is None else f"{said.item}, {names.get(said.label, said.label)}"
        )
        what = "withdrawn" if said.kind == "withdraw" else in_words(said.value)
        if said.kind == "report":
            about = "what it reported"
            what = count(said.value, "cell")
        elif said.kind == "ontology":
            about = "the ontology"
            what = f"version {said.ontology} is in force again"
        echo(f"taken back: event {said.seq} by {said.who}: {about}: {what}")
        if undone.opened and said.label is None and said.kind == "answer":
            echo(
                f"{said.item} is asked again"
            )  # that is what the person said; the labels follow from it
        elif undone.opened:
            again = ", ".join(names[label] for label, _ in undone.opened)
            echo(f"{count(len(undone.opened), 'label')} open again: {again}")
        echo(figures(undone.counts))


def in_words(value: Any) -> str:
    """An answer as people say it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{label} {in_words(one)}" for label, one in value.items())
    if isinstance(value, list):
        return ", ".join(value) or "none of these"
    return {"cant_tell": "can't tell", "skip": "skipped"}.get(
        str(value), "" if value is None else str(value)
    )
