"""What the model predicts: with which questions it is shown, and what the log keeps of it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import corollary as co
from corollary.campaign.events import EXPECTED
from corollary.campaign.labels.label_places import Places
from corollary.campaign.live import suggestions
from corollary.campaign.live.suggestions import (
    Guess,
    Guesses,
    likeliest,
    options_of,
    with_those_above,
)
from corollary.campaign.state.second_opinions import share
from corollary.campaign.storage.records import Lease

from ...logic.brute import truth
from ...logic.ontologies import ontologies, worlds
from ..team import true_answer


def trained(make, n=20, **settings):
    """A campaign with a model, of which five items are known."""
    campaign = make(n, learner="logistic", **({"pick": "never"} | settings))
    for k in range(5):
        for label in ("bird", "fish", "mammal", "city", "river"):
            campaign.answer("ben", f"i{k}", label, true_answer(f"i{k}", label))
    campaign.retrain(wait=True)
    return campaign


def truly(campaign, asking, who="ann", **how):
    value = true_answer(asking.item.id, asking.label)
    return campaign.answer(who, asking.item.id, asking.label, value, **how).event


def told(event):
    """What the log has of a suggestion: its details, but for how far the answer was to be expected."""
    return {name: value for name, value in (event.detail or {}).items() if name != EXPECTED} or None


def test_nothing_is_suggested_unless_a_lead_wants_it(make):
    campaign = trained(make)
    (asking,) = campaign.next("ann")
    assert asking.suggestion is None
    assert told(truly(campaign, asking, lease=asking.id)) is None


def test_before_the_first_model_nothing_is_predicted(make):
    (asking,) = make(suggest=1.0).next("ann")
    assert asking.guess is None


def test_a_suggestion_is_the_more_probable_answer_and_the_log_tells_of_it(make):
    campaign = trained(make, suggest=1.0)
    for asking in campaign.next("ann", 5):
        state, label = campaign.state, asking.label
        row = state.row(asking.item.id)
        p = state.onto.posterior(state.session.beliefs[row : row + 1], state.facts[row : row + 1])
        yes = float(p[0, state.onto.index[label]])
        assert asking.suggestion.value == (yes >= 0.5)
        assert asking.suggestion.probability == pytest.approx(max(yes, 1 - yes), abs=1e-4)
        event = truly(campaign, asking, lease=asking.id)
        assert told(event) == {
            "suggested": [asking.suggestion.value, asking.suggestion.probability]
        }
    assert campaign.verify(step_by_step=True) == []
    kept = [told(event) for event in make.again(campaign).state.events if event.who == "ann"]
    assert [list(one) for one in kept] == [["suggested"]] * 5


def test_a_share_of_the_questions_has_them_and_of_the_others_it_is_noted_what_was_predicted(make):
    campaign = trained(make, suggest=0.5)
    kinds = set()
    for asking in campaign.next("ann", 12):
        shown = share(0, "suggest", asking.item.id, asking.label) < 0.5
        assert (asking.suggestion is not None) == shown
        (kind,) = told(truly(campaign, asking, lease=asking.id))
        assert kind == ("suggested" if shown else "predicted")
        kinds.add(kind)
    assert kinds == {"suggested", "predicted"}


def test_what_was_shown_is_not_for_the_client_to_say(make, clock):
    campaign = trained(make, suggest=1.0)
    first, second, third, fourth = campaign.next("ann", 4)
    assert "suggested" in truly(campaign, first).detail  # without the lease
    assert "suggested" in truly(campaign, second, lease="made up").detail
    assert truly(campaign, third, "ben", lease=third.id).detail is None  # it was ann's to see
    clock.now += 10_000  # the lease is gone, and what was on the screen was seen all the same
    assert campaign.leases() == []
    assert told(truly(campaign, fourth, lease=fourth.id)) == {
        "suggested": list(fourth.suggestion[:2])
    }


def test_an_answer_that_is_given_again_was_shown_the_same(make):
    campaign = trained(make, suggest=1.0)
    (asking,) = campaign.next("ann")
    detail = told(truly(campaign, asking, lease=asking.id))
    campaign.undo("ann")
    assert told(truly(campaign, asking, lease=asking.id)) == detail


def test_a_model_that_comes_meanwhile_changes_no_suggestion_that_is_out(make):
    campaign = trained(make, suggest=1.0)
    before = campaign.next("ann", 3)
    held = {one.item.id for one in before}
    for item in [one for one in campaign.state.ids if one not in held][-3:]:
        campaign.answer("ben", item, "animal", False)
    campaign.retrain(wait=True)
    campaign.change_settings("mara", {"suggest": 0.0})
    after = campaign.next("ann", 3)
    assert [one.model for one in after] == [2, 2, 2]
    assert [one.suggestion for one in after] == [one.suggestion for one in before]
    assert told(truly(campaign, before[1], lease=before[1].id)) == {
        "suggested": list(before[1].suggestion[:2])
    }
    assert all(one.suggestion is None for one in campaign.next("ben", 3))


def test_gold_and_second_opinions_are_asked_without(make):
    campaign = trained(make, suggest=1.0, overlap=1.0, gold_share=0.5)
    campaign.gold("mara", "i19", "bird", False)
    blind = [
        one for one in campaign.next("ann", 15) if campaign.state.is_known(one.item.id, one.label)
    ]
    assert blind
    for asking in blind:
        assert asking.guess is None
        assert truly(campaign, asking, lease=asking.id).detail is None


def test_nothing_is_suggested_of_an_item_of_which_something_is_hidden(make):
    campaign = trained(make, suggest=1.0, overlap=1.0)
    campaign.answer("ben", "i9", "animal", False)
    lease = Lease(id="l", item="i9", label="city", who="ann", expires="")
    assert not campaign.state.is_known("i9", "city")
    assert suggestions.guess(campaign.state, lease) is None
    own = Lease(id="l", item="i9", label="city", who="ben", expires="")
    assert suggestions.guess(campaign.state, own).value is False  # it is a river


def test_what_is_open_is_never_certain(make):
    campaign = trained(make, suggest=1.0)
    state = campaign.state
    state.session.beliefs[:] = 1e-9
    (asking,) = campaign.next("ann")
    assert asking.suggestion == (False, 0.9999, True)


def test_whole_items_have_the_most_probable_pick(make):
    campaign = trained(make, suggest=1.0, pick="always")
    (asking,) = campaign.next("ann")
    assert asking.label is None
    assert len(asking.suggestion.value) == 1
    assert asking.suggestion.value[0] == asking.options[0]
    event = campaign.answer(
        "ann", asking.item.id, None, asking.suggestion.value, lease=asking.id
    ).event
    assert told(event) == {
        "options": event.detail["options"],
        "suggested": list(asking.suggestion[:2]),
    }


@given(ontologies(max_labels=6), st.data())
def test_the_most_probable_labelling_as_its_narrowest_labels(parts, data):
    legal = worlds(*parts)
    assume(len(legal))
    onto = co.Ontology(*parts)
    beliefs = np.array([data.draw(st.floats(0.01, 0.99)) for _ in onto.labels])
    world = legal[data.draw(st.integers(0, len(legal) - 1))]
    given_labels = np.array([data.draw(st.booleans()) for _ in onto.labels])
    known = onto.propagate(np.where(given_labels, world, -1).astype(np.int8)[None])
    value, probability = suggestions._whole(onto, beliefs[None], known)
    told = truth(legal, beliefs, known[0])
    weight = np.exp(told.log_weight - told.log_weight.max())
    assert probability == pytest.approx(1 / weight.sum(), rel=1e-6)
    likeliest = told.worlds[weight > 1 - 1e-9]
    assert value in [
        narrowest(onto.labels, legal, (world == 1) & (known[0] < 0)) for world in likeliest
    ]


def narrowest(labels, legal, on):
    """Those that follow from no other; by the legal worlds."""
    on = np.flatnonzero(on).tolist()

    def implies(a, b):
        return bool(legal[legal[:, a]][:, b].all())

    return [
        labels[k]
        for k in on
        if not any(
            implies(other, k) and (other < k or not implies(k, other)) for other in on if other != k
        )
    ]


def test_so_many_are_remembered(monkeypatch):
    monkeypatch.setattr(suggestions, "REMEMBERED", 2)
    told = Guesses()
    one = Guess(True, 0.9, True)
    for n in range(3):
        told.first(Lease(id=str(n), item="i", label="a", who="ann", expires=""), one)
    assert [told.of(str(n), "ann", "i", "a") for n in range(3)] == [None, one, one]
    assert told.of("2", "ann", "i", "b") is None
    assert told.of(None, "ann", "i", "a") is None


ONTO = co.Ontology.parse("a > exclusive: b, c, d\nd > exclusive: e, f\nexclusive: a, g, h")
PARENTS = Places(ONTO).parents
chances = st.lists(st.floats(0.05, 0.95), min_size=len(ONTO), max_size=len(ONTO)).map(np.array)


def blank():
    return np.full(len(ONTO), -1, np.int8)


def naive(beliefs):
    """Each label's probability to be the narrowest that holds: over all legal worlds."""
    odds = beliefs / (1 - beliefs)
    worlds = [[], *([label, *above(label)] for label in ONTO.labels)]
    weights = [np.prod([odds[ONTO.index[label]] for label in world]) for world in worlds]
    return dict(zip(ONTO.labels, np.array(weights[1:]) / sum(weights), strict=True))


def above(label):
    return [up for parent in PARENTS.get(label, ()) for up in (parent, *above(parent))]


@given(chances)
def test_the_likeliest_come_first_and_with_what_is_above_them(beliefs):
    found, chance = options_of(ONTO, beliefs, blank()), naive(beliefs)
    told = [chance[label] for label in found.labels]
    assert all(one >= other - 1e-9 for one, other in pairwise(told))
    assert (found.open, found.pickable, found.one, found.none) == (8, 8, True, True)
    few = likeliest(found, 2, PARENTS)
    assert sorted(few.ends) == sorted(found.labels[:2])
    assert set(few.labels) == {one for label in few.ends for one in (label, *above(label))}
    assert list(few.labels) == [label for label in found.labels if label in few.labels]
    assert (few.open, few.pickable, few.none, few.one) == (8, 8, True, True)


def test_all_are_there_where_few_are_enough_or_several_may_hold():
    found = options_of(ONTO, np.full(8, 0.5), blank())
    assert likeliest(found, None, PARENTS) is found
    assert likeliest(found, 8, PARENTS) is found
    both = co.Ontology.parse("labels: a, b, c")
    several = options_of(both, np.full(3, 0.5), np.full(3, -1, np.int8))
    assert likeliest(several, 1, {}) is several


def test_what_is_known_is_no_option():
    known = blank()
    known[[ONTO.index[label] for label in ("a", "g", "h")]] = 1, 0, 0
    found = options_of(ONTO, np.full(8, 0.5), known)
    assert sorted(found.labels) == ["b", "c", "d", "e", "f"]
    assert set(likeliest(found, 1, PARENTS).labels) <= set("bcdef")  # a is above them, and not open


def test_those_above_in_a_graph_with_several_ways():
    assert with_those_above(["x"], {"x": ["y", "z"], "y": ["top"], "z": ["top"]}) == {
        "x",
        "y",
        "z",
        "top",
    }
