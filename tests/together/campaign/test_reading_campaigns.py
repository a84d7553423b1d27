"""Campaigns that read: a first model from nothing, kept vectors, and the same models again without an encoder."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.campaign.items import Item
from corollary.campaign.storage.records import StoreWarning
from corollary.learning.meaning import static

pytestmark = pytest.mark.slow

ONTO = co.Ontology.parse("animal > exclusive: bird, fish\nexclusive: animal, stone")
KINDS = ("bird", "fish", "stone")
THINGS = ("the robin is a bird", "an eel is a fish in the sea", "granite is a stone")
LABELS = {
    "bird": {"definition": "it has feathers and wings"},
    "fish": {"definition": "it lives in water"},
}


@pytest.fixture
def make(tmp_path):
    opened = []

    def create(n=30, **settings):
        items = [
            Item(f"i{k}", text=f"{THINGS[k % 3]}, number {k}", fields={"weight": k})
            for k in range(n)
        ]
        settings = {
            "encoder": "static",
            "learner": "meaning",
            "retrain_every": 10**6,
            "labels": LABELS,
        } | settings
        path = tmp_path / f"{len(opened)}.sqlite"
        opened.append(Campaign.create(path, items, ONTO, name="zoo", settings=settings))
        opened[-1].path = path
        return opened[-1]

    yield create
    for campaign in opened:
        campaign.close()


def finish(campaign):
    """Wait for the training that is under way."""
    campaign.state.session.finish()
    campaign.progress()
    assert campaign.progress()["training"]["error"] is None
    return campaign


def no_encoder(monkeypatch):
    """As on a machine where the extra is not installed, also for the processes that train."""
    static._files.cache_clear()  # what another test loaded
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    monkeypatch.setattr("corollary.campaign.training.trained_models.Trainer", HereTrainer)


class HereTrainer:
    """Trains in this process, so that a test decides what is installed."""

    deaths = 0

    def __init__(self, items, kept=dict):
        self._items, self._kept = items, kept

    def train(self, wanted):
        from corollary.campaign.training.training_process import FeaturesOfItems, train

        return train(FeaturesOfItems(self._items(), self._kept()), wanted)

    def close(self):
        pass


def right(campaign):
    """The share of items whose most probable labels are all right."""
    truth = [
        {KINDS[k % 3], *(["animal"] if k % 3 < 2 else [])} for k in range(len(campaign.state.ids))
    ]
    guess = campaign.state.session.predict()
    found = [{label for k, label in enumerate(ONTO.labels) if row[k]} for row in guess]
    return np.mean([one == other for one, other in zip(found, truth, strict=True)])


def test_a_first_model_comes_from_nothing_and_is_right(make):
    campaign = make()
    assert campaign.progress()["training"]["training"], "it is begun when the campaign is made"
    assert campaign.next("lead")[0].model == 0, "and nobody waits for it"
    finish(campaign)
    assert (campaign.progress()["model"], campaign.progress()["asked"]) == (1, 0)
    assert right(campaign) > 0.9
    detail = campaign.state.model.detail
    assert detail["encoder"]["setting"] == "static"
    assert detail["encoder"]["name"].startswith("static wordllama-")
    assert not campaign.progress()["training"]["training"], "one is enough"


def test_a_model_is_the_same_again_without_an_encoder(make, monkeypatch):
    campaign = finish(make())
    for k in range(6):
        campaign.answer("lead", f"i{k}", KINDS[k % 3], True)
    campaign.retrain(wait=True)
    beliefs, model = campaign.state.session.beliefs, campaign.state.model
    campaign.close()
    no_encoder(monkeypatch)
    with Campaign.open(campaign.path) as again:
        assert len(again._live.store.encodings()[model.detail["encoder"]["name"]]) == 30 + 4
        assert again.verify() == []
        again._live.store.forget_models()
    with Campaign.open(campaign.path) as again:  # trained again, from what was kept
        np.testing.assert_array_equal(again.state.session.beliefs, beliefs)
        assert again.verify() == []


def test_without_vectors_and_encoder_the_campaign_opens_and_says_what_is_missing(make, monkeypatch):
    campaign = finish(make())
    campaign.close()
    no_encoder(monkeypatch)
    with Campaign.open(campaign.path) as again:
        again._live.store.forget_encodings()
        told = []
        assert again.verify(tell=told.append) == []
        assert "model 1 cannot be trained again: the encoder for the texts cannot be" in told[0]
        assert "pip install 'corollary[text]'" in told[0]
        again._live.store.forget_models()
    with pytest.warns(
        StoreWarning,
        match=r"model 1 was not kept and could not be trained again .*corollary\[text\]",
    ):
        again = Campaign.open(campaign.path)
    with again:
        assert len(again.next("lead")) == 1
        again.state.session.finish()
        assert "corollary[text]" in again.progress()["training"]["error"]
        again.change_settings("lead", {"encoder": "lexical"})
        finish(again)
        assert again.state.has_model


def test_other_learners_and_earlier_campaigns_do_not_read(make):
    for settings in ({"learner": "crf"}, {"encoder": None, "learner": "auto"}):
        campaign = make(**settings)
        assert not campaign.progress()["training"]["training"]
        campaign.answer("lead", "i0", "bird", True)
        campaign.retrain(wait=True)
        assert "encoder" not in campaign.state.model.detail
        assert campaign._live.store.encodings() == {}
        assert campaign.verify() == []


def test_what_labels_mean_another_encoder_and_further_items_are_read_anew(make):
    campaign = finish(make())
    first = campaign.state.session.beliefs
    campaign.change_settings(
        "lead", {"labels": LABELS | {"stone": {"definition": "a fish in the sea"}}}
    )
    second = finish(campaign).state.session.beliefs
    assert campaign.state.model.value == 2
    assert not np.array_equal(first, second)
    campaign.change_settings("lead", {"encoder": "lexical"})
    assert finish(campaign).state.model.detail["encoder"] == {
        "setting": "lexical",
        "name": "lexical",
    }
    campaign.change_settings("lead", {"encoder": "auto"})
    assert campaign.settings.encoder == "static"
    finish(campaign)
    campaign.add("lead", [Item("new", text="a pike is a fish in the sea")])
    beliefs = finish(campaign).state.session.beliefs
    assert len(beliefs) == 31
    assert campaign.state.model.value == 5
    assert campaign.verify(step_by_step=True) == []


def test_auto_is_what_is_installed_if_there_is_text(make, tmp_path, monkeypatch):
    assert make(encoder="auto").settings.encoder == "static"
    items = [Item("a", fields={"vector": [1.0, 2.0]}), Item("b", fields={"vector": [0.0, 2.0]})]
    with Campaign.create(
        tmp_path / "v.sqlite", items, ONTO, name="v", settings={"encoder": "auto"}
    ) as campaign:
        assert campaign.settings.encoder is None
    with pytest.raises(co.CorollaryError, match="the learner 'meaning' reads texts"):
        Campaign.create(
            tmp_path / "w.sqlite",
            items,
            ONTO,
            name="w",
            settings={"encoder": "auto", "learner": "meaning"},
        )
    assert Campaign.create(tmp_path / "x.sqlite", ["text"], ONTO, name="x").settings.encoder is None
