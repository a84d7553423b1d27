"""Vectors of items: alike, and missing where they do not fit."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import corollary as co
from corollary import CorollaryError
from corollary.campaign.campaign import Campaign
from corollary.campaign.files.exports.exports import text_of
from corollary.campaign.files.exports.provenance import take_snapshot
from corollary.campaign.items import Item, check_alike, features_of
from corollary.campaign.storage import rows
from corollary.campaign.storage.backups import restore
from corollary.campaign.vectors import LARGEST, SameVectors, is_vector, packed, unpacked
from corollary.learning.features.columns import FeaturesWarning


@pytest.mark.parametrize(
    ("vectors", "words"),
    [
        (
            [[1, 2], [1]],
            "item '1': its vector has 1 numbers, those of earlier items have 2; .*the same model",
        ),
        (
            [[1, 2], None],
            "item '1': it has no vector, but earlier items have one of 2 numbers",
        ),
        (
            [None, [1, 2]],
            "item '1': it has a vector, but earlier items have none; leave vectors out",
        ),
        ([[1, 2], ["x", "y"]], "item '1'.*must be a list of numbers"),
        ([[1, 2], "12"], "item '1'.*must be a list of numbers"),
        ([[1, 10**400]], "item '0'.*must be a list of numbers"),
        ([[], []], "item '0'.*must be a list of numbers"),
    ],
)
def test_vectors_must_be_alike(vectors, words):
    items = [
        Item(str(i), fields={} if vector is None else {"vector": vector})
        for i, vector in enumerate(vectors)
    ]
    with pytest.raises(CorollaryError, match=words):
        list(check_alike(items, SameVectors()))


@pytest.mark.parametrize(
    "odd", [None, [1], [1, 2, 3], [], "12", ["x", "y"], [1, 10**400], [1, 1e300], [True, False]]
)
def test_a_vector_that_does_not_fit_counts_as_missing_to_those_who_learn(odd):
    items = [
        Item(str(i), fields={"vector": vector}) for i, vector in enumerate([[1, 2], odd, [3, 6]])
    ]
    with pytest.warns(FeaturesWarning, match="1 of 3 items have no vector of 2 numbers"):
        X = features_of(items)
    assert X.tolist() == [[1, 2, 0], [2, 4, 1], [3, 6, 0]]


def test_a_vector_that_is_too_large_to_reckon_with_is_refused():
    with pytest.raises(CorollaryError, match="must be a list of numbers from"):
        SameVectors().check([10**400])


def is_naively(vector):
    """The same, number by number."""
    return bool(vector) and all(
        isinstance(one, int | float) and not isinstance(one, bool) and -LARGEST <= one <= LARGEST
        for one in vector
    )


@given(
    st.lists(
        st.one_of(st.integers(), st.floats(), st.booleans(), st.none(), st.text(max_size=1)),
        max_size=3,
    )
)
def test_what_is_a_vector(vector):
    assert is_vector(vector) == is_naively(vector)


@given(st.lists(st.floats(-LARGEST, LARGEST), min_size=1))
def test_vectors_are_stored_in_single_precision(vector):
    assert unpacked(packed(vector)).tolist() == np.array(vector, np.float32).tolist()
    assert is_vector(unpacked(packed(vector)))


WORDS = ("a bird", "a fish")
PRECISE = [
    [0.1 * (k % 2), 1 / 3, float(k)] for k in range(8)
]  # none of them a number in single precision


def embedded(path):
    items = [Item(str(k), WORDS[k % 2], {"vector": vector}) for k, vector in enumerate(PRECISE)]
    settings = {"learner": "logistic", "retrain_every": 10**6}
    facts = [(str(k), "a", k % 2 == 0) for k in range(4)]
    return Campaign.create(
        path, items, co.Ontology(["a", "b"]), name="x", settings=settings, facts=facts
    )


def test_nobody_reads_vectors_but_those_who_learn(tmp_path, monkeypatch):
    path = tmp_path / "x.sqlite"
    with embedded(path) as made:
        made.add("lead", [Item("more", "a fish", {"vector": [0.7, 0.1, 1.1]})])
        with pytest.raises(CorollaryError, match="item 'odd': its vector has 2 numbers"):
            made.add("lead", [Item("odd", "a fish", {"vector": [1, 2]})])
        made.retrain(wait=True)
        assert made.state.model.value
        beliefs = made.state.session.beliefs
    with closing(sqlite3.connect(path)) as stored:
        assert stored.execute("SELECT DISTINCT fields FROM items").fetchall() == [("{}",)]
        assert stored.execute("SELECT DISTINCT length(data) FROM vectors").fetchall() == [(12,)]
    with monkeypatch.context() as patch:
        patch.setattr(rows, "unpacked", None)  # whoever reads one fails
        with Campaign.open(path) as again:
            assert again.progress()["items"] == 9
            assert "vector" not in again.items()[0].fields
            list(text_of(take_snapshot(again), "csv-items"))
            with pytest.raises(CorollaryError, match="item 'odd': it has no vector"):
                again.add("lead", [Item("odd", "a fish")])
    with Campaign.open(path, readonly=True) as again:
        np.testing.assert_array_equal(again.state.session.beliefs, beliefs)
        assert again.verify() == []  # trained again, from what is stored, to the bit


def test_vectors_of_campaigns_of_before_are_learnt_from_as_they_are(tmp_path):
    path = tmp_path / "x.sqlite"
    embedded(path).close()
    with closing(sqlite3.connect(path)) as stored, stored:
        stored.execute("DROP TABLE vectors")
        stored.execute("DROP TABLE reports")
        stored.execute("DELETE FROM schema WHERE version > 3")
        for k, vector in enumerate(PRECISE):
            stored.execute(
                "UPDATE items SET fields = ? WHERE id = ?", (json.dumps({"vector": vector}), str(k))
            )
    with Campaign.open(path, readonly=True) as old:
        assert features_of(old._live.items_to_learn())[:, -3:].toarray().tolist() == PRECISE
    with Campaign.open(path) as old:
        old.add("lead", [Item("more", "a fish", {"vector": [0.7, 0.1, 1.1]})])
        X = features_of(old._live.items_to_learn())
        assert X[:, -3:].toarray().tolist() == [
            *PRECISE,
            np.array([0.7, 0.1, 1.1], np.float32).tolist(),
        ]


def test_a_portable_backup_has_the_vectors(tmp_path):
    with embedded(tmp_path / "x.sqlite") as made:
        made.backup(tmp_path / "x.jsonl.gz")
        before = features_of(made._live.items_to_learn())
    restore(tmp_path / "x.jsonl.gz", tmp_path / "y.sqlite")
    with Campaign.open(tmp_path / "y.sqlite", readonly=True) as again:
        assert (features_of(again._live.items_to_learn()) != before).sum() == 0
