"""The options by which `new` and `import` read files of items and labels."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from .terminal import echo

if TYPE_CHECKING:
    from ..campaign.files.imports.file_form import Form, Import

Command = TypeVar("Command", bound=Callable[..., Any])

ITEMS_FILE = click.Path(exists=True, path_type=Path)
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def size(text: str) -> int:
    """A number of bytes: `2GB`, `500 MB`, `1000`."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMG]?)B?", text.strip().upper())
    if found is None:
        raise click.BadParameter(f"{text!r} is not a size; write one like 500MB or 2GB")
    return int(float(found[1]) * UNITS[found[2]])


def form_options(command: Command) -> Command:
    """How a file is to be read; the options arrive as the keyword arguments of `form_of`."""
    options = (
        click.option(
            "--id",
            metavar="COLUMN",
            help="Column of the items' ids; :row numbers the rows. [id, item, ...]",
        ),
        click.option(
            "--text",
            metavar="COLUMN",
            help="Column of the text that people read first. [text, name, ...]",
        ),
        click.option(
            "--image",
            metavar="COLUMN",
            help="Column with paths of pictures beside the file. [image, ...]",
        ),
        click.option(
            "--vector",
            metavar="COLUMN",
            help="Column with numbers to learn from. [vector, embedding]",
        ),
        click.option(
            "--labels", metavar="COLUMN", help="Column with names of labels that are yes. [labels]"
        ),
        click.option(
            "--separator", metavar="TEXT", help="The text between the names. [; | , or @]"
        ),
        click.option(
            "--complete",
            is_flag=True,
            help="Labels not named there are no; an empty cell says nothing.",
        ),
        click.option(
            "--ignore", metavar="COLUMN", multiple=True, help="A column to leave out; repeatable."
        ),
        click.option(
            "--encoding", metavar="NAME", help="Of the text: utf-8, utf-16, cp1252, ... [utf-8]"
        ),
        click.option(
            "--delimiter",
            metavar="SIGN",
            help="What separates the columns of a CSV file. [found out]",
        ),
        click.option(
            "--limit", type=size, metavar="SIZE", help="The largest file that is taken. [512MB]"
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def form_of(options: dict[str, Any]) -> Form:
    """The form that the options ask for."""
    from ..campaign.files.imports.file_form import Form

    return Form(**{name: value for name, value in options.items() if value is not None})


def tell_import(found: Import) -> None:
    """Say which column was taken for what, so that a wrong guess is seen."""
    if found.columns is not None:
        echo(f"columns: {found.columns}")
    for note in found.notes:
        echo(f"note: {note}")
