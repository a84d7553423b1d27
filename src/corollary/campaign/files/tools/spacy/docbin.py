"""spaCy's own binary files (DocBin) with cats, where spaCy is installed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .....logic.errors import CorollaryError
from ..formats import Record
from .cats import record_of, write

if TYPE_CHECKING:
    from ...exports.provenance import Snapshot


def recognise(one: Any) -> bool:
    """Return False, because no JSON file has this format."""
    del one
    return False


def write_file(snapshot: Snapshot, path: Path, *, predictions: bool = True) -> None:
    """Write a document for each item with its cats; the item's id is in its user data."""
    spacy = _spacy()
    nlp = spacy.blank("xx")
    docs = spacy.tokens.DocBin(store_user_data=True)
    for line in map(json.loads, write(snapshot, predictions=predictions)):
        doc = nlp.make_doc(line["text"])
        doc.cats = line["cats"]
        doc.user_data["meta"] = line["meta"]
        docs.add(doc)
    path.write_bytes(docs.to_bytes())


def read(path: Path) -> Iterator[Record]:
    """Return the labels of each document."""
    spacy = _spacy()
    try:
        docs = spacy.tokens.DocBin(store_user_data=True).from_bytes(path.read_bytes())
    except Exception as error:  # any error from unpacking a damaged file
        raise CorollaryError(f"{path} is not a DocBin of spaCy, or is damaged: {error}") from None
    for n, doc in enumerate(docs.get_docs(spacy.blank("xx").vocab), 1):
        place = f"document {n:,}"
        try:
            yield record_of(
                {"text": doc.text, "cats": dict(doc.cats), "meta": doc.user_data.get("meta")}, place
            )
        except CorollaryError as error:
            raise CorollaryError(f"{path}, {place}: {error}. Nothing was imported") from None


def _spacy() -> Any:
    try:
        spacy = import_module("spacy")
        import_module("spacy.tokens")
    except ModuleNotFoundError as error:
        raise CorollaryError(
            "a DocBin needs spaCy: pip install spacy; the format spacy, JSON lines, does not"
        ) from error
    return spacy
