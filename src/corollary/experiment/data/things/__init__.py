"""The data set of the demo.

Things of the world, a line about each, their true labels, and the ontology.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....logic.errors import CorollaryError
from ....logic.ontology import Ontology
from ..contents import Contents, truth_of

FOLDER = Path(__file__).parent
FILES = ("things.tsv", "things.onto", "things.labels.tsv")
NOTE = (
    "written for the demo, in words that a text model can learn from: not made to compare methods"
)


class Things(NamedTuple):
    """Names, descriptions and truth, row by row, and definitions and questions by label."""

    names: tuple[str, ...]
    descriptions: tuple[str, ...]
    onto: Ontology
    #: The true labels, int8 (N, K), all cells known.
    Y: npt.NDArray[np.int8]
    definitions: dict[str, str]
    #: A sentence for each label, with {item} where the name of the thing goes.
    questions: dict[str, str]


def load(folder: Path = FOLDER) -> Things:
    """All of the data set, from the files that come with the package."""
    things, ontology, labels = (folder / file for file in FILES)
    onto = Ontology.load(ontology)
    names, descriptions, joined = _columns(things, ("name", "description", "labels"))
    Y = truth_of(joined, onto.labels, separator=",", file=str(things))
    named, definitions, questions = _columns(labels, ("label", "definition", "question"))
    if named != onto.labels:
        raise CorollaryError(
            f"{labels} must have one row for each label of {ontology}, in the same order"
        )
    return Things(
        names,
        descriptions,
        onto,
        Y,
        dict(zip(named, definitions, strict=True)),
        dict(zip(named, questions, strict=True)),
    )


def read(folder: Path) -> Contents:
    """The data set for a simulation: names with their descriptions, and the definitions of the labels."""
    things = load(folder)
    texts = [
        f"{name}. {about}" for name, about in zip(things.names, things.descriptions, strict=True)
    ]
    return Contents(
        np.array(texts, object), things.Y, things.onto, None, (NOTE,), things.definitions
    )


def _columns(path: Path, header: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    if not rows or tuple(rows[0]) != header:
        raise CorollaryError(f"{path} must begin with the columns {', '.join(header)}")
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(header):
            raise CorollaryError(
                f"{path}, line {number}: {len(row)} columns in place of {len(header)}"
            )
    return tuple(zip(*rows[1:], strict=True))
