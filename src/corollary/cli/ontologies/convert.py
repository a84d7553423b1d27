"""`corollary convert`: an ontology from one file format to another, with a report of what got lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..reading import ONTOLOGY_FILE, count, read, reading_options
from ..terminal import echo

NOTATION = "notation"


@click.command("convert")
@click.argument("source", metavar="IN", type=ONTOLOGY_FILE)
@click.argument("target", metavar="OUT", type=click.Path(dir_okay=False, path_type=Path))
@reading_options("--from")
@click.option("--to", metavar="FORMAT", help="Format of OUT, if its name does not tell.")
@click.option(
    "--lossy", is_flag=True, help="Leave out what the format of OUT cannot say; it is listed."
)
def command(source: Path, target: Path, *, to: str | None, lossy: bool, **reading: Any) -> None:
    """Write an ontology in another format.

    Names, synonyms and definitions of labels go along where OUT can say them: in OBO, OWL and SKOS. A text in the
    notation that is made of another format has one statement for all children of a parent. Everything that IN says and
    OUT does not is told.
    """
    from ...logic import formats
    from ...logic.formats.compact import compact
    from ...logic.language.notation import Document

    ontology = read(source, **reading)
    document = Document(
        ontology.labels,
        ontology.constraints,
        ontology.not_expressed,
        about=ontology.about,
        retired=ontology.retired,
        pairs=ontology.pair_constraints,
    )
    if formats.format_of(target, to) == NOTATION != formats.format_of(source, reading["format"]):
        document = compact(document)
    lost = formats.write(document, target, format=to, lossy=lossy)
    echo(
        f"{source.name} -> {target.name}: "
        f"{count(len(document.labels), 'label')}, {count(len(document.constraints), 'constraint')}"
    )
    tell(f"of {source.name} not expressed", document.not_expressed)
    tell(f"that {target.name} cannot say left out", lost)


def tell(what: str, lines: tuple[str, ...]) -> None:
    """All of them on stderr, so that no loss is silent."""
    if lines:
        echo(f"{count(len(lines), 'statement')} {what}:", err=True)
        for line in lines:
            echo(f"  {line}", err=True)
