"""The user's own files, in every form that is read, and what is said about those that cannot be."""

from __future__ import annotations

import gzip

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import corollary as co
from corollary.experiment.data.datasets import Dataset
from corollary.experiment.data.files import read_dataset

ZOO = "animal > exclusive: bird, fish\n"
N = 12


@pytest.fixture
def zoo(tmp_path):
    path = tmp_path / "zoo.onto"
    path.write_text(ZOO, encoding="utf-8")
    return path


@pytest.fixture
def onto():
    return co.Ontology.parse(ZOO)


def features():
    return pd.DataFrame(
        {"wings": np.arange(N) % 3 / 2, "legs": np.arange(N), "wet": np.arange(N) % 2 == 0}
    )


def truth():
    kind = np.arange(N) % 4
    return pd.DataFrame(
        {
            "animal": (kind < 3).astype(int),
            "bird": (kind == 0).astype(int),
            "fish": (kind == 1).astype(int),
        }
    )


def joined(mark="@"):
    return [
        mark.join(name for name in ("animal", "bird", "fish") if row[name])
        for _, row in truth().iterrows()
    ]


def check(dataset, onto):
    """The data set is the one that the tables above describe."""
    assert dataset.onto == onto
    X = dataset.X.toarray() if sparse.issparse(dataset.X) else dataset.X
    np.testing.assert_array_equal(X, features().to_numpy(float))
    np.testing.assert_array_equal(dataset.Y, truth()[list(onto.labels)])
    assert dataset.train.sum() == N // 2


@pytest.mark.parametrize("name", ["zoo.csv", "zoo.tsv", "zoo.parquet", "zoo.csv.gz", "zoo.tsv.bz2"])
@pytest.mark.parametrize("form", ["columns", "names", "own table", "names in own table"])
def test_every_form_says_the_same(tmp_path, zoo, onto, name, form):
    own = form.endswith("own table")
    labels = truth() if form in ("columns", "own table") else pd.DataFrame({"labels": joined()})
    frame = features() if own else pd.concat([features(), labels], axis=1)
    path, beside = tmp_path / name, tmp_path / f"labels_{name}"
    for table, place in ((frame, path), (labels, beside)):
        if name.endswith(".parquet"):
            table.to_parquet(place)
        else:
            table.to_csv(place, index=False, sep="\t" if ".tsv" in name else ",")
    dataset = read_dataset(path, ontology=zoo, labels=beside if own else None)
    check(dataset, onto)
    assert dataset.name == "zoo"
    check(Dataset.from_files(str(path), ontology=onto, labels=str(beside) if own else None), onto)


def lines(fields, *, first=1):
    rows = features().to_numpy(float)
    pairs = (
        " ".join(f"{j}:{v:g}" for j, v in enumerate(row, first) if v or j == first) for row in rows
    )
    return "# a comment\n\n" + "".join(
        f"{field} {pair}\n" for field, pair in zip(fields, pairs, strict=True)
    )


@pytest.mark.parametrize("first", [0, 1])
def test_libsvm_with_names_of_labels(tmp_path, onto, first):
    path = tmp_path / "zoo.libsvm.gz"
    path.write_bytes(
        gzip.compress(lines([names or "@" for names in joined()], first=first).encode())
    )
    dataset = read_dataset(path, ontology=onto)
    assert sparse.issparse(dataset.X)
    check(dataset, onto)


def test_libsvm_with_a_table_of_labels(tmp_path, onto):
    for first in (0, 1):
        path, labels = tmp_path / "zoo.svm", tmp_path / "labels.csv"
        path.write_text(lines(range(N), first=first))
        truth().to_csv(labels, index=False)
        dataset = read_dataset(path, ontology=onto, labels=labels)
        assert sparse.issparse(dataset.X)
        check(dataset, onto)
        pd.DataFrame({"what": joined(";")}).to_csv(labels, index=False)
        check(
            read_dataset(path, ontology=onto, labels=labels, label_column="what", separator=";"),
            onto,
        )


@pytest.fixture
def table(tmp_path):
    """Write a frame as CSV and return its path."""

    def write(frame, name="data.csv"):
        path = tmp_path / name
        frame.to_csv(path, index=False)
        return path

    return write


def both():
    return pd.concat([features(), truth()], axis=1)


def refusal(path, onto, **options):
    with pytest.raises(co.CorollaryError) as told:
        read_dataset(path, ontology=onto, **options)
    return str(told.value)


def test_splits(table, onto):
    path = table(both())
    assert read_dataset(path, ontology=onto, train=0.25).train.sum() == 3
    assert read_dataset(path, ontology=onto, train=5).train.sum() == 5
    one, same, other = (read_dataset(path, ontology=onto, seed=seed).train for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()
    for train in (0, -1, 12, 2.5, True, "half", float("nan")):
        assert "train must be a share" in refusal(path, onto, train=train)
    assert "choose 1 to 11" in refusal(path, onto, train=0.01)


def test_missing_values_are_filled_and_noted(table, onto):
    frame = both()
    frame.loc[[0, 5], "legs"] = np.nan
    dataset = read_dataset(table(frame), ontology=onto, seed=3)
    mean = frame["legs"][dataset.train].mean()
    np.testing.assert_allclose(dataset.X[[0, 5], 1], mean)
    assert "2 missing cells (5.6%) set to the mean of the training rows" in dataset.notes


def test_a_label_that_the_training_part_never_sees_is_noted(table, onto):
    frame = both()
    frame["bird"] = 0
    notes = read_dataset(table(frame), ontology=onto).notes
    assert "1 of 3 labels are never true in the training part: bird" in notes
    assert "1 of 3 labels are never true: bird" in notes


def test_columns_to_ignore(table, onto):
    path = table(both().assign(id=[f"item {i}" for i in range(N)]))
    message = refusal(path, onto)
    assert "'id'" in message
    assert "is not a number (row 0: 'item 0')" in message
    check(read_dataset(path, ontology=onto, ignore=["id"]), onto)
    check(read_dataset(path, ontology=onto, ignore="id"), onto)
    assert "no column 'legz' to ignore; did you mean 'legs'?" in refusal(
        path, onto, ignore=["legz"]
    )


def test_wrong_columns(table, onto):
    assert "no column for 1 of the 3 labels, the first is 'bird'; did you mean 'brid'?" in refusal(
        table(both().rename(columns={"bird": "brid"})), onto
    )
    assert "no column for 3 of the 3 labels" in refusal(table(features()), onto)
    assert "no column 'lables'; did you mean 'labels'?" in refusal(
        table(features().assign(labels=joined())), onto, label_column="lables"
    )
    assert "no column left for features" in refusal(table(truth()), onto)
    path = table(both().assign(labels=joined()))
    assert "the column 'animal' of" in refusal(path, onto, label_column="labels")
    check(read_dataset(path, ontology=onto, label_column="labels", ignore=onto.labels), onto)
    assert "the truth was to be read elsewhere" in refusal(
        table(both()), onto, labels=table(truth(), "truth.csv")
    )


def test_columns_that_say_nothing(table, onto):
    assert "the column 'tail' of" in refusal(table(both().assign(tail=np.nan)), onto)
    assert "no value at all" in refusal(table(both().assign(tail=np.nan)), onto)
    assert "feature 1 has inf" in refusal(table(both().assign(legs=np.inf)), onto)


def test_labels_that_are_not_yes_or_no(table, onto):
    frame = both()
    frame.loc[3, "fish"] = 2
    assert "row 3: the label column 'fish' must be 0 or 1, got" in refusal(table(frame), onto)
    frame = both().astype({"fish": float})
    frame.loc[4, "fish"] = np.nan
    assert "row 4: the label column 'fish'" in refusal(table(frame), onto)
    check(read_dataset(table(both().astype({"bird": bool})), ontology=onto), onto)


def test_unknown_labels(table, onto):
    names = joined()
    names[4] = "animal@brid"
    assert "row 4: unknown label 'brid'; did you mean 'bird'?" in refusal(
        table(features().assign(labels=names)), onto
    )
    commas = table(features().assign(labels=joined(",")))
    assert "unknown label 'animal,bird'; if ',' joins the labels, pass separator=','" in refusal(
        commas, onto
    )
    check(read_dataset(commas, ontology=onto, separator=","), onto)


def test_rows_that_are_not_legal(table, onto):
    names = joined()
    names[2] = "bird"
    with pytest.raises(
        co.Contradiction,
        match="Item 2: .*bird is yes, animal is no|Item 2: .*animal is no, bird is yes",
    ):
        read_dataset(table(features().assign(labels=names)), ontology=onto)


def test_rows_that_do_not_match(table, onto, tmp_path):
    message = refusal(table(features()), onto, labels=table(truth()[:-1], "truth.csv"))
    assert "the rows do not match:" in message
    assert "has 12," in message
    assert "has 11;" in message
    path = tmp_path / "zoo.libsvm"
    path.write_text(lines(range(N)))
    assert "the rows do not match:" in refusal(path, onto, labels=tmp_path / "truth.csv")
    assert "has no columns" in refusal(path, onto, label_column="labels")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("data.csv", b"", "is empty"),
        ("data.csv", b"a,b,bird,fish,animal\n", "has no rows"),
        ("data.csv", b"a,a,bird\n1,2,0\n", "has the column 'a' twice"),
        ("data.csv", b"a;bird;fish;animal\n1;0;0;0\n", "seems to separate its columns by ';'"),
        ("data.csv", b"a,bird\n1,2\n1,2,3,4\n", "is not a good csv file"),
        ("data.csv", b"a,\xff\n1,2\n", "is not a good csv file"),
        ("data.parquet", b"PAR1 and no more", "is not a good parquet file, it may be damaged"),
        ("data.csv.gz", b"not compressed", "cannot be read, it may be damaged"),
        ("data.xlsx", b"PK", "neither .parquet, .csv, .tsv nor .libsvm"),
        ("data.libsvm", b"# nothing\n\n", "has no rows"),
        ("data.libsvm", b"bird 1:1\nbird 2:x\n", "line 2: expected index:value, got '2:x'"),
        (
            "data.libsvm",
            b"bird 1:1\n\nbird 2:1 1:1\n",
            "line 3: the numbers of the features must rise, got 1 after 2",
        ),
        (
            "data.libsvm",
            b"bird -1:1\n",
            "line 1: the numbers of the features must start from 0, got -1",
        ),
        ("data.libsvm", b"bird 1:nan\nbird 1:2\n", "row 0, feature 0 has nan"),
    ],
)
def test_files_that_are_not_what_they_seem(tmp_path, onto, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    told = refusal(path, onto)
    assert message in told


def test_files_that_are_not_there(tmp_path, onto):
    assert "data.csv does not exist" in refusal(tmp_path / "data.csv", onto)
    (tmp_path / "data.csv").mkdir()
    assert "is a folder" in refusal(tmp_path / "data.csv", onto)
    with pytest.raises(co.FormatError, match="does not exist"):
        read_dataset(tmp_path / "data.csv", ontology=tmp_path / "none.onto")
