"""The ontology and the items of a campaign behind Label Studio."""

from __future__ import annotations

import corollary as co
from corollary.campaign.items import Item

ONTO = co.Ontology.parse(
    "animal > exclusive: bird, fish, mammal\nbird > sparrow\nexactly one: animal, plant\n"
)
WORDS = {"bird": "wings and feathers", "fish": "gills and water", "plant": "leaves and roots"}
ITEMS = [
    Item(f"{label}-{n}", text=f"{words} {n}") for label, words in WORDS.items() for n in range(4)
]
