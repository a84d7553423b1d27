"""Hierarchies with data."""

from __future__ import annotations

import gzip
import shutil

import numpy as np
import pandas as pd
import pytest

from corollary.experiment.data.hierarchies import SIBLINGS_EXCLUSIVE

from ...real_data import DATA, needs_data
from ..known_sets import HIERARCHIES, loaded, refusal, share_that_breaks_exclusive_siblings


@needs_data
@pytest.mark.parametrize("name", HIERARCHIES)
def test_hierarchies_have_the_labels_of_their_table(name):
    dataset = loaded(name)
    frame = pd.read_parquet(DATA / name / f"{name}.parquet")
    for i in range(0, len(frame), 101):
        assert {dataset.labels[k] for k in np.flatnonzero(dataset.Y[i])} == set(
            frame["labels"][i].split("@")
        )
    np.testing.assert_array_equal(dataset.test, frame["split"] == "test")
    below = dataset.onto.propagate({dataset.labels[1]: True})
    assert below[dataset.labels[1]] is True
    assert np.isfinite(dataset.X).all()


@needs_data
def test_siblings_exclude_each_other_where_the_data_obey():
    dataset = loaded("hmc_imclef07d")
    assert dataset.onto.propagate({"1": True})["2"] is False
    assert loaded("hmc_enron").onto.propagate({"1": True}) == {"1": True}


@needs_data
def test_training_rows_alone_tell_where_siblings_exclude_each_other():
    broken = {name: share_that_breaks_exclusive_siblings(name) for name in HIERARCHIES}
    assert len(broken) == 5
    assert {name for name, share in broken.items() if share == 0} == SIBLINGS_EXCLUSIVE


@needs_data
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
