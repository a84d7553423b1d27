"""Reading items: texts of every kind, pictures with an encoder of one's own, similarities from elsewhere."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import corollary as co
from corollary.learning.features.encoded import NAMES, OWN, RUNS, SEMANTIC, WORDS
from corollary.learning.meaning.label_texts import label_texts
from corollary.learning.meaning.reader import (
    Reader,
    check_similarity,
    check_texts,
    is_texts,
    read_items,
)
from corollary.logic.errors import CorollaryError

ONTO = co.Ontology.parse("animal > exclusive: bird, fish")
TEXTS = [
    f"{kind} number {n}"
    for n, kind in enumerate(["a robin sings", "a trout swims", "stones lie still"] * 5)
]


@pytest.mark.parametrize(
    ("options", "kinds"),
    [
        ({"encoder": "static"}, (SEMANTIC, WORDS, RUNS, NAMES)),
        ({"encoder": "lexical"}, (WORDS, RUNS, NAMES)),
        ({"encoder": "static", "meaning": None}, ()),
        ({"encoder": lambda texts: np.ones((len(texts), 3))}, (SEMANTIC, WORDS, RUNS, NAMES)),
    ],
)
def test_what_is_made_of_texts(options, kinds):
    found = read_items(ONTO, TEXTS, **options)
    assert found.kinds == kinds
    assert found.similarities.shape == (len(kinds), len(TEXTS), 3)
    assert len(found) == found.shape[0] == len(TEXTS)
    assert np.isfinite(found.features).all()
    some = found[[3, 1]]
    np.testing.assert_array_equal(some.features, found.features[[3, 1]])
    np.testing.assert_array_equal(some.similarities, found.similarities[:, [3, 1]])


def test_an_item_is_read_by_itself():
    reader = Reader(ONTO, label_texts(ONTO.labels, "auto"), encoder="static").fit(TEXTS)
    all_of_them, one = reader.read(TEXTS), reader.read(TEXTS[4:5])
    np.testing.assert_allclose(one.features, all_of_them.features[4:5], atol=1e-6)
    np.testing.assert_allclose(one.similarities, all_of_them.similarities[:, 4:5], atol=1e-6)


def test_the_words_of_a_label_are_found():
    found = (
        Reader(ONTO, label_texts(ONTO.labels, "auto"), encoder="lexical")
        .fit(["a fish", "some stone"])
        .read(["a fish", "some stone"])
    )
    words = found.similarities[found.kinds.index(WORDS)]
    assert words[0, ONTO.index["fish"]] > 0
    assert not words[1].any()


def test_synonyms_are_found_in_texts():
    found = read_items(ONTO, ["a Robin's nest", "a nest"], meaning={"bird": "robin; wren: flies"})
    names = found.similarities[found.kinds.index(NAMES)]
    assert names.tolist() == [[1, 1, -1], [0, 0, 0]]


@pytest.mark.parametrize(
    "texts",
    [["only one"], ["", "", ""], ["", "a robin"], ["鳥", "рыба", "fish \ud800"], ["x" * 10_000]],
)
@pytest.mark.parametrize("encoder", ["static", "lexical"])
def test_odd_texts(texts, encoder):
    probable = co.zero_shot(ONTO, texts, encoder=encoder)
    assert probable.shape == (len(texts), 3)
    assert ((probable >= 0) & (probable <= 1)).all()


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        ("one text", "must be a list of them"),
        (["a", 3], "item 1 must be text, got 3"),
        (None, "must be a list"),
    ],
)
def test_what_are_no_texts(texts, told):
    with pytest.raises(CorollaryError, match=told):
        check_texts(texts)
    assert check_texts(["a", None]) == ["a", ""]


def test_what_are_texts():
    assert all(map(is_texts, (["a"], ("a", "b"), np.array(["a"]), pd.Series(["a"]))))
    assert not any(
        map(is_texts, ([], "a", [1], ["a", 1], np.ones(2), {"a": ["b"]}, None, [{"a": "b"}]))
    )


def test_things_that_an_encoder_takes():
    """Pictures, here numbers of pixels, and names meet in one space."""
    pictures = [np.full((2, 2), value) for value in (1.0, 5.0, 9.0)]
    seen = {"animal": [1.0, 1.0], "bird": [1.0, 0.0], "fish": [0.0, 1.0]}

    def encode(things):
        return [
            seen[one] if isinstance(one, str) else [one.mean(), 10 - one.mean()] for one in things
        ]

    found = read_items(ONTO, pictures, encoder=encode)
    assert found.kinds == (SEMANTIC,)
    assert (
        found.similarities[0, 0, ONTO.index["fish"]] > found.similarities[0, 0, ONTO.index["bird"]]
    )


@pytest.mark.parametrize(
    "X", [np.random.default_rng(0).random((6, 4)), sparse.random(6, 40, 0.5, random_state=0)]
)
def test_a_similarity_of_ones_own_beside_any_features(X):
    scores = np.random.default_rng(1).standard_normal((6, 3))
    found = read_items(ONTO, X, similarity=scores)
    assert found.kinds == (OWN,)
    np.testing.assert_allclose(found.similarities[0], scores, rtol=1e-6)


def test_probabilities_become_log_odds():
    np.testing.assert_allclose(
        check_similarity([[0.5, 0.9]], ("a", "b"), 1), [[0, np.log(9)]], atol=1e-6
    )
    assert np.isfinite(check_similarity([[0.0, 1.0]], ("a", "b"), 1)).all()


@pytest.mark.parametrize("wrong", [[[1.0]], [[1.0, np.nan]], [["a", "b"]], 3, None])
def test_what_is_no_similarity(wrong):
    with pytest.raises(CorollaryError, match="similarity must be"):
        check_similarity(wrong, ("a", "b"), 1)
