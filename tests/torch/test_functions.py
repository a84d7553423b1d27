"""PyTorch says what the engines say: on 300 random ontologies, in float64 and float32, with exact gradients."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.autograd import gradcheck, gradgradcheck

import corollary as co
from corollary.torch import gain, log_likelihood, marginals, most_probable

from ..logic.ontologies import random_ontology, worlds
from .forests import expit, random_facts, random_forest

TREES = ["a > exclusive: b, c", "a > at least one: b, c", "exactly one: a, b, c"]
PRECISIONS = {torch.float64: 1e-10, torch.float32: 1e-4}
DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]


def random_ontologies(seed, count):
    """In turn forests, labels with several parents, and all kinds of constraints, soft ones among them."""
    rng = np.random.default_rng(seed)
    while count:
        if count % 3 == 0:
            yield rng, random_forest(rng, int(rng.integers(1, 30)))
        elif count % 3 == 1:
            yield (
                rng,
                co.Ontology(*random_ontology(rng, int(rng.integers(2, 15)), 8, kinds=["subsumes"])),
            )
        else:
            labels, constraints = random_ontology(
                rng, int(rng.integers(2, 10)), int(rng.integers(0, 10))
            )
            if not len(worlds(labels, constraints)):
                continue
            if rng.random() < 0.3:
                constraints.append(
                    co.implies(labels[0], labels[1], weight=float(rng.uniform(0.1, 5)))
                )
            yield rng, co.Ontology(labels, constraints)
        count -= 1


def odds_of(rng, onto, n_items):
    return rng.normal(rng.choice([0, -4]), rng.choice([1, 3, 10]), (n_items, len(onto)))


@pytest.mark.parametrize("device", DEVICES)
def test_the_same_as_the_engines_on_300_ontologies(device):
    engines = set()
    for rng, onto in random_ontologies(0, 300):
        engines.update(info.engine for info in onto.engines)
        odds, facts = odds_of(rng, onto, 7), random_facts(rng, onto, 7)
        evidence = rng.normal(0, 2, odds.shape) if rng.random() < 0.5 else None
        for dtype, error in PRECISIONS.items():
            logits = torch.tensor(odds, dtype=dtype, device=device)
            posterior, log_z = marginals(onto, logits, facts, evidence)
            assert posterior.dtype == log_z.dtype == dtype
            assert posterior.device == log_z.device == logits.device
            expected, expected_log_z = onto.marginals(odds, facts, evidence=evidence)
            np.testing.assert_allclose(posterior.cpu().numpy(), expected, rtol=0, atol=error)
            np.testing.assert_allclose(log_z.cpu().numpy(), expected_log_z, rtol=error, atol=error)
            free, free_log_z = onto.marginals(odds)
            logits.requires_grad_()
            found = log_likelihood(onto, logits, torch.from_numpy(facts))
            found.sum().backward()
            with_facts, log_facts = onto.marginals(odds, facts)
            np.testing.assert_allclose(
                found.detach().cpu().numpy(), log_facts - free_log_z, rtol=error, atol=error
            )
            np.testing.assert_allclose(
                logits.grad.cpu().numpy(), with_facts - free, rtol=0, atol=2 * error
            )
    assert engines >= {"tree", "diagram", "junction"}, engines


@pytest.mark.parametrize("device", DEVICES)
def test_the_most_probable_labelling_is_that_of_the_engines(device):
    for rng, onto in random_ontologies(1, 300):
        odds, facts = rng.normal(0, 3, (7, len(onto))), random_facts(rng, onto, 7)
        expected = onto.most_probable(expit(odds), facts)
        found = most_probable(onto, torch.tensor(odds, device=device), facts)
        assert found.dtype == torch.int8
        np.testing.assert_array_equal(found.cpu().numpy(), expected)
        in_short = (
            most_probable(onto, torch.tensor(odds, dtype=torch.float32, device=device), facts)
            .cpu()
            .numpy()
        )
        assert not onto.closure(in_short)[1].any()


@pytest.mark.parametrize("device", DEVICES)
def test_the_gain_is_that_of_the_engines(device):
    for rng, onto in random_ontologies(3, 200):
        odds, facts = rng.normal(0, 3, (7, len(onto))), random_facts(rng, onto, 7)
        evidence = rng.normal(0, 2, odds.shape) if rng.random() < 0.5 else None
        for given, said in ((facts, evidence), (None, None)):
            expected = onto.gain(expit(odds), given, evidence=said)
            for dtype, error in PRECISIONS.items():
                found = gain(onto, torch.tensor(odds, dtype=dtype, device=device), given, said)
                assert found.dtype == dtype
                np.testing.assert_allclose(found.cpu().numpy(), expected, rtol=0, atol=error)


def test_of_equals_off_and_then_the_first_label_wins():
    onto = co.Ontology.parse("exactly one: a, b, c\nexclusive: d, e\nf > g")
    found = most_probable(onto, torch.zeros(1, 7, dtype=torch.float64))
    np.testing.assert_array_equal(found, onto.most_probable(np.full((1, 7), 0.5)))


def test_gradients_are_exact():
    for rng, onto in random_ontologies(2, 15):
        logits = torch.tensor(rng.normal(0, 2, (2, len(onto))), requires_grad=True)
        facts = random_facts(rng, onto, 2)
        assert gradcheck(lambda x, o=onto, y=facts: log_likelihood(o, x, y), logits)
        assert gradcheck(lambda x, o=onto, y=facts: marginals(o, x, y), logits)
        assert gradgradcheck(lambda x, o=onto, y=facts: log_likelihood(o, x, y), logits)


def test_the_slope_of_evidence_is_that_of_the_logits():
    onto = co.Ontology.parse("a > exclusive: b, c\nexclusive: a, d")
    evidence = torch.tensor(
        [[0.0, np.inf, 1.0, -2.0], [1.0, 0.5, -np.inf, 0.0]], requires_grad=True
    )
    logits = torch.zeros(2, 4, requires_grad=True)
    posterior, log_z = marginals(onto, logits, None, evidence)
    log_z.sum().backward()
    torch.testing.assert_close(logits.grad, posterior.detach())
    sure = torch.isinf(evidence)
    torch.testing.assert_close(evidence.grad, torch.where(sure, 0.0, logits.grad))
    assert posterior[0, 1] == 1
    assert posterior[1, 2] == 0


@pytest.mark.parametrize(
    "text",
    ["a > exclusive: b, c", "a > at least one: b, c", "rule: a | b & c", "exactly one: a, b, c"],
)
def test_logits_may_be_as_large_as_float32_can_bear(text):
    onto = co.Ontology.parse(text)
    for size in (90.0, 600.0):
        rows = size * np.array([[1, 1, 1], [-1, -1, -1], [1, -1, -1], [-1, 1, 1], [1, -1, 1]])
        expected, expected_log_z = onto.marginals(rows)
        for dtype, error in PRECISIONS.items():
            logits = torch.tensor(rows, dtype=dtype, requires_grad=True)
            posterior, log_z = marginals(onto, logits)
            np.testing.assert_allclose(posterior.detach(), expected, rtol=0, atol=error)
            np.testing.assert_allclose(log_z.detach(), expected_log_z, rtol=error, atol=error)
            (posterior.sum() + log_z.sum()).backward()
            assert torch.isfinite(logits.grad).all()


def test_facts_that_are_propagated_are_taken_as_they_are():
    onto = co.Ontology.parse("a > exclusive: b, c")
    logits, facts = torch.randn(3, 3), np.array([[-1, 1, -1], [0, -1, -1], [-1, -1, -1]], np.int8)
    known = torch.from_numpy(onto.propagate(facts))
    for function in (log_likelihood, most_probable):
        torch.testing.assert_close(
            function(onto, logits, known, propagated=True), function(onto, logits, facts)
        )


def test_facts_that_cannot_be_are_told():
    onto = co.Ontology.parse("exclusive: a, b")
    with pytest.raises(co.Contradiction, match="at most one of a, b"):
        log_likelihood(onto, torch.zeros(1, 2), [[1, 1]])


def test_no_items_and_no_labels():
    for onto in (
        co.Ontology.parse("a > exclusive: b, c"),
        co.Ontology.parse("rule: a | b & c"),
        co.Ontology([]),
    ):
        posterior, log_z = marginals(onto, torch.zeros(0, len(onto)))
        assert posterior.shape == (0, len(onto))
        assert log_z.shape == (0,)
        assert most_probable(onto, torch.zeros(0, len(onto))).shape == (0, len(onto))
    assert marginals(co.Ontology([]), torch.zeros(2, 0))[1].tolist() == [0, 0]
