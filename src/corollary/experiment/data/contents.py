"""What a reader of data files hands over: everything of a data set but the split."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...learning.meaning.label_texts import MeaningOf
from ...logic.errors import CorollaryError, nearest
from ...logic.ontology import Ontology

#: What may join names where the separator that was expected does not occur.
SEPARATORS = "@,;| "


class Contents(NamedTuple):
    """Features (nan where missing) or texts, the truth, the ontology, the official training rows if any, and notes."""

    X: Any
    Y: npt.NDArray[np.int8]
    onto: Ontology
    official: npt.NDArray[np.bool_] | None
    notes: tuple[str, ...]
    #: What the labels mean; it counts where X are texts.
    meaning: MeaningOf = "auto"


def truth_of(
    joined: Iterable[str], labels: tuple[str, ...], *, separator: str, file: str
) -> npt.NDArray[np.int8]:
    """The truth, int8 (N, K), of items whose true labels are joined by a separator; nothing between two is no label."""
    index = {label: k for k, label in enumerate(labels)}
    rows = [[name.strip() for name in text.split(separator)] for text in joined]
    Y = np.zeros((len(rows), len(labels)), np.int8)
    for i, names in enumerate(rows):
        for name in filter(None, names):
            if name not in index:
                raise CorollaryError(
                    f"{file}, row {i}: unknown label {name!r}{_other_separator(name, index) or nearest(name, labels)}"
                )
            Y[i, index[name]] = 1
    return Y


def _other_separator(name: str, index: dict[str, int]) -> str:
    for other in SEPARATORS:
        parts = [part.strip() for part in name.split(other)]
        if len(parts) > 1 and all(part in index for part in parts):
            return f"; if {other!r} joins the labels, pass separator={other!r}"
    return ""
