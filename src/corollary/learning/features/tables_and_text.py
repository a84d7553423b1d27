"""Text, numbers, categories and mixed tables as a matrix of features: a sensible default to start from."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer, TfidfVectorizer

from ...logic.engines import Floats
from ...logic.errors import CorollaryError
from .columns import (
    CATEGORY,
    EMPTY,
    NUMBER,
    TEXT,
    Column,
    FeaturesWarning,
    Values,
    is_matrix,
    kind_of,
    numbers_of,
    read_columns,
    strings_of,
)

DENSE_UP_TO = 200  # columns of categories; more make the result sparse
MISSING = "(missing)"
RARE = "(rare)"
SURROGATES = re.compile("[\ud800-\udfff]")


class Features(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Turns a table, or a list of texts, into features.

    A dense array, or CSR with text or many categories.

    Numbers and dates: the median for missing values, a column that marks them, mean 0 and deviation
    1. Categories and yes/no: a column for each value; values of fewer than `min_count` items share
    one, as do new ones. Text: TF-IDF of words (the `max_words` most frequent) and of runs of 3 to 5
    characters, hashed to 2**`hash_bits`. Arrays of numbers and sparse matrices go through as they
    are; an array with nan is a table of numbers. A FeaturesWarning names everything left out:
    empty columns, columns unknown to fit, words over the limit.
    """

    def __init__(self, *, max_words: int = 50_000, hash_bits: int = 16, min_count: int = 3):
        self.max_words = max_words
        self.hash_bits = hash_bits
        self.min_count = min_count

    def fit(self, table: Any, y: Any = None) -> Self:  # noqa: ARG002 (scikit-learn's signature)
        """Learn what each column holds."""
        self.kinds_: dict[str, str] = {}
        self.parts_: dict[str, _Numbers | _Categories | _Text] = {}
        self.passes_ = is_matrix(table)
        if self.passes_:
            self.n_features_in_ = table.shape[1] if hasattr(table, "shape") else len(table[0])
            return self
        columns = read_columns(table)
        self.n_features_in_ = len(columns)
        self.kinds_ = {name: kind_of(name, column) for name, column in columns.items()}
        empty = [name for name, kind in self.kinds_.items() if kind == EMPTY]
        if empty:
            _warn(f"columns without a single value are left out: {', '.join(map(repr, empty))}")
        if len(empty) == len(columns):
            raise CorollaryError(
                "every item is empty: no text, number or category to make features of"
            )
        for name, column in columns.items():
            if self.kinds_[name] != EMPTY:
                self.parts_[name] = self._part(name).fit(column.values)
        return self

    def transform(self, table: Any) -> Any:
        """The features of a table with the same columns."""
        if not hasattr(self, "parts_"):
            raise CorollaryError("this Features is not fitted yet; call fit(table) first")
        if self.passes_:
            return self._pass(table)
        columns = read_columns(table)
        self._check_columns(columns)
        blocks: list[Any] = [
            part.transform(columns[name].values) for name, part in self.parts_.items()
        ]
        categories = sum(
            part.width for part in self.parts_.values() if isinstance(part, _Categories)
        )
        if TEXT in self.kinds_.values() or categories > DENSE_UP_TO:
            return sparse.hstack(blocks, format="csr", dtype=np.float64)
        return np.hstack([block.toarray() if sparse.issparse(block) else block for block in blocks])

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """A name for each feature: the column, and the word, value or run of characters."""
        if not hasattr(self, "parts_"):
            raise CorollaryError("this Features is not fitted yet; call fit(table) first")
        if self.passes_:
            names = (
                [f"x{j}" for j in range(self.n_features_in_)]
                if input_features is None
                else list(input_features)
            )
        else:
            names = [feature for part in self.parts_.values() for feature in part.names()]
        return np.array(names, object)

    def _part(self, name: str) -> _Numbers | _Categories | _Text:
        if self.kinds_[name] == NUMBER:
            return _Numbers(name)
        if self.kinds_[name] == CATEGORY:
            return _Categories(name, self.min_count)
        return _Text(name, self.max_words, self.hash_bits)

    def _pass(self, table: Any) -> Any:
        matrix = table if hasattr(table, "shape") else np.asarray(table)
        if matrix.ndim != 2 or matrix.shape[1] != self.n_features_in_:
            raise CorollaryError(
                f"fitted on a matrix of {self.n_features_in_} columns, got a table of shape {matrix.shape}"
            )
        return matrix

    def _check_columns(self, columns: dict[str, Column]) -> None:
        gone = [name for name in self.parts_ if name not in columns]
        if gone:
            raise CorollaryError(
                f"the table lacks columns that were there at fit: {', '.join(map(repr, gone))}"
            )
        new = [name for name in columns if name not in self.kinds_]
        if new:
            _warn(f"columns that were not there at fit are left out: {', '.join(map(repr, new))}")


def default_features(table: Any) -> tuple[Any, Features]:
    """The features of a table and the fitted transformer, for tables to come."""
    features = Features()
    return features.fit_transform(table), features


class _Numbers:
    """One column of numbers: the value, and whether it is missing if it ever was."""

    def __init__(self, name: str):
        self.name = name

    def fit(self, values: Values) -> Self:
        found = numbers_of(self.name, values)
        there = found[~np.isnan(found)]
        self.median = float(np.median(there))
        self.marks_missing = len(there) < len(found)
        filled = np.where(np.isnan(found), self.median, found)
        self.mean = float(filled.mean())
        self.deviation = float(filled.std()) or 1.0
        return self

    def transform(self, values: Values) -> Floats:
        found = numbers_of(self.name, values)
        missing = np.isnan(found)
        scaled = (np.where(missing, self.median, found) - self.mean) / self.deviation
        return np.column_stack([scaled, missing] if self.marks_missing else [scaled])

    def names(self) -> list[str]:
        return [self.name, f"{self.name} {MISSING}"] if self.marks_missing else [self.name]


class _Categories:
    """One column of categories: one feature for each frequent value, one for all others."""

    def __init__(self, name: str, min_count: int):
        self.name = name
        self.min_count = min_count

    def fit(self, values: Values) -> Self:
        counts = Counter(strings_of(values, missing=MISSING))
        self.frequent = sorted(value for value, count in counts.items() if count >= self.min_count)
        self.place = {value: j for j, value in enumerate(self.frequent)}
        return self

    @property
    def width(self) -> int:
        return len(self.frequent) + 1

    def transform(self, values: Values) -> Any:
        places = [
            self.place.get(value, len(self.frequent))
            for value in strings_of(values, missing=MISSING)
        ]
        return sparse.csr_matrix(
            (np.ones(len(places)), (np.arange(len(places)), places)),
            shape=(len(places), self.width),
        )

    def names(self) -> list[str]:
        return [f"{self.name}={value}" for value in [*self.frequent, RARE]]


class _Text:
    """One column of text: words by vocabulary, runs of characters by hashing."""

    def __init__(self, name: str, max_words: int, hash_bits: int):
        self.name = name
        self.max_words = max_words
        self.hash_runs = HashingVectorizer(
            analyzer="char_wb",
            ngram_range=(3, 5),
            n_features=2**hash_bits,
            alternate_sign=False,
            norm=None,
        )

    def fit(self, values: Values) -> Self:
        texts = self._texts(values)
        self.words = self._word_features(texts)
        runs = self.hash_runs.transform(texts)
        self.runs = np.unique(runs.indices)  # few texts need few of all the columns
        self.weigh_runs = (
            TfidfTransformer(sublinear_tf=True).fit(runs[:, self.runs]) if len(self.runs) else None
        )
        return self

    def _word_features(self, texts: list[str]) -> Any:
        # One character is a word too ("vitamin C"), unlike in scikit-learn's default pattern.
        options: dict[str, Any] = {"sublinear_tf": True, "token_pattern": r"\b\w+\b"}
        analyse = TfidfVectorizer(**options).build_analyzer()
        counts = Counter(word for text in texts for word in set(analyse(text)))
        if len(counts) > self.max_words:
            _warn(
                f"column {self.name!r} has {len(counts):,} words; the {self.max_words:,} most frequent are features, "
                "the others count by their runs of characters only"
            )
        frequent = sorted(counts, key=lambda word: (-counts[word], word))[: self.max_words]
        return (
            TfidfVectorizer(vocabulary=sorted(frequent), **options).fit(texts) if frequent else None
        )

    def _texts(self, values: Values) -> list[str]:
        texts = strings_of(values, missing="")
        for i, text in enumerate(texts):
            if not text.isascii() and SURROGATES.search(text):
                raise CorollaryError(
                    f"column {self.name!r} has half a character (a lone surrogate) at item {i}"
                )
        return texts

    def transform(self, values: Values) -> Any:
        texts = self._texts(values)
        blocks = [sparse.csr_matrix((len(texts), 0))]
        if self.words is not None:
            blocks.append(self.words.transform(texts))
        if self.weigh_runs is not None:
            blocks.append(self.weigh_runs.transform(self.hash_runs.transform(texts)[:, self.runs]))
        return sparse.hstack(blocks, format="csr")

    def names(self) -> list[str]:
        words = (
            []
            if self.words is None
            else [f"{self.name}: {word}" for word in self.words.get_feature_names_out()]
        )
        return words + [f"{self.name}: characters #{j}" for j in self.runs]


def _warn(message: str) -> None:
    warnings.warn(message, FeaturesWarning, stacklevel=3)
