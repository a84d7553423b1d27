"""A campaign behind the backend for Label Studio."""

from __future__ import annotations

import pytest

from corollary.campaign.campaign import Campaign
from corollary.campaign.items import Item
from corollary.web.label_studio.backend import make_backend

from ..conftest import Client
from .birds_and_fish import ITEMS, ONTO


@pytest.fixture
def campaign(tmp_path):
    items = [*ITEMS, Item("robin", text="the robin"), Item("carp", text="the carp")]
    settings = {"learner": "logistic", "retrain_every": 1000}
    with Campaign.create(
        tmp_path / "zoo.sqlite", items, ONTO, name="zoo", settings=settings
    ) as made:
        yield made


@pytest.fixture
def studio(campaign):
    return Client(make_backend(campaign))
