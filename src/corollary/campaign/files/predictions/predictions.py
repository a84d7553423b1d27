"""Import of a file of predictions as reports of a witness: CSV, JSON lines, Parquet, Label Studio."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from ....learning.witnesses.reports import Report
from ....logic.errors import CorollaryError, OntologyError
from ....logic.ontology import Ontology
from ..imports.file_form import Problems
from ..imports.sources import LINES, PARQUET, TABLES, open_source
from ..tools.json_objects import objects_in
from .label_studio import has_predictions, picked_in, versions_in
from .tables import find_columns, said_in


@dataclass
class Predictions:
    """The reports in a file, and notes on how it was read."""

    reports: list[Report] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


#: A place in a file with an item and its probabilities, or a place with its error.
Said = tuple[str, str, dict[str, float]] | tuple[str, CorollaryError]


def read_predictions(
    path: Path,
    onto: Ontology,
    witness: str,
    is_item: Callable[[str], bool],
    *,
    item_column: str | None = None,
    version: str | None = None,
    encoding: str | None = None,
    separator: str | None = None,
) -> Predictions:
    """Read the reports of a witness from a file.

    A table has the columns item, label and probability, or item and one column for each label. An
    empty cell makes no report.

    Parameters
    ----------
    path, onto, witness
        The file, the ontology, and the name of the witness.
    is_item
        Whether the campaign has an item of this id.
    item_column
        The column with the ids.
    version
        The version of a model, for Label Studio's tasks.
    encoding, separator
        The encoding of a text file, and the character between columns.

    Raises
    ------
    CorollaryError
        The file has faults; the message lists the first of them with their places.
    """
    if _is_label_studio(path):
        found, notes = _from_label_studio(path, version)
    else:
        found, notes = _from_table(path, onto, item_column, encoding, separator)
    problems = Problems(path)
    predictions = Predictions(notes=notes)
    first = dict[tuple[str, str], str]()
    for one in found:
        if len(one) == 2:
            problems.add(*one)
            continue
        place, item, said = one
        if not is_item(item):
            problems.add(place, f"there is no item {item[:80]!r}")
            continue
        for text, probability in said.items():
            try:
                label = onto.find(text)
            except OntologyError as error:
                problems.add(place, str(error))
                continue
            before = first.setdefault((item, label), place)
            if before != place:
                problems.add(
                    place, f"item {item!r}: {label} is there already, see {before}; leave one out"
                )
            else:
                predictions.reports.append(Report(item, label, witness, probability))
    problems.tell()
    if not predictions.reports:
        raise CorollaryError(f"{path} has no predictions: there is nothing to import")
    return predictions


def _is_label_studio(path: Path) -> bool:
    """Whether the first objects of a file of JSON are tasks."""
    if path.suffix.lower() not in (".json", *LINES):
        return False
    first = [one for _, one in islice(objects_in(path), 5)]
    if first and all(map(has_predictions, first)):
        return True
    if path.suffix.lower() == ".json":
        known = ", ".join((*TABLES, *LINES, *PARQUET))
        raise CorollaryError(
            f"{path} has no tasks of Label Studio with predictions; a table's name ends in {known}"
        )
    return False


def _from_table(
    path: Path, onto: Ontology, item_column: str | None, encoding: str | None, separator: str | None
) -> tuple[Iterator[Said], list[str]]:
    source = open_source(path, encoding=encoding, separator=separator)
    columns = find_columns(source, onto, item_column)
    notes = [columns.note]
    if columns.others:
        notes.append(f"not read, since they are no labels: {', '.join(columns.others)}")

    def said() -> Iterator[Said]:
        for place, values in source.rows():
            try:
                item = values.get(columns.item)
                if item is None or not str(item).strip():
                    raise CorollaryError(f"column {columns.item!r} is empty; it must name an item")
                yield place, str(item), dict(said_in(values, columns))
            except CorollaryError as error:
                yield place, error

    return said(), notes


def _from_label_studio(path: Path, version: str | None) -> tuple[Iterator[Said], list[str]]:
    versions = versions_in(path)
    if version is None and len(versions) == 1:
        (version,) = versions
    if version is None or version not in versions:
        advice = "; name one of them" if version is None and versions else ""
        listed = ", ".join(versions) or "none"
        wanted = f" no predictions of {version!r};" if version is not None else ""
        raise CorollaryError(f"{path} has{wanted} versions of models: {listed}{advice}")
    return picked_in(path, version), [f"Label Studio's predictions, version {version}"]
