"""Static embeddings, the real ones: the mean of token vectors, for every kind of text."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.learning.meaning.encoders import Encoding
from corollary.learning.meaning.static import LONGEST, Static, _files

ENCODER = Static()


def naive(text):
    vectors, tokenizer, _ = _files()
    rows = [
        vectors[token] for token in tokenizer.encode(text[:LONGEST], add_special_tokens=False).ids
    ]
    return sum(rows) / len(rows) if rows else np.zeros(vectors.shape[1])


@settings(max_examples=50)
@given(st.lists(st.text(st.characters(exclude_categories=("Cs",))), max_size=5))
def test_it_is_the_mean_of_the_token_vectors(texts):
    found = ENCODER.encode(texts)
    assert found.shape == (len(texts), 256)
    for row, text in zip(found, texts, strict=True):
        np.testing.assert_allclose(row, naive(text), atol=1e-4)


def test_each_text_by_itself():
    texts = ["what is my credit limit", "", "play a song", "wo ist der Bahnhof", "鳥は飛ぶ"]
    together = ENCODER.encode(texts)
    for row, text in zip(together, texts, strict=True):
        np.testing.assert_array_equal(row, ENCODER.encode([text])[0])
    assert not together[1].any()
    assert np.isfinite(together).all()


def test_like_means_like():
    rows = Encoding(ENCODER).of(["a robin in the garden", "bird", "city", "the capital of France"])
    alike = rows @ rows.T
    assert alike[0, 1] > alike[0, 2]
    assert alike[3, 2] > alike[3, 1]


@pytest.mark.parametrize("text", ["word " * 100_000, "a" * 1_000_000])
def test_a_long_text_is_read_as_far_as_is_said(text):
    np.testing.assert_array_equal(ENCODER.encode([text]), ENCODER.encode([text[:LONGEST]]))
