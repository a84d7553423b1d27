"""The setting `labels` (definitions, names and questions of labels) from a table."""

from __future__ import annotations

from pathlib import Path

from ....logic.errors import CorollaryError, OntologyError
from ....logic.ontology import Ontology
from .sources import open_source

#: The columns of a table of labels.
COLUMNS = ("name", "definition", "synonyms", "question")


def words_in(path: Path, onto: Ontology) -> dict[str, dict[str, str]]:
    """Return the setting `labels` from a table with a column `label` and any of `COLUMNS`."""
    source = open_source(path)
    if "label" not in source.columns:
        raise CorollaryError(
            f"{path} needs a column label, and one or more of {', '.join(COLUMNS)}"
        )
    found: dict[str, dict[str, str]] = {}
    for place, values in source.rows():
        try:
            label = onto.find(str(values["label"]))
        except OntologyError as error:
            raise CorollaryError(f"{path}, {place}: {error}") from None
        found[label] = {
            part: str(values[part]).strip()
            for part in COLUMNS
            if str(values.get(part) or "").strip()
        }
    return found
