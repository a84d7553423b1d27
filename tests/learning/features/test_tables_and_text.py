"""Features: text, numbers, categories and mixed tables, from every kind of table, with nothing lost in silence."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from corollary import CorollaryError
from corollary.learning.features.columns import FeaturesWarning
from corollary.learning.features.tables_and_text import Features, default_features

COLOURS = ["red", "green", "blue", "green", "red", "red", "green", "red"]
MIXED = {
    "name": [
        "red apple",
        "green apple",
        "blue car",
        "green car",
        "old oak",
        "young oak",
        "tall ship",
        "small ship",
    ],
    "colour": COLOURS,
    "weight": [0.1, None, 900.0, 800.0, 5000.0, None, 90000.0, 4000.0],
    "wheels": [0, 0, 4, 4, 0, 0, 0, 0],
    "alive": [True, True, False, False, True, True, False, False],
    "seen": [datetime.date(2024, 1, day) for day in range(1, 9)],
}


def as_rows(table):
    return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]


TABLES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "dicts": as_rows,
    "columns": dict,
}


@pytest.mark.parametrize("kind", TABLES.values(), ids=TABLES)
def test_every_kind_of_table_gives_the_same_features(kind):
    expected, reference = default_features(pd.DataFrame(MIXED))
    X, features = default_features(kind(MIXED))
    assert features.kinds_ == {
        "name": "text",
        "colour": "category",
        "weight": "number",
        "wheels": "number",
        "alive": "category",
        "seen": "number",
    }
    assert sparse.issparse(X)
    assert X.format == "csr"
    np.testing.assert_allclose(X.toarray(), expected.toarray(), atol=1e-12)
    assert features.get_feature_names_out().tolist() == reference.get_feature_names_out().tolist()
    assert len(features.get_feature_names_out()) == X.shape[1]
    again = features.transform(kind(MIXED))
    np.testing.assert_array_equal(again.toarray(), X.toarray())


def test_numbers_are_imputed_marked_and_standardised():
    values = np.array([1.0, np.nan, 3, 11, np.nan])
    X, features = default_features(
        pd.DataFrame({"a": values, "b": [1, 2, 3, 4, 5], "c": [7, 7, 7, 7, 7]})
    )
    filled = np.where(np.isnan(values), 3.0, values)
    np.testing.assert_allclose(X[:, 0], (filled - filled.mean()) / filled.std())
    np.testing.assert_array_equal(X[:, 1], np.isnan(values))
    np.testing.assert_allclose([X[:, 2].mean(), X[:, 2].std()], [0, 1], atol=1e-12)
    np.testing.assert_array_equal(X[:, 3], 0)
    assert features.get_feature_names_out().tolist() == ["a", "a (missing)", "b", "c"]
    later = features.transform(pd.DataFrame({"a": [np.nan], "b": [np.nan], "c": [8]}))
    np.testing.assert_allclose(later[0, 0], (3 - filled.mean()) / filled.std())
    assert np.isfinite(later).all()


def test_categories_group_rare_missing_and_new_values():
    colours = ["red"] * 5 + ["blue"] * 3 + ["pink", "mauve", None, None, None]
    X, features = default_features(pd.DataFrame({"colour": colours}))
    assert features.get_feature_names_out().tolist() == [
        "colour=(missing)",
        "colour=blue",
        "colour=red",
        "colour=(rare)",
    ]
    np.testing.assert_array_equal(X.sum(axis=1), 1)
    np.testing.assert_array_equal(X.sum(axis=0), [3, 3, 5, 2])
    np.testing.assert_array_equal(
        features.transform(pd.DataFrame({"colour": ["green"]})), [[0, 0, 0, 1]]
    )


def test_declared_categories_are_categories_even_if_they_are_numbers_or_all_differ():
    frame = pd.DataFrame(
        {"zone": pd.Categorical([1, 2, 1, 2, 1, 2]), "id": pd.Categorical(list("abcdef"))}
    )
    assert Features().fit(frame).kinds_ == {"zone": "category", "id": "category"}
    same = pl.DataFrame({"zone": pl.Series(["1", "2", "3"], dtype=pl.Categorical)})
    assert Features().fit(same).kinds_ == {"zone": "category"}


def test_many_categories_make_a_sparse_matrix():
    frame = pd.DataFrame({"town": [f"t{i % 300}" for i in range(1200)], "n": range(1200)})
    X, features = default_features(frame)
    assert features.kinds_ == {"town": "category", "n": "number"}
    assert sparse.issparse(X)
    assert X.shape == (1200, 302)


@pytest.mark.parametrize(
    "texts",
    [
        COLOURS,
        pd.Series(COLOURS, name="colour"),
        pl.Series("colour", COLOURS),
        np.array(COLOURS),
        np.array(COLOURS, object),
        tuple(COLOURS),
    ],
    ids=["list", "pandas", "polars", "array", "objects", "tuple"],
)
def test_a_single_list_of_strings_is_text(texts):
    X, features = default_features(texts)
    assert list(features.kinds_.values()) == ["text"]
    assert sparse.issparse(X)
    np.testing.assert_array_equal(X.toarray(), default_features(COLOURS)[0].toarray())


def test_text_has_words_and_runs_of_characters():
    texts = ["vitamin C", "vitamins", "a car", None, ""]
    X, features = default_features(texts)
    names = features.get_feature_names_out()
    assert {"value: vitamin", "value: c", "value: a"} <= set(names)
    assert any("characters" in name for name in names)
    similar = (X @ X.T).toarray()
    assert similar[0, 1] > 0.2  # no word in common, but runs of characters
    assert similar[0, 2] < similar[0, 1]
    assert X[3].nnz == X[4].nnz == 0
    assert features.transform(["zzz yyy"]).shape == (1, X.shape[1])


def test_text_with_no_word_at_all():
    X, _ = default_features(["?!", "...", "--"])
    assert X.shape[0] == 3
    X, features = default_features(["", "", "x"])
    assert X.shape == (3, len(features.get_feature_names_out()))


def test_words_over_the_limit_are_told():
    texts = [f"word{i} common text here" for i in range(30)]
    with pytest.warns(FeaturesWarning, match="'value' has 33 words; the 10 most frequent"):
        features = Features(max_words=10).fit(texts)
    words = [name for name in features.get_feature_names_out() if "characters" not in name]
    assert len(words) == 10
    assert "value: common" in words


def test_empty_columns_are_told_and_left_out():
    frame = pd.DataFrame({"a": [1, 2], "none": [None, None], "nan": [np.nan, np.nan]})
    with pytest.warns(FeaturesWarning, match="left out: 'none', 'nan'"):
        X, features = default_features(frame)
    assert X.shape == (2, 1)
    assert features.kinds_["nan"] == "empty"
    with pytest.warns(FeaturesWarning), pytest.raises(CorollaryError, match="every item is empty"):
        default_features(frame[["none", "nan"]])


def test_columns_that_come_and_go_are_told():
    features = Features().fit(pd.DataFrame({"a": [1, 2], "b": [3, 4]}))
    with pytest.raises(CorollaryError, match="lacks columns that were there at fit: 'b'"):
        features.transform(pd.DataFrame({"a": [1]}))
    with pytest.warns(FeaturesWarning, match="not there at fit are left out: 'c'"):
        X = features.transform(pd.DataFrame({"a": [1], "b": [3], "c": [9]}))
    assert X.shape == (1, 2)


def test_order_of_columns_does_not_matter():
    frame = pd.DataFrame(MIXED)
    features = Features().fit(frame)
    np.testing.assert_array_equal(
        features.transform(frame[frame.columns[::-1]]).toarray(),
        features.transform(frame).toarray(),
    )


@pytest.mark.parametrize(
    "matrix",
    [np.eye(3), np.arange(6).reshape(3, 2), sparse.csr_matrix(np.eye(3))],
    ids=["float", "int", "sparse"],
)
def test_matrices_go_through_unchanged(matrix):
    X, features = default_features(matrix)
    assert X is matrix
    assert len(features.get_feature_names_out()) == matrix.shape[1]
    with pytest.raises(CorollaryError, match="columns, got a table of shape"):
        features.transform(np.zeros((2, 7)))


def test_nested_lists_and_arrays_with_missing_values():
    X, _ = default_features([[1, 2], [3, 4]])
    np.testing.assert_array_equal(X, [[1, 2], [3, 4]])
    X, features = default_features(np.array([[1, np.nan], [3, 4], [5, 6]]))
    assert X.shape == (3, 3)
    assert np.isfinite(X).all()
    assert features.get_feature_names_out().tolist() == ["0", "1", "1 (missing)"]
    X, features = default_features([["red", 1], ["red", 2], ["blue", 3], ["blue", 4]])
    assert features.kinds_ == {"0": "category", "1": "number"}


def test_unfitted_is_told():
    for call in (lambda: Features().transform(["a"]), lambda: Features().get_feature_names_out()):
        with pytest.raises(CorollaryError, match="not fitted yet"):
            call()


def test_works_in_a_pipeline_and_clones():
    frame = pd.DataFrame(MIXED)
    model = make_pipeline(Features(), LogisticRegression())
    model.fit(frame, frame["alive"])
    assert (model.predict(frame) == frame["alive"]).all()
    assert clone(Features(max_words=7)).max_words == 7
