"""`corollary convert`: an ontology from one file format to another, with a report of what got lost."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import click

from ..reading import ONTOLOGY_FILE, count, read_document, reading_options
from ..terminal import echo

NOTATION = "notation"
#: More statements than this are counted here, and listed in a file.
LISTED_UP_TO = 20
#: What the name of that file ends in, after the name of OUT.
LEFT_OUT = ".left-out.txt"


@click.command("convert")
@click.argument("source", metavar="IN", type=ONTOLOGY_FILE)
@click.argument("target", metavar="OUT", type=click.Path(dir_okay=False, path_type=Path))
@reading_options("--from")
@click.option("--to", metavar="FORMAT", help="Format of OUT, if its name does not tell.")
@click.option(
    "--lossy",
    is_flag=True,
    help="Leave out what the format of OUT cannot say; it is counted and listed.",
)
def command(source: Path, target: Path, *, to: str | None, lossy: bool, **reading: Any) -> None:
    """Write an ontology in another format.

    OBO, OWL and SKOS keep each other's ids, names, synonyms, definitions and other annotations. A text in the notation
    that is made of another format has one statement for all children of a parent. What IN says and OUT does not is
    counted by kind, and a file beside OUT lists it.
    """
    from ...logic import formats
    from ...logic.formats.compact import compact

    document = read_document(source, **reading)
    if formats.format_of(target, to) == NOTATION != formats.format_of(source, reading["format"]):
        document = compact(document)
    lost = formats.write(document, target, format=to, lossy=lossy)
    echo(
        f"{source.name} -> {target.name}: "
        f"{count(len(document.labels), 'label')}, {count(len(document.constraints), 'constraint')}"
    )
    unread = document.not_expressed + document.not_kept
    whole = tell(f"of {source.name} not expressed", unread)
    whole &= tell(f"that {target.name} cannot say left out", lost)
    rest = target.with_name(target.name + LEFT_OUT)
    if whole:
        rest.unlink(missing_ok=True)
    else:
        text = "".join(f"{line}\n" for line in unread + lost)
        formats.write_bytes(rest, text.encode())
        echo(f"{rest.name} lists all of them", err=True)


def tell(what: str, lines: tuple[str, ...]) -> bool:
    """The first statements and the numbers of annotations on stderr; whether that is all of them."""
    from ...logic.formats import ANNOTATION

    notes = [line for line in lines if line.startswith(ANNOTATION)]
    statements = [line for line in lines if not line.startswith(ANNOTATION)]
    if statements:
        echo(f"{count(len(statements), 'statement')} {what}:", err=True)
        for line in statements[:LISTED_UP_TO]:
            echo(f"  {line}", err=True)
        if (more := len(statements) - LISTED_UP_TO) > 0:
            echo(f"  and {more:,} more", err=True)
    if notes:
        kinds = Counter(line[len(ANNOTATION) :].partition(" of ")[0] for line in notes)
        counts = ", ".join(f"{n:,} {kind}" for kind, n in kinds.most_common())
        echo(f"{count(len(notes), 'annotation')} {what}: {counts}", err=True)
    return len(statements) <= LISTED_UP_TO and not notes
