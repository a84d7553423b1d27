"""Data sets with one exclusive group of classes: official splits, scaled features."""

from __future__ import annotations

import numpy as np
import pandas as pd

from corollary.experiment.data.datasets import load_dataset

from ...real_data import DATA, each, needs_data
from ..known_sets import OFFICIAL, SINGLE, loaded, refusal


@needs_data
def test_official_splits_are_the_first_rows():
    letter = loaded("letter")
    assert letter.train[:15000].all()
    frame = pd.read_parquet(DATA / "letter" / "letter.parquet")
    assert [letter.labels[k] for k in letter.Y[:100].argmax(axis=1)] == frame["label"].tolist()[
        :100
    ]


@each(SINGLE[:-1])
def test_features_are_scaled_by_the_training_file(name):
    dataset = loaded(name)
    rows = dataset.X[dataset.train] if name in OFFICIAL else dataset.X
    low, high = rows.min(axis=0), rows.max(axis=0)
    varied = high > low
    np.testing.assert_allclose(
        [low[varied], high[varied]], [[-1] * varied.sum(), [1] * varied.sum()], atol=1e-12
    )
    assert (dataset.X[:, ~varied] == 0).all()
    assert (~varied).sum() == (name == "segment")


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
