"""Which items a machine is asked about: not those it spoke of, nor those that are labelled; the least sure first."""

from __future__ import annotations

from itertools import pairwise

from corollary.campaign.reading.probabilities import likeliest

from ..team import true_answer


def test_the_least_sure_come_first(make):
    campaign = make(12, learner="crf")
    assert [item.id for item in campaign.unheard("m")] == [f"i{k}" for k in range(12)]
    campaign.report("mara", "m", [("i3", "bird", 0.5)])
    campaign.withdraw("i4", who="mara")
    for label in campaign.state.onto.labels:
        campaign.answer("ann", "i5", label, true_answer("i5", label))
    campaign.report("mara", "other", [(f"i{k}", "bird", 0.95 if k % 2 else 0.5) for k in range(12)])
    campaign.retrain(wait=True)
    found = [item.id for item in campaign.unheard("m")]
    assert sorted(found) == sorted(f"i{k}" for k in range(12) if k not in (3, 4, 5))
    state = campaign.state
    unsure = likeliest(state.onto, state.session.beliefs, state.facts)[0].doubt
    doubts = [unsure[state.row(item)] for item in found]
    assert all(a >= b - 1e-6 for a, b in pairwise(doubts))
    assert len(set(doubts)) > 1
