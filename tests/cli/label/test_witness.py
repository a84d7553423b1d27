"""`corollary witness`: files of predictions, what is told of witnesses, and taking them back."""

from __future__ import annotations

import json

import pytest

from corollary.campaign.campaign import Campaign

PREDICTED = "item,label,probability\ncarp,fish,0.9\ncow,mammal,0.8\ncow,fish,0.3\n"


@pytest.mark.slow
def test_a_file_is_taken_weighed_listed_and_taken_back(call, place, tmp_path):
    assert "there are no reports of machines" in call("witness", "list", place).stdout
    table = tmp_path / "old.csv"
    table.write_text(PREDICTED, encoding="utf-8")
    result = call("witness", "add", place, table, "--name", "old model", "--train")
    assert (
        result.exit_code,
        result.stderr.replace("training a model that weighs it ...\n", ""),
    ) == (0, "")
    assert "columns: item: item; label: label; probability: probability" in result.stdout
    assert "old model: 3 cells of 2 items (event " in result.stdout
    assert "right where yes" in result.stdout
    listed = call("witness", "list", place).stdout
    assert listed.splitlines()[1].split()[:4] == ["old", "model", "3", "2"]
    assert "%" in listed
    assert "old model" in call("status", place).stdout
    (told,) = json.loads(call("status", place, "--json").stdout)["witnesses"]
    assert (told["name"], told["cells"], told["items"]) == ("old model", 3, 2)
    assert told["trust"]["answers"] >= 3
    assert "old model: 1 report taken back" in call("witness", "remove", place, "old model").stdout
    again = call("witness", "remove", place, "old model")
    assert again.exit_code == 2
    assert "no report of witness 'old model' is in effect" in again.stderr
    with Campaign.open(place, readonly=True) as campaign:
        assert campaign.witnesses() == []
        assert campaign.verify(train=False, step_by_step=True) == []


def test_a_row_an_item_is_a_vote_and_its_share_of_right_ones_is_shown(call, place, tmp_path):
    table = tmp_path / "votes.csv"
    table.write_text("item,label,probability\ncarp,fish,0.9\ncow,mammal,0.8\n", encoding="utf-8")
    result = call("witness", "add", place, table, "--name", "old model", "--train")
    assert "vote right" in result.stdout
    (told,) = json.loads(call("status", place, "--json").stdout)["witnesses"]
    assert told["trust"]["votes"] == 2
    assert 0 < told["trust"]["right"] <= 1


def test_with_one_mistake_nothing_is_taken(call, place, tmp_path):
    table = tmp_path / "old.csv"
    table.write_text(PREDICTED + "carp,bird,90\nnix,bird,1\n", encoding="utf-8")
    result = call("witness", "add", place, table, "--name", "old model")
    assert result.exit_code == 2
    assert "divide percents by 100" in result.stderr
    assert "there is no item 'nix'" in result.stderr
    table.write_text(PREDICTED, encoding="utf-8")
    taken = call("witness", "add", place, table, "--name", "lead")
    assert "'lead' is the name of someone else" in taken.stderr
    with Campaign.open(place, readonly=True) as campaign:
        assert campaign.witnesses() == []


def test_while_a_server_has_the_campaign_it_is_stopped_first(call, place, tmp_path):
    table = tmp_path / "old.csv"
    table.write_text(PREDICTED, encoding="utf-8")
    with Campaign.open(place):
        result = call("witness", "add", place, table, "--name", "old model")
        assert result.exit_code == 2
        assert "Send reports to its API (POST /api/reports), or stop it first." in result.stderr


def test_a_report_is_undone_by_its_number(call, place, tmp_path):
    table = tmp_path / "old.csv"
    table.write_text(PREDICTED, encoding="utf-8")
    told = call("witness", "add", place, table, "--name", "old model").stdout
    seq = told.partition("(event ")[2].partition(")")[0]
    assert "it is trained when the campaign is served" in told
    undone = call("undo", place, seq).stdout
    assert f"taken back: event {seq} by old model: what it reported: 3 cells" in undone
