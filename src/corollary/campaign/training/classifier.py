"""A classifier for new items, fitted to the labels known in a campaign."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...learning.learners.learner_names import READERS
from ...learning.learners.scikit_learn.consistent import ConsistentClassifier
from ...logic.engines import Facts
from ...logic.errors import CorollaryError
from ...logic.ontology import Ontology
from ..items import Item, table_of, vectors_of
from ..settings import Settings
from .item_reading import meaning_of


def fitted_classifier(
    items: Sequence[Item], facts: Facts, onto: Ontology, settings: Settings
) -> ConsistentClassifier:
    """A classifier with the learner of a campaign, fitted to the known labels of its items."""
    if not (facts >= 0).any():
        raise CorollaryError("classifier(): no label is known yet; answer questions first")
    reads = settings.reads_with is not None
    return ConsistentClassifier(
        settings.learner,
        onto,
        encoder=settings.reads_with if reads or settings.learner in READERS else "auto",
        meaning=meaning_of(settings, onto) if reads else None,
        random_state=settings.seed,
    ).fit(_things(items), facts)


def _things(items: Sequence[Item]) -> Any:
    """Items as a classifier takes them: vectors, texts, or a table of text and fields."""
    if vectors := vectors_of(items):
        (matrix,) = vectors
        if np.isnan(matrix).any():
            raise CorollaryError("classifier(): some items have a vector and some have none")
        return matrix
    table = table_of(items)
    if not any(table):
        raise CorollaryError(
            "classifier(): the items are pictures; fit a ConsistentClassifier to vectors of them "
            "and the exported labels"
        )
    return (
        [one.get("text", "") for one in table]
        if all(one.keys() <= {"text"} for one in table)
        else table
    )
