"""`corollary status`."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.cli.label.status import (
    drawn_in_words,
    duration,
    model_in_words,
    suggestions_in_words,
    times_in_words,
)


def test_status_in_words_tables_and_json(call, place):
    text = call("status", place, "--labels", "--people").stdout
    assert text.startswith("things\n")
    assert "4 items, 8 labels, 1 person" in text
    assert "2 imported" in text
    assert "no model yet" in text
    assert "red square" in text
    found = json.loads(call("status", place, "--json").stdout)
    assert (found["name"], found["items"], found["imported"]) == ("things", 4, 2)
    assert [one["label"] for one in found["by_label"]][:2] == ["animal", "bird"]


def test_a_training_that_is_under_way_is_told():
    under_way = {"training": True, "seconds": 12.4, "took": None}
    assert model_in_words(0, under_way) == "no model yet: the first is being trained, for 12 s"
    assert model_in_words(3, under_way | {"took": 61.8}) == (
        "model 3: the next is being trained, for 12 s; the last took 62 s"
    )
    assert model_in_words(3, {"training": False, "seconds": None, "took": 61.8}) == "model 3"


def test_answers_with_a_suggestion_and_without_are_compared(call, tmp_path):
    place = tmp_path / "suggesting.sqlite"
    settings = {"suggest": 0.5, "pick": "never", "learner": "logistic", "retrain_every": 10**6}
    onto = co.Ontology.parse("animal > exclusive: bird, fish")
    with Campaign.create(
        place, [f"text {n}" for n in range(12)], onto, name="s", settings=settings
    ) as campaign:
        me = campaign.annotators()[0].name
        campaign.answer(me, campaign.state.ids[0], "bird", True)
        campaign.retrain(wait=True)
        for asking in campaign.next(me, 8):
            campaign.answer(me, asking.item.id, asking.label, asking.guess.value, lease=asking.id)
    found = json.loads(call("status", place, "--json").stdout)["suggestions"]
    n, m = found["shown"]["answers"], found["not_shown"]["answers"]
    assert n
    assert m
    text = call("status", place).stdout
    assert (
        f"as the model predicted: 100% of {n} answers with a suggestion, 100% of {m} answers without"
        in text
    )


def test_with_every_question_there_is_nothing_to_compare_with():
    none = {"answers": 0, "agreed": 0, "share": None}
    assert suggestions_in_words(
        {"shown": {"answers": 1, "agreed": 1, "share": 1.0}, "not_shown": none}
    ) == ("as the model predicted: 100% of 1 answer with a suggestion")


def test_seconds_by_kind_of_question(call, tmp_path):
    place = tmp_path / "timed.sqlite"
    onto = co.Ontology.parse("animal > exclusive: bird, fish")
    with Campaign.create(
        place, [f"text {n}" for n in range(6)], onto, name="s", settings={"overlap": 1.0}
    ) as campaign:
        me = "lead"
        campaign.invite("ann")
        ids = campaign.state.ids
        assert "seconds an answer" not in call("status", place).stdout
        for item, seconds in zip(ids[:3], (1.0, 2.0, 60.0), strict=True):
            campaign.answer(me, item, "bird", True, seconds=seconds)
        campaign.answer("ann", ids[0], "bird", True, seconds=4.0)
        campaign.answer(me, ids[3], None, ["fish"], seconds=7.5)
        campaign.answer(me, ids[4], "bird", True)
    told = "yes/no 2.0 s (3 timed), whole item 7.5 s (1 timed), second opinion 4.0 s (1 timed); 74 s in all"
    assert f"seconds an answer, median: {told}" in call("status", place).stdout
    found = json.loads(call("status", place, "--json").stdout)["answer_times"]
    assert found["yes_no"] == {"answers": 4, "timed": 3, "median": 2.0, "total": 63.0, "cut": 0}
    assert found["no_answer"]["answers"] == 0


def test_how_long_in_words():
    assert [duration(seconds) for seconds in (40, 600, 12_600)] == ["40 s", "10 min", "3.5 hours"]
    assert times_in_words({}) is None
    times = {"yes_no": {"answers": 9, "timed": 9, "median": 2.0, "total": 616.0, "cut": 2}}
    told = "seconds an answer, median: yes/no 2.0 s (9 timed); 10 min in all"
    assert times_in_words(times) == f"{told}, 2 longer answers counted as 5 min"
    assert times_in_words({"yes_no": times["yes_no"] | {"cut": 0}}) == told


def test_where_people_can_be_wrong_the_expected_number_of_wrong_labels_is_told(call, tmp_path):
    place = tmp_path / "weighed.sqlite"
    settings = {"fallible": True, "pick": "never", "learner": "logistic", "retrain_every": 10**6}
    onto = co.Ontology.parse("animal > exclusive: bird, fish")
    with Campaign.create(
        place, [f"text {n}" for n in range(6)], onto, name="w", settings=settings
    ) as campaign:
        me = campaign.annotators()[0].name
        for n in range(4):
            campaign.answer(me, campaign.state.ids[n], "bird", n % 2 == 0)
        expected = campaign.weighed()
    assert (
        f"of {expected.known} known labels about {expected.wrong:.1f} are probably wrong"
        in call("status", place).stdout
    )
    found = json.loads(call("status", place, "--json").stdout)
    assert found["weighed"] == {"known": expected.known, "wrong": round(expected.wrong, 1)}
    assert found["by_person"][0]["right_if_yes"].endswith("%")
    assert "right if yes" in call("status", place, "--people").stdout


def test_questions_by_chance_in_words():
    none = {"answers": 0, "not_as_predicted": 0, "worse": None}
    words = "no random question is asked (the setting by_chance is 0): no target counts as reached"
    assert drawn_in_words({**none, "share": 0.0}) == words
    words = "no random question was asked yet: no target counts as reached"
    assert drawn_in_words({**none, "share": 0.05}) == words
    words = "random questions: 12 answers, 1 not as the model predicted"
    assert drawn_in_words({**none, "answers": 12, "not_as_predicted": 1, "share": 0.05}) == words
    warned = {
        **none,
        "answers": 12,
        "not_as_predicted": 1,
        "share": 0.05,
        "worse": "predictions have become worse",
    }
    assert drawn_in_words(warned) == f"{words}\npredictions have become worse"


BANK = "exactly one: cash, cards\ncash > exactly one: swallowed, charge\ncards > exactly one: lost, stolen"


def test_where_one_label_holds_items_come_first_and_the_forecast_counts_picks(call, tmp_path):
    place = tmp_path / "bank.sqlite"
    items, settings = (
        [f"text {n % 7}" for n in range(90)],
        {"pick": "always", "overlap": 0.0, "retrain_every": 10**6},
    )
    with Campaign.create(
        place, items, co.Ontology.parse(BANK), name="bank", settings=settings
    ) as campaign:
        for n, item in enumerate(campaign.state.ids[:55]):
            campaign.answer("lead", item, None, [("swallowed", "lost")[n % 2]])
        assert "forecast: not yet, it needs a model" in call("status", place, "--forecast").stdout
        campaign.retrain(wait=True)
    text = call("status", place, "--forecast").stdout
    assert re.search(
        r"55 of 90 items labelled \(61\.1%\); with predictions for open labels, the model expects \d+% of the items",
        text,
    )
    assert "55 questions asked\n" in text
    assert "330 of 540 labels of items settled: 55 answered" in text
    assert re.search(r"forecast: .*; 35 more questions to the end \(35 to 35\)", text)
    told = json.loads(call("status", place, "--forecast", "--json").stdout)
    assert (told["one"], told["saved"], told["forecast"]["high"]) == (True, 0, 35)
    assert 0 < told["right"] <= 1
    assert "forecast" not in json.loads(call("status", place, "--json").stdout)


def test_where_several_labels_hold_labels_of_items_count(call, tmp_path):
    place = tmp_path / "tags.sqlite"
    with Campaign.create(
        place, ["x", "y"], co.Ontology.parse("a > b\na > c"), name="tags"
    ) as campaign:
        campaign.answer("lead", campaign.state.ids[0], "b", True)
    text = call("status", place).stdout
    assert "2 of 6 labels of items settled (33.3%)" in text
    assert "1 question asked, 1 question saved" in text
    assert "1 answered, 1 implied; 0 items done" in text


@pytest.mark.parametrize("command", ["status", "export"])
def test_no_learner_is_imported_to_look_at_a_campaign(place, tmp_path, command):
    arguments = [command, str(place), *([str(tmp_path / "x.csv")] if command == "export" else [])]
    program = (
        "import sys\nfrom corollary.cli import main\n"
        f"main({arguments!r}, standalone_mode=False)\nprint(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert "corollary.campaign.campaign" in loaded
    assert not loaded & {"sklearn", "pandas", "scipy.stats", "scipy.optimize", "torch"}
