"""`corollary update`: a new release of an ontology in a campaign, and what becomes of the answers."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...logic.errors import CorollaryError
from ..campaigns import opened, person, place_argument, who_option
from ..ontologies.convert import tell
from ..reading import ONTOLOGY_FILE, count, read, reading_options
from ..terminal import echo

if TYPE_CHECKING:
    from ...campaign.live.ontology_update import Update

BUSY = "Stop it first, or change the ontology on its page, under Ontology"
#: The number of labels or reasons listed of each kind; all are in the file of `--list`.
LISTED = 10


@click.command("update")
@place_argument
@click.argument("release", metavar="FILE", type=ONTOLOGY_FILE)
@click.option("--preview", is_flag=True, help="Only show what it would do.")
@click.option(
    "--follow",
    multiple=True,
    metavar="OLD=NEW",
    help="Two labels that mean the same: all answers follow.",
)
@click.option(
    "--list",
    "listed",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="CSV",
    help="Write all answers that go out of effect to this file.",
)
@who_option
@reading_options("--ontology-format")
def command(
    place: str,
    *,
    release: Path,
    preview: bool,
    follow: tuple[str, ...],
    listed: Path | None,
    who: str | None,
    **reading: Any,
) -> None:
    """Put a new release of the ontology in force.

    \b
    corollary update notes.sqlite doid-2026.obo --preview
    corollary update notes.sqlite doid-2026.obo
    corollary update notes.sqlite doid-2026.obo --follow "lung cancer=lung carcinoma"

    Terms are matched by their ids, so a term can be renamed. Answers follow a term that was renamed, merged (alt_id) or
    replaced (replaced_by). A yes follows a term that was merged into another one; a no does not, since the other
    term is wider. For a term with `consider`, and for any other, --follow names the label that means the same.

    Each answer that goes out of effect is counted with the reason, and listed with --list. No answer is erased:
    one undo takes the release back.
    """  # noqa: D301 (click keeps the lines after a backslash)
    new = read(release, **reading)
    tell(f"of {release.name} not expressed", new.not_expressed)
    pairs = _pairs(follow)
    with opened(place, readonly=preview, busy=BUSY) as campaign:
        update = campaign.preview_update(new, follow=pairs)
        show(update)
        if listed is not None:
            write(update, listed)
            echo(f"{listed}: {count(len(update.out_of_effect), 'answer')} out of effect")
        if preview:
            echo("Nothing was changed.")
            return
        event = campaign.update(person(campaign, who), new, follow=pairs)
    echo(f"In force as version {event.value}. To take it back: corollary undo {place} {event.seq}")


def _pairs(follow: Iterable[str]) -> dict[str, str]:
    found = {}
    for one in follow:
        old, mark, new = one.partition("=")
        if not mark or not old.strip() or not new.strip():
            raise CorollaryError(f"--follow must be OLD=NEW, two labels, got {one!r}")
        found[old.strip()] = new.strip()
    return found


def show(update: Update) -> None:
    """What a release does, a few lines of each kind."""
    release = update.release
    _list("new", update.change.added)
    renamed = [f"{old} -> {new}" for old, new in release.same.items() if new is not None]
    _list("with another label", renamed)
    _list("with another name", [f"{one}: {a} -> {b}" for one, (a, b) in release.names.items()])
    _list("merged", [f"{old}: {release.reasons[old]}" for old in release.wider])
    _list("moved", [_moved(one, *parents) for one, parents in release.moved.items()])
    _list("gone", [f"{label}: {reason}" for label, reason in release.gone.items()])
    echo(f"{count(update.stay, 'answer')} stay, {update.follow:,} follow to another label")
    echo(f"{count(len(update.out_of_effect), 'answer')} out of effect{_colon(update)}")
    lines = [
        f"{label}: {_numbers(numbers)}: {reason}"
        for (label, reason), numbers in update.counts().items()
    ]
    _few(lines)
    change = update.change
    echo(f"{change.settles:,} labels of items settled, {change.reopens:,} open again")
    for label, others in release.questions.items():
        echo(f'{label}: which label means the same? --follow "{label}={others[0]}"')
    for item, message in change.refused[:LISTED]:
        echo(f"refused: decisions about {item} clash: {message}", err=True)


def _colon(update: Update) -> str:
    return ":" if update.out_of_effect else ""


def _moved(label: str, before: tuple[str, ...], after: tuple[str, ...]) -> str:
    was, now = (", ".join(parents) or "the top" for parents in (before, after))
    return f"{label}: from {was} to {now}"


def _numbers(numbers: Mapping[str, int]) -> str:
    words = {"yes": "yes", "no": "no", "cant_tell": "can't tell"}
    return ", ".join(f"{n:,} {words[value]}" for value, n in numbers.items() if n)


def _list(kind: str, lines: Iterable[str]) -> None:
    lines = list(lines)
    if lines:
        echo(f"{count(len(lines), 'label')} {kind}:")
        _few(lines)


def _few(lines: list[str]) -> None:
    for line in lines[:LISTED]:
        echo(f"  {line}")
    if len(lines) > LISTED:
        echo(f"  and {len(lines) - LISTED:,} more")


def write(update: Update, path: Path) -> None:
    """All answers that go out of effect as a table."""
    from ...campaign.files.spreadsheet_text import harmless

    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(("item", "label", "value", "who", "event", "reason"))
        for one in update.out_of_effect:
            value = one.value if isinstance(one.value, str) else "yes" if one.value else "no"
            row = (one.item, one.label, value, one.who, one.seq, one.reason)
            table.writerow(harmless(row))
