from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import corollary as co
from corollary.learning.learners.crf import CRF
from corollary.learning.learners.paper.logistic import Logistic
from corollary.learning.learners.pool import Pool
from evidence.strategies.committee import (
    SAMPLES,
    Bald,
    by_bald,
    committee,
    disagreement,
)

from ...experiment.made_up import made_up
from .situations import ONTO, situation


@given(st.integers(0, 300), st.integers(2, 4))
def test_disagreement_is_the_information_about_who_is_right(seed: int, members: int) -> None:
    rng = np.random.default_rng(seed)
    beliefs = rng.uniform(0.05, 0.95, (members, 3, len(ONTO)))
    known = np.full((3, len(ONTO)), -1, np.int8)
    known[0, 0] = 1
    known = ONTO.propagate(known)
    found = disagreement(ONTO, beliefs, known)
    for i in range(3):
        for k in range(len(ONTO)):
            # joint of (member, answer), and its information the long way
            joint = (
                np.array(
                    [[1 - p, p] for p in (ONTO.posterior(one, known)[i, k] for one in beliefs)]
                )
                / members
            )
            apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
            there = joint > 0
            information = (joint[there] * np.log(joint[there] / apart[there])).sum()
            assert found[i, k] == pytest.approx(information, abs=1e-9)
    assert (found[known >= 0] == 0).all()


def test_members_of_a_pool_or_samples() -> None:
    data = made_up()
    facts = np.where(data.train[:, None], data.Y, np.int8(-1))
    pool = Pool(data.onto, members=[("one", CRF(data.onto)), ("two", CRF(data.onto, l2=3.0))]).fit(
        data.X, facts
    )
    told = {"onto": data.onto, "n": len(data), "known": facts, "X": data.X}
    both = committee(situation(**told, learner=pool))
    assert both.shape == (2, *facts.shape)
    assert both[1] == pytest.approx(pool.members_["two"].predict_proba(data.X))
    pool.weights_["two"] = 0.0
    alone = committee(situation(**told, learner=pool))
    plain = situation(**told, learner=Logistic())
    sampled = committee(plain)
    assert alone.shape == sampled.shape == (SAMPLES, *facts.shape)
    assert (np.ptp(sampled, axis=0) > 0).any()
    assert (committee(plain) == sampled).all()
    worth = Bald().worth(plain)(np.arange(len(data)), facts)
    assert (by_bald(plain)[data.test].argmax()) == worth[data.test].sum(axis=1).argmax()
    with pytest.raises(co.CorollaryError, match="BALD needs several opinions"):
        committee(situation(**told, learner=SimpleNamespace()))
