"""Where people can be wrong: what stands follows from the log alone, and what is improbable does not stand."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings

from corollary.campaign.events import ANSWER, DOUBTED, TRUST, Event
from corollary.campaign.reading.verification import compare
from corollary.campaign.settings import Settings
from corollary.campaign.state.state import State
from corollary.campaign.state.verdicts import verdicts, with_verdict
from corollary.learning.session.training import TrainingResult

from .stories import ITEMS, ONTOLOGIES, answered, apply_step, made, stories

FALLIBLE = Settings(fallible=True, pick="never")


def fallible(beliefs=None):
    state = State(ITEMS, ONTOLOGIES, settings=FALLIBLE)
    if beliefs is not None:
        believe(state, beliefs)
    return state


def believe(state, beliefs):
    """A model comes, as a training brings it."""
    state.session.train(lambda _: TrainingResult(beliefs))
    state.session.take_up(wait=True)
    state.take_beliefs(beliefs)
    detail = {"upto": state.seq, "sha256": "", **verdicts(state)}
    state.apply(
        made(
            "model", state, value=1 if state.model is None else state.model.value + 1, detail=detail
        )
    )


def beliefs_in(**probable):
    """What a model believes of the three items: a probability for some labels of the first, the same for others."""
    labels = ONTOLOGIES[1].labels
    out = np.full((len(ITEMS), len(labels)), 0.5)
    for label, p in probable.items():
        out[0, labels.index(label)] = p
    return out


@settings(max_examples=40)
@given(stories())
def test_live_and_replayed_states_are_the_same(story):
    live = fallible()
    for n, step in enumerate(story):
        apply_step(live, step)
        if n == 5:
            believe(live, np.linspace(0.1, 0.9, live.facts.size).reshape(live.facts.shape))
        if live.model is not None and live.model.ontology != live.version:
            break  # beliefs are of the ontology then
    replayed = State(ITEMS, ONTOLOGIES, live.events, settings=FALLIBLE, beliefs=live._believed)
    assert compare(live, replayed) == []
    np.testing.assert_array_equal(live.session.sure, replayed.session.sure)
    np.testing.assert_array_equal(live.session.answers, replayed.session.answers)
    np.testing.assert_array_equal(live.session.testified()[1], replayed.session.testified()[1])
    without = State(ITEMS, ONTOLOGIES, live.events, settings=FALLIBLE)  # facts need no beliefs
    assert compare(live, without) == []


@settings(max_examples=40)
@given(stories())
def test_what_stands_can_be_true_and_nothing_is_held_up(story):
    state = fallible()
    for step in story:
        apply_step(state, step)
        np.testing.assert_array_equal(state.onto.propagate(state.facts), state.facts)
        assert not any(one.held for one in state.standings.values())
        for item in ITEMS:
            one, doubted = state.standing_of(item), state.doubted.get(item, frozenset())
            for label, claim in one.effect.items():
                assert claim.decided or (claim.seq, label) not in doubted
                k = state.onto.index[label]
                assert state.facts[state.row(item), k] == claim.value


def test_of_two_who_differ_the_one_stands_whom_the_model_agrees_with():
    state = fallible(beliefs_in(bird=0.9, animal=0.95))
    answered(state, "ann", "i", "bird", False)
    answered(state, "ben", "i", "bird", True)
    one = state.standing_of("i")
    assert one.answers == {"bird": True}
    assert one.effect["bird"].who == "ben"
    assert [conflict.kind for conflict in one.conflicts] == ["disagreement"]
    assert state.doubted["i"] == {(2, "bird")}
    assert state.known_of("i")["animal"]
    assert state.known_of("i")["fish"] is False


def test_a_single_answer_that_is_improbable_does_not_stand_until_others_agree():
    state = fallible(beliefs_in(bird=0.9999, animal=0.9999))
    answered(state, "ann", "i", "bird", False)
    assert state.standing_of("i").answers == {}
    assert state.session.predict()[0, state.onto.index["bird"]] == 1
    for who in ("ben", "cid", "dan"):
        answered(state, who, "i", "bird", False)
    assert state.standing_of("i").answers == {"bird": False}
    assert state.doubted["i"] == frozenset()


def test_a_decision_is_sure_whatever_the_model_says():
    state = fallible(beliefs_in(bird=0.9999, animal=0.9999))
    answered(state, "ann", "i", "bird", True)
    event = made("decision", state, item="i", label="bird", value=False)
    state.apply(with_verdict(state, event))
    assert state.standing_of("i").answers == {"bird": False}
    assert state.session.sure[0, state.onto.index["bird"]] == 0


def test_a_model_tells_whom_to_trust_and_what_is_improbable_since():
    state = fallible(beliefs_in())
    answered(state, "ann", "i", "bird", False)
    assert state.doubted.get("i", frozenset()) == frozenset()
    believe(state, beliefs_in(bird=0.9999, animal=0.9999))
    assert state.model.detail[DOUBTED] == {"i": [[2, "bird"]]}
    assert list(state.model.detail[TRUST]) == ["ann"]
    assert state.standing_of("i").answers == {}
    believe(state, beliefs_in())
    assert state.model.detail[DOUBTED] == {"i": []}
    assert state.standing_of("i").answers == {"bird": False}


def test_a_pick_is_one_statement_and_is_doubted_as_a_whole():
    state = fallible(beliefs_in(bird=0.9999, animal=0.9999, fish=0.0001))
    options = list(state.onto.labels)
    event = made("answer", state, who="ann", item="i", value=["fish"], detail={"options": options})
    state.apply(with_verdict(state, event))
    assert [(one.who, one.label) for one in state.session.doubts_of(0)] == [("ann", "fish")]
    assert state.known_of("i") == state.onto.propagate({})


def test_nothing_is_added_where_answers_are_facts():
    state = State(ITEMS, ONTOLOGIES)
    event = made("answer", state, who="ann", item="i", label="bird", value=True)
    assert with_verdict(state, event) is event
    assert verdicts(state) == {}
    assert event.kind == ANSWER
    assert isinstance(event, Event)


def test_switched_off_all_answers_count_again():
    state = fallible(beliefs_in(bird=0.9999, animal=0.9999))
    answered(state, "ann", "i", "bird", False)
    assert state.standing_of("i").answers == {}
    state.apply(made("settings", state, detail={"fallible": False}))
    assert state.standing_of("i").answers == {"bird": False}
    assert state.standing_of("i").doubted is None
    state.apply(made("settings", state, detail={"fallible": True}))
    assert state.standing_of("i").answers == {}
