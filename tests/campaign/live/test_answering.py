"""How far answers were to be expected, as the log keeps it: by listing worlds."""

from __future__ import annotations

import numpy as np
import pytest

from corollary.campaign.events import EXPECTED
from corollary.campaign.progress.expected import answers_with, record_of
from corollary.learning.stopping.calibration import CLIP, SHARPNESS, log_odds

from ...logic.ontologies import worlds
from ..team import TRUTH, true_answer


@pytest.fixture
def trained(make):
    """Makes a campaign with a model, of which five items are known."""

    def trained_campaign(**settings):
        campaign = make(20, learner="logistic", by_chance=0.0, **({"pick": "never"} | settings))
        for k in range(5):
            for label in TRUTH:
                campaign.answer("ben", f"i{k}", label, true_answer(f"i{k}", label))
        campaign.retrain(wait=True)
        return campaign

    return trained_campaign


def by_listing(state, item, says):
    """Whether an answer goes against the most probable world, the risk of that, and -log P at each sharpness.

    `says` tells of each world whether it agrees with the answer. Last, at each sharpness, -log of that risk.
    """
    row = state.row(item)
    odds, known = log_odds(state.session.beliefs[row]), state.facts[row]
    every = worlds(state.onto.labels, state.onto.constraints).astype(np.int8)
    every = every[((every == known) | (known < 0)).all(axis=1)]
    agree = np.array(
        [says(dict(zip(state.onto.labels, world.tolist(), strict=True))) for world in every]
    )
    weights = [np.exp(a * (every @ odds - (every @ odds).max())) for a in SHARPNESS]
    taken_at_its_word = weights[np.flatnonzero(SHARPNESS == 1.0)[0]]
    best = int(taken_at_its_word.argmax())
    risk = 1.0 - taken_at_its_word[best] / taken_at_its_word.sum()
    log_p = [-1000.0 * np.log(w[agree].sum() / w.sum()) for w in weights]
    others = [np.delete(w, best).sum() / w.sum() for w in weights]
    return not agree[best], risk, log_p, [-1000.0 * np.log(max(other, CLIP)) for other in others]


def check(detail, expected, *, whole=False):
    (risk, surprised, *told), (was_surprised, at_risk, probable, any_wrong) = (
        detail[EXPECTED].split(),
        expected,
    )
    assert surprised == str(int(was_surprised))
    assert float(risk) == pytest.approx(at_risk, rel=1e-3)
    # Of a whole item it can come otherwise in several ways, of a yes or no in one.
    expected = [*probable, *any_wrong] if whole and was_surprised else probable
    np.testing.assert_allclose([int(one) for one in told], expected, atol=0.501)


@pytest.mark.parametrize("right", [True, False])
def test_yes_or_no(trained, right):
    campaign = trained()
    for asked in campaign.next("ann", 4):
        item, label = asked.item.id, asked.label
        value = true_answer(item, label) == right
        expected = by_listing(
            campaign.state, item, lambda world, label=label, value=value: world[label] == value
        )
        check(campaign.answer("ann", item, label, value).event.detail, expected)
    assert campaign.verify(step_by_step=True) == []


def test_a_pick(trained):
    campaign, surprised = trained(pick="always"), set()
    for nth, asked in enumerate(campaign.next("ann", 6)):
        assert asked.label is None
        what = TRUTH[(int(asked.item.id[1:]) + nth % 2) % len(TRUTH)]  # every other one is wrong
        kind = "animal" if what in TRUTH[:3] else "place"
        expected = by_listing(
            campaign.state,
            asked.item.id,
            lambda world, on=frozenset({kind, what}): (
                {label for label, value in world.items() if value} == on
            ),
        )
        surprised.add(expected[0])
        detail = campaign.answer("ann", asked.item.id, None, [what], lease=asked.id).event.detail
        check(detail, expected, whole=True)
    assert surprised == {True, False}
    (part,) = record_of(answers_with(campaign.state, EXPECTED), campaign.state.ontologies)
    at_its_word = part.chance[:, SHARPNESS == 1.0][:, 0]
    np.testing.assert_allclose(
        at_its_word, part.risk, atol=1e-3
    )  # of the whole item, whatever was said


def test_a_lease_that_ran_out_was_a_question_all_the_same(trained, clock):
    campaign = trained()
    (asked,) = campaign.next("ann", 1)
    clock.now += 10_000
    assert campaign.leases() == []
    event = campaign.answer("ann", asked.item.id, asked.label, False, lease=asked.id).event
    assert list(event.detail) == [EXPECTED]


def test_what_tells_nothing_of_the_model(trained, make):
    early = make(5)
    (asked,) = early.next("ann", 1)
    assert early.answer("ann", asked.item.id, asked.label, True).event.detail is None  # no model
    campaign = trained()
    state, asks = campaign.state, campaign.next("ann", 3)
    assert campaign.answer("ann", asks[0].item.id, asks[0].label, "cant_tell").event.detail is None
    # Answers to no question: who chooses what to answer may do so by the answer.
    free = next(item for item in state.ids[5:] if item not in {one.item.id for one in asks})
    assert campaign.answer("ann", free, "river", False).event.detail is None
    assert campaign.answer("ben", asks[1].item.id, asks[1].label, False).event.detail is None
    group = campaign.answer_all(
        "mara", [item for item in state.ids[5:] if item != free][:3], "bird", False
    )
    assert all(EXPECTED not in event.detail for event in group.events)
    # What is known already, or cannot be true any more.
    campaign.answer("ben", asks[2].item.id, asks[2].label, True)
    assert (
        campaign.answer("ann", asks[2].item.id, asks[2].label, False, lease=asks[2].id).event.detail
        is None
    )
