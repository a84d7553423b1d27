"""What labels texts have, before anybody answered anything: read, and made consistent with the ontology."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..logic.arrays import Table
from ..logic.engines import Floats
from ..logic.errors import CorollaryError
from ..logic.labelled import index_of, same_rows
from ..logic.ontology import Ontology
from .argument_checks import check_onto
from .learners.meaning import Meaning
from .meaning.encoders import Progress
from .meaning.label_texts import MeaningOf
from .meaning.reader import read_items, texts_of


def zero_shot(
    onto: Ontology,
    X: Any,
    *,
    encoder: object = "auto",
    meaning: MeaningOf = "auto",
    similarity: Table | None = None,
    progress: Progress | None = None,
) -> Floats:
    """The probability of each label for each text (N, K), from what texts and labels say and the ontology alone.

    No item needs to be labelled. `X` are texts, a table with a column `text`, or what the `encoder` takes. Items
    without a text (None, nan) get what is usual. `encoder`, `meaning` and `similarity` are as for `Session`.
    """
    if similarity is not None:
        similarity = same_rows("similarity", similarity, "X", index_of(X))
    X = X if (texts := texts_of(X)) is None else texts  # of a table only the text is read
    read = read_items(
        check_onto(onto),
        X,
        encoder=encoder,
        meaning=meaning,
        similarity=similarity,
        progress=progress,
    )
    if not len(read.similarities) and meaning is not None:
        raise CorollaryError(
            "zero_shot: X has nothing to read; pass texts, a table with a column 'text', an encoder that takes X, "
            "or similarity"
        )
    nothing = np.full((len(read), len(onto)), -1, np.int8)
    return onto.posterior(Meaning(onto).fit(read, nothing).predict_proba(read))
