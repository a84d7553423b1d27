"""The data set value: what it holds, splits, small starts, missing values, and what makes none."""

from __future__ import annotations

import pickle
from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import corollary as co
from corollary.experiment.data.datasets import Dataset, draw_split, fill_missing

ZOO = co.Ontology(
    ["bird", "fish", "animal"],
    [co.exclusive("bird", "fish"), co.subsumes("animal", "bird", "fish")],
)
Y = np.array([[1, 0, 1], [0, 1, 1], [0, 0, 0], [0, 0, 1]], np.int8)
X = np.arange(8.0).reshape(4, 2)


# -- the value -------------------------------------------------------------------------------------------------------


def test_a_data_set():
    dataset = Dataset(X, Y, ZOO, train=[0, 2])
    assert dataset.train.tolist() == [True, False, True, False]
    assert dataset.test.tolist() == [False, True, False, True]
    assert dataset.labels == ("bird", "fish", "animal")
    assert (len(dataset), dataset.Y.dtype, dataset.X.dtype, dataset.notes) == (
        4,
        np.int8,
        np.float64,
        (),
    )
    assert repr(dataset) == "<Dataset without a name: 2 + 2 items, 2 features, 3 labels>"
    with pytest.raises(AttributeError):
        dataset.train = dataset.test


def test_masks_and_rows_say_the_same():
    mask = np.array([True, False, True, False])
    one, other = Dataset(X, Y, ZOO, train=mask), Dataset(X, Y, ZOO, train=np.array([2, 0]))
    np.testing.assert_array_equal(one.train, other.train)
    mask[:] = False
    assert one.train.sum() == 2  # it keeps its own


@given(st.integers(1, 4), st.integers(0, 50), st.integers(0, 10_000))
def test_a_small_start_keeps_a_few_items_of_each_label(per_label, seed, data_seed):
    rng = np.random.default_rng(data_seed)
    truth = Y[rng.integers(0, 4, 30)]
    whole = Dataset(np.arange(30.0)[:, None], truth, ZOO, train=rng.permutation(30)[:18])
    small = whole.with_start(per_label, seed=seed)
    rows = small.X[:, 0].astype(int)
    np.testing.assert_array_equal(small.Y, truth[rows])
    assert rows[small.test].tolist() == np.flatnonzero(whole.test).tolist()
    kept = rows[small.train]
    assert whole.train[kept].all()
    there = truth[whole.train].sum(axis=0)
    assert (truth[kept].sum(axis=0) >= np.minimum(there, per_label)).all()
    assert truth[kept].any(axis=1).all()
    assert len(kept) <= np.minimum(there, per_label).sum()  # drawn for several labels: counted once
    assert (
        small.notes[-1]
        == f"{len(kept)} items known at the start, {per_label} of each label drawn with seed {seed}"
    )
    np.testing.assert_array_equal(whole.with_start(per_label, seed=seed).X, small.X)


def test_a_small_start_is_drawn_evenly_and_by_its_seed():
    truth = np.repeat(Y[:1], 8, axis=0)
    whole = Dataset(sparse.csr_array(np.eye(8)), truth, ZOO, train=np.arange(6), name="birds")
    drawn = Counter()
    for seed in range(400):
        small = whole.with_start(1, seed=seed)
        assert small.name == "birds"
        assert small.X.format == "csr"
        drawn.update(small.X.toarray()[small.train].argmax(axis=1).tolist())
    # an item is drawn as bird or, independently, as animal: 1 - (5/6)^2 of the time, 122 of 400
    assert set(drawn) == set(range(6))
    assert all(80 < count < 165 for count in drawn.values())
    assert whole.with_start(9).train.sum() == 6  # fewer than asked for: all of them


def test_a_start_that_cannot_be():
    dataset = Dataset(X, Y, ZOO, train=[0, 2])
    for wrong in (-1, 2.5, True, None):
        with pytest.raises(
            co.CorollaryError, match="a start needs a whole number of items per label, from 0"
        ):
            dataset.with_start(wrong)
    with pytest.raises(co.CorollaryError, match="seed must be a whole number from 0"):
        dataset.with_start(1, seed=-1)
    with pytest.raises(co.CorollaryError, match="no item of the training part has any label"):
        Dataset(X, Y, ZOO, train=[2]).with_start(3)


def test_nothing_known_at_the_start():
    dataset = Dataset(X, Y, ZOO, train=[0, 2])
    start = dataset.with_start(0)
    assert not start.train.any()
    np.testing.assert_array_equal(start.Y, Y[dataset.test])
    for nobody in ([], np.zeros(4, bool)):
        np.testing.assert_array_equal(Dataset(X, Y, ZOO, train=nobody).test, np.ones(4, bool))


def test_texts_and_what_their_labels_mean():
    texts = ["a robin", "a trout", "", "some stone"]
    meaning = {ZOO.labels[0]: "lives"}
    dataset = Dataset(texts, Y, ZOO, train=[0], meaning=meaning)
    assert dataset.X.tolist() == texts
    assert dataset.X.shape == (4,)
    assert "1 + 3 items, texts, " in repr(dataset)
    assert dataset.with_start(0).meaning == meaning
    assert dataset.with_start(0).X.tolist() == texts[1:]
    assert Dataset(X, Y, ZOO, train=[0]).meaning == "auto"
    with pytest.raises(co.CorollaryError, match="meaning: unknown label 'nobody'"):
        Dataset(texts, Y, ZOO, train=[0], meaning={"nobody": "is here"})


def test_sparse_features_and_frames():
    dense = Dataset(pd.DataFrame(X), pd.DataFrame(Y, columns=ZOO.labels), ZOO, train=[0])
    thin = Dataset(sparse.coo_matrix(X), sparse.csr_array(Y), ZOO, train=[0])
    np.testing.assert_array_equal(dense.X, X)
    assert thin.X.format == "csr"
    np.testing.assert_array_equal(thin.X.toarray(), X)
    np.testing.assert_array_equal(thin.Y, dense.Y)


def test_a_frame_of_labels_is_put_in_order():
    frame = pd.DataFrame(Y, columns=ZOO.labels)[["animal", "bird", "fish"]]
    np.testing.assert_array_equal(Dataset(X, frame, ZOO, train=[0]).Y, Y)
    with pytest.raises(
        co.CorollaryError,
        match="column 'brid' of Y is no label of the ontology; did you mean 'bird'?",
    ):
        Dataset(X, frame.rename(columns={"bird": "brid"}), ZOO, train=[0])
    with pytest.raises(co.CorollaryError, match="Y must be 0 or 1; row 0, label 'bird' has nan"):
        Dataset(X, frame[["animal", "fish"]], ZOO, train=[0])
    with pytest.raises(co.CorollaryError, match="column 'cat' of Y is no label"):
        Dataset(X, frame.assign(cat=1), ZOO, train=[0])


def test_the_split_goes_by_item_id():
    ids = [f"item {i}" for i in range(len(X))]
    train = pd.Series(np.arange(len(X)) < 2, index=ids)
    expected = Dataset(X, Y, ZOO, train=train.to_numpy()).train
    np.testing.assert_array_equal(
        Dataset(pd.DataFrame(X, index=ids), Y, ZOO, train=train[::-1]).train, expected
    )


def test_whole_numbers_become_floats_and_short_floats_stay():
    assert Dataset(X.astype(int), Y, ZOO, train=[0]).X.dtype == np.float64
    assert Dataset(X.astype(np.float32), Y, ZOO, train=[0]).X.dtype == np.float32


def test_it_can_be_changed_by_copy_and_pickled():
    first = Dataset(
        X, Y[:, :2], co.Ontology(["bird", "fish"]), train=[0], name="zoo", notes=["small"]
    )
    second = pickle.loads(pickle.dumps(replace(first, train=[1, 2])))
    assert (second.train.tolist(), second.name, second.notes) == (
        [False, True, True, False],
        "zoo",
        ("small",),
    )
    assert second.onto == first.onto


def test_a_label_that_is_never_true_is_noted_once():
    dataset = Dataset(X, np.zeros((4, 3), int), ZOO, train=[0])
    assert dataset.notes == ("3 of 3 labels are never true: bird, fish, animal",)
    assert replace(dataset, train=[1]).notes == dataset.notes


def test_the_first_illegal_row_and_its_clash_are_told():
    bad = Y.copy()
    bad[2] = [1, 1, 1]
    with pytest.raises(co.Contradiction) as told:
        Dataset(X, bad, ZOO, train=[0])
    assert told.value.item == 2
    assert told.value.answers == {"bird": True, "fish": True}
    assert "not legal. Item 2: these answers cannot all be true: bird is yes, fish is yes" in str(
        told.value
    )


@pytest.mark.parametrize(
    ("X", "Y", "train", "message"),
    [
        (X[:3], Y, [0], "same rows, got 3 and 4"),
        (X, Y[:, :2], [0], "items x 3 labels, got shape (4, 2)"),
        (X, Y[0], [0], "got shape (3,)"),
        (X, Y - 1, [0], "row 0, label 'fish' has -1"),
        (X, Y.astype(str), [0], "must be 0 or 1, got an array of"),
        (X, Y * np.nan, [0], "row 0, label 'bird' has nan"),
        (X[0], Y, [0], "items x features"),
        (X[:, :0], Y, [0], "at least one of each, got shape (4, 0)"),
        (X.astype(str), Y, [0], "X must be numbers"),
        (np.where(X == 3, np.nan, X), Y, [0], "row 1, feature 1 has nan (1 such cells"),
        (sparse.csr_array(np.where(X == 6, np.inf, X)), Y, [0], "row 3, feature 0 has inf"),
        (X, Y, [0, 1, 2, 3], "test part is empty"),
        (X, Y, np.ones(3, bool), "mask of 4 rows, got shape (3,)"),
        (X, Y, [0, 4], "rows from 0 to 3, got 0 to 4"),
        (X, Y, [-1], "rows from 0 to 3, got -1"),
        (X, Y, [1, 1], "names 1 rows twice"),
        (X, Y, [0.5], "a mask or a list of rows, got float64"),
    ],
)
def test_what_makes_no_data_set(X, Y, train, message):
    with pytest.raises(co.CorollaryError) as told:
        Dataset(X, Y, ZOO, train=train)
    assert message in str(told.value)


# -- splits and missing values ---------------------------------------------------------------------------------------


@given(st.integers(2, 30), st.data())
def test_splits_have_their_size_and_repeat(n, data):
    n_train, seed = data.draw(st.integers(1, n - 1)), data.draw(st.integers(0, 99))
    truth = np.ones((n, 1), np.int8)
    mask = draw_split(truth, n_train, seed=seed)
    assert mask.sum() == n_train
    np.testing.assert_array_equal(mask, draw_split(truth, n_train, seed=seed))


def test_covering_splits_are_uniform_among_those_that_cover():
    truth = np.array([[1, 0], [1, 0], [0, 1], [0, 0]], np.int8)
    drawn = Counter(
        tuple(np.flatnonzero(draw_split(truth, 2, seed=seed, covering=True))) for seed in range(600)
    )
    assert set(drawn) == {(0, 2), (1, 2)}
    assert min(drawn.values()) > 240


def test_splits_that_cannot_be():
    truth = np.eye(4, dtype=np.int8)
    with pytest.raises(co.CorollaryError, match="never had all 4 labels a positive"):
        draw_split(truth, 2, seed=0, covering=True)
    for n_train in (0, 4, 5):
        with pytest.raises(co.CorollaryError, match="choose 1 to 3"):
            draw_split(truth, n_train, seed=0)
    for seed in (-1, 0.5, "0", True):
        with pytest.raises(co.CorollaryError, match="seed must be a whole number from 0"):
            draw_split(truth, 2, seed=seed)


def test_missing_values_become_the_mean_of_the_training_rows():
    nan = np.nan
    features = np.array([[1, nan, nan], [3, 5, nan], [nan, 7, 9], [100, nan, 9]])
    train = np.array([True, True, False, False])
    filled, notes = fill_missing(features, train)
    np.testing.assert_array_equal(filled, [[1, 5], [3, 5], [2, 7], [100, 5]])
    assert notes == [
        "5 missing cells (41.7%) set to the mean of the training rows",
        "1 feature columns without a value in the training rows dropped: 3",
    ]
    assert fill_missing(X, train) == (X, [])
