"""How every command reads an ontology: the options, and the reading itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

import corollary as co

if TYPE_CHECKING:
    from ..logic.language.about import About
    from ..logic.language.notation import Document

Command = TypeVar("Command", bound=Callable[..., Any])

#: The keyword arguments in which the options of `reading_options` arrive.
READING = ("format", "siblings_exclusive", "broader", "hierarchy", "imports", "names", "language")
ONTOLOGY_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


def reading_options(format_option: str = "--format") -> Callable[[Command], Command]:
    """Options that say how a file is to be understood; they arrive as the keyword arguments of `read`."""
    options = (
        click.option(
            format_option,
            "format",
            metavar="FORMAT",
            help="Format of the file, if its name does not tell.",
        ),
        click.option(
            "--siblings-exclusive",
            is_flag=True,
            help="Take labels under the same parent as exclusive.",
        ),
        click.option("--broader", is_flag=True, help="Take SKOS broader as subsumption."),
        click.option(
            "--hierarchy",
            multiple=True,
            metavar="RELATION",
            help="A relation to read like is-a in OBO and OWL, such as part_of; repeatable.",
        ),
        click.option(
            "--imports",
            is_flag=True,
            help="Read what an OWL or OBO file imports from files beside it.",
        ),
        click.option(
            "--names",
            metavar="WHICH",
            help="What to call a label: label, fragment, iri (OWL, SKOS); name, id (OBO).",
        ),
        click.option(
            "--language",
            metavar="TAG",
            help="Language of names in OWL and SKOS, such as fi. Labels without a name in it keep another.",
        ),
    )

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def read(path: Path, *, format: str | None, **options: Any) -> co.Ontology:
    """The ontology in the file; what it does not express is left for the command to tell."""
    return read_with_words(path, format=format, **options)[0]


def read_document(path: Path, *, format: str | None, **options: Any) -> Document:
    """All that the file says."""
    from ..logic import formats

    asked = {
        name: value for name, value in options.items() if value
    }  # others: the default of the format
    return formats.read(path, format=format, **asked)


def read_with_words(
    path: Path, *, format: str | None, **options: Any
) -> tuple[co.Ontology, Mapping[str, About]]:
    """The ontology in the file, and what the file says of its labels in words."""
    found = read_document(path, format=format, **options)
    onto = co.Ontology(
        found.labels,
        (*found.constraints, *found.pairs),
        not_expressed=found.not_expressed,
        about=found.about,
        retired=found.retired,
    )
    return onto, found.about


def names_of(onto: co.Ontology, about: Mapping[str, About]) -> dict[str, str]:
    """What people read of each label of an ontology file."""
    from ..logic.readable import readable_names

    return readable_names(
        onto.labels, {label: said.names[0] for label, said in about.items() if said.names}
    )


def count(n: int, noun: str, plural: str | None = None) -> str:
    """`1 label`, `1,200 labels`."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"
