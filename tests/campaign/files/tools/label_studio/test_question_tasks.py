"""Label Studio's tasks of one question each: yes, no or nothing, the best first."""

from __future__ import annotations

import json

import pytest

import corollary as co
from corollary.campaign.files.exports.exports import export
from corollary.campaign.files.tools.formats import read_records

from .payloads import annotation, choices, question, written


def test_questions_say_yes_no_or_nothing(tmp_path):
    answers = {"bird": "Yes", "fish": "No", "plant": "Can't tell"}
    tasks = [
        question("robin", label, annotations=[annotation(choices(word, name="answer"))])
        for label, word in answers.items()
    ]
    yes, no, unsure = read_records(written(tmp_path, *tasks), "label-studio-questions")
    assert (yes.item, yes.labels) == ("robin", {"bird": True})
    assert no.labels == {"fish": False}
    assert (unsure.labels, unsure.unsure) == ({}, ("plant",))
    assert not any(one.listed for one in (yes, no, unsure))


def test_two_answers_to_one_question_are_an_error(tmp_path):
    path = written(
        tmp_path, question(annotations=[annotation(choices("Yes", "No", name="answer"))])
    )
    with pytest.raises(co.CorollaryError, match="object 1.*Yes and No"):
        list(read_records(path, "label-studio-questions"))


def test_questions_come_best_first(campaign, tmp_path):
    for item, label in (("robin", "bird"), ("carp", "fish"), ("oak", "plant")):
        campaign.answer("lead", item, label, True)
    campaign.retrain(wait=True)
    path = tmp_path / "questions.json"
    export(campaign, path, format="label-studio-questions")
    tasks = json.loads(path.read_text())
    gains = [one["data"]["gain"] for one in tasks]
    scores = [one["predictions"][0]["score"] for one in tasks]
    assert gains == sorted(gains, reverse=True)
    assert scores == sorted(scores)
    for one in tasks:
        assert one["data"]["label"] not in campaign.state.known_of(one["data"]["item"])
        assert one["data"]["key"] == f"{one['data']['item']}|{one['data']['label']}"
    assert tasks[0]["data"]["question"].startswith("Should “the cow” be labelled ")
