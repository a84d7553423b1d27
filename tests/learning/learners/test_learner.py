"""Learners: one contract that all of them keep."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.linear_model import Perceptron as WithoutBeliefs
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from corollary import CorollaryError, Ontology
from corollary.campaign.settings import ABOUT
from corollary.learning.learners.crf import CRF
from corollary.learning.learners.forest import Trees
from corollary.learning.learners.learner import Learner, make_learner
from corollary.learning.learners.learner_names import LEARNERS, READERS
from corollary.learning.learners.paper.logistic import Logistic
from corollary.learning.learners.pool import Pool, can_read

from .known_in_part import problem

SPECS = {
    "auto": "auto",
    "logistic": "logistic",
    "a learner": Logistic(steps=50),
    "a classifier": GaussianNB(),
    "a pipeline": make_pipeline(StandardScaler(), LogisticRegression()),
    "a forest": RandomForestClassifier(n_estimators=5),
}


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
def test_every_learner_keeps_the_contract(spec):
    X, facts, truth = problem()
    learner = make_learner(spec, random_state=0)
    assert isinstance(learner, Learner)
    given = facts.copy()
    assert learner.fit(X, facts) is learner
    np.testing.assert_array_equal(facts, given)
    beliefs = learner.predict_proba(X)
    assert beliefs.shape == facts.shape
    assert beliefs.dtype == np.float64
    assert ((beliefs >= 0) & (beliefs <= 1)).all()
    np.testing.assert_array_equal(beliefs[:, 1], 1 / 2)
    np.testing.assert_allclose(beliefs[:, 2], 6 / 7)
    assert set(learner.untrained_) == {1, 2}
    assert (((beliefs > 0.5) == truth)[:, [0, 3]]).mean() > 0.8
    again = make_learner(spec, random_state=0).fit(X, facts).predict_proba(X)
    np.testing.assert_array_equal(again, beliefs)


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
def test_bad_input_is_told_by_every_learner(spec):
    X, facts, _ = problem()
    with pytest.raises(CorollaryError, match="X has 80 rows but y has 79"):
        make_learner(spec, random_state=0).fit(X, facts[1:])
    with pytest.raises(CorollaryError, match="item 0, label '0' has 3"):
        make_learner(spec, random_state=0).fit(X, np.where(np.arange(4) == 0, 3, facts))
    with pytest.raises(CorollaryError, match="not fitted yet"):
        make_learner(spec, random_state=0).predict_proba(X)


def test_a_learner_is_cloned_and_keeps_its_own_settings():
    mine = Logistic(steps=7, random_state=4)
    X, facts, _ = problem()
    made = make_learner(mine, random_state=0).fit(X, facts)
    assert made is not mine
    assert not hasattr(mine, "weights_")
    assert made.get_params() == mine.get_params()
    assert make_learner("logistic", random_state=3).random_state == 3


def test_auto_with_an_ontology_is_a_pool():
    onto = Ontology(["a", "b"], [])
    made = make_learner("auto", onto=onto, random_state=3)
    assert isinstance(made, Pool)
    assert (made.onto, made.random_state) == (onto, 3)
    assert isinstance(make_learner("crf", onto=onto), CRF)
    assert isinstance(make_learner("pool", onto=onto), Pool)
    assert isinstance(make_learner("auto"), Logistic)
    with pytest.raises(CorollaryError, match="it needs the ontology too"):
        make_learner("crf")


def test_every_name_that_a_campaign_may_have_is_a_learner_and_those_read_that_say_so():
    onto = Ontology(["a", "b"], [])
    assert tuple(ABOUT["learner"]["shape"]["enum"]) == LEARNERS
    assert [name for name in LEARNERS if can_read(make_learner(name, onto=onto))] == list(READERS)


def test_a_learner_that_fits_the_logic_gets_the_ontology():
    onto = Ontology.parse("exclusive: a, b, c")
    for mine in (CRF(l2=0.5), Pool(seconds=5), Trees()):
        made = make_learner(mine, onto=onto)
        assert made.onto == onto
        assert mine.onto is None
    other = Ontology.parse("exclusive: a, b\nc > a")
    with pytest.raises(CorollaryError, match="another ontology"):
        make_learner(CRF(other), onto=onto)


def test_any_object_with_the_two_methods_is_a_learner():
    class Half:
        def fit(self, X, facts):
            self.shape = facts.shape
            return self

        def predict_proba(self, X):
            return np.full((len(X), self.shape[1]), 0.5)

    half = Half()
    assert make_learner(half, random_state=0) is half


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("forest", "no learner 'forest'; there is: auto, logistic"),
        (LogisticRegression, "is a class; pass an instance: LogisticRegression"),
        (WithoutBeliefs(), "has no predict_proba"),
        (SGDClassifier(loss="hinge"), "has no predict_proba"),
        (make_pipeline(StandardScaler(), WithoutBeliefs()), "CalibratedClassifierCV"),
        (StandardScaler(), "is no learner"),
        (3, "3 is no learner"),
        (None, "None is no learner"),
    ],
)
def test_what_is_no_learner_is_told(spec, message):
    with pytest.raises(CorollaryError, match=message):
        make_learner(spec, random_state=0)
