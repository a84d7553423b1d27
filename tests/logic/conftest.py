"""An ontology of animals and places."""

from __future__ import annotations

import pytest

import corollary as co

ANIMALS = """
animal > exclusive: bird, fish, mammal
place > exclusive: city, river
exclusive: animal, place
"""


@pytest.fixture
def animals():
    return co.Ontology.parse(ANIMALS)
