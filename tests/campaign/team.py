"""A small world that people label, its truth, and a clock that a test sets."""

from __future__ import annotations

TEXT = "animal > exclusive: bird, fish, mammal\nplace > exclusive: city, river\nexclusive: animal, place"
WORDS = ("feather wing", "fin water", "fur milk", "street house", "bank flow")
TRUTH = ("bird", "fish", "mammal", "city", "river")


class Clock:
    def __init__(self):
        self.now = 1_000_000.0

    def __call__(self):
        return self.now


def true_answer(item, label):
    what = TRUTH[int(item[1:]) % 5]
    kind = "animal" if what in TRUTH[:3] else "place"
    return label in (what, kind)
