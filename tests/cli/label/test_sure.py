"""`corollary sure`: told, audited with keys, accepted, taken back."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.campaign.items import Item
from corollary.campaign.live.sure.accepting import accept_some
from corollary.cli import main

from ...campaign.team import TEXT, TRUTH, WORDS

LOOSE = ("--at-least", "0.55", "--most-wrong", "0.2")


@pytest.fixture(params=["items", "cells"])
def trained(request, tmp_path):
    """A campaign whose model has seen three of each kind; where another label may hold too, cells are audited."""
    text = TEXT if request.param == "items" else f"{TEXT}\nanimal > tame"
    path, onto = tmp_path / "team.sqlite", co.Ontology.parse(text)
    items = [Item(f"i{k}", text=f"{WORDS[k % 5]} {k}") for k in range(40)]
    with Campaign.create(
        path, items, onto, name="t", settings={"retrain_every": 10**6}
    ) as campaign:
        for k in range(15):
            campaign.answer("lead", f"i{k}", TRUTH[k % 5], True)
        campaign.retrain(wait=True)
    return path


def test_told_audited_accepted_and_taken_back(call, trained):
    told = call("sure", trained, *LOOSE).stdout
    with Campaign.open(trained, readonly=True) as campaign:
        unit = campaign.sure("lead").unit
    first = {
        "items": r"\d+ items predicted, all labels together,",
        "cells": r"\d+ open cells of \d+ items predicted",
    }
    assert re.match(rf"{first[unit]} with at least 0.55\n", told)
    assert (
        f"an audit takes 14 answers, all as predicted, to show that at most 20.00% of the {unit} are wrong"
        in told
    )
    assert "nothing is accepted without an audit" in call("sure", trained, "--accept").stderr
    begun = CliRunner().invoke(main, ["sure", str(trained), *LOOSE, "--audit"], input="?q").output
    assert "14 to answer" in begun
    assert "not finished" in call("sure", trained, "--accept").stderr
    with Campaign.open(trained, readonly=True) as campaign:
        (drawn,) = [event.value for event in campaign.state.audits]
    predicted = {(item, label): value for item, label, value in drawn}
    shown = begun[begun.index("Which of these") :] if unit == "items" else ""
    assert ("1 animal   2 bird   3 fish   4 mammal   5 place   6 city   7 river" in shown) == (
        unit == "items"
    )
    for _ in range(len(drawn)):  # one at a time: what is known by an answer is not asked
        with Campaign.open(trained) as campaign:
            audit = campaign.sure("lead", 0.55, most_wrong=0.2).audit
        if audit.state != "open":
            break
        keys = key_for(predicted[audit.to_answer[0]])
        CliRunner().invoke(main, ["sure", str(trained), *LOOSE, "--audit"], input=keys)
    assert (
        "passed; 14 right, 0 wrong, at most 19.26% of all are wrong, at 95 %"
        in call("sure", trained, *LOOSE).stdout
    )
    done = call("sure", trained, "--accept").stdout
    assert re.match(r"\d+ cells of \d+ items accepted\n", done)
    assert "accepted" in call("status", trained).stdout
    group = re.search(r"--undo (\S+)", done)[1]
    assert "open again" in call("sure", trained, "--undo", group).stdout
    with Campaign.open(trained) as campaign:
        assert campaign.verify(step_by_step=True) == []


def key_for(value):
    """The key of an answer: yes or no, or the number of what is picked, in the ontology's order."""
    labels = ("animal", "bird", "fish", "mammal", "place", "city", "river")
    return str(labels.index(value[0]) + 1) if isinstance(value, list) else "y" if value else "n"


def test_accepting_goes_on_where_it_was_interrupted(call, trained):
    with Campaign.open(trained) as campaign:
        for item, label, value in campaign.audit("lead", 0.6, most_wrong=0.4).drawn:
            campaign.answer("lead", item, label, value if label else list(value))
        left = accept_some(campaign._live, "lead", "g", 2).left
    assert (
        f"accepting is not finished, 2 of {left + 2:,} items: continue with --accept"
        in call("sure", trained).stdout
    )
    assert re.search(
        rf"of {left} items accepted\nto take it back: .* --undo g\n",
        call("sure", trained, "--accept").stdout,
    )
    assert "not finished" not in call("sure", trained).stdout


def test_one_thing_at_a_time(call, place):
    assert "one thing at a time" in call("sure", place, "--audit", "--accept").stderr
