"""Questions drawn by chance: what the log keeps of them, and what it tells."""

from __future__ import annotations

import numpy as np
import pytest

from corollary.campaign.campaign import Campaign
from corollary.campaign.events import DRAWN
from corollary.campaign.progress.drawn import LATELY, RARE, drawn_in_figures, worse
from corollary.campaign.progress.expected import record_of, told_by
from corollary.learning.stopping.calibration import Learnt

from ..logs import LEAD
from .at_work import is_true, work


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
    return record_of(told_by(campaign.state, DRAWN), campaign.state.ontologies)


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


def test_what_was_taken_back_or_withdrawn_does_not_count(drawing):
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


def record(wrong, drawn=True):
    """Answers of which some were not as predicted, in parts of 20 as models would have them."""
    parts = [np.array(wrong[n : n + 20], bool) for n in range(0, len(wrong), 20)]
    nothing = np.zeros(0)
    return [Learnt(nothing, nothing, part, np.full(len(part), drawn), nothing) for part in parts]


def test_worse_predictions_are_warned_of():
    before, lately = [True] * 4 + [False] * 56, [True] * 15 + [False] * (LATELY - 15)
    words = (
        "predictions have become worse: 15 of the last 50 answers to questions drawn by chance were not as predicted, "
        "4 of 60 before"
    )
    assert worse(record(before + lately)) == words
    assert worse(record(lately + before)) is None
    assert worse(record(before + lately, drawn=False)) is None
    assert worse(record(lately)) is None
    assert worse([]) is None


def test_predictions_as_good_as_before_are_rarely_warned_of():
    rng = np.random.default_rng(0)
    warned = [worse(record(list(rng.random(150) < 0.2))) is not None for _ in range(400)]
    assert np.mean(warned) <= 2 * RARE
