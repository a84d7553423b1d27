"""The formats of other people's tools by name: which module reads and writes each, and how a file is recognised."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ....logic.errors import CorollaryError, nearest
from .json_objects import objects_in

if TYPE_CHECKING:
    from ..exports.provenance import Snapshot

PEEKED = 50  # objects of a file that are looked at to recognise its format


@dataclass(frozen=True)
class Record:
    """One item as a file has it, with what one person (or the file as a whole) says of its labels.

    Labels are named as in the file: whoever takes a record checks them. Where the labels that are yes were picked from
    a list, `listed` is true: others were not picked, which means no only in a closed world. Else each label was asked
    on its own, and the records of an item belong together. `unsure` are labels that someone could not tell. Where a
    list names the narrowest labels only, as our own exports do, `narrowest` is true.
    """

    place: str
    item: str
    labels: Mapping[str, bool]
    text: str | None = None
    fields: dict[str, Any] = field(default_factory=dict)
    who: str | None = None
    listed: bool = True
    narrowest: bool = False
    unsure: tuple[str, ...] = ()


class Format(NamedTuple):
    """The module of this package that has the format, the usual ending of its files, and a line about it.

    A module that reads has `read(path) -> Iterator[Record]`, lazily, and `recognise(one) -> bool`, which tells whether
    the format is that of an object of a file (JSON or JSON lines). A module that writes has
    `write(snapshot, *, predictions) -> Iterator[str]`, pieces of text; or for files that are not text
    `write_file(snapshot, path, *, predictions) -> None`.
    """

    module: str
    suffix: str
    about: str
    reads: bool = True
    writes: bool = True


#: Of those that recognise a file the first has it: the more particular come first.
FORMATS = {
    "label-studio": Format(
        "label_studio.item_tasks", ".json", "Label Studio's tasks, one for each item"
    ),
    "label-studio-questions": Format(
        "label_studio.question_tasks", ".json", "Label Studio's tasks, one for each question"
    ),
    "label-studio-config": Format(
        "label_studio.config", ".xml", "Label Studio's config: a tree of labels", reads=False
    ),
    "argilla": Format("argilla", ".jsonl", "Argilla's records"),
    "prodigy": Format(
        "prodigy.examples",
        ".jsonl",
        "Prodigy's examples, one for each question; choices are read too",
    ),
    "prodigy-choice": Format(
        "prodigy.choices", ".jsonl", "Prodigy's examples with a list to choose from", reads=False
    ),
    "spacy": Format("spacy.cats", ".jsonl", "texts with spaCy's cats"),
    "spacy-docbin": Format(
        "spacy.docbin", ".spacy", "spaCy's DocBin with cats, if spaCy is installed"
    ),
    "doccano": Format("doccano", ".jsonl", "doccano's texts with their labels"),
    "huggingface": Format("huggingface", ".parquet", "a table for Hugging Face's datasets"),
    "label-studio-min": Format(
        "label_studio.short_export", ".json", "Label Studio's short export (JSON_MIN)", writes=False
    ),
}
READ = tuple(name for name, one in FORMATS.items() if one.reads)
WRITTEN = tuple(name for name, one in FORMATS.items() if one.writes)


def read_records(path: Path, format: str) -> Iterator[Record]:
    """What a file says, record by record."""
    read: Callable[[Path], Iterator[Record]] = _module(format, READ, "read").read
    return read(path)


def written(snapshot: Snapshot, format: str, *, predictions: bool = True) -> Iterator[str]:
    """The text of a file in a format, piece by piece; those that are no text are an error."""
    module = _module(format, WRITTEN, "written")
    if not hasattr(module, "write"):
        raise CorollaryError(f"{format} is no text: write it to a file")
    text: Iterator[str] = module.write(snapshot, predictions=predictions)
    return text


def write_file(snapshot: Snapshot, path: Path, format: str, *, predictions: bool = True) -> None:
    """Write a file in a format."""
    module = _module(format, WRITTEN, "written")
    if hasattr(module, "write_file"):
        module.write_file(snapshot, path, predictions=predictions)
        return
    with path.open("w", encoding="utf-8", newline="") as out:
        out.writelines(module.write(snapshot, predictions=predictions))


def recognised(path: Path) -> str | None:
    """The format of a file of JSON or JSON lines by what is in it; None where it is none of these."""
    first = [one for _, one in islice(objects_in(path), PEEKED)]
    for name in READ:
        recognise: Callable[[Any], bool] = _module(name, READ, "read").recognise
        if first and all(recognise(one) for one in first):
            return name
    return None


def _module(format: str, names: tuple[str, ...], done: str) -> Any:
    if format not in names:
        hint = nearest(format, names)
        raise CorollaryError(
            f"no format {format!r} that can be {done}{hint}; there is: {', '.join(names)}"
        )
    return import_module(f".{FORMATS[format].module}", __package__)
