"""A campaign with answers, an import and a conflict; and the same with a model."""

from __future__ import annotations

import pytest

from .some_answers import campaign_in


@pytest.fixture
def campaign(tmp_path):
    with campaign_in(tmp_path) as made:
        yield made


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """The same with a model; one for all tests, which only read it."""
    with campaign_in(tmp_path_factory.mktemp("trained")) as made:
        made.retrain(wait=True)
        yield made
