"""`corollary pool refill`: a campaign gets further items of a pool as its own get labelled."""

from __future__ import annotations

import pytest
from pyarrow import parquet

from corollary.campaign.campaign import Campaign


@pytest.fixture
def place(call, pooled, folder, zoo, tmp_path):
    """A campaign of ten items of the pool."""
    pooled("choose", folder, tmp_path / "first.parquet", "--ontology", zoo, "--items", 10)
    path = tmp_path / "zoo.sqlite"
    assert (
        call(
            "new", path, "--items", tmp_path / "first.parquet", "--ontology", zoo, "--pick", "never"
        ).exit_code
        == 0
    )
    return path


def test_as_many_are_open_again_as_were_asked_for(pooled, place, folder):
    assert "10 items of" in pooled("refill", place, folder, "--open", 10).stdout
    with Campaign.open(place) as campaign:
        first = list(campaign.state.ids)
        for item in first[:4]:
            campaign.answer("lead", item, None, ["bird", "flies"])
    result = pooled("refill", place, folder, "--open", 10, "--share-at-random", 0)
    assert result.exit_code == 0
    assert "added 4 items of 60: 10 are open" in result.stdout
    with Campaign.open(place, readonly=True) as campaign:
        now = list(campaign.state.ids)
        assert now[:10] == first
        assert len(set(now)) == 14
        assert campaign.verify(train=False) == []
    result = pooled(
        "refill", place, folder, "--open", 1000
    )  # the others, but for those that are known in full
    assert "added 34 items of 60: 44 are open" in result.stdout
    assert "nothing to add" in pooled("refill", place, folder, "--open", 1000).stdout


def test_while_a_server_has_the_campaign_they_go_to_a_file(pooled, place, folder, tmp_path):
    with Campaign.open(place):
        result = pooled("refill", place, folder, "--open", 12)
        assert result.exit_code == 2
        assert "--to FILE.parquet" in result.stderr
        result = pooled("refill", place, folder, "--open", 12, "--to", tmp_path / "more.parquet")
        assert "2 items of 60; 10 of" in result.stdout
    assert parquet.read_table(tmp_path / "more.parquet").num_rows == 2
