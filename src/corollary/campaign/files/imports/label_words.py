"""What labels mean and how they are asked for, as the setting `labels` has it: from a table, or an ontology file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ....logic.errors import CorollaryError, nearest
from ....logic.language.about import About
from ....logic.ontology import Ontology
from ...settings import ABOUT_LABELS
from .sources import open_source


def said_by(about: Mapping[str, About]) -> dict[str, dict[str, str]]:
    """What an ontology file says of its labels; further names are synonyms."""
    found = {}
    for label, said in about.items():
        parts = {
            "name": "".join(said.names[:1]),
            "definition": " ".join(said.definitions),
            "synonyms": "; ".join((*said.names[1:], *said.synonyms)),
        }
        found[label] = {part: text for part, text in parts.items() if text}
    return found


def words_in(path: Path, onto: Ontology) -> dict[str, dict[str, str]]:
    """What a table says of labels; it has a column `label`, and those of `ABOUT_LABELS` that it likes."""
    source = open_source(path)
    if "label" not in source.columns:
        raise CorollaryError(
            f"{path} needs a column label, and one or more of {', '.join(ABOUT_LABELS)}"
        )
    found: dict[str, dict[str, str]] = {}
    for place, values in source.rows():
        label = str(values["label"])
        if label not in onto:
            raise CorollaryError(
                f"{path}, {place}: {label!r} is no label of the ontology{nearest(label, onto.labels)}"
            )
        found[label] = {
            part: str(values[part]).strip()
            for part in ABOUT_LABELS
            if str(values.get(part) or "").strip()
        }
    return found
