"""CoNLL04: sentences, mentions and pairs of mentions."""

from __future__ import annotations

import numpy as np
import pytest

import corollary as co
from corollary.experiment.data import conll
from corollary.experiment.data.known import find_files

from ...real_data import DATA
from ..made_up import written_conll


def test_pairs_are_those_of_one_sentence(tmp_path):
    dataset = conll.load(written_conll(tmp_path), seed=1)
    assert len(dataset) == 48  # the sentence with one mention is left out
    assert len(dataset.pairs) == 48
    assert (dataset.pairs.head // 2 == dataset.pairs.tail // 2).all()
    assert int(dataset.train.sum()) == 20
    assert (dataset.R.sum(axis=1) == (dataset.pairs.head % 2 == 0)).all()
    assert dataset.pairs.X.shape[0] == 48
    assert "48 pairs, 2 relations" in repr(dataset)


def test_the_seed_draws_what_is_known_and_which_sentences(tmp_path):
    place = written_conll(tmp_path)
    one, same, other = (conll.load(place, seed=seed, sentences=16) for seed in (0, 0, 1))
    assert len(one) == 32
    np.testing.assert_array_equal(one.Y, same.Y)
    assert (one.train != other.train).any() or (one.Y != other.Y).any()
    with pytest.raises(co.CorollaryError, match="knows 10 sentences at the start; take more"):
        conll.load(place, sentences=10)


def test_load_dataset_finds_it(tmp_path):
    written_conll(tmp_path)
    assert co.load_dataset("conll04", folder=tmp_path, seed=2).name == "conll04"
    with pytest.raises(co.CorollaryError, match="conll04 was not found"):
        co.load_dataset("conll04", folder=tmp_path / "conll04")


def test_a_damaged_line_is_named(tmp_path):
    place = written_conll(tmp_path)
    with (place / "sentences.jsonl").open("a") as file:
        file.write("{}\n")
    with pytest.raises(co.CorollaryError, match="line 26: not a sentence of CoNLL04"):
        conll.load(place)


@pytest.mark.slow
def test_the_real_one():
    dataset = conll.load(find_files(conll.FOLDER, conll.FILES, folder=DATA))
    assert len(dataset) == 4032
    assert len(dataset.pairs) == 12678
    assert dataset.Y.size + dataset.R.size == 79518
