"""The simulated annotator of the demo."""

from __future__ import annotations

import re

from corollary.cli.label.demo import campaign_at
from corollary.experiment.data.things import load


def test_the_annotator_answers_from_the_truth(call, tmp_path):
    result = call(
        "demo", "--auto", "--terminal", "--pace", 0, "--questions", 7, "--folder", tmp_path / "kept"
    )
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0].startswith("Getting ready: 488 things, 30 labels")
    assert lines[1].startswith("From the texts, and 1")
    assert lines[1].endswith("of 488 things are expected to be all right before any answer")
    assert "   7  Is “" in result.stdout
    assert any(
        re.match(r"7 questions: [\d,]+ of 14,640 labels of items settled", line) for line in lines
    )
    assert "things all right" in lines[-1]
    assert "estimated" in lines[-1]
    things = load()
    with campaign_at(tmp_path / "kept" / "things.sqlite") as (campaign, _):
        state = campaign.state
        assert state.tally.asked == 7
        assert (campaign.settings.learner, campaign.settings.encoder) == ("meaning", "static")
        for name, truth in zip(things.names, things.Y, strict=True):
            known = state.facts[state.row(name)]
            assert ((known < 0) | (known == truth)).all()
