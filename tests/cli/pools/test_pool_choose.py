"""`corollary pool choose`: a file that a campaign is made of."""

from __future__ import annotations

import pytest

from corollary.campaign.campaign import Campaign

pytestmark = pytest.mark.slow


def test_a_campaign_is_made_of_what_is_chosen(call, pooled, folder, zoo, tmp_path):
    target, place = tmp_path / "first.parquet", tmp_path / "zoo.sqlite"
    result = pooled("choose", folder, target, "--ontology", zoo, "--items", 20)
    assert f"{target}: 20 items of 60" in result.stdout
    assert (
        call("new", place, "--items", target, "--ontology", zoo, "--text", "title").exit_code == 0
    )
    with Campaign.open(place, readonly=True) as campaign:
        assert len(campaign.state.ids) == 20
        assert campaign.items(limit=1)[0].text.startswith("thing ")


def test_other_files_are_refused(pooled, folder, zoo, tmp_path):
    result = pooled("choose", folder, tmp_path / "first.csv", "--ontology", zoo)
    assert result.exit_code == 2
    assert "the items are written as .parquet" in result.stderr
