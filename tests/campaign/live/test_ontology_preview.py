"""The preview of a changed ontology, against what the change then does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corollary as co
from corollary.campaign.live.ontology_preview import preview
from corollary.campaign.state.state import State

from ..state.stories import ITEMS, ONTOLOGIES, apply_step, made, stories


def clashing(state, item):
    return {(conflict.kind, conflict.opinions) for conflict in state.standing_of(item).conflicts}


@settings(max_examples=40)
@given(stories(), st.sampled_from((2, 3)))
def test_a_preview_tells_what_the_change_then_does(story, version):
    state = State(ITEMS, ONTOLOGIES)
    for step in story:
        if step[0] not in ("ontology", "settings"):
            apply_step(state, step)
    facts, conflicts = state.facts.copy(), {i: clashing(state, i) for i in ITEMS}
    old, new = state.onto, ONTOLOGIES[version]
    told = preview(state, new)
    np.testing.assert_array_equal(state.facts, facts)  # nothing changed
    assert state.version == 1
    event = made("ontology", state, value=version)
    if told.refused:
        with pytest.raises(co.Contradiction, match="decisions about item"):
            state.apply(event)
        return
    state.apply(event)
    settles = reopens = 0
    for i in range(len(ITEMS)):
        for label in set(old.labels) & set(new.labels):
            was, now = facts[i, old.index[label]], state.facts[i, new.index[label]]
            settles += now >= 0 and was != now
            reopens += was >= 0 and was != now
    assert (told.settles, told.reopens) == (settles, reopens)
    assert {item for item, _ in told.breaks} == {
        i for i in ITEMS if clashing(state, i) - conflicts[i]
    }
    assert set(told.mends) == {i for i in ITEMS if conflicts[i] and not clashing(state, i)}
    assert set(told.added) == set(new.labels) - set(old.labels)
