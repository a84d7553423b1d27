"""A campaign of forty items and three people."""

from __future__ import annotations

import pytest

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.campaign.items import Item

from ..logs import LEAD, PEOPLE
from .at_work import TEXT, TRUTH


@pytest.fixture
def campaign(tmp_path):
    items = [Item(f"i{n}", text=f"{TRUTH[n % 5]} thing {n}") for n in range(40)]
    with Campaign.create(
        tmp_path / "c.sqlite",
        items,
        co.Ontology.parse(TEXT),
        name="test",
        lead=LEAD,
        settings={"retrain_every": 10**6, "learner": "logistic", "overlap": 0.5},
    ) as made_campaign:
        for name in PEOPLE:
            made_campaign.invite(name)
        yield made_campaign
