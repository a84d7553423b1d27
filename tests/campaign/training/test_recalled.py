"""Vectors of texts, kept or new: those that are learnt from are those that are kept."""

from __future__ import annotations

import numpy as np
import pytest

from corollary.campaign.items import Picture
from corollary.campaign.training import recalled
from corollary.campaign.training.recalled import recall, sha256_of
from corollary.learning.session.training import ToRead

LABELS = ("animal", "bird: has feathers", "fish")
TEXTS = (
    "a robin with feathers",
    "a pike in the water",
    "a stone on the hill",
    "",
    "a wren",
    "an eel",
)


class Letters:
    """An encoder that counts letters."""

    name = "letters 1"

    def encode(self, texts):
        return np.array(
            [[text.count(letter) for letter in "aeinrst"] for text in texts], np.float64
        )


@pytest.fixture(autouse=True)
def letters(monkeypatch):
    monkeypatch.setattr(recalled, "make_encoder", lambda _: Letters())


def test_vectors_are_rounded_before_they_are_used():
    found = recall(ToRead("letters", LABELS), TEXTS, (), {})
    vectors = found.encode(TEXTS)
    np.testing.assert_array_equal(vectors, vectors.astype(np.float16))
    exact = Letters().encode(TEXTS[:1])
    np.testing.assert_allclose(vectors[:1], exact / np.linalg.norm(exact), atol=1e-3)
    np.testing.assert_array_equal(vectors[3], 0)


def test_an_encoder_that_takes_no_pictures_is_not_asked_for_them():
    found = recall(
        ToRead("letters", LABELS), TEXTS, [Picture("a.png", "image/png", b"what it is")], {}
    )
    assert found.new.keys() == {sha256_of(text) for text in TEXTS}
    assert found.in_log == {"name": "letters 1"}


def test_texts_and_pictures_are_told_apart_by_what_they_are():
    assert sha256_of("a") == sha256_of(b"a") != sha256_of("b")
