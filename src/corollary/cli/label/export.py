"""`corollary export`: the labels as a file, each with where it comes from."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from ..campaigns import opened, place_argument
from ..progress import told_progress
from ..reading import count
from ..terminal import echo, harmless


@click.command("export")
@place_argument
@click.argument(
    "target", metavar="FILE", type=click.Path(dir_okay=False, allow_dash=True, path_type=Path)
)
@click.option(
    *("--format",),
    metavar="FORMAT",
    help="Of FILE. [.csv: csv-items, .jsonl: jsonl, .parquet: parquet, .nt: rdf, .json: label-studio]",
)
@click.option(
    "--spreadsheet/--no-spreadsheet",
    default=True,
    help="CSV: no text can be taken for a formula. [the default]",
)
@click.option(
    "--answers", is_flag=True, help="A line for each answer: the same as --format csv-answers."
)
@click.option(
    "--no-predictions", is_flag=True, help="Only what was answered, and what follows from it."
)
@click.option("--open", "open_cells", is_flag=True, help="With --no-predictions: open labels too.")
@click.option("--no-names", is_flag=True, help="Number people in place of naming them.")
@click.option(
    "--withdrawn", is_flag=True, help="The items that were withdrawn, in place of the others."
)
@click.option("--replace", is_flag=True, help="Replace FILE if it exists.")
def command(
    place: str,
    target: Path,
    *,
    format: str | None,
    answers: bool,
    spreadsheet: bool,
    no_predictions: bool,
    open_cells: bool,
    no_names: bool,
    withdrawn: bool,
    replace: bool,
) -> None:
    """Write the labels to a file, also while a server runs.

    \b
    corollary export birds.sqlite labels.csv
    corollary export birds.sqlite cells.csv --format csv-long
    corollary export birds.sqlite labels.parquet --no-predictions
    corollary export birds.sqlite - --format jsonl | head
    corollary export birds.sqlite tasks.json --format label-studio

    csv-items, jsonl-items and parquet-items have a line for each item: its id, text and fields, and
    its narrowest labels with origin and probability. A .csv file is csv-items.

    csv-long and parquet have a line for each label of each item. It is asked (by whom, when),
    implied (from which answers, by which rules), predicted (its probability, which model), or open.
    csv-wide has three columns for each label, jsonl an object for each item with all of it. rdf has
    the IRI of each term of an item, and its provenance, as N-Triples in the words of W3C PROV-O.

    --answers has a line for each answer: who, when, the kind of question, and its seconds. FILE may
    be - for the terminal. Withdrawn items are left out; --withdrawn writes only them, with their
    answers.

    Formats of other tools: label-studio, label-studio-questions, label-studio-config, prodigy,
    prodigy-choice, doccano, argilla, spacy, spacy-docbin, huggingface. They have yes and no, and the
    origin if the tool has a place for it. Items labelled in part are predictions for Label Studio.
    """  # noqa: D301 (click keeps the lines after a backslash)
    from ...campaign.files.exports.exports import DEFAULT, OF_ANSWERS, export, text_of
    from ...campaign.files.exports.provenance import take_snapshot

    if answers and format not in (None, OF_ANSWERS):
        raise click.UsageError(
            f"--answers and --format {format} are two different files: give one of them"
        )
    kind = OF_ANSWERS if answers else format
    what: dict[str, Any] = {"predictions": not no_predictions, "safe": spreadsheet}
    what["open_cells"] = open_cells or not no_predictions
    who: dict[str, Any] = {"names": not no_names, "withdrawn": withdrawn}
    with opened(place, readonly=True) as campaign:
        if str(target) == "-" and sys.stdout.isatty():  # the lines themselves show the progress
            for text in text_of(take_snapshot(campaign, **who), kind or DEFAULT, **what):
                sys.stdout.write(harmless(text))
            return
        if str(target) == "-":
            with told_progress("writing") as progress:
                snapshot = take_snapshot(campaign, progress=progress, **who)
                sys.stdout.writelines(text_of(snapshot, kind or DEFAULT, **what))
            return
        with told_progress(f"writing {target}") as progress:
            n = export(
                campaign, target, format=kind, replace=replace, progress=progress, **who, **what
            )
    echo(f"{target}: {count(n, 'answer' if kind == OF_ANSWERS else 'item')}")
