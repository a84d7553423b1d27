"""Models of a campaign: trained while people answer, and there again after it was opened anew."""

from __future__ import annotations

import numpy as np

from corollary.campaign.progress.progress import Figures

from ..team import true_answer


def test_labels_that_were_brought_along_are_learnt_from_before_anybody_answers(make):
    campaign = make(4, learner="logistic")
    campaign.answer("ann", "i0", "bird", True)
    assert not make.again(campaign).progress()["training"]["training"]
    campaign = make(4, learner="logistic")
    campaign.add("mara", facts=[("i0", "bird", True), ("i3", "city", True)])
    campaign = make.again(campaign)  # before the training came to its end
    assert campaign.progress()["training"]["training"]
    assert campaign.retrain(wait=True)["error"] is None
    assert campaign.progress()["model"] >= 1
    assert not make.again(campaign).progress()["training"]["training"]


def test_training_goes_on_while_people_answer_and_is_there_again(make):
    campaign = make(40, retrain_every=5, learner="logistic")
    for n in range(8):
        (asking,) = campaign.next("ann")
        campaign.answer(
            "ann", asking.item.id, asking.label, true_answer(asking.item.id, asking.label)
        )
        if n == 4:
            assert campaign.progress()["training"]["training"]
    status = campaign.retrain(wait=True)
    assert status["error"] is None
    assert campaign.state.model.detail["upto"] >= 8
    beliefs = campaign.state.session.beliefs
    assert len(np.unique(beliefs)) > 10
    assert campaign.next("ann")[0].model == campaign.state.model.value
    assert campaign.verify(step_by_step=True) == []
    version = campaign.state.model.value
    campaign = make.again(campaign)
    np.testing.assert_array_equal(campaign.state.session.beliefs, beliefs)
    campaign._live.store.forget_models()
    campaign = make.again(campaign)  # without the kept beliefs they are made again
    np.testing.assert_array_equal(campaign.state.session.beliefs, beliefs)
    assert campaign.state.model.value == version


def test_skipped_questions_do_not_bring_a_training_nearer(make):
    campaign = make(40, retrain_every=3, learner="logistic")
    figures = Figures(campaign)
    for value, left in ((True, 2), ("skip", 2), ("skip", 2), ("cant_tell", 1)):
        (asking,) = campaign.next("ann")
        campaign.answer("ann", asking.item.id, asking.label, value)
        assert figures.get()["models"]["next_after"] == left
        assert not campaign.progress()["training"]["training"]
    campaign = make.again(campaign)
    assert not campaign.progress()["training"]["training"]
    (asking,) = campaign.next("ann")
    campaign.answer("ann", asking.item.id, asking.label, False)
    assert campaign.progress()["training"]["training"]
    campaign.retrain(wait=True)
