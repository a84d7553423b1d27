"""Models of sentence-transformers, where that is at hand; what is told where it is not, or a model cannot be had."""

from __future__ import annotations

import sys
import types

import numpy as np
import pytest
from PIL import Image

from corollary.learning.meaning.models import Model
from corollary.logic.errors import CorollaryError


@pytest.fixture
def library(monkeypatch):
    """The edge of the library: one folder holds a model, all else would have to be fetched."""

    class SentenceTransformer:
        def __init__(self, name):
            self.seen = name == "models/seen"
            if name not in ("models/tiny", "models/seen"):
                raise OSError("no connection to the hub\nand much more")
            config = types.SimpleNamespace(_commit_hash="0123456789abcdef")
            self.parts = [types.SimpleNamespace(auto_model=types.SimpleNamespace(config=config))]

        def __getitem__(self, k):
            return self.parts[k]

        def supports(self, modality):
            return modality == "text" or self.seen

        def encode(self, things, **options):
            assert options == {
                "batch_size": 32,
                "show_progress_bar": False,
                "convert_to_numpy": True,
            }
            assert (
                len({type(thing) for thing in things}) == 1
            )  # it takes texts and pictures apart only
            return np.array([[_size(thing), 1.0] for thing in things])

    module = types.ModuleType("sentence_transformers")
    module.SentenceTransformer = SentenceTransformer
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)


def _size(thing):
    return (
        thing.width
        if isinstance(thing, Image.Image)
        else len(thing["text"] if isinstance(thing, dict) else thing)
    )


def test_a_model_from_a_folder(library):
    model = Model("models/tiny")
    assert not model.takes_pictures
    assert model.name == "tiny@0123456789ab"
    np.testing.assert_array_equal(model.encode(["a", "bb"]), [[1, 1], [2, 1]])


def test_a_model_that_cannot_be_had_is_named_with_the_way_to_bring_it_along(library):
    with pytest.raises(CorollaryError) as caught:
        Model("big/one")
    told = str(caught.value)
    assert "the model 'big/one' cannot be loaded (OSError: no connection to the hub)" in told
    assert "SentenceTransformer('big/one').save('FOLDER')" in told
    assert "much more" not in told


def test_texts_and_pictures_go_through_the_model_apart_and_come_back_in_order(library):
    model = Model("models/seen")
    assert model.takes_pictures
    pictures = [Image.new("L", (width, 2)) for width in range(5, 16)]
    found = model.encode(["a", *pictures, "https://example.org/a.png"])
    np.testing.assert_array_equal(found[:, 0], [1, *range(5, 16), 25])


def test_a_model_of_texts_says_that_it_takes_no_pictures(library):
    with pytest.raises(
        CorollaryError,
        match="the model 'tiny@0123456789ab' takes texts only, got bytes; pictures need",
    ):
        Model("models/tiny").encode(["a", b"a picture"])
