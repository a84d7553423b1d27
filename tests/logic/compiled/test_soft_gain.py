from __future__ import annotations

import numpy as np
import pytest

import corollary as co
from corollary.logic.compiled.soft_gain import MOST_CONDITIONS


def test_the_gain_of_two_labels_tied_softly():
    onto = co.Ontology(["a", "b"], [co.equivalent("a", "b", weight=2.0)])
    p = np.exp([0.0, -2.0, -2.0, 0.0])
    p /= p.sum()  # of 00, 01, 10, 11, where beliefs say nothing
    information = np.log(2) * 2 + (p * np.log(p)).sum()
    np.testing.assert_allclose(onto.gain([[0.5, 0.5]]), [[information] * 2], rtol=0, atol=1e-12)


def test_a_label_that_too_much_bears_on_is_refused_and_the_posterior_is_not():
    others = [f"o{n}" for n in range(MOST_CONDITIONS + 1)]
    onto = co.Ontology(["a", *others], [co.implies("a", other, weight=1.0) for other in others])
    even = np.full((1, len(onto)), 0.5)
    with pytest.raises(
        co.CorollaryError, match="the gain of 'a' is too much work: 13 soft constraints bear on it"
    ):
        onto.gain(even)
    kept = 0.5 + 0.5 * np.exp(-1)  # of an a, each other breaks it or not
    np.testing.assert_allclose(onto.posterior(even)[0, 0], kept**13 / (kept**13 + 1), atol=1e-12)


def test_what_always_follows_from_the_others_tells_nothing_more():
    onto = co.Ontology(["a", "b", "c"], [co.equivalent("a", "b"), co.implies("b", "c", weight=1.0)])
    found = onto.infer([[0.3, 0.6, 0.5]], gain=True)
    entropy = -(q := found.posterior[0, 0]) * np.log(q) - (1 - q) * np.log(1 - q)
    np.testing.assert_allclose(found.gain[0, :2], entropy, atol=1e-12)
