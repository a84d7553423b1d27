"""Models of sentence-transformers, where that is at hand; what is told where it is not, or a model cannot be had."""

from __future__ import annotations

import sys
import types

import numpy as np
import pytest

from corollary.learning.meaning.models import Model
from corollary.logic.errors import CorollaryError


@pytest.fixture
def library(monkeypatch):
    """The edge of the library: one folder holds a model, all else would have to be fetched."""

    class SentenceTransformer:
        def __init__(self, name):
            if name != "models/tiny":
                raise OSError("no connection to the hub\nand much more")
            config = types.SimpleNamespace(_commit_hash="0123456789abcdef")
            self.parts = [types.SimpleNamespace(auto_model=types.SimpleNamespace(config=config))]

        def __getitem__(self, k):
            return self.parts[k]

        def encode(self, things, **options):
            assert options == {"batch_size": 32, "show_progress_bar": False, "convert_to_numpy": True}
            return np.array([[len(thing), 1.0] for thing in things])

    module = types.ModuleType("sentence_transformers")
    module.SentenceTransformer = SentenceTransformer
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)


def test_a_model_from_a_folder(library):
    model = Model("models/tiny")
    assert model.name == "tiny@0123456789ab"
    np.testing.assert_array_equal(model.encode(["a", "bb"]), [[1, 1], [2, 1]])


def test_a_model_that_cannot_be_had_is_named_with_the_way_to_bring_it_along(library):
    with pytest.raises(CorollaryError) as caught:
        Model("big/one")
    told = str(caught.value)
    assert "the model 'big/one' cannot be loaded (OSError: no connection to the hub)" in told
    assert "SentenceTransformer('big/one').save('FOLDER')" in told
    assert "much more" not in told
