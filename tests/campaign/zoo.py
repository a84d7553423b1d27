"""A small campaign to store, and events for it."""

from __future__ import annotations

from corollary.campaign.events import Event
from corollary.campaign.items import Item, Picture
from corollary.campaign.storage.store import Store

PNG = b"\x89PNG\r\n\x1a\n\0\0\0not really"
ITEMS = [
    Item("robin", text="a small bird with a red breast"),
    Item(
        "pike",
        text="ein Hecht – ελληνικά 🐟",
        fields={"length": 1.2, "water": "fresh", "seen": None},
    ),
    Item("../../etc/passwd", image=Picture("p.png", "image/png", PNG)),
]


def make(url, **options):
    start = {
        "name": "zoo",
        "ontology_text": "exclusive: bird, fish\n",
        "items": ITEMS,
        "settings": {"seed": 3},
    }
    return Store.create(url, **start | options)


def answer(item="robin", value=True, **options):
    return Event(kind="answer", who="ann", item=item, label="bird", value=value, **options)


def keys(store, after=0):
    return [event.key for event in store.events(after)]
