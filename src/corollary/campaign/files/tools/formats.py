"""The formats of other tools: which module reads and writes each, and how a file is recognised."""

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
    """An item in a file, with its labels from one person or from the file as a whole.

    Attributes
    ----------
    place, item, text, fields
        The place in the file, and the item.
    labels
        The labels by their names in the file, which are not checked yet.
    who
        The person, if known.
    listed
        Whether labels were picked from a list. Then other labels are no only in a closed world. Else
        each label was asked on its own, and the records of an item belong together.
    unsure
        Labels that the person could not tell.
    narrowest
        Whether a list has only the narrowest labels, as in our own exports.
    """

    place: str
    item: str
    labels: Mapping[str, bool]
    text: str | None = None
    fields: dict[str, Any] = field(default_factory=dict)
    who: str | None = None
    listed: bool = True
    unsure: tuple[str, ...] = ()
    narrowest: bool = False


class Format(NamedTuple):
    """A format: its module, the usual ending of its files, and a line about it.

    A module that reads has two functions. `read(path)` yields records lazily. `recognise(one)` says
    whether an object of a JSON file has this format. A module that writes has
    `write(snapshot, *, predictions)`, which yields text. For files that are not text it has
    `write_file(snapshot, path, *, predictions)`.
    """

    module: str
    suffix: str
    about: str
    reads: bool = True
    writes: bool = True


#: The first format that recognises a file is used, so more specific formats come first.
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
    """Return the records of a file, one by one."""
    read: Callable[[Path], Iterator[Record]] = _module(format, READ, "read").read
    return read(path)


def written(snapshot: Snapshot, format: str, *, predictions: bool = True) -> Iterator[str]:
    """Return the text of a file in a format, piece by piece; raise CorollaryError if it is not text."""
    module = _module(format, WRITTEN, "written")
    if not hasattr(module, "write"):
        raise CorollaryError(f"{format} is not text: write it to a file")
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
    """Return the format of a file of JSON or JSON lines by its contents; None if it is unknown."""
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
