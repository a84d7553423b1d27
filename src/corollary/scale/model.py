"""The model that is sent to the workers.

Fitted in one place to some items, it predicts all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ..learning.features.encoded import Encoded
from ..learning.features.one_thread import one_thread_of_blas
from ..learning.features.tables_and_text import Features
from ..learning.learners.learner import Learner, make_learner
from ..learning.learners.pool import can_read
from ..learning.meaning.label_texts import MeaningOf, label_texts
from ..learning.meaning.reader import Reader, can_be_read
from ..learning.session.training import needs_matrix
from ..logic.engines import Facts, Floats
from ..logic.errors import CorollaryError
from ..logic.ontology import Ontology

#: Products of matrices take this number of rows at a time, or a divisor of it, and round the rest
#: differently.
LANES = 64


class Learning(NamedTuple):
    """How a model is fitted: as `Session` takes it, with the same defaults."""

    learner: object = "auto"
    encoder: object = "auto"
    meaning: MeaningOf = "auto"
    random_state: int = 0


class Model(NamedTuple):
    """A fitted learner, and the function that prepares items for it."""

    prepare: Callable[[Any], Any]
    learner: Learner

    @property
    def reads(self) -> bool:
        """Whether it reads texts, so that it can predict before anything is known."""
        return isinstance(self.prepare, Read)

    def beliefs(self, X: Any, *, first: int = 0, end: bool = False) -> Floats:
        """Return beliefs about consecutive items of the pool, from row `first` on.

        They equal those of a session with all items, to the bit. A product of matrices rounds a row
        by its place among the others, so each row gets a place like its own. With `end`, the last
        row is the last of the pool.
        """
        found = self.prepare(X)
        if not isinstance(found, np.ndarray | Encoded) and not sparse.issparse(found):
            return self.learner.predict_proba(found)  # a pipeline of the user
        n = found.shape[0]
        before = first % LANES
        after = 0 if end else -(before + n) % LANES
        rows = np.concatenate([np.zeros(before, np.int64), np.arange(n), np.full(after, n - 1)])
        with one_thread_of_blas:
            beliefs = self.learner.predict_proba(found[rows] if len(rows) > n else found)
        return beliefs[before : before + n]


class Read:
    """Reads texts, and forgets them: of millions there is no room for all."""

    def __init__(self, reader: Reader):
        self.reader = reader

    def __call__(self, texts: Any) -> Encoded:
        found = self.reader.read(texts)
        self.reader.forget()
        return found


def as_it_is(X: Any) -> Any:
    """For learners that take items as they are."""
    return X


def fitted(onto: Ontology, X: Any, known: Facts, how: Learning) -> Model:
    """Fit a model to items and their propagated facts, as a session of the same items does."""
    learner = make_learner(how.learner, onto=onto, random_state=how.random_state)
    prepare, prepared = _prepared(learner, X, onto, how)
    with one_thread_of_blas:
        return Model(prepare, learner.fit(prepared, known))


def _prepared(
    learner: Learner, X: Any, onto: Ontology, how: Learning
) -> tuple[Callable[[Any], Any], Any]:
    """Return the function that prepares items for the learner, and the prepared items."""
    said = label_texts(onto.labels, how.meaning)
    if not needs_matrix(learner):
        return as_it_is, X
    if can_be_read(X) and (can_read(learner) or how.encoder != "auto"):
        read = Read(Reader(onto, said, encoder=how.encoder).fit(X))
        return read, read(X)
    if how.encoder != "auto":
        raise CorollaryError(
            "an encoder reads texts, and this pool is learnt from by other columns: leave it out"
        )
    features = Features()
    found = features.fit_transform(X)
    return features.transform, found
