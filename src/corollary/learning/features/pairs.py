"""Features of pairs where none are given: those of both ends, and of the pair's own text."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from ...logic.errors import CorollaryError
from ...logic.relations.pairs import Pairs
from .encoded import Encoded
from .matrices import Matrix, check_matrix
from .tables_and_text import default_features


def features_of_pairs(X: Any, pairs: Pairs) -> Matrix:
    """A row of features for each pair, dense or CSR; `X` are the items, None if only texts of pairs are there."""
    blocks: list[Matrix] = []
    if X is not None:
        ends = check_matrix(X if isinstance(X, Encoded) else default_features(X)[0])
        head, tail = ends[pairs.head], ends[pairs.tail]
        blocks += [head, tail]
        if not sparse.issparse(ends):
            blocks += [head * tail, np.abs(head - tail)]
    if pairs.texts is not None:
        blocks.append(default_features(list(pairs.texts))[0])
    if not blocks:
        raise CorollaryError(
            "nothing is known of pairs to learn from; pass X of the items, or Pairs(..., X=...), "
            "Pairs(..., texts=...) or Pairs(..., beliefs=...)"
        )
    if any(sparse.issparse(block) for block in blocks):
        return sparse.hstack(blocks, format="csr")
    return np.hstack(blocks)
