"""Features of pairs from their ends and texts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import corollary as co
from corollary.learning.features.pairs import features_of_pairs


def test_numbers_of_both_ends_their_products_and_differences():
    X = np.array([[1.0, 2.0], [3.0, 5.0]])
    found = features_of_pairs(X, co.Pairs([0, 1], [1, 0]))
    np.testing.assert_array_equal(found[0], [1, 2, 3, 5, 3, 10, 2, 3])
    np.testing.assert_array_equal(found[1], [3, 5, 1, 2, 3, 10, 2, 3])


def test_texts_of_items_and_of_pairs_become_words():
    pairs = co.Pairs([0], [1], texts=["lived in"])
    found = features_of_pairs(["Booth", "Washington"], pairs)
    assert sparse.issparse(found)
    alone = features_of_pairs(["Booth", "Washington"], co.Pairs([0], [1]))
    assert found.shape[1] > alone.shape[1]
    assert features_of_pairs(None, pairs).shape[0] == 1


def test_nothing_to_learn_from_is_an_error():
    with pytest.raises(co.CorollaryError, match="nothing is known of pairs to learn from"):
        features_of_pairs(None, co.Pairs([0], [1]))
