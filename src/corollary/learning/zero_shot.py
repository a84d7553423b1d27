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
    """Return the probability of each label for each text, without any labelled item.

    It comes from the texts, the names and definitions of labels, and the ontology.

    Parameters
    ----------
    onto
        The labels, and the constraints between them.
    X
        Texts, a table with a column `text`, or items that the `encoder` takes. Items without a text
        (None, nan) get the usual probabilities.
    encoder, meaning, similarity
        As for `Reading`.
    progress
        A function that shows the progress.

    Returns
    -------
    float (N, K)
        Probabilities that keep the constraints.

    Examples
    --------
    >>> import corollary as co
    >>> onto = co.Ontology.parse("exactly one: bird, fish")
    >>> texts = ["a bird in a tree", "a fish in the sea"]
    >>> co.zero_shot(onto, texts, encoder="lexical").argmax(axis=1)
    array([0, 1])
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
