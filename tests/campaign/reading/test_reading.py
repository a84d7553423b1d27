"""What people look up in a campaign."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corollary as co
from corollary.campaign.reading import views
from corollary.campaign.settings import Settings
from corollary.campaign.state.state import State

from ..state.stories import ITEMS, ONTOLOGIES, apply_step, stories
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
    assert (
        by_label["animal"]["yes"],
        by_label["animal"]["asked_yes"],
        by_label["bird"]["asked_yes"],
    ) == (1, 0, 1)
    assert campaign.explain("i1", "bird").value is None
    assert co.Ontology.parse(campaign.ontology_text) == co.Ontology.parse(TEXT)
    with pytest.raises(co.CorollaryError, match="no item 'x'"):
        campaign.item("x")


@settings(max_examples=60, deadline=None)
@given(stories(), st.booleans())
def test_figures_by_label_are_those_of_the_items(story, fallible):
    state = State(ITEMS, ONTOLOGIES, settings=Settings(fallible=fallible))
    for step in story:
        apply_step(state, step)
    accepted = [state.standing_of(item) for item in state.accepted]
    told = views.labels(state.onto, state.session.answers, state.facts[state.in_use()], accepted)
    for one in told:
        label = one["label"]
        said = [
            (other, other.effect[label].value)
            for other in state.standings.values()
            if label in other.effect
        ]
        asked = [value for other, value in said if not other.is_accepted(label)]
        assert (one["asked_yes"], one["asked_no"]) == (asked.count(True), asked.count(False))
        assert one["accepted"] == len(said) - len(asked)
