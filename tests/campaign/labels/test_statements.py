"""What people said, read under the ontology in force; held against plain sets of groups and narrowest labels."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import corollary as co
from corollary.campaign.events import Event
from corollary.campaign.labels.statements import Statements
from corollary.campaign.state.standing import standing

BANK = """
exactly one: cash, cards
cash > exactly one: swallowed, charge, declined
cards > exactly one: lost, stolen
"""
MOVED = """
exactly one: cash, cards
cash > exactly one: charge, declined
cards > exactly one: lost, stolen, swallowed
"""
MOODS = "good > joy, love\nbad > anger, fear"


def parse(*texts):
    return [co.Ontology.parse(text) for text in texts]


def reply(names, options, *, seq=1, who="ann", ontology=1):
    detail = {"options": list(options)}
    return Event(
        kind="answer",
        who=who,
        item="i",
        value=names,
        detail=detail,
        seq=seq,
        key=str(seq),
        at="t",
        ontology=ontology,
    )


def said(event, *ontologies):
    """What an event of the first ontology says under the last."""
    stated = Statements(dict(enumerate(ontologies, start=1))).of(event, ontologies[-1])
    return {label: value for label, value in stated.cells.items() if label is not None}


def test_a_pick_says_what_was_picked_and_nothing_else():
    (bank,) = parse(BANK)
    event = reply(["swallowed"], bank.labels)
    assert said(event, bank) == {"swallowed": True}
    assert Statements({1: bank}).of(event, bank).picked == ("swallowed",)


def test_a_pick_stays_true_where_its_label_moves_to_another_group():
    bank, moved = parse(BANK, MOVED)
    event = reply(["swallowed"], bank.labels)
    assert said(event, bank, moved) == {"swallowed": True}
    found = standing([event], moved, Statements({1: bank, 2: moved}))
    assert not found.conflicts
    assert moved.propagate(found.answers) == moved.propagate({"swallowed": True})


def test_a_group_that_was_named_too_is_derived():
    bank, moved = parse(BANK, MOVED)
    assert said(reply(["cash", "swallowed"], bank.labels), bank, moved) == {"swallowed": True}


def test_a_label_added_later_is_settled_only_as_far_as_the_ontology_says():
    bank, more, beside = parse(
        BANK, BANK.replace("lost, stolen", "lost, stolen, bent"), BANK + "urgent > very"
    )
    event = reply(["lost"], bank.labels)
    found = standing([event], more, Statements({1: bank, 2: more}))
    assert more.propagate(found.answers)["bent"] is False
    found = standing([event], beside, Statements({1: bank, 2: beside}))
    assert "very" not in beside.propagate(found.answers)


def test_a_pick_of_a_label_that_is_gone_says_nothing():
    bank, less = parse(BANK, BANK.replace("swallowed, ", ""))
    assert said(reply(["swallowed"], bank.labels), bank, less) == {}


def test_a_label_below_the_one_that_was_picked_is_open():
    flat, deeper = parse(
        "exactly one: lost, stolen, other", "exactly one: lost, other\nlost > stolen"
    )
    assert said(reply(["lost"], flat.labels), flat, deeper) == {"lost": True}
    assert "stolen" not in deeper.propagate({"lost": True})


def test_no_other_holds_also_where_labels_no_longer_exclude_each_other():
    bank, loose = parse(BANK, "cash > swallowed, charge, declined\ncards > lost, stolen")
    cells = said(reply(["swallowed"], bank.labels), bank, loose)
    assert cells == {
        "swallowed": True,
        "charge": False,
        "declined": False,
        "lost": False,
        "stolen": False,
    }


def test_none_of_these_denies_the_widest_that_can_be_denied():
    (zoo,) = parse("exclusive: animal, place\nanimal > exclusive: bird, fish")
    assert said(reply([], zoo.labels), zoo) == {"animal": False, "place": False}


def test_none_of_these_holds_for_a_label_that_moves():
    zoo, moved = parse(
        "exclusive: animal, place\nanimal > exclusive: bird, fish",
        "exclusive: animal, machine\nmachine > bird",
    )
    assert said(reply([], zoo.labels), zoo, moved) == {"animal": False, "bird": False}


def test_labels_of_a_whole_item_are_yes_and_the_others_offered_no():
    (moods,) = parse(MOODS)
    event = reply(["joy", "anger"], moods.labels)
    assert said(event, moods) == {"joy": True, "anger": True, "love": False, "fear": False}
    assert Statements({1: moods}).of(event, moods).picked is None


def test_a_label_of_several_may_move_to_another_group():
    moods, moved = parse(MOODS, "good > joy, love, anger\nbad > fear")
    cells = said(reply(["anger"], moods.labels), moods, moved)
    assert cells == {"anger": True, "joy": False, "love": False, "fear": False}


def test_names_that_cannot_be_true_together_any_more_conflict():
    moods, apart = parse(MOODS, f"{MOODS}\nexclusive: joy, anger")
    event = reply(["joy", "anger"], moods.labels)
    found = standing([event], apart, Statements({1: moods, 2: apart}))
    assert [conflict.labels for conflict in found.conflicts] == [("joy", "anger")]


def test_who_picks_again_takes_back_the_first_pick():
    (bank,) = parse(BANK)
    events = [reply(["lost"], bank.labels), reply(["charge"], bank.labels, seq=2)]
    found = standing(events, bank, Statements({1: bank}))
    assert not found.conflicts
    assert found.answers == {"charge": True}


@pytest.mark.parametrize(
    ("label", "value", "left"), [("lost", False, {"lost": False}), ("lost", True, {"lost": True})]
)
def test_a_later_answer_takes_back_a_pick_that_it_contradicts(label, value, left):
    bank, loose = parse(BANK, "cash > swallowed, charge, declined\ncards > lost, stolen")
    later = Event(
        kind="answer",
        who="ann",
        item="i",
        label=label,
        value=value,
        seq=2,
        key="2",
        at="t",
        ontology=2,
    )
    found = standing([reply(["lost"], bank.labels), later], loose, Statements({1: bank, 2: loose}))
    rest = {} if not value else dict.fromkeys(("swallowed", "charge", "declined", "stolen"), False)
    assert found.answers == left | rest


def test_people_who_pick_differently_make_one_conflict_for_each_pair_that_cannot_be():
    (bank,) = parse(BANK)
    said = (("ann", "lost"), ("ben", "stolen"), ("cem", "charge"))
    picks = [
        reply([name], bank.labels, seq=n, who=who) for n, (who, name) in enumerate(said, start=1)
    ]
    found = standing(picks[:2], bank, Statements({1: bank}))
    assert [[(o.who, o.label) for o in conflict.opinions] for conflict in found.conflicts] == [
        [("ann", "lost"), ("ben", "stolen")]
    ]
    found = standing(picks, bank, Statements({1: bank}))
    assert [[o.who for o in conflict.opinions] for conflict in found.conflicts] == [
        ["ann", "ben"],
        ["ann", "cem"],
    ]
    assert found.answers == {}
    assert found.held


def test_a_decision_against_a_pick_makes_it_void_without_a_conflict():
    (bank,) = parse(BANK)
    wrong = Event(
        kind="decision", who="mara", item="i", label="lost", value=False, seq=2, key="2", at="t"
    )
    found = standing([reply(["lost"], bank.labels), wrong], bank, Statements({1: bank}))
    assert not found.conflicts
    assert found.answers == {"lost": False}


@st.composite
def trees(draw):
    """Two trees of the same narrowest labels in two to three groups each, and a pick of one of these."""
    leaves = [f"l{n}" for n in range(draw(st.integers(3, 7)))]
    texts = []
    for _ in range(2):
        groups = {f"g{n}": [] for n in range(draw(st.integers(2, 3)))}
        for leaf in leaves:
            groups[draw(st.sampled_from(sorted(groups)))].append(leaf)
        used = {group: below for group, below in groups.items() if below}
        if len(used) < 2:
            texts.append(f"exactly one: {', '.join(leaves)}")
            continue
        lines = [f"exactly one: {', '.join(used)}"]
        for group, below in used.items():
            one = len(below) == 1
            lines.append(
                f"equivalent: {group}, {below[0]}"
                if one
                else f"{group} > exactly one: {', '.join(below)}"
            )
        texts.append("\n".join(lines))
    return texts, draw(st.sampled_from(leaves)), leaves


@given(trees())
def test_a_pick_is_the_same_pick_in_any_tree_of_the_same_labels(drawn):
    texts, leaf, leaves = drawn
    then, now = parse(*texts)
    event = reply([leaf], then.labels)
    found = standing([event], now, Statements({1: then, 2: now}))
    assert not found.conflicts
    known = now.propagate(found.answers)
    assert {one for one in leaves if known[one]} == {leaf}
    assert len(known) == len(now)


def accepted(names, *, seq=1, ontology=1):
    detail = {"audit": 1, "probability": 0.99}
    return Event(
        kind="accept",
        who="mara",
        item="i",
        value=names,
        detail=detail,
        seq=seq,
        key=str(seq),
        at="t",
        ontology=ontology,
    )


def test_an_acceptance_of_an_item_is_read_as_a_pick_of_its_narrowest_label():
    bank, moved = parse(BANK, MOVED)
    event = accepted(["swallowed"])
    assert said(event, bank) == said(event, bank, moved) == {"swallowed": True}
    (moods,) = parse(f"{MOODS}\nexclusive: joy, love, anger, fear\nexclusive: good, bad")
    none = standing([accepted([])], moods, Statements({1: moods}))
    assert moods.propagate(none.answers) == dict.fromkeys(moods.labels, False)
    wide = standing([accepted(["good"])], moods, Statements({1: moods}))
    assert moods.propagate(wide.answers) == {label: label == "good" for label in moods.labels}


def test_an_acceptance_leaves_what_its_lead_said_and_ends_with_their_own_answer():
    (moods,) = parse(f"{MOODS}\nexclusive: joy, love, anger, fear\nexclusive: good, bad")
    read = Statements({1: moods})
    own = Event(
        kind="answer", who="mara", item="i", label="good", value=True, seq=1, key="1", at="t"
    )
    both = standing([own, accepted(["good"], seq=2)], moods, read)
    assert both.effect["good"].seq == 1
    assert not both.is_accepted("good")
    other = Event(
        kind="answer", who="mara", item="i", label="joy", value=True, seq=2, key="2", at="t"
    )
    then = standing([accepted(["good"]), other], moods, read)
    assert then.answers == {"joy": True}
    assert not then.conflicts
