"""Items that were read: rows of them, and what learners make of them that cannot read."""

from __future__ import annotations

import numpy as np

import corollary as co
from corollary.learning.features.encoded import SEMANTIC, Encoded
from corollary.learning.learners.crf import CRF

NUMBERS = np.arange(18, dtype=np.float32)
READ = Encoded(NUMBERS[:12].reshape(6, 2), NUMBERS.reshape(1, 6, 3), (SEMANTIC,))


def test_some_of_the_items():
    assert len(READ) == 6
    assert READ.shape == (6, 2)
    for rows in ([4, 0], np.array([True, False] * 3), slice(1, 3)):
        np.testing.assert_array_equal(READ[rows].features, READ.features[rows])
        np.testing.assert_array_equal(READ[rows].similarities, READ.similarities[:, rows])
        assert READ[rows].kinds == READ.kinds


def test_what_else_is_known_stands_beside():
    both = READ.beside(READ)
    np.testing.assert_array_equal(both.features, np.hstack([READ.features, READ.features]))
    np.testing.assert_array_equal(
        both.similarities, np.concatenate([READ.similarities, READ.similarities])
    )
    assert both.kinds == (SEMANTIC, SEMANTIC)


def test_a_learner_that_cannot_read_sees_the_features():
    onto = co.Ontology.parse("animal > exclusive: bird, fish")
    known = np.array([[1, 1, 0], [0, 0, 0], [1, 0, 1]] * 2, np.int8)
    read, plain = (CRF(onto).fit(X, known).decision_function(X) for X in (READ, READ.features))
    np.testing.assert_array_equal(read, plain)
