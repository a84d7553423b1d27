"""Campaigns whose model is sure of something, and their audits answered."""

from __future__ import annotations

import pytest

from ...team import TEXT, TRUTH


@pytest.fixture
def trained(make):
    """Make a campaign whose model has seen three of each kind."""

    def create(n=40, *, onto=TEXT, **options):
        campaign = make(n, onto=onto, **options)
        for k in range(15):
            campaign.answer("ann", f"i{k}", TRUTH[k % 5], True)
        campaign.retrain(wait=True)
        return campaign

    return create


@pytest.fixture
def passed(trained):
    """Make such a campaign with an audit of whole items that passed."""

    def create(n=40, **options):
        campaign = trained(n, **options)
        for item, _, value in campaign.audit("mara", 0.6, most_wrong=0.4).drawn:
            campaign.answer("mara", item, None, list(value))
        assert campaign.last_audit("mara").state == "passed"
        return campaign

    return create
