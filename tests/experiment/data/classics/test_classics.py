"""The data sets of the package: to the bit, without tables, downloads or a network."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corollary.experiment.data import classics, known
from corollary.experiment.data.classics.__main__ import make
from corollary.experiment.data.datasets import load_dataset

from ....real_data import DATA, needs_data
from ...known_sets import SIZES, refusal


@needs_data
@pytest.mark.parametrize("name", classics.NAMES)
def test_what_the_package_has_is_what_the_tables_have_to_the_bit(name, tmp_path):
    ours, theirs = load_dataset(name, folder=tmp_path), load_dataset(name, folder=DATA)
    assert known.find(name, folder=tmp_path) == classics.FOLDER
    assert known.find(name, folder=DATA) == DATA / name
    assert ours.X.tobytes() == theirs.X.tobytes()
    np.testing.assert_array_equal(ours.Y, theirs.Y)
    np.testing.assert_array_equal(ours.train, theirs.train)
    assert (ours.onto, ours.notes) == (theirs.onto, theirs.notes)


@needs_data
def test_the_files_of_the_package_are_what_the_program_makes(tmp_path):
    make(DATA, tmp_path)
    for name in classics.NAMES:
        made, kept = (
            gzip.decompress((folder / f"{name}.tsv.gz").read_bytes())
            for folder in (tmp_path, classics.FOLDER)
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


@pytest.mark.parametrize(
    "text", ["label\tsplit\tx\na\tall\tone\n", "label\tsplit\tx\na\tall\n", "x\ty\n", "label\n"]
)
def test_a_damaged_file_of_the_package(tmp_path, text):
    (tmp_path / "iris").mkdir()
    (tmp_path / "iris" / "iris.tsv.gz").write_bytes(gzip.compress(text.encode()))
    assert "iris.tsv.gz is damaged" in refusal("iris", tmp_path)
