"""What sessions of tests are about: animals and places, and labellings that are legal."""

from __future__ import annotations

ANIMALS = "animal > exclusive: bird, fish, mammal\nplace > exclusive: city, river\nexclusive: animal, place"


def legal_rows(onto, rng, n):
    return onto.most_probable(rng.random((n, len(onto))))
