"""The known data sets at their real size, and where they are looked for."""

from __future__ import annotations

import numpy as np
import pytest

import corollary as co
from corollary.experiment.data import known
from corollary.experiment.data.datasets import draw_split, load_dataset
from corollary.experiment.data.known import KNOWN

from ...real_data import DATA, each, needs_data
from ..known_sets import OFFICIAL, SINGLE, SIZES, loaded, refusal, table_of


def test_every_known_set_is_tested():
    assert set(KNOWN) == set(SIZES)


@each(SIZES)
def test_sizes(name):
    dataset = loaded(name)
    features = None if dataset.X.ndim == 1 else dataset.X.shape[1]  # of texts, none
    found = (dataset.train.sum(), dataset.test.sum(), features, len(dataset.labels))
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


@needs_data
def test_notes_say_what_was_rebuilt_and_assumed():
    notes = {name: " ".join(loaded(name).notes) for name in SIZES}
    for name in ("nell-7", "nell-11", "nell-11-words", "nell-13"):
        assert "rebuilt" in notes[name]
    assert "conjectured" in notes["nell-13"]
    assert "siblings" in notes["hmc_diatoms"]
    assert "siblings" in notes["hmc_imclef07d"]
    assert "missing cells" in notes["hmc_cellcycle_go"]
    assert "validation rows" in notes["hmc_cellcycle_fun"]


def test_a_part_of_a_set_in_the_folder_that_was_named_is_told(tmp_path):
    (tmp_path / "vowel").mkdir()
    (tmp_path / "vowel" / "vowel.scale").write_text("1 1:0\n")
    assert f"(looked in {tmp_path}); to get it: corollary datasets fetch vowel" in refusal(
        "vowel", tmp_path
    )


def test_a_missing_set_says_how_to_get_it(tmp_path):
    assert f"(looked in {tmp_path}); to get it: corollary datasets fetch letter" in refusal(
        "letter", tmp_path
    )
    assert "no public download in this form: set COROLLARY_DATA" in refusal("nell-7", tmp_path)


def test_an_unknown_set_names_the_nearest():
    with pytest.raises(
        co.CorollaryError,
        match="unknown data set 'leter'; did you mean 'letter'.; known are iris, ",
    ):
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
