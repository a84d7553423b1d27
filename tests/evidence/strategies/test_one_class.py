"""Labellings as classes: numbers of those that are known, probabilities of those that may be."""

from __future__ import annotations

import numpy as np
import pytest

import corollary as co
from evidence.strategies.one_class import class_beliefs, classes_of

from .situations import ONTO, half_known


def test_items_with_the_same_labelling_have_the_same_class() -> None:
    now = half_known(ONTO)
    classes = classes_of(now, np.arange(10))
    assert sorted(set(classes)) == list(range(len(set(classes))))
    for i in range(10):
        for j in range(10):
            assert (classes[i] == classes[j]) == (now.known[i] == now.known[j]).all()


def test_the_probabilities_of_classes_are_those_of_labellings() -> None:
    now = half_known(ONTO)  # animal > bird, fish, or neither of them; place; or nothing at all
    found = class_beliefs(now, "margin")
    assert found.sum(axis=1) == pytest.approx(np.ones(30))
    posterior = now.posterior(np.arange(30), now.known)
    bird, fish, place = (
        posterior[:, ONTO.labels.index(label)] for label in ("bird", "fish", "place")
    )
    alone = posterior[:, ONTO.labels.index("animal")] - bird - fish
    worlds = np.stack([bird, fish, place, alone, 1 - bird - fish - place - alone], axis=1)
    assert np.sort(found, axis=1) == pytest.approx(np.sort(worlds, axis=1))


def test_where_several_labels_hold_there_are_no_classes() -> None:
    with pytest.raises(
        co.CorollaryError, match="margin knows one class an item: it runs where one label is picked"
    ):
        class_beliefs(half_known(co.Ontology(["a", "b"])), "margin")
