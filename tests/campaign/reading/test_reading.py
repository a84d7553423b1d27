"""What people look up in a campaign."""

from __future__ import annotations

import pytest

import corollary as co

from ..team import TEXT


def test_looking_up(make):
    campaign = make()
    campaign.answer("ann", "i0", "bird", True, seconds=2.0)
    view = campaign.item("i0")
    assert view.values["bird"] == (True, "asked")
    assert view.values["animal"] == (True, "implied")
    assert campaign.item("i1").values["bird"] == (None, None)
    assert [item.id for item in campaign.items(query="STREET", limit=2)] == ["i3", "i8"]
    assert [item.id for item in campaign.items(query="street", after="i8")] == ["i13", "i18"]
    by_label = {one["label"]: one for one in campaign.labels()}
    assert (by_label["animal"]["yes"], by_label["animal"]["asked_yes"], by_label["bird"]["asked_yes"]) == (1, 0, 1)
    assert campaign.explain("i1", "bird").value is None
    assert co.Ontology.parse(campaign.ontology_text) == co.Ontology.parse(TEXT)
    with pytest.raises(co.CorollaryError, match="no item 'x'"):
        campaign.item("x")
