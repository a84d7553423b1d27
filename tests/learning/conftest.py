"""An ontology of animals and places."""

from __future__ import annotations

import pytest

import corollary as co

from .legal import ANIMALS


@pytest.fixture
def animals():
    return co.Ontology.parse(ANIMALS)
