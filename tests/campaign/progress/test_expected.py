"""The record of what answers told of the beliefs of their time: each once, whoever opens the log."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from corollary.campaign.events import DRAWN, EXPECTED
from corollary.campaign.progress.expected import record_of, told_by
from corollary.learning.stopping.calibration import SHARPNESS

from ..logs import LEAD, PEOPLE
from .at_work import is_true, work


@pytest.fixture
def told(campaign):
    """A campaign with two models; half of its later questions were drawn by chance."""
    campaign.change_settings(LEAD, {"by_chance": 0.5, "pick": "never", "overlap": 0.0})
    for n in (20, 15, 10):
        work(campaign, n)
        campaign.retrain(wait=True)
    return campaign


def record(campaign):
    return record_of(told_by(campaign.state, DRAWN, EXPECTED), campaign.state.ontologies)


def test_each_answer_counts_once_under_the_model_it_was_given_with(told):
    answers = [event for event in told.state.events if event.kind == "answer" and event.model]
    assert {event.model for event in answers} == {1, 2}
    parts = record(told)
    for part, model in zip(parts, (1, 2), strict=True):
        own = [event for event in answers if event.model == model]
        assert len(part.risk) == len(own)
        assert part.drawn.tolist() == [DRAWN in event.detail for event in own]
        numbers = [event.detail[EXPECTED].split() for event in own]
        np.testing.assert_array_equal(part.risk, [float(one[0]) for one in numbers])
        assert part.surprised.tolist() == [one[1] == "1" for one in numbers]
        assert part.log_p.shape == (len(own), len(SHARPNESS))
    assert any(part.drawn.any() and not part.drawn.all() for part in parts)


def test_what_was_taken_back_or_withdrawn_does_not_count(told):
    answers = [event for event in told.state.events if event.kind == "answer" and event.model]
    n = sum(len(part.risk) for part in record(told))
    told.undo(LEAD, answers[-1].seq)
    assert sum(len(part.risk) for part in record(told)) == n - 1
    item = answers[0].item
    gone = sum(event.item == item for event in answers[:-1])
    told.withdraw([item], who=LEAD)
    assert sum(len(part.risk) for part in record(told)) == n - 1 - gone


def test_answers_of_old_logs_count_where_chance_drew_them_as_yes_or_no(told):
    answers = told_by(told.state, DRAWN, EXPECTED)
    old = [
        replace(event, detail={k: v for k, v in event.detail.items() if k != EXPECTED} or None)
        for event in answers
    ]
    parts = record_of(old, told.state.ontologies)
    drawn = [event for event in old if event.detail]
    assert sum(len(part.risk) for part in parts) == len(drawn) < len(answers)
    p = np.array([event.detail[DRAWN][1] for event in drawn])
    surprised = np.array([event.value != event.detail[DRAWN][0] for event in drawn])
    came = np.where(surprised, 1 - p, p)
    log_p = np.concatenate([part.log_p for part in parts])
    np.testing.assert_allclose(log_p[:, SHARPNESS == 1.0][:, 0], np.log(came))
    np.testing.assert_allclose(
        log_p[:, SHARPNESS == 2.0][:, 0], np.log(came**2 / (came**2 + (1 - came) ** 2))
    )
    np.testing.assert_array_equal(np.concatenate([part.surprised for part in parts]), surprised)
    np.testing.assert_allclose(np.concatenate([part.risk for part in parts]), 1 - p)
    chance = np.concatenate([part.chance for part in parts])
    np.testing.assert_allclose(chance[:, SHARPNESS == 1.0][:, 0], 1 - p)


def test_a_surprise_is_one_of_two_answers_unless_the_log_tells_of_more(told):
    answers, n = told_by(told.state, EXPECTED), len(SHARPNESS)
    rows = [["700"] * n, ["700"] * n + ["200"] * n, ["700"] * n]
    details = [
        f"0.2 {int(surprised)} {' '.join(row)}"
        for row, surprised in zip(rows, (1, 1, 0), strict=True)
    ]
    some = [
        replace(event, detail={EXPECTED: text}, model=1)
        for event, text in zip(answers, details, strict=False)
    ]
    (part,) = record_of(some, told.state.ontologies)
    np.testing.assert_allclose(part.log_p, -0.7)
    by_hand = [np.exp(-0.7), np.exp(-0.2), 1 - np.exp(-0.7)]
    np.testing.assert_allclose(part.chance, np.repeat(np.array(by_hand)[:, None], n, axis=1))


def test_other_sharpnesses_than_ours_are_left_alone(told):
    answers = told_by(told.state, EXPECTED)
    other = [replace(event, detail={EXPECTED: "0.1 0 1 2 3"}) for event in answers]
    assert sum(len(part.risk) for part in record_of(other, told.state.ontologies)) == 0


def test_where_people_can_be_wrong_what_is_improbable_does_not_count(campaign):
    campaign.change_settings(LEAD, {"by_chance": 0.0, "pick": "never", "fallible": True})
    work(campaign, 40)
    campaign.retrain(wait=True)
    (asked,) = campaign.next("ann", 1)
    item, label = asked.item.id, asked.label
    wrong = campaign.answer("ann", item, label, not is_true(item, label)).event
    assert EXPECTED in wrong.detail
    for who in (*PEOPLE[1:], LEAD):
        campaign.answer(who, item, label, is_true(item, label))
    assert (wrong.seq, label) in campaign.state.doubted[item]
    assert [event.seq for event in told_by(campaign.state, EXPECTED)] == []
