"""The classifier of a campaign: fitted to what is known, for items it does not have."""

from __future__ import annotations

import joblib
import numpy as np
import pytest

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.campaign.items import Item

ONTO = co.Ontology.parse("animal > exclusive: bird, fish\nexclusive: animal, plant")
WORDS = {"bird": "feather wing", "fish": "fin water", "plant": "leaf root"}
KINDS = tuple(WORDS)


def made(path, items, **settings):
    facts = [(f"i{n}", kind, kind == KINDS[n % 3]) for n in range(30) for kind in KINDS]
    return Campaign.create(path, items, ONTO, name="x", settings=settings, facts=facts)


@pytest.mark.parametrize("settings", [{"learner": "logistic"}, {"encoder": "lexical"}])
def test_a_campaign_of_texts_ends_in_a_model(tmp_path, settings):
    items = [Item(f"i{n}", text=f"{WORDS[KINDS[n % 3]]} {n}") for n in range(30)]
    with made(tmp_path / "x.sqlite", items, **settings) as campaign:
        model = campaign.classifier()
    joblib.dump(model, tmp_path / "m.joblib")
    model = joblib.load(tmp_path / "m.joblib")
    found = model.predict([f"a {WORDS[kind]}" for kind in KINDS])
    assert (found == ONTO.propagate([{kind: True} for kind in KINDS])).all()


def test_items_with_vectors_or_fields_are_as_in_the_campaign(tmp_path):
    rows = np.random.default_rng(0).normal(size=(30, 4)) + 4 * np.eye(3, 4)[np.arange(30) % 3]
    vectors = [Item(f"i{n}", fields={"vector": row.tolist()}) for n, row in enumerate(rows)]
    with made(tmp_path / "v.sqlite", vectors, learner="logistic") as campaign:
        assert campaign.classifier().predict(4 * np.eye(3, 4))[:, 1:].argmax(axis=1).tolist() == [
            ONTO.index[kind] - 1 for kind in KINDS
        ]
    fields = [Item(f"i{n}", fields={"kind": f"k{n % 3}", "n": n}) for n in range(30)]
    with made(tmp_path / "f.sqlite", fields, learner="logistic") as campaign:
        found = campaign.classifier().predict([{"kind": f"k{k}", "n": k} for k in range(3)])
    assert (found == ONTO.propagate([{kind: True} for kind in KINDS])).all()


def test_without_a_known_label_there_is_no_classifier(tmp_path):
    path = tmp_path / "x.sqlite"
    with (
        Campaign.create(path, ["a", "b"], ONTO, name="x") as campaign,
        pytest.raises(co.CorollaryError, match="no label is known yet"),
    ):
        campaign.classifier()
