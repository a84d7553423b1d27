"""The paper's learner: equal to a naive twin, the same dense and sparse, on any number of threads."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

from corollary import CorollaryError
from corollary.learning.learners.paper import logistic
from corollary.learning.learners.paper.logistic import SCHEDULES, Logistic

MASK = 2**64 - 1


def draw(key: int, count: int, n: int) -> int:
    z = (key + count * 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return (((z ^ (z >> 31)) >> 32) * n) >> 32


class Twin:
    """The learner in plain numpy, step by step, with the same random numbers and no warm start but the weights."""

    def __init__(self, *, batch=100, steps=1000, schedule="paper", balanced=False, random_state=0):
        self.batch, self.steps, self.balanced = batch, steps, balanced
        self.rate, self.decay, self.damping = SCHEDULES[schedule]
        self.seed = np.random.RandomState(random_state).randint(2**31)
        self.fits = 0
        self.w = None

    def fit(self, Z, facts):
        n_labels = facts.shape[1]
        Z = np.column_stack([Z, np.ones(len(Z))])
        self.w = np.zeros((n_labels, Z.shape[1])) if self.w is None else self.w
        self.steps_taken = np.zeros(n_labels, int)
        keys = (
            np.random.SeedSequence((self.seed, self.fits))
            .generate_state(2 * n_labels, np.uint64)
            .reshape(-1, 2)
        )
        trained = [k for k in range(n_labels) if {0, 1} <= set(facts[:, k])]
        for k in trained:
            # labels known for the same items draw the same ones
            lead = k
            if not self.balanced:
                lead = next(j for j in trained if ((facts[:, j] >= 0) == (facts[:, k] >= 0)).all())
            yes, no = (
                list(np.flatnonzero(facts[:, lead] == 1)),
                list(np.flatnonzero(facts[:, lead] == 0)),
            )
            if self.balanced and len(no) > len(yes):
                for j in range(len(yes)):
                    other = j + draw(int(keys[k, 0]), j, len(no) - j)
                    no[j], no[other] = no[other], no[j]
                no = no[: len(yes)]
            self.train(k, Z, np.array(yes + no), facts[:, k] == 1, int(keys[lead, 1]))
        self.fits += 1
        return self

    def train(self, k, Z, rows, truth, key):
        squares, still = np.full(Z.shape[1], self.damping), 0
        for t in range(self.steps):
            picks = rows[[draw(key, t * self.batch + s, len(rows)) for s in range(self.batch)]]
            z = Z[picks]
            error = 1 / (1 + np.exp(-z @ self.w[k])) - truth[picks]
            gradient = z.T @ error / self.batch
            gradient[np.abs(gradient) < 1e-12 / self.batch] = 0
            squares += gradient**2
            step = (
                self.rate
                * (10 + t + 1) ** -self.decay
                * gradient
                / np.sqrt(np.where(squares > 0, squares, 1))
            )
            self.w[k] -= step
            self.steps_taken[k] = t + 1
            still = still + 1 if np.linalg.norm(step) < 1e-8 else 0
            if still == 10:
                break


def problem(seed=0, n_items=120, n_features=6, n_labels=5, known=0.7):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_items, n_features)) * (rng.random((n_items, n_features)) < 0.6)
    truth = (
        X @ rng.normal(size=(n_features, n_labels)) + rng.normal(size=(n_items, n_labels)) > 0.3
    ).astype(np.int8)
    return X, np.where(rng.random(truth.shape) < known, truth, np.int8(-1))


def unit(X):
    low, high = X.min(axis=0), X.max(axis=0)
    return np.where(high > low, 2 * (X - low) / np.where(high > low, high - low, 1) - 1, 0)


@pytest.mark.parametrize("balanced", [False, True])
@pytest.mark.parametrize("schedule", list(SCHEDULES))
def test_equals_the_naive_twin(schedule, balanced):
    X, facts = problem()
    facts[:, 2] = np.where(
        np.random.default_rng(1).random(len(X)) < 0.1, 1, 0
    )  # many more no than yes
    settings = {
        "batch": 20,
        "steps": 60,
        "schedule": schedule,
        "balanced": balanced,
        "random_state": 3,
    }
    ours, twin = Logistic(**settings), Twin(**settings)
    for _ in range(3):  # warm starts too
        ours.fit(X, facts)
        twin.fit(unit(X), facts)
        np.testing.assert_allclose(ours.weights_, twin.w, atol=1e-9)
        assert ours.steps_.tolist() == twin.steps_taken.tolist()


@pytest.mark.parametrize("schedule", list(SCHEDULES))
@pytest.mark.parametrize("counts", [False, True])
def test_sparse_equals_the_naive_twin(schedule, counts):
    X, facts = problem(seed=4, n_features=9)
    if counts:  # most entries are 1 once scaled, some columns hold 2 and 3, one is empty
        X = np.minimum(np.ceil(np.abs(X)), np.array([1, 1, 1, 1, 2, 3, 1, 0, 1]))
    facts[::7] = -1  # rows without any fact
    settings = {"batch": 15, "steps": 80, "schedule": schedule}
    ours, twin = Logistic(**settings), Twin(**settings)
    for _ in range(2):
        ours.fit(sparse.csr_matrix(X), facts)
        twin.fit(X / np.maximum(np.abs(X).max(axis=0), 1e-300), facts)
        np.testing.assert_allclose(ours.weights_, twin.w, atol=1e-9)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_labels_known_for_the_same_items_equal_the_naive_twin(kind):
    X, facts = problem(seed=2, n_labels=12, known=1.0)
    facts[::3, :9] = -1  # nine labels of a kind: some go abreast, some are left over
    facts[1::4, 9:11] = -1  # two of another kind, and one alone
    Z = X / np.maximum(np.abs(X).max(axis=0), 1e-300)  # what is scaled here as sparse features are
    settings = {"batch": 15, "steps": 60, "schedule": "steady"}
    ours, twin = Logistic(scale=False, **settings), Twin(**settings)
    for _ in range(2):
        ours.fit(kind(Z), facts)
        twin.fit(Z, facts)
        np.testing.assert_allclose(ours.weights_, twin.w, atol=1e-9)
    alone = Logistic(scale=False, **settings).fit(kind(Z), facts[:, :1])
    np.testing.assert_array_equal(
        alone.weights_[0], Logistic(scale=False, **settings).fit(kind(Z), facts).weights_[0]
    )


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_a_label_that_stops_leaves_those_abreast_alone(kind):
    X = np.where(np.arange(10) % 2, 500.0, -500.0)[:, None] * [[1.0, 0.0]] + np.arange(10)[
        :, None
    ] * [[0.0, 0.1]]
    facts = np.array([[1, 0, 0, 1, 0], [0, 1, 1, 1, 0]] * 5, np.int8)
    facts[[0, 3, 4], 1:] = 1 - facts[[0, 3, 4], 1:]
    settings = {"batch": 5, "steps": 300}
    ours, twin = (
        Logistic(scale=False, **settings).fit(kind(X), facts),
        Twin(**settings).fit(X, facts),
    )
    assert ours.steps_[0] < 300
    assert ours.steps_.max() == 300
    assert ours.steps_.tolist() == twin.steps_taken.tolist()
    np.testing.assert_allclose(ours.weights_, twin.w, atol=1e-9)


@settings(max_examples=25)
@given(
    seed=st.integers(0, 1000),
    balanced=st.booleans(),
    batch=st.integers(1, 12),
    known=st.floats(0.05, 1),
)
def test_dense_and_sparse_agree(seed, balanced, batch, known):
    X, facts = problem(seed, n_items=40, known=known)
    dense = Logistic(scale=False, batch=batch, steps=30, balanced=balanced).fit(X, facts)
    for kind in (sparse.csr_matrix, sparse.csr_array, sparse.coo_matrix):
        other = clone(dense).fit(kind(X), facts)
        np.testing.assert_allclose(other.weights_, dense.weights_, atol=1e-9)
        np.testing.assert_allclose(other.predict_proba(kind(X)), dense.predict_proba(X), atol=1e-9)
        np.testing.assert_allclose(other.predict_proba(X), dense.predict_proba(X), atol=1e-9)


def test_indices_of_64_bits_repeated_entries_and_single_precision():
    X, facts = problem()
    csr = sparse.csr_matrix(X)
    wide = sparse.csr_matrix(
        (csr.data, csr.indices.astype(np.int64), csr.indptr.astype(np.int64)), shape=csr.shape
    )
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    halves = sparse.csr_matrix(
        (np.repeat(csr.data / 2, 2), np.repeat(csr.indices, 2), csr.indptr * 2), shape=csr.shape
    )
    expected = Logistic(steps=20).fit(csr, facts).weights_
    np.testing.assert_allclose(Logistic(steps=20).fit(wide, facts).weights_, expected, atol=1e-9)
    np.testing.assert_allclose(Logistic(steps=20).fit(halves, facts).weights_, expected, atol=1e-9)
    assert not halves.has_canonical_format  # the caller's matrix stays as it was
    np.testing.assert_allclose(
        Logistic(steps=20).fit(csr.astype(np.float32), facts).weights_, expected, atol=1e-4
    )
    dense = Logistic(steps=20).fit(X, facts).weights_
    np.testing.assert_allclose(
        Logistic(steps=20).fit(X.astype(np.float32), facts).weights_, dense, atol=1e-4
    )


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_same_on_any_number_of_threads_and_for_the_same_seed(monkeypatch, kind):
    X, facts = problem(n_labels=13)
    facts[:, :8] = np.where(
        facts[:, :1] < 0, -1, np.abs(facts[:, :8])
    )  # the first eight known for the same items
    runs = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("COROLLARY_THREADS", threads)
        runs.append(
            Logistic(steps=50, random_state=5).fit(kind(X), facts).fit(kind(X), facts).weights_
        )
    np.testing.assert_array_equal(runs[0], runs[1])
    np.testing.assert_array_equal(runs[0], runs[2])
    assert not np.allclose(runs[0], Logistic(steps=50, random_state=6).fit(kind(X), facts).weights_)


def test_learns_what_can_be_learnt():
    X, facts = problem(n_items=2000, known=1.0)
    train, test = slice(0, 1000), slice(1000, None)
    learner = Logistic(schedule="steady").fit(X[train], facts[train])
    right = (learner.predict_proba(X[test]) > 0.5) == (facts[test] == 1)
    assert right.mean() > 0.75
    beliefs = learner.predict_proba(X[test])
    assert beliefs.shape == facts[test].shape
    assert beliefs.dtype == np.float64
    assert (beliefs > 0).all()
    assert (beliefs < 1).all()


def test_stops_when_nothing_moves():
    X = np.zeros((10, 2))
    facts = np.array([[1], [0]] * 5, np.int8)
    learner = Logistic(batch=1, steps=100, scale=False)
    assert learner.fit(X, facts).steps_.tolist() == [100]
    saturated = Logistic(batch=5, steps=1000, scale=False)
    far = np.where(facts == 1, 1e6, -1e6)
    saturated.fit(far, facts)
    assert saturated.steps_[0] < 1000  # beliefs are exactly 0 and 1, gradients exactly 0


def test_only_known_cells_count():
    X, facts = problem()
    changed = np.where(facts[:, :1] == -1, 100.0, X)
    learner = Logistic(steps=30, scale=False)  # the scaling does look at all rows
    np.testing.assert_array_equal(
        clone(learner).fit(X, facts[:, :1]).weights_,
        clone(learner).fit(changed, facts[:, :1]).weights_,
    )


def test_scaling_comes_from_all_rows_of_the_first_fit_and_constant_columns_vanish():
    X = np.array([[0.0, 7, 1], [10, 7, 2], [20, 7, 3], [-20, 7, 5]])
    facts = np.array([[1], [0], [1], [-1]], np.int8)
    learner = Logistic(steps=5).fit(X, facts)
    np.testing.assert_allclose((X * learner.scale_ + learner.offset_)[:, 0], [0, 0.5, 1, -1])
    np.testing.assert_allclose((X * learner.scale_ + learner.offset_)[:, 1], 0)
    assert learner.weights_[0, 1] == 0
    scale = learner.scale_.copy()
    learner.fit(X * 3, facts)
    np.testing.assert_array_equal(learner.scale_, scale)
    huge = Logistic(steps=5).fit(np.array([[-1e308], [1e308], [0]]), np.array([[0], [1], [1]]))
    assert np.isfinite(huge.predict_proba([[1e307]])).all()


def test_coefficients_are_in_the_units_of_the_features():
    X, facts = problem()
    X = X * 50 + 3
    learner = Logistic(steps=50).fit(X, facts)
    odds = X @ learner.coef_.T + learner.intercept_
    np.testing.assert_allclose(1 / (1 + np.exp(-odds)), learner.predict_proba(X), atol=1e-12)


def test_warm_start_continues_and_new_labels_start_at_zero():
    X, facts = problem()
    learner = Logistic(steps=30).fit(X, facts[:, :3])
    before = learner.weights_.copy()
    learner.fit(X, facts)
    assert learner.weights_.shape[0] == 5
    assert learner.fits_ == 2
    assert not np.allclose(learner.weights_[:3], 0)
    assert np.abs(learner.weights_[:3] - before).max() > 0
    none = clone(learner).set_params(steps=0).fit(X, facts)
    np.testing.assert_array_equal(none.weights_, 0)
    with pytest.raises(CorollaryError, match="labels can only be added"):
        learner.fit(X, facts[:, :2])


def test_without_warm_start_every_fit_is_the_first():
    X, facts = problem()
    learner = Logistic(steps=30, warm_start=False)
    first = learner.fit(X, facts).weights_.copy()
    np.testing.assert_array_equal(learner.fit(X, facts).weights_, first)
    learner.fit(X[:, :2], facts[:, :2])
    assert learner.weights_.shape == (2, 3)


def test_labels_with_one_answer_or_none_get_the_smoothed_frequency():
    X, facts = problem(known=1.0)
    facts[:, 0] = -1
    facts[:, 1] = np.where(np.arange(len(X)) < 3, 1, -1)
    facts[:, 2] = np.where(np.arange(len(X)) < 8, 0, -1)
    learner = Logistic(steps=10).fit(X, facts)
    assert set(learner.untrained_) == {0, 1, 2}
    assert "nothing is known" in learner.untrained_[0]
    assert "only yes" in learner.untrained_[1]
    assert "only no" in learner.untrained_[2]
    beliefs = learner.predict_proba(X)
    np.testing.assert_allclose(beliefs[:, :3], np.broadcast_to([1 / 2, 4 / 5, 1 / 10], (len(X), 3)))
    assert np.ptp(beliefs[:, 3]) > 0
    assert learner.steps_.tolist() == [0, 0, 0, 10, 10]
    nothing = Logistic().fit(X, np.full((len(X), 2), -1, np.int8))
    np.testing.assert_array_equal(nothing.predict_proba(X), 0.5)
    nothing = Logistic().fit(sparse.csr_matrix(X), np.full((len(X), 2), -1, np.int8))
    np.testing.assert_array_equal(nothing.predict_proba(sparse.csr_matrix(X)), 0.5)


def test_balanced_draws_other_negatives_at_each_fit_but_repeats_for_the_same_seed():
    X, facts = problem(n_items=500, known=1.0)
    facts[:, 0] = np.arange(500) < 10
    one = Logistic(balanced=True, steps=200).fit(X, facts)
    assert (
        one.predict_proba(X)[:, 0].mean()
        > Logistic(steps=200).fit(X, facts).predict_proba(X)[:, 0].mean() + 0.1
    )
    np.testing.assert_array_equal(one.weights_, clone(one).fit(X, facts).weights_)


def test_scikit_learn_manners():
    learner = Logistic(batch=7, steps=3, balanced=True, random_state=9)
    copy = clone(learner)
    assert copy.get_params() == learner.get_params()
    assert not hasattr(copy, "weights_")
    assert "batch=7" in repr(learner)
    assert logistic.Logistic().get_params() == {
        "batch": 100,
        "steps": 1000,
        "schedule": "paper",
        "balanced": False,
        "warm_start": True,
        "scale": True,
        "random_state": 0,
    }


def test_takes_frames_of_numbers():
    import pandas as pd

    X, facts = problem()
    frame = pd.DataFrame(X)
    np.testing.assert_array_equal(
        Logistic(steps=5).fit(frame, facts).predict_proba(frame),
        Logistic(steps=5).fit(X, facts).predict_proba(X),
    )


@pytest.mark.parametrize(
    ("X", "facts", "message"),
    [
        (np.zeros((3, 2)), np.zeros((4, 1), np.int8), "X has 3 rows but y has 4"),
        (np.zeros((3, 2)), np.array([["a"]] * 3), "y must be numbers"),
        (np.zeros((3, 2)), np.array([[0], [1], [2]]), "item 2, label '0' has 2"),
        (np.zeros((3, 2)), np.array([[0], [0.5], [1]]), "item 1, label '0' has 0.5"),
        (np.zeros(3), np.zeros((3, 1), np.int8), "X must be items x features, got shape"),
        (np.zeros((3, 0)), np.zeros((3, 1), np.int8), "X must have items and features"),
        (np.array([["a"], ["b"]]), np.zeros((2, 1), np.int8), "X must be numbers"),
        (np.array([[0, 1], [0, np.nan]]), np.zeros((2, 1), np.int8), "column 1 has nan at item 1"),
        (np.array([[np.inf, 1], [0, 0]]), np.zeros((2, 1), np.int8), "column 0 has inf at item 0"),
        (
            sparse.csr_matrix([[0, 1], [np.nan, 0]]),
            np.zeros((2, 1), np.int8),
            "column 0 has nan at item 1",
        ),
    ],
)
def test_bad_input_is_told(X, facts, message):
    with pytest.raises(CorollaryError, match=message):
        Logistic().fit(X, facts)


def test_a_missing_value_in_a_frame_is_told_with_the_name_of_its_column():
    import pandas as pd

    with pytest.raises(CorollaryError, match="column 1 .'height'. has nan at item 0"):
        Logistic().fit(pd.DataFrame({"width": [1.0, 2], "height": [np.nan, 3]}), [[0], [1]])


def test_predicting_too_early_or_on_other_features_is_told():
    X, facts = problem()
    with pytest.raises(CorollaryError, match="not fitted yet"):
        Logistic().predict_proba(X)
    learner = Logistic(steps=1).fit(X, facts)
    with pytest.raises(CorollaryError, match="X has 2 features, but Logistic is expecting 6"):
        learner.predict_proba(X[:, :2])
    with pytest.raises(CorollaryError, match="X has 2 features"):
        learner.fit(X[:, :2], facts)


@pytest.mark.parametrize(
    "wrong", [{"batch": 0}, {"batch": 1.5}, {"steps": -1}, {"schedule": "fast"}]
)
def test_bad_settings_are_told(wrong):
    X, facts = problem()
    with pytest.raises(CorollaryError, match=next(iter(wrong))):
        Logistic(**wrong).fit(X, facts)
