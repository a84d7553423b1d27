"""A small campaign with answers of two people, an import and a conflict."""

from __future__ import annotations

from contextlib import contextmanager

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.campaign.items import Item

ONTO = co.Ontology.parse(
    "animal > exclusive: bird, fish, mammal\nplace > exclusive: city, river\nexclusive: animal, place"
)


WORDS = ("feather wing", "fin water", "fur milk", "street house", "bank flow")


@contextmanager
def campaign_in(folder):
    items = [Item(f"i{n}", text=f"{WORDS[n % 5]} {n}") for n in range(10)]
    settings = {"retrain_every": 10**6, "learner": "logistic"}
    with Campaign.create(
        folder / "x.sqlite", items, ONTO, name="x", settings=settings, lead="mara"
    ) as made:
        made.invite("ann")
        made.answer("ann", "i0", "bird", True)
        made.answer("mara", "i0", "bird", True)
        made.answer("ann", "i1", "animal", False)
        made.add("mara", facts=[("i2", "mammal", True)])
        made.answer("ann", "i3", "city", True)
        made.answer("mara", "i3", "city", False)
        yield made
