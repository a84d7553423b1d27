"""Networks with the posterior as their last layer: each as it would be alone, and they learn from partial labels."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
from scipy import sparse
from sklearn.datasets import load_digits

import corollary as co
from corollary.learning.learners.crf import CRF
from corollary.learning.learners.network import Network
from corollary.torch import networks
from corollary.torch.networks import Members, Training, _parts

ONTO = co.Ontology.parse(
    "even > exclusive: 0, 2, 4, 6, 8\nodd > exclusive: 1, 3, 5, 7, 9\nexclusive: even, odd"
)
HOW = Training(members=3, hidden=5, dropout=0.5, epochs=1, patience=1, batch=4, rate=0.1, decay=0.0)
SMALL = {
    "members": 3,
    "hidden": 60,
    "epochs": 60,
    "patience": 5,
    "rate": 3e-3,
    "dropout": 0.5,
    "decay": 1e-4,
}


def digits():
    data = load_digits()
    truth = np.zeros((len(data.target), len(ONTO)), np.int8)
    for i, digit in enumerate(data.target):
        truth[i, ONTO.index[str(digit)]] = 1
    return data.data, ONTO.propagate(np.where(truth == 1, 1, -1)).clip(0)


def test_each_member_is_a_network_of_its_own():
    members = Members(4, 2, HOW, seed=0).eval()
    features = torch.randn(3, 6, 4)
    for one, logits in enumerate(members(features)):
        hidden = features[one]
        for weights, bias in zip(members.weights[:-1], members.biases[:-1], strict=True):
            hidden = torch.relu(hidden @ weights[one] + bias[one])
        torch.testing.assert_close(
            logits, hidden @ members.weights[-1][one] + members.biases[-1][one]
        )


def test_hidden_units_are_dropped_by_chance_at_the_rate_of_each_setting():
    open_ones = Training(
        members=2, hidden=4000, dropout=None, epochs=1, patience=1, batch=4, rate=0.1, decay=0.1
    )
    members = Members(1, 1, open_ones, seed=0)
    for weights, wide in zip(members.weights, (1, 4000, 4000), strict=True):
        weights.data[:] = 1.0 / wide
    members.weights[1].data[:] = torch.eye(4000)
    kept = (
        members(torch.ones(6, 1, 1), torch.Generator().manual_seed(0)).flatten()
        * (1 - members.dropout.flatten()) ** 2
    )
    expected = [0.7**2, 0.7**2, 0.5**2, 0.5**2, 0.3**2, 0.3**2]
    np.testing.assert_allclose(kept.detach(), expected, atol=0.04)
    np.testing.assert_allclose(members(torch.ones(6, 1, 1)).detach().flatten(), 1.0, rtol=1e-4)


def test_the_settings_that_predict_what_is_held_out_best_are_kept(monkeypatch):
    monkeypatch.setattr(networks, "DECAYS", (100.0, 0.0, 1e-4, 1e-3))
    X, truth = digits()
    kept = (
        Network(ONTO, members=2, hidden=20, epochs=5, dropout=0.0, rate=3e-3)
        .fit(X[:300], truth[:300])
        .networks_
    )
    np.testing.assert_allclose(kept.decay.flatten(), [0.0, 0.0, 1e-4, 1e-4, 1e-3, 1e-3])
    assert all(len(each) == 6 for each in (*kept.weights, *kept.biases))


def test_fits_in_threads_beside_each_other_are_as_alone():
    X, truth = digits()
    alone = (
        Network(ONTO, members=1, hidden=10, epochs=3).fit(X[:100], truth[:100]).decision_function(X)
    )
    with ThreadPoolExecutor(2) as threads:
        fits = [
            threads.submit(Network(ONTO, members=1, hidden=10, epochs=3).fit, X[:100], truth[:100])
            for _ in range(2)
        ]
    for fit in fits:
        np.testing.assert_allclose(fit.result().decision_function(X), alone)


def test_each_member_holds_another_part_out():
    taught, held = _parts(101, 3, seed=0)
    for one in range(3):
        assert set(taught[one].tolist()) | set(held[one].tolist()) == set(range(101))
        assert not set(taught[one].tolist()) & set(held[one].tolist())
    assert len(set(held.flatten().tolist())) == 30
    for rows in _parts(5, 3, seed=0):
        assert rows.tolist() == [rows[0].tolist()] * 3


def test_it_learns_from_partial_labels_and_keeps_the_constraints():
    X, truth = digits()
    facts = np.where(np.random.default_rng(0).random(truth.shape) < 0.5, truth, -1)
    facts[600:] = -1
    network = Network(ONTO, **SMALL).fit(X, facts)
    posterior = ONTO.posterior(network.predict_proba(X[600:]))
    right = ((posterior > 0.5) == truth[600:]).all(axis=1).mean()
    assert right > 0.85
    again = Network(ONTO, **SMALL).fit(X, facts)
    np.testing.assert_allclose(again.decision_function(X), network.decision_function(X))


def test_nothing_known_and_little_known_are_no_errors():
    X, truth = digits()
    facts = np.full(truth.shape, -1, np.int8)
    even = ONTO.posterior(
        Network(ONTO, members=1, hidden=4, epochs=1).fit(X, facts).predict_proba(X[:3])
    )
    assert np.isfinite(even).all()
    facts[:3] = truth[:3]
    known = ONTO.posterior(
        Network(ONTO, members=2, hidden=20, epochs=100, rate=0.03, dropout=0.5, decay=0.0)
        .fit(X, facts)
        .predict_proba(X[:3])
    )
    assert (known[truth[:3] == 1] > 0.5).all()


def test_a_session_asks_with_it():
    X, truth = digits()
    facts = np.full(truth.shape, -1, np.int8)
    facts[:100] = truth[:100]
    session = co.Session(
        ONTO, X, facts=facts, learner=Network(ONTO, **SMALL), asking=co.Experiment(refresh="never")
    )
    assert session.ask(1)


def test_sparse_features_are_refused():
    X, truth = digits()
    with pytest.raises(co.CorollaryError, match="takes dense features"):
        Network(ONTO).fit(sparse.csr_matrix(X), truth)


def test_it_is_as_good_as_a_field_where_much_is_known():
    X, truth = digits()
    facts = np.where(np.arange(len(truth))[:, None] < 1000, truth, -1)

    def right(learner):
        posterior = ONTO.posterior(learner.fit(X, facts).predict_proba(X[1000:]))
        return ((posterior > 0.5) == truth[1000:]).all(axis=1).mean()

    assert right(Network(ONTO, **SMALL)) > right(CRF(ONTO)) - 0.01
