"""Suggestions in `corollary ask`."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from corollary.campaign.campaign import Campaign
from corollary.campaign.live.suggestions import Guess
from corollary.cli import main
from corollary.cli.label.suggestion import suggested


def test_they_are_shown_where_a_lead_wants_them(place):
    with Campaign.open(place) as campaign:
        lead = next(one.name for one in campaign.annotators() if one.role == "lead")
        campaign.change_settings(lead, {"suggest": 1, "pick": "never", "learner": "logistic"})
        campaign.retrain(wait=True)
    text = CliRunner().invoke(main, ["ask", str(place)], input="yq").output
    assert "  Suggested: " in text
    with Campaign.open(place, readonly=True) as campaign:
        last = [event for event in campaign.state.events if event.kind == "answer"][-1]
    assert list(last.detail) == ["suggested", "expected"]


def test_they_are_not_shown_otherwise(place):
    assert "Suggested" not in CliRunner().invoke(main, ["ask", str(place)], input="yq").output


@pytest.mark.parametrize(
    ("value", "probability", "words"),
    [
        (True, 0.93, "Suggested: yes, 93 %"),
        (False, 0.9999, "Suggested: no, over 99 %"),
        (["red_square", "big"], 0.5, "Suggested: red square, big, 50 %"),
        ([], 0.0001, "Suggested: none of these, under 1 %"),
    ],
)
def test_in_words(value, probability, words):
    assert suggested(Guess(value, probability, True), {"red_square": "red square"}) == words
