"""Rates of witnesses, counted from posteriors, and their intervals."""

from __future__ import annotations

import numpy as np

import corollary as co
from corollary.learning.witnesses.measures import REACH, measure
from corollary.learning.witnesses.parts import Parts
from corollary.learning.witnesses.reports import read_reports

ONTO = co.Ontology(["a", "b"])


def made(tables):
    said = read_reports(tables, ONTO)
    return Parts(said, ONTO, np.full((len(said.items), 2), -1, np.int8))


def test_rates_are_those_counted_from_what_is_probably_true():
    rng = np.random.default_rng(0)
    votes, scores = rng.integers(2, size=(400, 2)).astype(float), rng.random((400, 2))
    votes[:, 1] = np.nan
    q = rng.random((400, 2))
    found = measure(made({"ann": votes, "model": scores}), q, np.zeros((400, 2)))
    accuracy, low, high = found.accuracy
    np.testing.assert_allclose(
        accuracy[0, 0], np.where(votes[:, 0] == 1, q[:, 0], 1 - q[:, 0]).mean()
    )
    np.testing.assert_allclose(accuracy[1], np.where(scores > 0.5, q, 1 - q).mean(axis=0))
    assert np.isnan([accuracy[0, 1], low[0, 1], high[0, 1]]).all()
    said = scores[:, 0] > 0.5
    np.testing.assert_allclose(
        found.sensitivity[0][1, 0], (q[:, 0] * said).sum() / q[:, 0].sum(), atol=0.02
    )
    np.testing.assert_allclose(
        found.specificity[0][1, 0], ((1 - q[:, 0]) * ~said).sum() / (1 - q[:, 0]).sum(), atol=0.02
    )


def test_halves_that_differ_widen_an_interval_however_many_items_there_are():
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=(5000, 2)).astype(float)
    said = np.where(rng.random(truth.shape) < 0.2, 1 - truth, truth)
    parts = made({"ann": said, "bob": truth})
    _, low, high = measure(parts, truth, np.zeros(truth.shape)).accuracy
    assert (high - low).max() < 0.03
    _, low, high = measure(parts, truth, np.full(truth.shape, 0.1)).accuracy
    np.testing.assert_allclose((high - low)[0], 2 * REACH * 0.05, atol=0.01)
