"""Labels before anybody answered: the things of the demo, and what cannot be."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
import polars as pl
import pytest

import corollary as co
from corollary.experiment.metrics import weighted_auc
from corollary.learning.features.columns import FeaturesWarning

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
    assert (
        found[:, labels["Bird"]] <= found[:, labels["Animal"]] + 1e-9
    ).all()  # as the ontology says


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


def test_scores_of_ones_own_go_by_name_and_item_id():
    texts = pd.Series(list(THINGS.X[:40])).set_axis([f"thing {i}" for i in range(40)])
    scores = pd.DataFrame(
        np.random.default_rng(0).random((40, 30)), columns=THINGS.onto.labels, index=texts.index
    )
    expected = co.zero_shot(THINGS.onto, texts, encoder="lexical", similarity=scores.to_numpy())
    mixed = scores[scores.columns[::-1]][::-1]
    np.testing.assert_array_equal(
        co.zero_shot(THINGS.onto, texts, encoder="lexical", similarity=mixed), expected
    )


def test_what_cannot_be():
    with pytest.raises(co.CorollaryError, match="must be an Ontology"):
        co.zero_shot("a > b", ["text"])
    with pytest.raises(co.CorollaryError, match="is no encoder"):
        co.zero_shot(THINGS.onto, ["text"], encoder=3)
    with pytest.raises(co.CorollaryError, match="X has nothing to read; pass texts"):
        co.zero_shot(THINGS.onto, np.zeros((2, 4)))


def test_a_missing_text_leaves_the_others_as_they_are():
    texts = list(THINGS.X[:40])
    expected = co.zero_shot(THINGS.onto, [*texts, ""], encoder="lexical")
    assert len(np.unique(expected.round(6), axis=0)) > 20
    for gone in (None, np.nan):
        for X in (
            [*texts, gone],
            pd.Series([*texts, gone]),
            pd.DataFrame({"text": [*texts, gone]}),
        ):
            with pytest.warns(
                FeaturesWarning, match="1 of 41 items have no text, the first is item 40"
            ):
                np.testing.assert_array_equal(
                    co.zero_shot(THINGS.onto, X, encoder="lexical"), expected
                )


def test_the_column_text_of_a_table_is_read():
    texts = list(THINGS.X[:40])
    expected = co.zero_shot(THINGS.onto, texts, encoder="lexical")
    frame = pd.DataFrame({"length": list(map(len, texts)), "text": texts})
    for X in (frame, pl.from_pandas(frame), frame.to_dict("records"), frame.to_dict("list")):
        np.testing.assert_array_equal(co.zero_shot(THINGS.onto, X, encoder="lexical"), expected)
