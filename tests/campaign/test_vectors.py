"""Vectors of items: alike, and missing where they do not fit."""

from __future__ import annotations

import pytest

from corollary import CorollaryError
from corollary.campaign.items import Item, check_alike, features_of
from corollary.campaign.vectors import SameVectors
from corollary.learning.features.columns import FeaturesWarning


@pytest.mark.parametrize(
    ("vectors", "words"),
    [
        ([[1, 2], [1]], "item '1': its vector has 1 numbers, those of the items before it 2; .*the same model"),
        ([[1, 2], None], "item '1': it has no vector, but the items before it have one of 2 numbers"),
        ([None, [1, 2]], "item '1': it has a vector, but the items before it have none; leave the vectors out"),
        ([[1, 2], ["x", "y"]], "item '1'.*must be a list of numbers"),
        ([[1, 2], "12"], "item '1'.*must be a list of numbers"),
        ([[1, 10**400]], "item '0'.*must be a list of numbers"),
        ([[], []], "item '0'.*must be a list of numbers"),
    ],
)
def test_vectors_must_be_alike(vectors, words):
    items = [Item(str(i), fields={} if vector is None else {"vector": vector}) for i, vector in enumerate(vectors)]
    with pytest.raises(CorollaryError, match=words):
        list(check_alike(items, SameVectors()))


@pytest.mark.parametrize("odd", [None, [1], [1, 2, 3], [], "12", ["x", "y"], [1, 10**400], [1, 1e300], [True, False]])
def test_a_vector_that_does_not_fit_counts_as_missing_to_those_who_learn(odd):
    items = [Item(str(i), fields={"vector": vector}) for i, vector in enumerate([[1, 2], odd, [3, 6]])]
    with pytest.warns(FeaturesWarning, match="1 of 3 items have no vector of 2 numbers"):
        X = features_of(items)
    assert X.tolist() == [[1, 2, 0], [2, 4, 1], [3, 6, 0]]


def test_a_vector_that_is_too_large_to_reckon_with_is_refused():
    with pytest.raises(CorollaryError, match="must be a list of numbers from"):
        SameVectors().check([10**400])
