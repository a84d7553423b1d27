"""What texts and labels share to the letter: TF-IDF of words and of runs of characters, counted over the items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer

from .encoders import Vectors

#: Columns for hashed words, and as many for runs of characters.
COLUMNS = 2**18
#: Characters in a run.
RUNS = (3, 5)


class Lexical:
    """Words, and runs of 3 to 5 characters, weighted by how rare they are among the texts it was fitted on."""

    name = "lexical"

    def __init__(self) -> None:
        self._words = _Counted(token_pattern=r"\b\w+\b")
        self._runs = _Counted(analyzer="char_wb", ngram_range=RUNS)

    def fit(self, texts: Sequence[str]) -> Self:
        """Learn which words and runs there are, and which are rare."""
        self._words.fit(texts)
        self._runs.fit(texts)
        return self

    def forget(self) -> None:
        """Let go of the counts of the texts that it was fitted on: until then these are not counted again."""
        self._words.kept = self._runs.kept = None

    def words(self, texts: Sequence[str]) -> Any:
        """A row for each text, of length 1; CSR."""
        return self._words.transform(texts)

    def runs(self, texts: Sequence[str]) -> Any:
        """The same for runs of characters."""
        return self._runs.transform(texts)

    def encode(self, texts: Sequence[str], /) -> Any:
        """Words and runs side by side."""
        return sparse.hstack([self.words(texts), self.runs(texts)], format="csr")


class _Counted:
    """TF-IDF of one kind of parts of texts, hashed; only what occurs has a column."""

    def __init__(self, **options: Any):
        self._count = HashingVectorizer(
            n_features=COLUMNS, alternate_sign=False, norm=None, **options
        )
        #: The texts of the last fit and their counts: mostly they, or the first of them, are read next.
        self.kept: tuple[list[str], Any] | None = None

    def fit(self, texts: Sequence[str]) -> None:
        counts = self._count.transform(texts)
        self.kept = list(texts), counts
        self._there = np.unique(counts.indices)
        self._weigh = (
            TfidfTransformer(sublinear_tf=True).fit(counts[:, self._there])
            if len(self._there)
            else None
        )

    def transform(self, texts: Sequence[str]) -> Any:
        counts = self._counts(texts)[:, self._there]
        return counts if self._weigh is None else self._weigh.transform(counts)

    def _counts(self, texts: Sequence[str]) -> Any:
        n = len(texts)
        if self.kept is not None and self.kept[0][:n] == list(texts):
            return self.kept[1][:n]
        return self._count.transform(texts)


def products(rows: Any, labels: Any) -> Vectors:
    """How like each of the rows is each of the labels, (N, K)."""
    found = rows @ labels.T
    return np.asarray(found.toarray() if sparse.issparse(found) else found, np.float32)
