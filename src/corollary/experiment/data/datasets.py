"""Data sets to simulate on: features, the truth, the ontology and a split; and the known ones by name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ...learning.argument_checks import array_of, check_onto, list_of, shown
from ...learning.meaning.label_texts import MeaningOf, label_texts
from ...learning.meaning.reader import check_texts, is_texts
from ...logic.arrays import as_table
from ...logic.errors import Contradiction, CorollaryError, nearest
from ...logic.labelled import index_of, same_rows
from ...logic.ontology import Ontology
from ...logic.relations.pairs import Pairs
from .known import KNOWN, find, find_files, read
from .repeats import repeated

Truth = npt.NDArray[np.int8]
Mask = npt.NDArray[np.bool_]

#: At most this number of random splits are drawn until every label has a positive in the training
#: part.
DRAWS = 1000


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Dataset:
    """Features, the true labels, their ontology, and the rows for training.

    Parameters
    ----------
    X
        The features: an array, a sparse matrix, a frame of numbers, or a list of texts.
    Y
        The true labels, 0 or 1: an array, or a frame with a column per label. Every row must be
        legal.
    onto
        The labels, and the constraints between them.
    train
        The training part, as a mask or a list of rows. It may be empty. The other rows are the
        test part.
    name
        A name for results.
    notes
        Remarks for readers of results.
    meaning
        The meaning of labels, as for `Reading`.
    pairs
        The pairs of items, if the ontology has relations.
    R
        The true relations of the pairs, 0 or 1.

    Raises
    ------
    CorollaryError
        If the arguments do not fit together, or a row of Y breaks a constraint.
    """

    X: Any
    Y: Truth
    onto: Ontology
    train: Mask
    name: str
    #: What a reader of results must know: how the data came about, labels that are never true, ...
    notes: tuple[str, ...]
    meaning: MeaningOf
    pairs: Pairs | None
    R: Truth | None

    def __init__(
        self,
        X: Any,
        Y: Any,
        onto: Ontology,
        *,
        train: npt.ArrayLike,
        name: str = "",
        notes: Iterable[str] = (),
        meaning: MeaningOf = "auto",
        pairs: Pairs | None = None,
        R: Any = None,
    ):
        check_onto(onto, pairs=pairs is not None)
        label_texts(onto.labels, meaning)
        ids = index_of(X)
        Y = same_rows("Y", Y, "X", ids)
        X = check_features(X)
        Y = _check_truth(Y, onto)
        if X.shape[0] != Y.shape[0]:
            raise CorollaryError(
                f"X and Y must have the same rows, got {X.shape[0]:,} and {Y.shape[0]:,}"
            )
        split = _check_split(train, ids, len(Y))
        _check_legal(Y, onto)
        related = None if pairs is None else _check_related(R, pairs, Y, onto)
        if not isinstance(name, str):
            raise CorollaryError(f"the name of a data set must be text, got {shown(name)}")
        listed = tuple(dict.fromkeys((*map(str, list_of("notes", notes)), *_never_true(Y, onto))))
        fields = {
            "X": X,
            "Y": Y,
            "onto": onto,
            "train": split,
            "name": name,
            "notes": listed,
            "meaning": meaning,
            "pairs": pairs,
            "R": related,
        }
        for field, value in fields.items():
            object.__setattr__(self, field, value)

    @classmethod
    def from_files(cls, path: str | PathLike[str], **options: Any) -> Dataset:
        """Read a data set from your own files.

        Parameters
        ----------
        path
            The table of items.
        **options
            Arguments of `corollary.experiment.data.files.read_dataset`.

        Returns
        -------
        Dataset
        """
        from .files import read_dataset

        return read_dataset(path, **options)

    @property
    def labels(self) -> tuple[str, ...]:
        return self.onto.labels

    @property
    def test(self) -> Mask:
        """The rows that are not for training."""
        return ~self.train

    def with_start(self, per_label: int, *, seed: int = 0) -> Dataset:
        """Return the data set with a small training part.

        The other items of the training part are left out, and the test part stays.

        Parameters
        ----------
        per_label
            The number of random items of each label; with 0, nothing is known at the start. An
            item drawn for several labels counts once. If a label has fewer items, all are kept.
        seed
            The seed of the random choice.

        Returns
        -------
        Dataset
        """
        kept = draw_start(self.Y, self.train, per_label, seed=seed)
        return self._with_train(
            kept,
            f"{int(kept.sum()):,} items known at the start, {per_label} of each label drawn with seed {seed}",
        )

    def without_repeats(self) -> Dataset:
        """The data set without those items of the training part that occur in the test part too."""
        again = repeated(self.X, self.train)
        share = again.sum() / max(1, self.train.sum())
        return self._with_train(
            self.train & ~again,
            f"{int(again.sum()):,} training rows ({share:.1%}) left out that are in the test part",
        )

    def _with_train(self, kept: Mask, why: str) -> Dataset:
        """The data set with a part of its training rows; the test part stays."""
        if self.pairs is not None:
            raise CorollaryError("a data set with pairs cannot leave out a part of its items yet")
        rows = np.flatnonzero(kept | self.test)
        notes = (*self.notes, why)
        return Dataset(
            self.X[rows],
            self.Y[rows],
            self.onto,
            train=kept[rows],
            name=self.name,
            notes=notes,
            meaning=self.meaning,
        )

    def __len__(self) -> int:
        """The number of items."""
        return len(self.Y)

    def __repr__(self) -> str:
        items = f"{int(self.train.sum()):,} + {int(self.test.sum()):,} items"
        features = "texts" if self.X.ndim == 1 else f"{self.X.shape[1]:,} features"
        sizes = f"{items}, {features}, {len(self.onto):,} labels"
        if self.pairs is not None:
            sizes += f", {len(self.pairs):,} pairs, {len(self.onto.relations):,} relations"
        return f"<Dataset {self.name or 'without a name'}: {sizes}>"


def load_dataset(
    name: str, *, seed: int | None = None, folder: str | PathLike[str] | None = None
) -> Dataset:
    """Load a known data set: one of the paper's ten, or a hierarchy.

    `corollary datasets list` names all of them. Iris, vowel, segment and things come with the
    package.

    Parameters
    ----------
    name
        The name of the data set.
    seed
        The seed of a random split of the paper's sizes. Every label has a positive in the training
        part, except on hierarchies, where some labels are too rare. Without a seed, the split is
        the official one, or else that of seed 0.
    folder
        The folder with the files. By default the folder in COROLLARY_DATA, ../shared/datasets
        beside the checkout, and the downloads are searched.

    Raises
    ------
    CorollaryError
        If there is no such data set, or its files are not found.
    """
    if not isinstance(name, str):
        raise CorollaryError(
            f"a data set is known by its name, got {shown(name)}; known are {', '.join(KNOWN)}"
        )
    name = name.lower()
    seed = None if seed is None else _check_seed(seed)
    if name == "conll04":
        from . import conll  # makes a Dataset

        return conll.load(find_files(conll.FOLDER, conll.FILES, folder=folder), seed=seed or 0)
    if name not in KNOWN:
        raise CorollaryError(
            f"unknown data set {name!r}{nearest(name, KNOWN)}; known are {', '.join(KNOWN)}"
        )
    known = KNOWN[name]
    contents = read(name, find(name, folder=folder))
    notes = contents.notes
    if contents.official is not None and seed is None:
        train = contents.official
        notes += ("the official split",)
    else:
        train = draw_split(contents.Y, known.train, seed=seed or 0, covering=known.covering)
        notes += (
            f"{known.train:,} of {known.rows:,} rows drawn for training with seed {seed or 0}",
        )
    X, filled = fill_missing(contents.X, train)
    return Dataset(
        X,
        contents.Y,
        contents.onto,
        train=train,
        name=name,
        notes=(*notes, *filled),
        meaning=contents.meaning,
    )


def draw_split(Y: Truth, n_train: int, *, seed: int, covering: bool = False) -> Mask:
    """A mask of n rows for training, drawn at random.

    With `covering`, draws are repeated until each label that is true anywhere is true in the training part.
    """
    if not 0 < n_train < len(Y):
        raise CorollaryError(
            f"{n_train:,} of {len(Y):,} rows for training leaves nothing for one part; choose 1 to {len(Y) - 1:,}"
        )
    rng = np.random.default_rng(_check_seed(seed))
    needed = ever_true(Y)
    for _ in range(DRAWS):
        train = np.zeros(len(Y), np.bool_)
        train[rng.choice(len(Y), n_train, replace=False)] = True
        if not covering or ever_true(Y[train])[needed].all():
            return train
    raise CorollaryError(
        f"in {DRAWS:,} random splits with {n_train:,} training rows, never had all {int(needed.sum())} labels a "
        "positive among them; take more training rows"
    )


def draw_start(Y: Truth, train: Mask, per_label: int, *, seed: int) -> Mask:
    """Draw the training items known at the start.

    For each label `per_label` items that have it, or all.
    """
    if isinstance(per_label, bool) or not isinstance(per_label, (int, np.integer)) or per_label < 0:
        raise CorollaryError(
            f"a start needs a whole number of items per label, from 0, got {shown(per_label)}"
        )
    rng = np.random.default_rng(
        [_check_seed(seed), int(per_label)]
    )  # not the stream that drew the split
    kept = np.zeros(len(Y), np.bool_)
    for k in range(Y.shape[1]):
        positives = np.flatnonzero(train & (Y[:, k] == 1))
        kept[rng.permutation(positives)[:per_label]] = True
    if per_label and not kept.any():
        raise CorollaryError(
            "no item of the training part has any label: there is nothing to start from"
        )
    return kept


def ever_true(Y: Truth) -> Mask:
    """Which labels have a positive, (K,)."""
    return np.asarray(Y.any(axis=0))


def fill_missing(X: Any, train: Mask) -> tuple[Any, list[str]]:
    """X with its missing cells (nan) set to their column's mean over the training rows, and notes on what was done.

    Columns without any value in the training rows are dropped.
    """
    if sparse.issparse(X) or X.ndim == 1:
        return X, []
    missing = np.isnan(X)
    if not missing.any():
        return X, []
    notes = [
        f"{int(missing.sum()):,} missing cells ({missing.mean():.1%}) set to the mean of the training rows"
    ]
    kept = ~missing[train].all(axis=0)
    if not kept.all():
        gone = ", ".join(map(str, np.flatnonzero(~kept)[:5] + 1)) + (
            ", ..." if (~kept).sum() > 5 else ""
        )
        notes.append(
            f"{int((~kept).sum())} feature columns without a value in the training rows dropped: {gone}"
        )
        X = X[:, kept]
        missing = missing[:, kept]
    return np.where(missing, np.nanmean(X[train], axis=0), X), notes


def check_features(X: Any, *, missing: bool = False) -> Any:
    """X as a dense float array or CSR, items x features and finite, or texts; nan passes where it may be `missing`."""
    if is_texts(X):
        return np.array([*check_texts(X), None], object)[
            :-1
        ]  # of one dimension, whatever the texts are
    if not sparse.issparse(X):
        X = array_of("X", X)
    if X.dtype.kind not in "fiub":
        raise CorollaryError(
            f"X must be numbers, got {X.dtype}; turn text into numbers first "
            "(corollary.learning.features.tables_and_text.default_features)"
        )
    if X.ndim != 2 or 0 in X.shape:
        raise CorollaryError(
            f"X must be items x features, at least one of each, got shape {X.shape}"
        )
    if sparse.issparse(X):
        X = X.tocsr()
    if X.dtype not in (np.float32, np.float64):
        X = X.astype(np.float64)
    _check_finite(X, missing=missing)
    return X


def _check_finite(X: Any, *, missing: bool) -> None:
    cells = X.data if sparse.issparse(X) else X
    bad = np.isinf(cells) if missing else ~np.isfinite(cells)
    if not bad.any():
        return
    if sparse.issparse(X):
        at = int(np.flatnonzero(bad)[0])
        i = int(np.searchsorted(X.indptr, at, side="right")) - 1
        j = int(X.indices[at])
    else:
        i, j = map(int, np.argwhere(bad)[0])
    raise CorollaryError(
        f"X must be finite; row {i}, feature {j} has {X[i, j]} ({int(bad.sum()):,} such cells in all); "
        "fill missing values first"
    )


def _check_truth(Y: Any, onto: Ontology) -> Truth:
    Y = as_table("Y", Y, onto.labels, like="0 or 1", unsaid=np.nan)
    bad = (Y != 0) & (Y != 1)
    if bad.any():
        i, k = np.argwhere(bad)[0]
        raise CorollaryError(f"Y must be 0 or 1; row {i}, label {onto.labels[k]!r} has {Y[i, k]}")
    truth: Truth = Y.astype(np.int8)
    return truth


def _check_split(train: Any, ids: list[Any] | None, n: int) -> Mask:
    rows = array_of("train", train)
    if rows.dtype == np.bool_:
        rows = array_of("train", same_rows("train", train, "X", ids))
    if rows.dtype == np.bool_:
        if rows.shape != (n,):
            raise CorollaryError(f"train must be a mask of {n:,} rows, got shape {rows.shape}")
        mask = rows.copy()
    else:
        if rows.ndim != 1 or (rows.size and rows.dtype.kind not in "iu"):
            raise CorollaryError(
                f"train must be a mask or a list of rows, got {rows.dtype} of shape {rows.shape}"
            )
        if rows.size and not (rows.min() >= 0 and rows.max() < n):
            raise CorollaryError(
                f"train must name rows from 0 to {n - 1:,}, got {int(rows.min())} to {int(rows.max())}"
            )
        mask = np.zeros(n, np.bool_)
        mask[rows.astype(np.intp)] = True
        if mask.sum() != rows.size:
            raise CorollaryError(f"train names {rows.size - int(mask.sum())} rows twice")
    if mask.all():
        raise CorollaryError(f"the test part is empty; leave at least one of the {n:,} rows for it")
    return mask


def _check_legal(Y: Truth, onto: Ontology) -> None:
    try:
        onto.propagate(Y)
    except Contradiction as clash:
        if clash.item is None:  # the ontology itself cannot be satisfied
            raise
        raise Contradiction(
            f"Y has a row that is not legal. {clash}",
            answers=clash.answers,
            constraints=clash.constraints,
            item=clash.item,
        ) from None


def _check_related(R: Any, pairs: Pairs, Y: Truth, onto: Ontology) -> Truth:
    """The truth of pairs, or an error unless it is whole, and legal together with that of items."""
    if R is None:
        raise CorollaryError("R must have the true relations of the pairs, 0 or 1")
    related = as_table("R", R, onto.relations, like="0 or 1", unsaid=np.nan)
    if len(related) != len(pairs):
        raise CorollaryError(
            f"R must have a row for each of {len(pairs):,} pairs, got {len(related):,}"
        )
    if (bad := (related != 0) & (related != 1)).any():
        j, r = np.argwhere(bad)[0]
        raise CorollaryError(
            f"R must be 0 or 1; pair {j}, relation {onto.relations[r]!r} has {related[j, r]}"
        )
    truth: Truth = related.astype(np.int8)
    onto.linked(pairs).propagate(Y, truth)
    return truth


def _never_true(Y: Truth, onto: Ontology) -> Iterable[str]:
    never = [onto.labels[k] for k in np.flatnonzero(~ever_true(Y))]
    if never:
        few = ", ".join(never[:5]) + (", ..." if len(never) > 5 else "")
        yield f"{len(never)} of {len(onto)} labels are never true: {few}"


def _check_seed(seed: Any) -> int:
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise CorollaryError(f"seed must be a whole number from 0, got {shown(seed)}")
    return int(seed)
