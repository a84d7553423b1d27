"""What a model predicts, and how sure that is."""

from __future__ import annotations

from itertools import product

import numpy as np

import corollary as co
from corollary.campaign.progress.predicted import predicted
from corollary.campaign.progress.progress import Figures

ONTO = co.Ontology.parse("animal > exclusive: bird, fish")


def test_what_is_expected_to_be_right_is_what_all_legal_worlds_say():
    beliefs = np.array([[0.9, 0.7, 0.2], [0.4, 0.3, 0.3], [0.5, 0.5, 0.5]])
    known = np.array([[-1, -1, -1], [-1, -1, 1], [-1, -1, -1]], np.int8)
    worlds = np.array(
        [
            w
            for w in product((0, 1), repeat=3)
            if not (w[1] and w[2]) and (w[0] or not (w[1] or w[2]))
        ]
    )
    items, yes, sure = [], np.zeros(3), np.zeros(3)
    for theta, facts in zip(beliefs, known, strict=True):
        weight = np.prod(np.where(worlds == 1, theta, 1 - theta), axis=1) * (
            (facts < 0) | (worlds == facts)
        ).all(axis=1)
        weight /= weight.sum()
        best = worlds[weight.argmax()]
        items.append(weight.max())
        yes += best
        sure += weight @ (worlds == best)
    found = predicted(ONTO, beliefs, known)
    np.testing.assert_allclose(found.items, np.mean(items))
    np.testing.assert_array_equal(found.yes, yes)
    np.testing.assert_allclose(found.sure, sure / 3)


def test_the_lead_sees_it_once_there_is_a_model_and_before_any_answer(make):
    campaign = make(10, encoder="lexical", learner="meaning")
    figures = Figures(campaign)
    campaign.state.session.finish()
    told = figures.get()
    assert told["predicted"] is None
    assert {(one["predicted"], one["sure"]) for one in told["by_label"]} == {(None, None)}
    campaign.progress()  # takes the model up
    figures.get()
    figures.wait()
    told = figures.get()
    assert 0 < told["predicted"]["items"] < 1
    guess = campaign.state.session.predict()
    assert [one["predicted"] for one in told["by_label"]] == (guess == 1).sum(axis=0).tolist()
    assert all(0.5 <= one["sure"] <= 1 for one in told["by_label"])


def test_what_goes_wrong_is_told_and_keeps_nobody_from_the_figures(make, monkeypatch):
    def fails(*_):
        raise ValueError("too much")

    monkeypatch.setattr("corollary.campaign.progress.predicted.predicted", fails)
    campaign = make(5, encoder="lexical", learner="meaning")
    campaign.retrain(wait=True)
    figures = Figures(campaign)
    figures.get()
    figures.wait()
    told = figures.get()
    assert told["predicted"] == {"items": None, "error": "too much"}
    assert told["by_label"][0]["predicted"] is None
