"""Labels before anybody answered: the things of the demo, and what cannot be."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import corollary as co
from corollary.experiment.metrics import weighted_auc

THINGS = co.load_dataset("things")
MEANINGS = {"definitions": THINGS.meaning, "names": "auto", "nothing": None}


@cache
def probable(encoder, meaning="definitions"):
    return co.zero_shot(THINGS.onto, THINGS.X, encoder=encoder, meaning=MEANINGS[meaning])


@pytest.mark.parametrize(("encoder", "least"), [("static", 0.78), ("lexical", 0.7)])
def test_things_are_known_before_the_first_answer(encoder, least):
    found = probable(encoder)
    assert weighted_auc(found, THINGS.Y.astype(bool)) > least
    labels = THINGS.onto.index
    assert (found[:, labels["Bird"]] <= found[:, labels["Animal"]] + 1e-9).all()  # as the ontology says


def test_names_alone_tell_less_than_definitions_and_nothing_nothing():
    def auc(meaning):
        return weighted_auc(probable("static", meaning), THINGS.Y.astype(bool))

    assert auc("definitions") > auc("names") > auc("nothing") + 0.2


def test_scores_of_ones_own():
    """Of a model elsewhere that is right nine times of ten."""
    rng = np.random.default_rng(0)
    told = np.where(rng.random(THINGS.Y.shape) < 0.9, THINGS.Y, 1 - THINGS.Y)
    found = co.zero_shot(THINGS.onto, THINGS.X, meaning=None, similarity=np.where(told, 0.8, 0.2))
    assert weighted_auc(found, THINGS.Y.astype(bool)) > 0.9


def test_what_cannot_be():
    with pytest.raises(co.CorollaryError, match="must be an Ontology"):
        co.zero_shot("a > b", ["text"])
    with pytest.raises(co.CorollaryError, match="is no encoder"):
        co.zero_shot(THINGS.onto, ["text"], encoder=3)
