"""The record of what answers told of the beliefs of their time: each once, whoever opens the log."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from corollary.campaign.campaign import Campaign
from corollary.campaign.events import DRAWN, EXPECTED
from corollary.campaign.progress.expected import (
    LATELY,
    RARE,
    answers_with,
    drawn_in_figures,
    record_of,
    worse,
)
from corollary.learning.stopping.calibration import SHARPNESS, Learnt

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
    return record_of(answers_with(campaign.state, DRAWN, EXPECTED), campaign.state.ontologies)


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
    answers = answers_with(told.state, DRAWN, EXPECTED)
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
    answers, n = answers_with(told.state, EXPECTED), len(SHARPNESS)
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
    answers = answers_with(told.state, EXPECTED)
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
    assert [event.seq for event in answers_with(campaign.state, EXPECTED)] == []


@pytest.fixture
def drawing(campaign):
    """A campaign with a model that draws every question by chance from now on."""
    campaign.change_settings(LEAD, {"by_chance": 1.0, "pick": "never"})
    work(campaign, 30)
    campaign.retrain(wait=True)
    return campaign


def drawn_answers(campaign):
    return [event for event in campaign.state.events if event.detail and DRAWN in event.detail]


def drawn_so_far(campaign):
    return record_of(answers_with(campaign.state, DRAWN), campaign.state.ontologies)


def test_before_the_first_model_nothing_is_drawn(campaign):
    campaign.change_settings(LEAD, {"by_chance": 1.0})
    work(campaign, 20)
    assert drawn_answers(campaign) == []
    assert drawn_so_far(campaign) == []


def test_the_log_keeps_what_was_predicted_and_tells_it_again(drawing, tmp_path):
    work(drawing, 6)
    (asked,) = drawing.next("ann", 1)
    row, onto = drawing.state.row(asked.item.id), drawing.state.onto
    p = onto.posterior(
        drawing.state.session.beliefs[row : row + 1], drawing.state.facts[row : row + 1]
    )
    yes = float(p[0, onto.index[asked.label]])
    event = drawing.answer(
        "ann", asked.item.id, asked.label, is_true(asked.item.id, asked.label)
    ).event
    value, probability = event.detail[DRAWN]
    assert value == (yes >= 0.5)
    assert probability == pytest.approx(max(yes, 1 - yes), abs=1e-4)
    (told,) = drawn_so_far(drawing)
    assert len(told.risk) == len(drawn_answers(drawing)) >= 5
    assert told.drawn.all()
    figures = drawn_in_figures(drawing.state)
    assert (figures["answers"], figures["not_as_predicted"]) == (
        len(told.risk),
        told.surprised.sum(),
    )
    assert drawing.verify(step_by_step=True) == []
    drawing.close()
    with Campaign.open(tmp_path / "c.sqlite") as again:
        (later,) = drawn_so_far(again)
    for one, two in zip(told, later, strict=True):
        np.testing.assert_array_equal(one, two)


def test_what_was_taken_back_or_withdrawn_does_not_count_of_drawn(drawing):
    work(drawing, 9)
    first, *_, last = drawn_answers(drawing)
    before = drawn_in_figures(drawing.state)
    drawing.undo(LEAD, last.seq)
    assert drawn_in_figures(drawing.state)["answers"] == before["answers"] - 1
    drawing.withdraw([first.item], who=LEAD)
    assert drawn_in_figures(drawing.state)["answers"] < before["answers"] - 1
    assert before["share"] == 1.0


def test_can_t_tell_tells_nothing(drawing):
    (asked,) = drawing.next("ann", 1)
    drawing.answer("ann", asked.item.id, asked.label, "cant_tell")
    (told,) = drawn_so_far(drawing)
    assert len(told.risk) == 0
    assert len(drawn_answers(drawing)) == 1


def record_of_drawn(wrong, drawn=True):
    """Answers of which some were not as predicted, in parts of 20 as models would have them."""
    parts = [np.array(wrong[n : n + 20], bool) for n in range(0, len(wrong), 20)]
    nothing = np.zeros(0)
    return [Learnt(nothing, nothing, part, np.full(len(part), drawn), nothing) for part in parts]


def test_worse_predictions_are_warned_of():
    before, lately = [True] * 4 + [False] * 56, [True] * 15 + [False] * (LATELY - 15)
    words = (
        "predictions have become worse: 15 of the last 50 answers to random questions were not as predicted, "
        "4 of 60 before"
    )
    assert worse(record_of_drawn(before + lately)) == words
    assert worse(record_of_drawn(lately + before)) is None
    assert worse(record_of_drawn(before + lately, drawn=False)) is None
    assert worse(record_of_drawn(lately)) is None
    assert worse([]) is None


def test_predictions_as_good_as_before_are_rarely_warned_of():
    rng = np.random.default_rng(0)
    warned = [worse(record_of_drawn(list(rng.random(150) < 0.2))) is not None for _ in range(400)]
    assert np.mean(warned) <= 2 * RARE
