"""The data set value, the known data sets at their real size, and what is said about damaged or missing ones."""

from __future__ import annotations

import gzip
import pickle
import shutil
import sys
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_svmlight_file

import corollary as co
from corollary.experiment import classics, known
from corollary.experiment.classics.__main__ import make
from corollary.experiment.datasets import Dataset, draw_split, fill_missing, load_dataset
from corollary.experiment.known import KNOWN

from ..real_data import DATA, each, needs_data

real = needs_data

ZOO = co.Ontology(["bird", "fish", "animal"], [co.exclusive("bird", "fish"), co.subsumes("animal", "bird", "fish")])
Y = np.array([[1, 0, 1], [0, 1, 1], [0, 0, 0], [0, 0, 1]], np.int8)
X = np.arange(8.0).reshape(4, 2)


# -- the value -------------------------------------------------------------------------------------------------------


def test_a_data_set():
    dataset = Dataset(X, Y, ZOO, train=[0, 2])
    assert dataset.train.tolist() == [True, False, True, False]
    assert dataset.test.tolist() == [False, True, False, True]
    assert dataset.labels == ("bird", "fish", "animal")
    assert (len(dataset), dataset.Y.dtype, dataset.X.dtype, dataset.notes) == (4, np.int8, np.float64, ())
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
    assert small.notes[-1] == f"{len(kept)} items known at the start, {per_label} of each label drawn with seed {seed}"
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
    for wrong in (0, -1, 2.5, True, None):
        with pytest.raises(co.CorollaryError, match="a start needs a whole number of items per label, from 1"):
            dataset.with_start(wrong)
    with pytest.raises(co.CorollaryError, match="seed must be a whole number from 0"):
        dataset.with_start(1, seed=-1)
    with pytest.raises(co.CorollaryError, match="no item of the training part has any label"):
        Dataset(X, Y, ZOO, train=[2]).with_start(3)


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
    with pytest.raises(co.CorollaryError, match="no column for the label 'bird'; did you mean 'brid'?"):
        Dataset(X, frame.rename(columns={"bird": "brid"}), ZOO, train=[0])
    with pytest.raises(co.CorollaryError, match="column 'cat' of Y is no label"):
        Dataset(X, frame.assign(cat=1), ZOO, train=[0])


def test_whole_numbers_become_floats_and_short_floats_stay():
    assert Dataset(X.astype(int), Y, ZOO, train=[0]).X.dtype == np.float64
    assert Dataset(X.astype(np.float32), Y, ZOO, train=[0]).X.dtype == np.float32


def test_it_can_be_changed_by_copy_and_pickled():
    first = Dataset(X, Y[:, :2], co.Ontology(["bird", "fish"]), train=[0], name="zoo", notes=["small"])
    second = pickle.loads(pickle.dumps(replace(first, train=[1, 2])))
    assert (second.train.tolist(), second.name, second.notes) == ([False, True, True, False], "zoo", ("small",))
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
    assert "not legal. Item 2: these answers cannot all be true: bird is yes, fish is yes" in str(told.value)


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
        (X, Y, [], "training part is empty"),
        (X, Y, [0, 1, 2, 3], "test part is empty"),
        (X, Y, np.zeros(4, bool), "training part is empty"),
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
    drawn = Counter(tuple(np.flatnonzero(draw_split(truth, 2, seed=seed, covering=True))) for seed in range(600))
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


# -- the known ones --------------------------------------------------------------------------------------------------

#: Training and test rows, features and labels: Table 1 of the paper, or what the rebuilt data allow.
SIZES = {
    "iris": (105, 45, 4, 3),
    "vowel": (528, 462, 10, 11),
    "satimage": (3104, 1331, 36, 6),
    "shuttle": (30450, 13050, 9, 7),
    "segment": (400, 1910, 19, 7),
    "pendigits": (7494, 3498, 16, 10),
    "letter": (15000, 5000, 16, 26),
    "nell-7": (214, 6871 - 214, 17257, 7),
    "nell-11": (242, 6871 - 242, 17257, 11),
    "nell-13": (2656, 17454 - 2656, 28850, 13),
    "hmc_imclef07d": (10000, 1006, 80, 46),
    "hmc_diatoms": (2065, 1054, 371, 398),
    "hmc_enron": (988, 660, 1001, 56),
    "hmc_cellcycle_fun": (2476, 1281, 77, 499),
    "hmc_cellcycle_go": (2473, 1278, 77, 4125),
    "things": (244, 244, 17432, 30),
}
OFFICIAL = {name for name in SIZES if name.startswith("hmc_")} | {"vowel", "pendigits", "letter"}
SINGLE = ["iris", "vowel", "satimage", "shuttle", "segment", "pendigits", "letter", "nell-7"]


@cache
def loaded(name):
    return load_dataset(name, folder=DATA)


def test_every_known_set_is_tested():
    assert set(KNOWN) == set(SIZES)


@each(SIZES)
def test_sizes(name):
    dataset = loaded(name)
    found = (dataset.train.sum(), dataset.test.sum(), dataset.X.shape[1], len(dataset.labels))
    assert found == SIZES[name]
    assert dataset.name == name
    assert ("the official split" in dataset.notes) == (name in OFFICIAL)
    if name in SINGLE:
        assert dataset.onto.constraints == (co.exclusive(*dataset.labels),)
        assert (dataset.Y.sum(axis=1) == 1).all()


@each(["iris", "letter", "nell-11", "hmc_imclef07d"])
def test_each_seed_is_a_split_of_its_own(name):
    first, again, other = (load_dataset(name, seed=seed, folder=DATA) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.train, again.train)
    assert first.train.sum() == other.train.sum() == SIZES[name][0]
    assert not (first.train == other.train).all()
    assert any("with seed 2" in note for note in other.notes)
    if name not in OFFICIAL:
        without, zero = loaded(name), load_dataset(name, seed=0, folder=DATA)
        np.testing.assert_array_equal(without.train, zero.train)


@each(["segment", "nell-7", "nell-11"])
def test_every_label_has_a_positive_for_training(name):
    contents = known.read(name, known.find(name, folder=DATA))
    for seed in range(40):
        train = draw_split(contents.Y, SIZES[name][0], seed=seed, covering=KNOWN[name].covering)
        assert contents.Y[train].any(axis=0).all()


@real
def test_official_splits_are_the_first_rows():
    letter = loaded("letter")
    assert letter.train[:15000].all()
    frame = pd.read_parquet(DATA / "letter" / "letter.parquet")
    assert [letter.labels[k] for k in letter.Y[:100].argmax(axis=1)] == frame["label"].tolist()[:100]


@each(SINGLE[:-1])
def test_features_are_scaled_by_the_training_file(name):
    dataset = loaded(name)
    rows = dataset.X[dataset.train] if name in OFFICIAL else dataset.X
    low, high = rows.min(axis=0), rows.max(axis=0)
    varied = high > low
    np.testing.assert_allclose([low[varied], high[varied]], [[-1] * varied.sum(), [1] * varied.sum()], atol=1e-12)
    assert (dataset.X[:, ~varied] == 0).all()
    assert (~varied).sum() == (name == "segment")


@real
def test_nell_truth_follows_the_knowledge_base():
    rows = pd.read_parquet(DATA / "nell_995" / "rows.parquet")
    seven, eleven, thirteen = (loaded(f"nell-{n}") for n in (7, 11, 13))
    chosen = rows[rows["category"].isin(seven.labels)]
    assert [seven.labels[k] for k in seven.Y.argmax(axis=1)] == chosen["category"].tolist()
    np.testing.assert_array_equal(eleven.Y[:, :7], seven.Y)
    upward = [set(labels.split("@")) for labels in chosen["labels"]]
    for label in ("animal", "location"):
        expected = [label in labels for labels in upward]
        np.testing.assert_array_equal(eleven.Y[:, eleven.labels.index(label)], expected)
    table = pd.read_parquet(DATA / "nell_995" / "nell13_like_labels.parquet")
    np.testing.assert_array_equal(thirteen.Y, table[list(thirteen.labels)])
    same = thirteen.Y[:, :7].any(axis=1)  # the items of nell-7 are among those of nell-13, with the same labels
    np.testing.assert_array_equal(thirteen.Y[same][:, :11], eleven.Y)


@real
def test_nell_features_leave_out_what_leaks():
    counts, _ = load_svmlight_file(str(DATA / "nell_995" / "features.libsvm.gz"))
    with gzip.open(DATA / "nell_995" / "feature_names.txt.gz", "rt", encoding="utf-8") as file:
        names = np.array([line.rstrip("\n") for line in file])
    rows = pd.read_parquet(DATA / "nell_995" / "nell13_like_labels.parquet")["row"].to_numpy()
    expected = counts[rows][:, [not name.startswith("r:") for name in names]]
    dataset = loaded("nell-13")
    assert dataset.X.format == "csr"
    np.testing.assert_allclose(dataset.X.sum(axis=1), np.asarray(expected.sum(axis=1)).ravel())
    assert (dataset.X.sum(axis=0) > 0).all()


@real
def test_notes_say_what_was_rebuilt_and_assumed():
    notes = {name: " ".join(loaded(name).notes) for name in SIZES}
    for name in ("nell-7", "nell-11", "nell-13"):
        assert "rebuilt" in notes[name]
    assert "conjectured" in notes["nell-13"]
    assert "siblings" in notes["hmc_diatoms"]
    assert "siblings" in notes["hmc_imclef07d"]
    assert "missing cells" in notes["hmc_cellcycle_go"]
    assert "validation rows" in notes["hmc_cellcycle_fun"]


@real
@pytest.mark.parametrize("name", [name for name in SIZES if name.startswith("hmc_")])
def test_hierarchies_have_the_labels_of_their_table(name):
    dataset = loaded(name)
    frame = pd.read_parquet(DATA / name / f"{name}.parquet")
    for i in range(0, len(frame), 101):
        assert {dataset.labels[k] for k in np.flatnonzero(dataset.Y[i])} == set(frame["labels"][i].split("@"))
    np.testing.assert_array_equal(dataset.test, frame["split"] == "test")
    below = dataset.onto.propagate({dataset.labels[1]: True})
    assert below[dataset.labels[1]] is True
    assert np.isfinite(dataset.X).all()


@real
def test_siblings_exclude_each_other_where_the_data_obey():
    dataset = loaded("hmc_imclef07d")
    assert dataset.onto.propagate({"1": True})["2"] is False
    assert loaded("hmc_enron").onto.propagate({"1": True}) == {"1": True}


# -- those of the package --------------------------------------------------------------------------------------------


@real
@pytest.mark.parametrize("name", classics.NAMES)
def test_what_the_package_has_is_what_the_tables_have_to_the_bit(name, tmp_path):
    ours, theirs = load_dataset(name, folder=tmp_path), load_dataset(name, folder=DATA)
    assert known.find(name, folder=tmp_path) == classics.FOLDER
    assert known.find(name, folder=DATA) == DATA / name
    assert ours.X.tobytes() == theirs.X.tobytes()
    np.testing.assert_array_equal(ours.Y, theirs.Y)
    np.testing.assert_array_equal(ours.train, theirs.train)
    assert (ours.onto, ours.notes) == (theirs.onto, theirs.notes)


@real
def test_the_files_of_the_package_are_what_the_program_makes(tmp_path):
    make(DATA, tmp_path)
    for name in classics.NAMES:
        made, kept = (
            gzip.decompress((folder / f"{name}.tsv.gz").read_bytes()) for folder in (tmp_path, classics.FOLDER)
        )
        assert made == kept


def test_they_need_no_tables_no_downloads_and_no_network(tmp_path, monkeypatch):
    for module in ("pandas", "pyarrow", "pooch", "requests"):
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setenv("COROLLARY_DATA", str(tmp_path))
    monkeypatch.setattr(known, "folders", lambda: [tmp_path])
    for name in classics.NAMES:
        assert len(load_dataset(name)) == sum(SIZES[name][:2])


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_numbers_are_written_so_that_they_read_back(values):
    with TemporaryDirectory() as folder:
        path = Path(folder) / "numbers.tsv.gz"
        X = np.array(values)[:, None]
        classics.write(path, X, ["a"] * len(X), ["all"] * len(X), ["value"])
        assert classics.read(path)[0].tobytes() == X.tobytes()


@pytest.mark.parametrize("text", ["label\tsplit\tx\na\tall\tone\n", "label\tsplit\tx\na\tall\n", "x\ty\n", "label\n"])
def test_a_damaged_file_of_the_package(tmp_path, text):
    (tmp_path / "iris").mkdir()
    (tmp_path / "iris" / "iris.tsv.gz").write_bytes(gzip.compress(text.encode()))
    assert "iris.tsv.gz is damaged" in refusal("iris", tmp_path)


def test_a_part_of_a_set_in_the_folder_that_was_named_is_told(tmp_path):
    (tmp_path / "vowel").mkdir()
    (tmp_path / "vowel" / "vowel.scale").write_text("1 1:0\n")
    assert f"(looked in {tmp_path}); to get it: corollary datasets fetch vowel" in refusal("vowel", tmp_path)


# -- damaged and missing ---------------------------------------------------------------------------------------------


@pytest.fixture
def iris(tmp_path):
    """A table of iris to damage."""
    return table_of("iris", tmp_path)


def table_of(name, folder):
    """A data set of the package as a table of Parquet."""
    X, labels, splits = classics.read(classics.FOLDER / classics.file_of(name))
    columns = ["sepal_length", "sepal_width", "petal_length", "petal_width"] if name == "iris" else None
    path = folder / name / f"{name}.parquet"
    path.parent.mkdir(parents=True)
    pd.DataFrame(X, columns=columns).assign(label=labels, split=splits).to_parquet(path)
    return path


def refusal(name, folder):
    with pytest.raises(co.CorollaryError) as told:
        load_dataset(name, folder=folder)
    return str(told.value)


def test_damaged_tables(iris):
    frame = pd.read_parquet(iris)
    frame.iloc[:-1].to_parquet(iris)
    assert "other classes than iris" in refusal("iris", iris.parents[1])
    frame.assign(label="rose").to_parquet(iris)
    assert "'rose': 150" in refusal("iris", iris.parents[1])
    frame.drop(columns="label").to_parquet(iris)
    assert "no column 'label'" in refusal("iris", iris.parents[1])
    frame.drop(columns="sepal_width").to_parquet(iris)
    assert "iris has 4 features, this has 3" in refusal("iris", iris.parents[1])
    frame.assign(sepal_width="wide").to_parquet(iris)
    assert "sepal_width" in refusal("iris", iris.parents[1])
    frame.to_parquet(iris)
    assert len(load_dataset("iris", folder=iris.parents[1])) == 150


@pytest.mark.parametrize("keep", [0, 10, 3000])
def test_truncated_tables(iris, keep):
    iris.write_bytes(iris.read_bytes()[:keep])
    assert "iris.parquet" in refusal("iris", iris.parents[1])


@real
def test_damaged_nell(tmp_path):
    place = tmp_path / "nell_995"
    shutil.copytree(DATA / "nell_995", place)
    for path in (place, *place.iterdir()):
        path.chmod(0o755)
    features = place / "features.libsvm.gz"
    lines = gzip.decompress(features.read_bytes()).splitlines(keepends=True)
    features.write_bytes(gzip.compress(b"".join(lines[:-1]), 1))
    assert "has 70,174 rows, the tables beside it have others" in refusal("nell-7", tmp_path)
    features.write_bytes(gzip.compress(b"".join(lines[1:]), 1))
    assert "must be numbered 0, 1, 2" in refusal("nell-11", tmp_path)
    (place / "nell13_like_constraints.txt").write_text("animal => bird\n")
    assert "got 'animal => bird'" in refusal("nell-13", tmp_path)
    features.unlink()
    assert "set COROLLARY_DATA" in refusal("nell-7", tmp_path)


@real
def test_damaged_hierarchies(tmp_path):
    place = tmp_path / "hmc_enron"
    shutil.copytree(DATA / "hmc_enron", place)
    for path in (place, *place.iterdir()):
        path.chmod(0o755)
    labels = place / "labels.txt.gz"
    names = gzip.decompress(labels.read_bytes())
    labels.write_bytes(gzip.compress(names.replace(b"1/1/1\n", b"1/1/x\n")))
    assert "unknown label '1/1/1'" in refusal("hmc_enron", tmp_path)
    labels.write_bytes(gzip.compress(names))
    edges = place / "hierarchy.tsv.gz"
    text = gzip.decompress(edges.read_bytes())
    edges.write_bytes(gzip.compress(text.replace(b"child\tparent", b"a\tb")))
    assert "two columns child and parent" in refusal("hmc_enron", tmp_path)
    edges.write_bytes(gzip.compress(text.replace(b"1/1/1\t1/1\n", b"")))
    assert "hmc_enron has 53 constraints, this has 52" in refusal("hmc_enron", tmp_path)
    edges.write_bytes(gzip.compress(text)[:-9])
    assert "cannot be read, it may be damaged" in refusal("hmc_enron", tmp_path)


def test_a_missing_set_says_how_to_get_it(tmp_path):
    assert f"(looked in {tmp_path}); to get it: corollary datasets fetch letter" in refusal("letter", tmp_path)
    assert "no public download in this form: set COROLLARY_DATA" in refusal("nell-7", tmp_path)


def test_an_unknown_set_names_the_nearest():
    with pytest.raises(co.CorollaryError, match="unknown data set 'leter'; did you mean 'letter'.; known are iris, "):
        load_dataset("leter")


def test_the_folders_in_their_order(iris, tmp_path, monkeypatch):
    monkeypatch.setattr(known, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setenv("COROLLARY_DATA", str(iris.parents[1]))
    assert known.folders()[0] == iris.parents[1]
    assert known.folders()[-1] == tmp_path / "cache"
    assert known.find("iris") == iris.parent
    other = table_of("iris", tmp_path / "other")
    assert known.find("iris", folder=str(other.parents[1])) == other.parent
    assert len(load_dataset("Iris")) == 150
    monkeypatch.setenv("COROLLARY_DATA", str(iris))
    with pytest.raises(co.CorollaryError, match="COROLLARY_DATA is set to .*, which is no folder"):
        load_dataset("iris")
