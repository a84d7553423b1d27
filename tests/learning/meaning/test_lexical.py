"""What texts share to the letter, against scikit-learn's TF-IDF without hashing."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from corollary.learning.meaning.lexical import Lexical, products

TEXTS = [
    "freeze my account",
    "what is the credit limit",
    "raise the credit limit please",
    "play a song",
    "",
]
LABELS = ["credit limit", "freeze account", "something else"]


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("words", {"token_pattern": r"\b\w+\b"}),
        ("runs", {"analyzer": "char_wb", "ngram_range": (3, 5)}),
    ],
)
def test_products_are_those_of_tf_idf(kind, options):
    lexical = Lexical().fit(TEXTS + LABELS)
    plain = TfidfVectorizer(sublinear_tf=True, **options).fit(TEXTS + LABELS)
    found = products(getattr(lexical, kind)(TEXTS), getattr(lexical, kind)(LABELS))
    np.testing.assert_allclose(
        found, (plain.transform(TEXTS) @ plain.transform(LABELS).T).toarray(), atol=1e-6
    )


def test_words_and_runs_side_by_side():
    lexical = Lexical().fit(TEXTS)
    assert (
        lexical.encode(TEXTS).shape[1]
        == lexical.words(TEXTS).shape[1] + lexical.runs(TEXTS).shape[1]
    )


def test_texts_without_a_word():
    lexical = Lexical().fit(["", "  "])
    assert lexical.words(["new words"]).shape == (1, 0)
    assert products(lexical.words(["a"]), lexical.words(["b"])).tolist() == [[0.0]]


def test_what_was_counted_is_not_counted_again_and_gives_the_same():
    lexical = Lexical().fit(TEXTS + LABELS)
    asked = (TEXTS, TEXTS[:2], TEXTS + LABELS, LABELS, [*TEXTS[:2], "another"])
    kept = [lexical.encode(texts).toarray() for texts in asked]
    lexical.forget()
    for texts, found in zip(asked, kept, strict=True):
        np.testing.assert_array_equal(lexical.encode(texts).toarray(), found)
