"""The NELL tasks: the truth follows the knowledge base, nothing leaks."""

from __future__ import annotations

import gzip
import shutil

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_svmlight_file

import corollary as co
from corollary.experiment.data import nell

from ...real_data import DATA, needs_data
from ..known_sets import loaded, refusal


def test_relations_have_domain_range_and_relations_above_them(tmp_path):
    for name, lines in (
        ("categories.txt", ["category", "thing", "animal", "food"]),
        ("subsumption.tsv", ["child\tparent", "animal\tthing", "food\tthing"]),
        ("mutex_pairs.tsv", ["a\tb", "animal\tfood"]),
        (
            "relations.tsv",
            [
                "relation\tdomain\trange\tparents",
                "eats\tanimal\tfood\t",
                "hunts\tanimal\t\teats,unknown",
            ],
        ),
    ):
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    onto = nell.ontology(tmp_path)
    assert onto.relations == ("eats", "hunts")
    known, related = onto.linked(co.Pairs([0], [1])).propagate(None, {(0, 1): {"hunts": True}})
    assert known.tolist() == [[1, 1, 0], [1, 0, 1]]
    assert related.tolist() == [[1, 1]]
    (tmp_path / "mutex_pairs.tsv.gz").write_bytes(gzip.compress(b"a\tb\nanimal\n"))
    with pytest.raises(co.CorollaryError, match="line 2: 1 columns, expected 2"):
        nell.ontology(tmp_path)


@needs_data
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
    same = thirteen.Y[:, :7].any(
        axis=1
    )  # the items of nell-7 are among those of nell-13, with the same labels
    np.testing.assert_array_equal(thirteen.Y[same][:, :11], eleven.Y)


@needs_data
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


@needs_data
def test_words_alone_leave_out_the_neighbours_too():
    whole, words = loaded("nell-11"), loaded("nell-11-words")
    with gzip.open(DATA / "nell_995" / "feature_names.txt.gz", "rt", encoding="utf-8") as file:
        names = np.array([line.rstrip("\n") for line in file])
    counts, _ = load_svmlight_file(str(DATA / "nell_995" / "features.libsvm.gz"))
    rows = (
        pd.read_parquet(DATA / "nell_995" / "rows.parquet")["category"]
        .isin(whole.labels[:7])
        .to_numpy()
    )
    alone = counts[rows][:, [name.startswith(("t:", "first:", "last:", "c:")) for name in names]]
    np.testing.assert_allclose(words.X.sum(axis=1), np.asarray(alone.sum(axis=1)).ravel())
    assert words.X.shape[1] < whole.X.shape[1]
    np.testing.assert_array_equal(words.Y, whole.Y)
    np.testing.assert_array_equal(words.train, whole.train)


@needs_data
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
