"""A campaign in which people can be wrong: what is asked again, what is doubtful, what stands, and again by its log."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

import corollary as co
from corollary.campaign.files.exports.exports import text_of
from corollary.campaign.files.exports.provenance import take_snapshot
from corollary.campaign.files.imports.imports import check_import

from ..team import TRUTH, true_answer

WRONG = {("i0", "bird"), ("i6", "fish"), ("i13", "animal")}


def answer_all(campaign, people, n, *, wrong=frozenset()):
    """So many questions, answered in turn; `wrong` are cells of which the first to be asked says the opposite."""
    left, told = set(wrong), []
    for number in range(n):
        who = people[number % len(people)]
        asked = campaign.next(who)
        if not asked:
            break
        item, label = asked[0].item.id, asked[0].label
        if label is None:
            value = [one for one in asked[0].ends if true_answer(item, one)]
        else:
            value = true_answer(item, label) != ((item, label) in left)
            left.discard((item, label))
        campaign.answer(who, item, label, value)
        told.append((who, item, label))
    return told


@pytest.fixture
def weighed(make):
    """A campaign of two with a model, and three answers that are wrong."""
    campaign = make(30, fallible=True, learner="logistic", pick="never")
    for k in range(20):
        for label in ("bird", "fish", "mammal", "city", "river"):
            if true_answer(f"i{k}", label):
                campaign.answer("ann", f"i{k}", label, True)
    campaign.retrain(wait=True)
    for item, label in sorted(WRONG):
        campaign.answer("ben", item, label, not true_answer(item, label))
    return campaign


def test_wrong_answers_are_found_and_do_not_stand(weighed):
    worst = weighed.doubtful(5)
    found = [(one.item, one.opinion.label) for one in worst]
    assert set(found[:3]) == WRONG
    assert all(
        one.opinion.who == "ben" and one.doubted and one.probability > 0.5 for one in worst[:3]
    )
    assert worst == sorted(worst, key=lambda one: -one.probability)
    assert "ann" in {by.who for one in worst[:3] for by in one.against}
    for item, label in WRONG:
        assert weighed.state.known_of(item)[label] == true_answer(item, label)
    assert weighed.doubtful(5, at_least=0.999_999_999_9) == []


def test_conflicts_are_told_with_the_answer_that_is_most_likely_wrong(weighed):
    told = weighed.conflicts()
    assert {one.item for one in told} == {item for item, _ in WRONG}
    assert not any(one.held for one in weighed.state.standings.values())
    for one in told:
        blamed = weighed.blamed(one.item, one.conflict)
        assert blamed.opinion.who == "ben"
        assert blamed.probability > 0.5


def test_a_decision_settles_what_is_doubtful(weighed):
    first = weighed.doubtful(1)[0]
    weighed.decide("mara", first.item, first.opinion.label, not first.opinion.value)
    assert (first.item, first.opinion.label) not in {
        (one.item, one.opinion.label) for one in weighed.doubtful(50)
    }
    weighed.retrain(wait=True)
    trust = weighed.weighed().people
    assert trust["ben"].wrong > trust["ann"].wrong


def test_the_expected_number_of_wrong_labels_is_told(weighed):
    found = weighed.weighed()
    assert found.known == weighed.state.tally.settled
    assert 0.0 < found.wrong < 0.2 * found.known


def test_where_answers_are_facts_none_is_doubted(make):
    campaign = make()
    assert campaign.weighed() is None
    with pytest.raises(co.CorollaryError, match="fallible"):
        campaign.doubtful()


@pytest.mark.parametrize("pick", ["never", "always"])
def test_the_log_gives_the_same_again(make, pick):
    campaign = make(20, fallible=True, learner="logistic", pick=pick, retrain_every=10)
    told = answer_all(campaign, ("ann", "ben"), 30, wrong=WRONG)
    assert len(told) > 10
    assert len(set(told)) == len(told)  # nobody is asked the same twice
    campaign.undo("ann")
    campaign.retrain(wait=True)
    assert campaign.verify() == []
    assert campaign.verify(step_by_step=True) == []
    facts, doubted = campaign.state.facts.copy(), dict(campaign.state.doubted)
    again = make.again(campaign)
    np.testing.assert_array_equal(again.state.facts, facts)
    assert again.state.doubted == doubted
    assert again.verify(train=False) == []


def test_exports_tell_how_probable_a_value_is_and_how_many_said_so(weighed):
    snapshot = take_snapshot(weighed)
    rows = list(csv.DictReader(io.StringIO("".join(text_of(snapshot, "csv-long")))))
    asked = [row for row in rows if row["source"] == "asked"]
    assert {row["witnesses"] for row in asked} <= {"1", "2"}
    for row in asked:
        p = float(row["probability"])
        assert 0.5 < (p if row["value"] == "yes" else 1.0 - p) < 1.0
    assert {
        row["witnesses"] for row in rows if row["source"] == "predicted" and not row["because"]
    } == {"0"}
    items = list(csv.DictReader(io.StringIO("".join(text_of(snapshot, "csv-items")))))
    assert all(
        len(row["witnesses"].split("; ")) == len(row["labels"].split("; "))
        for row in items
        if row["labels"]
    )
    lines = [json.loads(line) for line in text_of(snapshot, "jsonl-items")]
    first = lines[0]["labels"][0]
    assert first["label"] == "bird"
    assert first["witnesses"] == 1
    assert 0.5 < first["probability"] < 1.0


def test_an_export_is_understood_when_it_comes_back(weighed, tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("".join(text_of(take_snapshot(weighed), "csv-items")))
    found = check_import(path, weighed.state.onto)
    assert found.n_items == 30
    said = {(item, label) for item, label, value in found.facts if value}
    assert said == {
        (f"i{k}", label) for k in range(20) for label in TRUTH if true_answer(f"i{k}", label)
    }
