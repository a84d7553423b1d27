"""A model believes of rows what it believes of them among all others."""

from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pytest

import corollary as co
from corollary.logic.errors import CorollaryError
from corollary.scale.model import Learning, fitted

from .pools import ZOO, some_facts

ONTO = co.Ontology.parse(ZOO)


def test_beliefs_are_the_same_wherever_rows_are_cut():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 20)).astype(np.float32)
    model = fitted(ONTO, X, ONTO.propagate(some_facts(ONTO, 1000, rng)), Learning("crf"))
    model = pickle.loads(pickle.dumps(model))
    whole = model.beliefs(X, end=True)
    bounds = [0, 1, 8, 333, 777, 999, 1000]
    parts = [
        model.beliefs(X[low:high], first=low, end=high == 1000) for low, high in pairwise(bounds)
    ]
    assert [len(part) for part in parts] == np.diff(bounds).tolist()
    assert np.allclose(np.vstack(parts), whole, rtol=0, atol=1e-14)


def test_texts_are_forgotten_once_they_are_read():
    texts = ["a bird that flies", "a fish in the river", "a city by the river", "a mammal"] * 5
    made: list[str] = []

    def encode(things):
        made.extend(things)
        return np.array([[len(thing), thing.count("r"), 1.0] for thing in things])

    model = fitted(ONTO, texts, np.full((20, len(ONTO)), -1, np.int8), Learning("meaning", encode))
    assert model.reads
    model.prepare.reader.forget()
    before = len(made)
    first, second = model.beliefs(texts), model.beliefs(texts)
    assert (first == second).all()
    assert made[before:].count(texts[0]) == 2
    assert not model.prepare.reader.encoding._kept


def test_an_encoder_without_texts_is_told():
    with pytest.raises(CorollaryError, match="an encoder reads texts"):
        fitted(
            ONTO, np.zeros((3, 2)), np.full((3, len(ONTO)), -1, np.int8), Learning(encoder="static")
        )


def test_a_learner_of_ones_own_sees_items_as_they_are():
    class Own:
        def fit(self, X, facts):
            self.seen = X
            return self

        def predict_proba(self, X):
            assert isinstance(X, dict)
            return np.full((len(X["a"]), len(ONTO)), 0.5)

    X = {"a": [1, 2, 3]}
    model = fitted(ONTO, X, np.full((3, len(ONTO)), -1, np.int8), Learning(Own()))
    assert model.learner.seen is X
    assert model.beliefs(X, first=5).shape == (3, len(ONTO))
    assert not model.reads
