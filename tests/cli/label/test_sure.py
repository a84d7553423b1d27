"""`corollary sure`: told, audited with keys, accepted, taken back."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.campaign.items import Item
from corollary.cli import main

from ...campaign.team import TEXT, TRUTH, WORDS

LOOSE = ("--at-least", "0.8", "--most-wrong", "0.2")


@pytest.fixture
def trained(tmp_path):
    """A campaign whose model has seen three of each kind."""
    path = tmp_path / "team.sqlite"
    items = [Item(f"i{k}", text=f"{WORDS[k % 5]} {k}") for k in range(40)]
    with Campaign.create(path, items, co.Ontology.parse(TEXT), name="t", settings={"retrain_every": 10**6}) as campaign:
        for k in range(15):
            campaign.answer("lead", f"i{k}", TRUTH[k % 5], True)
        campaign.retrain(wait=True)
    return path


def test_told_audited_accepted_and_taken_back(call, trained):
    told = call("sure", trained, *LOOSE).stdout
    assert re.match(r"\d+ open cells of 25 items predicted with at least 0.8\n", told)
    assert "an audit takes 14 answers, all right, to show that at most 20.00% are wrong" in told
    assert "nothing is accepted without an audit" in call("sure", trained, "--accept").stderr
    begun = CliRunner().invoke(main, ["sure", str(trained), *LOOSE, "--audit"], input="?q").output
    assert "14 to answer" in begun
    assert "not finished" in call("sure", trained, "--accept").stderr
    with Campaign.open(trained, readonly=True) as campaign:
        (drawn,) = [event.value for event in campaign.state.audits]
    predicted = {(item, label): value for item, label, value in drawn}
    for _ in range(len(drawn)):  # one at a time: what is known by an answer is not asked
        with Campaign.open(trained) as campaign:
            audit = campaign.sure("lead", 0.8, most_wrong=0.2).audit
        if audit.state != "open":
            break
        keys = "y" if predicted[audit.to_answer[0]] else "n"
        CliRunner().invoke(main, ["sure", str(trained), *LOOSE, "--audit"], input=keys)
    assert "passed; 14 right, 0 wrong, at most 19.26% of all are wrong, at 95 %" in call("sure", trained, *LOOSE).stdout
    done = call("sure", trained, "--accept").stdout
    assert re.match(r"\d+ cells of \d+ items accepted\n", done)
    assert "accepted" in call("status", trained).stdout
    group = re.search(r"--undo (\S+)", done)[1]
    assert "open again" in call("sure", trained, "--undo", group).stdout
    with Campaign.open(trained) as campaign:
        assert campaign.verify(step_by_step=True) == []


def test_one_thing_at_a_time(call, place):
    assert "one thing at a time" in call("sure", place, "--audit", "--accept").stderr
