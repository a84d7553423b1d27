"""`corollary check`: somebody's finished labels against an ontology."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...logic.errors import CorollaryError
from ..reading import ONTOLOGY_FILE, READING, count, read, reading_options
from ..terminal import echo, harmless

if TYPE_CHECKING:
    from ...campaign.files.checking import Check, Violation
    from ...campaign.files.tools.formats import Record
    from ...logic.ontology import Ontology

#: More violations than this are counted, unless all are asked for.
LISTED_UP_TO = 50
STYLES = {
    "contradiction": "bold red",
    "unknown label": "red",
    "missing label": "yellow",
    "implied but not chosen": "cyan",
}
JSON = (".json", ".jsonl", ".ndjson")


@click.command("check")
@click.argument(
    "export", metavar="EXPORT", type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option(
    "--ontology", type=ONTOLOGY_FILE, required=True, help="The labels, and the rules that tie them."
)
@click.option(
    "--format",
    "kind",
    metavar="FORMAT",
    help="Of EXPORT, if it is not found out: label-studio, prodigy, ...",
)
@click.option(
    "--complete",
    "--closed-world",
    "complete",
    is_flag=True,
    help="Labels that were not chosen are no.",
)
@click.option(
    "--narrowest",
    is_flag=True,
    help="The narrowest labels suffice: those that follow from them need not be chosen.",
)
@click.option(
    "--id",
    metavar="COLUMN",
    help="Of a table: the column of the items' ids; :row numbers the rows.",
)
@click.option("--labels", metavar="COLUMN", help="Of a table: the column that names the labels.")
@click.option(
    "--separator", metavar="TEXT", help="Of a table: the text between the names. [; | , or @]"
)
@click.option(
    "--ignore",
    metavar="COLUMN",
    multiple=True,
    help="Of a table: a column to leave out; repeatable.",
)
@click.option("--encoding", metavar="NAME", help="Of a table: utf-8, utf-16, cp1252, ... [utf-8]")
@click.option(
    "--delimiter", metavar="SIGN", help="What separates the columns of a CSV file. [found out]"
)
@click.option(
    "--all", "every", is_flag=True, help=f"List all violations, not only the first {LISTED_UP_TO}."
)
@click.option("--json", "as_json", is_flag=True, help="Print all violations as JSON.")
@reading_options("--ontology-format")
def command(export: Path, *, ontology: Path, every: bool, as_json: bool, **options: Any) -> None:
    """Check finished labels of any tool against an ontology.

    \b
    corollary check project-7.json --ontology birds.onto
    corollary check labels.csv --ontology birds.onto --complete
    corollary check annotations.jsonl --ontology birds.onto --format prodigy --json

    EXPORT is Label Studio's JSON or JSON_MIN, JSON lines of Prodigy, doccano, Argilla or spaCy, or
    a table (CSV, TSV, JSON lines, Parquet). A table has the columns item, label and value, a column
    for each label, or a column that names them.

    Each violation is listed with its reason. There are labels that the ontology does not have, and
    labels that cannot go together. Labels that follow from others but were not chosen are listed
    unless --narrowest is given; with --complete missing labels are, too. In our own exports the
    narrowest labels suffice. A label may be an id, a name or a synonym. Alternative ids and obsolete
    terms are named as such. Each person's labels are checked on their own: disagreement is no
    violation.

    The exit status is 0 without violations, 1 with violations, 2 if a file cannot be read.
    """  # noqa: D301 (click keeps the lines after a backslash)
    from ...campaign.files.checking import Check

    reading = {name: options.pop(name) for name in READING}
    check = Check(
        read_ontology(ontology, reading),
        complete=options["complete"],
        narrowest=options["narrowest"],
    )
    found = check.violations(records_of(export, check.onto, options))
    counts: Counter[str] = Counter()
    if as_json:
        print_json(export, found, check, counts)
    else:
        show(export, found, check, counts, every=every)
    click.get_current_context().exit(int(counts.total() > 0))


def read_ontology(path: Path, reading: dict[str, Any]) -> Ontology:
    """The ontology in a file, which may be a labelling config of Label Studio."""
    if path.suffix.lower() == ".xml" and reading["format"] is None:
        text = path.read_text(encoding="utf-8", errors="replace")
        if "<View" in text[:1000]:
            from ...campaign.files.tools.label_studio.config import ontology_of

            return ontology_of(text)
    return read(path, **reading)


def records_of(export: Path, onto: Ontology, options: dict[str, Any]) -> Iterator[Record]:
    """What a file says, in the format asked for or found out."""
    from ...campaign.files.imports.file_form import Form
    from ...campaign.files.tools.formats import READ, read_records, recognised
    from ...campaign.files.tools.tables import read_table

    kind = options["kind"]
    suffix = export.suffix.lower()
    if kind is None and suffix in JSON:
        kind = recognised(export)
        if kind is None and suffix == ".json":
            raise CorollaryError(
                f"{export} is none of the formats that are known; pass format= with {', '.join(READ)}"
            )
    elif kind is None:
        kind = "spacy-docbin" if suffix == ".spacy" else None
    if kind is not None:
        return read_records(export, kind)
    names = ("id", "labels", "separator", "ignore", "encoding", "delimiter")
    form = {name: options[name] for name in names if options[name] is not None}
    return read_table(export, onto, Form(**form))


def print_json(
    export: Path, found: Iterator[Violation], check: Check, counts: Counter[str]
) -> None:
    """One object with all violations, written as they are found."""
    echo(f'{{"file": {json.dumps(str(export))}, "violations": [', nl=False)
    for n, one in enumerate(found):
        counts[one.kind] += 1
        echo(f"{',' if n else ''}\n  {json.dumps(as_document(one), ensure_ascii=False)}", nl=False)
    note = check.one_of_each.note()
    end = {
        "notes": [note] if note else [],
        "items": check.items,
        "labels": check.labels,
        "counts": dict(counts),
    }
    echo(f"\n], {json.dumps(end)[1:]}")


def as_document(one: Violation) -> dict[str, Any]:
    """A violation for another program."""
    from ...logic.language.notation import render_constraint

    return {
        "item": one.item,
        "place": one.place,
        "by": one.who,
        "kind": one.kind,
        "labels": list(one.labels),
        "message": one.message,
        "constraints": [render_constraint(constraint) for constraint in one.constraints],
    }


def show(
    export: Path, found: Iterator[Violation], check: Check, counts: Counter[str], *, every: bool
) -> None:
    """The violations for a person."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table("item", "where", "kind", "what", box=box.SIMPLE_HEAD, pad_edge=False)
    items = set()
    for one in found:
        counts[one.kind] += 1
        items.add(one.item)
        if every or counts.total() <= LISTED_UP_TO:
            where = one.place if one.who is None else f"{one.place}, {one.who}"
            cells = [Text(harmless(text)) for text in (one.item, where, one.message)]
            table.add_row(*cells[:2], Text(one.kind, STYLES[one.kind]), cells[2])
    if counts:
        Console(highlight=False).print(table)
    if (more := counts.total() - LISTED_UP_TO) > 0 and not every:
        echo(f"and {more:,} more; --all lists them, --json has them too")
    if note := check.one_of_each.note():
        echo(f"note: {note}")
    size = f"{count(check.items, 'labelled item')}, {count(check.labels, 'label')}"
    if not counts:
        nothing = "no item is labelled, so there was nothing to check; what a model predicts is not looked at"
        echo(f"{export.name}: {f'{size}: no violation' if check.items else nothing}")
        return
    kinds = ", ".join(f"{n:,} {kind}" for kind, n in counts.most_common())
    echo(
        f"{export.name}: {size}: {count(counts.total(), 'violation')} in {count(len(items), 'item')}: {kinds}"
    )
