"""What learners and sessions ask of a device: the same as without one, and what is told where there is none."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy import sparse

import corollary as co
from corollary.learning.choosing import on_device
from corollary.learning.choosing.fallible_worth import information
from corollary.learning.learners.crf import CRF, LARGEST
from corollary.learning.session.options import grouped
from corollary.torch import arrays
from corollary.torch.arrays import FieldLoss, Scorer, device_of

from .forests import expit, random_facts, random_forest

DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]


@pytest.mark.parametrize("device", DEVICES)
def test_the_posterior_of_beliefs_is_that_of_the_ontology(device):
    rng = np.random.default_rng(0)
    onto = random_forest(rng, 20)
    beliefs, facts = rng.random((6, len(onto))), random_facts(rng, onto, 6)
    beliefs[0, :2] = 0, 1
    said = rng.normal(size=beliefs.shape)
    for given in (facts, None):
        for evidence in (said, None):
            expected = onto.posterior(beliefs, given, evidence=evidence)
            np.testing.assert_allclose(
                Scorer(onto, device).posterior(beliefs, given, evidence), expected, atol=1e-10
            )


def with_soft_ones(rng, n_labels):
    forest = random_forest(rng, n_labels)
    first, second, third = forest.labels[:3]
    soft = [co.implies(first, second, weight=1.5), co.exclusive(second, third, weight=0.7)]
    return co.Ontology(forest.labels, [*forest.constraints, *soft])


ONTOLOGIES = {
    "a forest": random_forest,
    "soft constraints": with_soft_ones,
    "a diagram": lambda rng, n: co.Ontology.parse(
        "rule: a | b >> c & ~d\nexclusive: c, e, f\na > g"
    ),
    "several parents": lambda rng, n: co.Ontology.parse(
        "a > c, d\nb > d, e\nf > e, c\nexclusive: a, f"
    ),
}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("kind", ONTOLOGIES)
def test_scores_are_those_of_the_ontology(monkeypatch, device, kind):
    monkeypatch.setattr(Scorer, "cells_at_once", 40)  # several blocks
    rng = np.random.default_rng(3)
    for seed in range(10):
        onto = ONTOLOGIES[kind](rng, 5 + seed)
        beliefs, known = rng.random((12, len(onto))), onto.propagate(random_facts(rng, onto, 12))
        beliefs[0, :2] = 0, 1
        scorer, said = Scorer(onto, device), 3 * rng.normal(size=beliefs.shape)
        np.testing.assert_allclose(
            scorer.gain(beliefs, known), onto.gain(beliefs, known), atol=1e-10
        )
        for evidence in (None, said):
            found = onto.infer(beliefs, known, evidence=evidence, propagated=True)
            for rates in ((1.0, 1.0), (0.9, 0.7)):
                told, joint = scorer.information(
                    beliefs, known, evidence, specificity=rates[0], sensitivity=rates[1]
                )
                np.testing.assert_allclose(told, information(found.posterior, *rates), atol=1e-10)
                np.testing.assert_allclose(joint, found.joint_entropy, atol=1e-9)
        single = beliefs.astype(np.float32)
        np.testing.assert_allclose(
            scorer.information(single, known)[1], onto.joint_entropy(single, known), atol=1e-9
        )


def test_beliefs_that_are_none_are_refused():
    onto = co.Ontology(["a", "b"])
    for rubbish in (np.nan, 1.5):
        with pytest.raises(co.CorollaryError, match="item 1, label 'b'"):
            Scorer(onto, "cpu").information(
                np.array([[0.1, 0.2], [0.3, rubbish]]), np.full((2, 2), -1, np.int8)
            )


@pytest.mark.parametrize(
    "device", ["cpu:0", *DEVICES[1:]]
)  # "cpu" is the engines, "cpu:0" is PyTorch on the CPU
@pytest.mark.parametrize(
    "options",
    [
        {"score": "posterior"},
        {"score": "contrast"},
        {"score": "gain"},
        {"pick": "auto"},
        {"score": "posterior", "stay": "label"},
        {"score": "posterior", "refresh": "never"},
        {"fallible": True},
    ],
)
def test_a_session_asks_the_same_on_a_device(monkeypatch, device, options):
    monkeypatch.setattr(on_device, "AT_LEAST", 100)
    monkeypatch.setattr(Scorer, "cells_at_once", 200)
    calls = []
    for name in ("information", "gain", "posterior"):
        monkeypatch.setattr(Scorer, name, _counted(getattr(Scorer, name), calls))
    rng = np.random.default_rng(5)
    onto = random_forest(rng, 12)
    X = rng.normal(size=(60, 4))
    truth = onto.most_probable(1 / (1 + np.exp(-X @ rng.normal(size=(4, len(onto))))))
    facts = np.where(np.arange(60)[:, None] < 15, truth, -1)
    learner = {"learner": "logistic"}  # its beliefs are the same to the bit
    one, other = (
        co.Session(onto, X, facts=facts, **grouped({"device": name, **learner, **options}))
        for name in ("cpu", device)
    )
    for n in range(30):
        (asked,), (again,) = one.ask(), other.ask()
        assert (asked.item, getattr(asked, "label", None)) == (
            again.item,
            getattr(again, "label", None),
        )
        assert asked.score == pytest.approx(
            again.score, abs=1e-6 if one.asking.score == "contrast" else 1e-9
        )
        truth_of = truth[asked.item]
        said = [label for label, on in zip(onto.labels, truth_of, strict=True) if on]
        answer = bool(truth_of[onto.index[asked.label]]) if hasattr(asked, "label") else said
        for session in (one, other):
            session.answer(asked, answer, **({"who": "Ana"} if "fallible" in options else {}))
            if n % 10 == 9:
                session.retrain()
    assert calls
    assert min(calls) >= 100
    np.testing.assert_allclose(one.posterior, other.posterior, atol=1e-10)


def _counted(method, calls):
    def call(self, beliefs, *arguments, **named):
        calls.append(beliefs.size)
        return method(self, beliefs, *arguments, **named)

    return call


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("as_sparse", [False, True])
def test_the_loss_of_a_field_is_that_of_the_learner(device, as_sparse):
    rng = np.random.default_rng(1)
    onto = random_forest(rng, 12)
    facts = onto.propagate(random_facts(rng, onto, 30))
    facts[:3] = onto.most_probable(rng.random((3, len(onto))))  # known in full
    features = rng.normal(size=(30, 4)) * (rng.random((30, 4)) < 0.5)
    features = sparse.csr_array(features) if as_sparse else features
    counts, weights = rng.random(30), rng.normal(size=(5, len(onto)))
    learner = CRF(onto)
    learner.onto_ = onto
    expected, slope = learner._loss_of_weights(features, facts, counts)(weights)
    loss = FieldLoss(onto, features, facts, counts, largest=LARGEST, device=torch.device(device))
    found, our_slope = loss(weights)
    assert found == pytest.approx(expected, rel=1e-9)
    np.testing.assert_allclose(our_slope, slope, atol=1e-9)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_learners_take_a_gpu():
    rng = np.random.default_rng(2)
    onto = random_forest(rng, 10)
    X, facts = rng.normal(size=(50, 3)), random_facts(rng, onto, 50)
    here, there = (CRF(onto, device=device).fit(X, facts) for device in ("cpu", "cuda"))
    assert there.loss_ == pytest.approx(here.loss_, rel=1e-4)  # where it stops depends on rounding
    np.testing.assert_allclose(there.predict_proba(X), here.predict_proba(X), atol=0.02)
    beliefs = expit(rng.normal(size=(5, len(onto))))
    one, other = (
        co.ConsistentClassifier("beliefs", onto, device=device).fit(beliefs).predict_proba(beliefs)
        for device in ("cpu", "cuda")
    )
    np.testing.assert_allclose(one, other, atol=1e-10)


@pytest.mark.parametrize("device", ["cpu:0", *DEVICES[1:]])
def test_learners_by_name_are_trained_on_the_device(monkeypatch, device):
    places = []
    monkeypatch.setattr(arrays, "FieldLoss", _noted(FieldLoss, places))
    rng = np.random.default_rng(6)
    onto = random_forest(rng, 8)
    X = rng.normal(size=(40, 3))
    facts = onto.most_probable(1 / (1 + np.exp(-X @ rng.normal(size=(3, len(onto))))))
    facts[20:] = -1
    for learner in ("crf", "auto"):
        there, here = (
            co.Session(onto, X, learner=learner, facts=facts, asking=co.Asking(device=name))
            for name in (device, "cpu")
        )
        assert not places
        np.testing.assert_allclose(there.posterior, here.posterior, atol=0.02)
        assert {str(place) for place in places} == {device}
        places.clear()
        fitted = co.ConsistentClassifier(learner, onto, device=device).fit(X, facts)
        np.testing.assert_allclose(fitted.predict_proba(X[20:]), here.posterior[20:], atol=0.02)
        assert places
        places.clear()


def _noted(kind, places):
    def made(*arguments, device, **named):
        places.append(device)
        return kind(*arguments, device=device, **named)

    return made


def test_a_session_tells_at_once_of_a_device_that_cannot_be_used():
    onto = co.Ontology(["a", "b"], [co.exclusive("a", "b")])
    with pytest.raises(co.CorollaryError, match="PyTorch cannot use the device 'cuda:99' here"):
        co.Session(onto, np.eye(2), asking=co.Asking(device="cuda:99"))


def test_a_saved_session_is_rebuilt_without_its_device(tmp_path):
    onto = co.Ontology(["a", "b"], [co.exclusive("a", "b")])
    session = co.Session(onto, beliefs=np.full((3, 2), 0.4), asking=co.Asking(device="cpu:0"))
    session.answer(session.ask()[0], True)
    session.save(tmp_path / "log")
    again = co.Session.load(tmp_path / "log", beliefs=np.full((3, 2), 0.4))
    np.testing.assert_array_equal(again.facts, session.facts)


@pytest.mark.parametrize("name", ["no such thing", "cuda:99"])
def test_a_device_that_cannot_be_used_is_told(name):
    with pytest.raises(
        co.CorollaryError,
        match=f"PyTorch cannot use the device '{name}' here: .* device='cpu' always",
    ):
        device_of(name)
    onto = co.Ontology(["a", "b"], [co.exclusive("a", "b")])
    with pytest.raises(co.CorollaryError, match="PyTorch cannot use the device"):
        CRF(onto, device=name).fit(np.eye(2), [[1, 0], [0, 1]])
