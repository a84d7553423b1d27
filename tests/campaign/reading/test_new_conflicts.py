"""Conflicts that an event brought: the same as were told when it happened, whatever came after."""

from __future__ import annotations

import pytest

from corollary.campaign.campaign import Campaign
from corollary.campaign.reading.new_conflicts import new_conflicts
from corollary.logic.ontology import Ontology


@pytest.fixture
def campaign(tmp_path):
    onto = Ontology.parse("animal > exclusive: bird, fish")
    with Campaign.create(
        tmp_path / "c.sqlite", ["robin", "carp"], onto, name="Zoo", lead="Mara"
    ) as made:
        for name in ("Ana", "Ben"):
            made.invite(name)
        yield made


def brought(campaign):
    state = campaign.state
    return {
        event.seq: [
            (one.kind, set(one.labels))
            for one in new_conflicts(
                event, state.of_item[event.item], state.ontologies[event.ontology], state.statements
            )
        ]
        for event in state.events
        if event.item is not None
    }


def test_a_disagreement_and_a_clash_belong_to_the_event_that_brought_them(campaign):
    robin, carp = campaign.state.ids
    first = campaign.answer("Ana", robin, "bird", True).event.seq
    second = campaign.answer("Ben", robin, "bird", False).event.seq
    third = campaign.answer("Ben", carp, "bird", True).event.seq
    fourth = campaign.answer("Ana", carp, "fish", True).event.seq
    expected = {
        first: [],
        second: [("disagreement", {"bird"})],
        third: [],
        fourth: [("clash", {"bird", "fish"})],
    }
    assert brought(campaign) == expected
    campaign.decide("Mara", robin, "bird", True)
    found = brought(campaign)
    assert {seq: found[seq] for seq in expected} == expected  # settled since, but it was so then
    assert found[max(found)] == []
