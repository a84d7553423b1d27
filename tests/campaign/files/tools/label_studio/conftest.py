"""A campaign of four items to hand to Label Studio."""

from __future__ import annotations

import pytest

from corollary.campaign.campaign import Campaign

from .payloads import ITEMS, ONTO


@pytest.fixture
def campaign(tmp_path):
    place = tmp_path / "zoo.sqlite"
    with Campaign.create(place, ITEMS, ONTO, name="zoo", settings={"learner": "logistic"}) as made:
        yield made
