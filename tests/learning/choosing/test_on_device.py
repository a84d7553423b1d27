"""Scores of many items from a device: those of the engines, whatever is asked; few stay with the engines."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

import corollary as co
from corollary.learning import testimony as told_by
from corollary.learning.choosing import on_device
from corollary.learning.choosing.contrast import Contrast
from corollary.learning.choosing.fallible_worth import fallible_scores, information
from corollary.learning.choosing.on_device import (
    fallible_scores_on,
    posterior_on,
    scorer_on,
    scores_on,
)
from corollary.learning.choosing.question_worth import scores_of
from corollary.learning.choosing.strategy import Situation
from corollary.learning.session.scoring import Neighbours

ONTO = co.Ontology.parse("animal > exclusive: bird, fish\nexclusive: animal, plant")
ROWS = np.arange(20)


class Device:
    """In place of PyTorch's: asks the ontology, and counts how often it was asked for how many items."""

    def __init__(self):
        self.asked = []

    def information(self, beliefs, known, evidence=None, *, specificity=1.0, sensitivity=1.0):
        self.asked.append(len(beliefs))
        found = ONTO.infer(beliefs, known, evidence=evidence, propagated=True)
        return information(found.posterior, specificity, sensitivity), found.joint_entropy

    def posterior(self, beliefs, known):
        self.asked.append(len(beliefs))
        return ONTO.posterior(beliefs, known)

    def gain(self, beliefs, known):
        self.asked.append(len(beliefs))
        return ONTO.gain(beliefs, known)


@pytest.fixture(autouse=True)
def twenty_cells_are_many(monkeypatch):
    monkeypatch.setattr(on_device, "AT_LEAST", 20)


@pytest.fixture
def beliefs():
    return np.random.default_rng(0).random((20, len(ONTO)))


@pytest.fixture
def known():
    rng = np.random.default_rng(1)
    world = ONTO.most_probable(rng.random((20, len(ONTO))))
    return np.where(rng.random(world.shape) < 0.3, world, -1).astype(np.int8)


@pytest.mark.parametrize("propagated", [True, False])
@pytest.mark.parametrize(
    ("score", "asked"),
    [("posterior", "labels"), ("posterior", "items"), ("posterior", "both"), ("gain", "labels")],
)
def test_many_are_scored_on_the_device_as_by_the_engines(beliefs, known, score, asked, propagated):
    known = ONTO.propagate(known) if propagated else known
    device = Device()
    engines = scores_of(score, ONTO, beliefs, propagated=propagated, asked=asked)
    worth = scores_on(device, score, ONTO, beliefs, propagated=propagated, asked=asked, few=engines)
    np.testing.assert_allclose(worth(ROWS, known), engines(ROWS, known), atol=1e-10)
    assert device.asked == [20]
    np.testing.assert_array_equal(worth(ROWS[:4], known[:4]), engines(ROWS[:4], known[:4]))
    assert device.asked == [20]  # 16 cells are few


@pytest.mark.parametrize("score", ["entropy", "log", lambda p: 1 - p])
def test_what_takes_no_posterior_stays_where_it_is(beliefs, score):
    engines = scores_of(score, ONTO, beliefs, propagated=True, asked="labels")
    assert (
        scores_on(Device(), score, ONTO, beliefs, propagated=True, asked="labels", few=engines)
        is engines
    )


@pytest.mark.parametrize("asked", ["labels", "items", "both"])
def test_answers_that_may_be_wrong_tell_as_much(beliefs, known, asked):
    known, testimony, device = ONTO.propagate(known), told_by.Testimony(ONTO, 20), Device()
    for i in range(10):
        testimony.say(i, {i % 4: i % 3 > 0}, f"person {i % 2}")
    engines = fallible_scores(ONTO, beliefs, testimony, asked=asked, prices={})
    worth = fallible_scores_on(device, ONTO, beliefs, testimony, asked=asked, few=engines)
    np.testing.assert_allclose(worth(ROWS, known), engines(ROWS, known), atol=1e-10)
    assert np.isfinite(worth(ROWS, known)).any()
    np.testing.assert_array_equal(worth(ROWS[:4], known[:4]), engines(ROWS[:4], known[:4]))
    assert device.asked == [20, 20]


@pytest.mark.parametrize("propagated", [True, False])
def test_contrast_takes_its_posteriors_from_the_device(beliefs, known, propagated):
    known, device = ONTO.propagate(known) if propagated else known, Device()
    X = np.random.default_rng(2).normal(size=(20, 2))

    def worth(infer):
        score = Contrast(Neighbours(X, random_state=0))
        now = Situation(
            ONTO, beliefs, known, known, None, X, propagated=propagated, seed=(0, 1), infer=infer
        )
        return score.worth(now)

    there, here = worth(posterior_on(device, ONTO)), worth(None)
    assert device.asked == [20]
    np.testing.assert_allclose(there(ROWS, known), here(ROWS, known), atol=1e-6)
    assert device.asked == [20, 20]
    np.testing.assert_allclose(there(ROWS[:4], known[:4]), here(ROWS[:4], known[:4]), atol=1e-6)
    assert device.asked == [20, 20]  # 16 cells are few


def test_the_cpu_needs_no_device():
    assert scorer_on(ONTO, "cpu") is None


def test_a_device_that_is_no_name_is_refused():
    for wrong in (0, None):
        with pytest.raises(
            co.CorollaryError, match="device must be the name of one, such as 'cpu' or 'cuda'; got"
        ):
            co.Session(ONTO, beliefs=np.full((2, len(ONTO)), 0.5), asking=co.Asking(device=wrong))


@pytest.mark.skipif(find_spec("torch") is not None, reason="PyTorch is installed here")
def test_without_pytorch_a_session_says_what_to_install_before_it_trains():
    with pytest.raises(ImportError, match=r"pip install 'corollary\[torch\]'"):
        co.Session(ONTO, beliefs=np.full((2, len(ONTO)), 0.5), asking=co.Asking(device="cuda"))
