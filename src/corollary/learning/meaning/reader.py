"""Reading items: what an encoder and the letters tell of each, and how like the labels it is."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from scipy import sparse

from ...logic.arrays import Table, as_table
from ...logic.errors import CorollaryError
from ...logic.labelled import index_of, is_frame, is_missing, same_rows
from ...logic.ontology import Ontology
from ..argument_checks import list_of, shown
from ..features.columns import FeaturesWarning, read_columns
from ..features.encoded import NAMES, OWN, RUNS, SEMANTIC, WORDS, Encoded
from ..features.matrices import check_matrix
from ..features.spaces import Reduced, Standard
from ..features.tables_and_text import Features, default_features
from .encoders import Encoding, Progress, Vectors, make_encoder
from .label_texts import LabelText, MeaningOf, label_texts
from .lexical import Lexical, products
from .names_in_texts import NamesInTexts, said_by_names

#: How long the main directions of TF-IDF are beside an embedding of length 1.
BESIDE = 0.7
#: Words that many texts must have in common before their main directions mean anything.
FEWEST = 10
#: The column of a table that is read.
TEXT = "text"
#: Probabilities of 0 and 1 are taken as these.
SURE = 1e-6


class Reader:
    """Reads texts, or the column `text` of a table.

    Learns from some which words are rare, then makes any `Encoded`.

    Other columns of a table are features beside the text. `label_texts` has the text of each label,
    or is None. `encoder` is a name, a function or an object (see `make_encoder`).
    """

    def __init__(
        self, onto: Ontology, label_texts: Sequence[LabelText] | None, *, encoder: object = "auto"
    ):
        self.onto = onto
        made = make_encoder(encoder)
        self.encoding = None if made is None else Encoding(made)
        self.label_texts: list[str] | None = None
        if label_texts is not None:
            self.label_texts = [one.text for one in label_texts]
            self._names = NamesInTexts([one.names for one in label_texts])

    @property
    def name(self) -> str:
        """What identifies the encoder."""
        return Lexical.name if self.encoding is None else self.encoding.name

    def fit(self, X: Any) -> Self:
        """Learn which words are rare, and the main directions of their use."""
        texts, rest = _texts_and_rest(X)
        if gone := [i for i, text in enumerate(texts) if is_missing(text)]:
            what = (
                f"{len(gone):,} of {len(texts):,} items have no text, the first is item {gone[0]}"
            )
            warnings.warn(f"{what}: nothing is read of them", FeaturesWarning, stacklevel=3)
        self._features = None if rest is None else Features().fit(rest)
        if self._features is not None:
            matrix = self._features.transform(rest)
            reduced = sparse.issparse(matrix)
            self._scale = (
                Reduced(matrix, random=np.random.RandomState(0)) if reduced else Standard(matrix)
            )
        texts = check_texts(texts)
        self._lexical = Lexical().fit([*texts, *(self.label_texts or ())])
        words = self._lexical.words(texts)
        random = np.random.RandomState(0)
        self._directions = (
            [Reduced(words, random=random)] if min(len(texts), words.nnz) >= FEWEST else []
        )
        if self.encoding is None and self._directions:
            self._directions.append(Reduced(self._lexical.runs(texts), random=random))
        return self

    def read(self, X: Any, *, progress: Progress | None = None) -> Encoded:
        """What can be learnt from of each text."""
        texts, rest = _texts_and_rest(X)
        texts = check_texts(texts)
        words = self._lexical.words(texts)
        runs = self._lexical.runs(texts)
        self._lexical.forget()
        blocks: list[Vectors] = [
            np.asarray(one.of(rows), np.float32)
            for one, rows in zip(self._directions, (words, runs), strict=False)
        ]
        layers: list[Vectors] = []
        kinds: list[str] = []
        if self.encoding is not None:
            vectors = self.encoding.of(texts, progress=progress)
            blocks = [vectors, *(BESIDE * block for block in blocks)]
            if self.label_texts is not None:
                layers.append(vectors @ self.encoding.of(self.label_texts).T)
                kinds.append(SEMANTIC)
        if self.label_texts is not None:
            layers += [
                products(words, self._lexical.words(self.label_texts)),
                products(runs, self._lexical.runs(self.label_texts)),
                said_by_names(self.onto, self._names(texts)),
            ]
            kinds += [WORDS, RUNS, NAMES]
        if self._features is not None:
            blocks.append(
                np.asarray(BESIDE * self._scale.of(self._features.transform(rest)), np.float32)
            )
        features = np.hstack(blocks) if blocks else np.zeros((len(texts), 1), np.float32)
        return _encoded(self.onto, features, layers, kinds)

    def forget(self) -> None:
        """Let go of what the encoder made of texts; it makes it again."""
        if self.encoding is not None:
            self.encoding.forget()


def read_items(
    onto: Ontology,
    X: Any,
    *,
    encoder: object = "auto",
    meaning: MeaningOf = "auto",
    similarity: Table | None = None,
    progress: Progress | None = None,
) -> Encoded:
    """Items as learners see them that can read: texts, things that an encoder takes, or features with a similarity.

    Of a table, the column `text` is read.
    """
    said = label_texts(onto.labels, meaning)
    if can_be_read(X):
        found = Reader(onto, said, encoder=encoder).fit(X).read(X, progress=progress)
    elif encoder not in ("auto", "lexical", None):
        found = _things(onto, X, said, encoder, progress)
    else:
        features = check_matrix(default_features(X)[0])
        if sparse.issparse(features):
            features = Reduced(features, random=np.random.RandomState(0)).of(features)
        found = _encoded(onto, np.asarray(features, np.float32), [], [])
    if similarity is None:
        return found
    similarity = same_rows("similarity", similarity, "X", index_of(X))
    own = check_similarity(similarity, onto.labels, len(found))
    return found.beside(Encoded(np.zeros((len(found), 0), np.float32), own[None], (OWN,)))


def _things(
    onto: Ontology,
    things: Any,
    said: Sequence[LabelText] | None,
    encoder: object,
    progress: Progress | None,
) -> Encoded:
    """Pictures, or whatever else an encoder takes: names of labels meet them in one space."""
    made = make_encoder(encoder)
    assert made is not None
    encoding = Encoding(made)
    found = encoding.of(list_of("X", things), progress=progress)
    if said is None:
        return _encoded(onto, found, [], [])
    return _encoded(onto, found, [found @ encoding.of([one.text for one in said]).T], [SEMANTIC])


def _encoded(onto: Ontology, features: Vectors, layers: list[Vectors], kinds: list[str]) -> Encoded:
    nothing = np.zeros((0, len(features), len(onto)), np.float32)
    return Encoded(features, np.stack(layers) if layers else nothing, tuple(kinds))


def check_texts(texts: Any) -> list[str]:
    """Texts, one for each item; a missing one is empty. An error names the first that is none."""
    if isinstance(texts, str | bytes) or not hasattr(texts, "__len__"):
        raise CorollaryError(f"texts must be a list of them, one for each item, got {shown(texts)}")
    found = list(texts)
    for i, text in enumerate(found):
        if is_missing(text):
            found[i] = ""
        elif not isinstance(text, str):
            raise CorollaryError(f"item {i} must be text, got {shown(text)}")
        elif not text.isascii():
            found[i] = text.encode("utf-8", "replace").decode(
                "utf-8"
            )  # half characters, which no tokenizer takes
    return found


def is_texts(X: Any) -> bool:
    """Whether X is a list of texts; some may be missing."""
    if isinstance(X, np.ndarray) and (X.ndim != 1 or X.dtype.kind not in "OUT"):
        return False
    if not isinstance(X, np.ndarray | list | tuple) and type(X).__name__ != "Series":
        return False
    texts = [one for one in X if not is_missing(one)]
    return len(texts) > 0 and all(isinstance(one, str) for one in texts)


def texts_of(X: Any) -> list[Any] | None:
    """The texts of items, None where one is missing: a list of texts, or the column `text` of a table; else None."""
    if not is_texts(X):
        named = (
            is_frame(X)
            or isinstance(X, Mapping)
            or (isinstance(X, list) and X and isinstance(X[0], Mapping))
        )
        columns = read_columns(X) if named else {}
        X = columns[TEXT].values if TEXT in columns else None
    return [None if is_missing(one) else one for one in X] if is_texts(X) else None


def can_be_read(X: Any) -> bool:
    """Whether items are texts, or have a text each."""
    return texts_of(X) is not None


def _texts_and_rest(X: Any) -> tuple[list[Any], dict[str, Any] | None]:
    """The texts of items, and the other columns of a table, if there are any."""
    texts = texts_of(X)
    if texts is None or is_texts(X):
        return check_texts(X) if texts is None else texts, None
    rest = {name: column.values for name, column in read_columns(X).items() if name != TEXT}
    return texts, rest or None


def check_similarity(similarity: Any, labels: Sequence[str], n: int) -> Vectors:
    """Scores of items and labels from elsewhere; probabilities become log-odds."""
    found = as_table("similarity", similarity, labels, like="numbers", unsaid=np.nan)
    if len(found) != n:
        raise CorollaryError(
            f"similarity must have one row for each of {n:,} items, got {len(found):,}"
        )
    if not np.isfinite(found).all():
        i, k = np.argwhere(~np.isfinite(found))[0]
        raise CorollaryError(
            "similarity must be a finite number for each item and label; "
            f"item {i}, label {labels[k]!r} has {found[i, k]}"
        )
    if found.size and found.min() >= 0 and found.max() <= 1:
        sure = np.clip(found, SURE, 1 - SURE)
        found = np.log(sure / (1 - sure))
    return np.asarray(found, np.float32)
