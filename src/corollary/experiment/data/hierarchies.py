"""Hierarchies with data: functions of genes, e-mails, X-ray images and algae, from the literature on such tasks."""

from __future__ import annotations

from pathlib import Path

from ...logic.errors import CorollaryError
from ...logic.formats import with_siblings_exclusive
from ...logic.language.constraints import Constraint, implies
from ...logic.language.notation import Document
from ...logic.ontology import Ontology
from .contents import Contents, truth_of
from .tables import numbers, read_lines, read_table

#: Sets whose data obey that siblings, and roots, exclude each other; their official training rows alone tell which.
SIBLINGS_EXCLUSIVE = {"hmc_imclef07d", "hmc_diatoms"}
NOT_FEATURES = ["labels", "labels_most_specific", "split"]


def read(place: Path, name: str) -> Contents:
    """The data set; its official training rows are those of the training and, where there is one, validation part."""
    path = place / f"{name}.parquet"
    frame = read_table(path)
    if lost := set(NOT_FEATURES) - set(frame.columns):
        raise CorollaryError(f"{path} has no column {lost.pop()!r}")
    labels = tuple(read_lines(place / "labels.txt.gz"))
    document = Document(labels, tuple(_edges(place / "hierarchy.tsv.gz")), ())
    notes = []
    if name in SIBLINGS_EXCLUSIVE:
        document = with_siblings_exclusive(document)
        notes.append(
            "siblings, and roots, taken as exclusive: the hierarchy does not say so, but all the data obey it"
        )
    if (frame["split"] == "valid").any():
        notes.append("the official validation rows belong to the training part")
    onto = Ontology(document.labels, document.constraints)
    Y = truth_of(frame["labels"], labels, separator="@", file=str(path))
    X = numbers(frame.drop(columns=NOT_FEATURES), path)
    return Contents(X, Y, onto, frame["split"].isin(["train", "valid"]).to_numpy(), tuple(notes))


def _edges(path: Path) -> list[Constraint]:
    rows = [line.split("\t") for line in read_lines(path)]
    if rows[0] != ["child", "parent"] or any(len(row) != 2 for row in rows):
        raise CorollaryError(f"{path} must have the two columns child and parent")
    return [implies(child, parent) for child, parent in rows[1:]]
