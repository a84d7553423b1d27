"""What stands of one item, against legal worlds and a plain reading of the rules."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import corollary as co
from corollary.campaign.events import Event
from corollary.campaign.labels.statements import Statements
from corollary.campaign.state.standing import NOTHING, finding_clashes, standing
from corollary.campaign.state.standings import stand_all

from ...logic.ontologies import entailed, ontologies, worlds
from ..logs import event_of, steps

ANIMALS = "animal > exclusive: bird, fish, mammal\nplace > exclusive: city, river\nexclusive: animal, place"


def statements_of(onto):
    return Statements({1: onto})


def naive_opinions(events, onto, statements):
    """Opinions by (label, who), picks, and decisions by label, read from the last event to the first."""
    undone = {event.refers for event in events if event.kind in ("undo", "unflag")}
    standing_events = [event for event in events if event.seq not in undone]
    rejected = {
        s
        for e in standing_events
        if e.kind == "decision"
        for s in (e.detail or {}).get("reject", [])
    }
    decisions, later, opinions, picks = {}, [], {}, set()
    for event in reversed(standing_events):
        if event.kind in ("decision", "gold"):
            decisions.setdefault(event.label, (event.value, event.seq))
        elif event.kind in ("answer", "fact", "accept") and event.seq not in rejected:
            stated = statements.of(event, onto)
            cells = {label: value for label, value in stated.cells.items() if label is not None}
            if event.kind == "accept" and isinstance(
                event.value, list
            ):  # they may have answered a label themselves
                rest = ("undo", "unflag", "decision")
                upto = [one for one in events if one.seq < event.seq or one.kind in rest]
                before, _, _ = naive_opinions(upto, onto, statements)
                answered = {
                    one.seq
                    for one in upto
                    if one.kind in ("answer", "fact") and one.label is not None
                }
                own_cells = {
                    k
                    for (k, who), (_, seq) in before.items()
                    if who == event.who and seq in answered
                }
                same = {k for k in own_cells & cells.keys() if before[k, event.who][0] is cells[k]}
                stated = stated._replace(cells={k: v for k, v in cells.items() if k not in same})
                cells = stated.cells
            own = [other for who, other in later if who == event.who]
            if stated.picked is not None:
                picks.add(event.seq)
            changed = any(
                label in other.about or other.cells.get(label, value) != value
                for other in own
                for label, value in cells.items()
            )
            for label, value in (
                cells.items() if not (stated.picked is not None and changed) else ()
            ):
                if not any(
                    label in other.about or label in other.cells for other in own
                ) and isinstance(value, bool):
                    opinions[label, event.who] = (value, event.seq)
            later.append((event.who, stated))
    return opinions, picks, decisions


def possible(legal, labels, facts):
    return entailed(legal, labels, facts) is not None


def check_against_worlds(found, events, labels, legal, onto, statements):
    opinions, picks, decisions = naive_opinions(events, onto, statements)
    told = {
        (label, who): (o.value, o.seq)
        for label, by in found.said.opinions.items()
        for who, o in by.items()
    }
    assert told == opinions
    void = {
        seq
        for (label, _), (value, seq) in opinions.items()
        if seq in picks and decisions.get(label, (value,))[0] != value
    }
    opinions = {cell: said for cell, said in opinions.items() if said[1] not in void}
    ordered = [
        (label, value, seq, True)
        for label, (value, seq) in sorted(decisions.items(), key=lambda d: d[1][1])
    ]
    disagreements, undecided = set(), []
    for label in {label for label, _ in opinions} - decisions.keys():
        said = [value_seq for (other, _), value_seq in opinions.items() if other == label]
        if len({value for value, _ in said}) == 2:
            disagreements.add(label)
        else:
            undecided.append((label, said[0][0], min(seq for _, seq in said), False))
    ordered += sorted(undecided, key=lambda claim: (claim[2], labels.index(claim[0])))
    assert {c.labels[0] for c in found.conflicts if c.kind == "disagreement"} == disagreements
    clashes = [conflict for conflict in found.conflicts if conflict.kind == "clash"]
    overruled = list(found.overruled)
    effect, kept, out = {}, set(), set()

    def drop(gone):
        """Leave out labels, and what else their picks said that nobody else said."""
        seqs = {seq for (label, _), (_, seq) in opinions.items() if label in gone and seq in picks}
        for other, _, _, _ in ordered:
            behind = [seq for (label, _), (_, seq) in opinions.items() if label == other]
            if other in gone or (other not in decisions and set(behind) <= seqs):
                out.add(other)
                effect.pop(other, None)

    for n, (label, value, _, decided) in enumerate(ordered):
        if label in out:
            continue
        if possible(legal, labels, effect | {label: value}):
            effect[label] = value
            kept |= {label} if decided else set()
            continue
        sure = {k: v for k, v in effect.items() if k in kept}
        if overruled and overruled[0].label == label and not clash_is_next(clashes, label, effect):
            overruled.pop(0)
            assert not possible(legal, labels, sure | {label: value})
            assert possible(legal, labels, {label: value})
            drop({label})
            continue
        facts = check_clash(clashes.pop(0), effect | {label: value}, legal, labels)
        assert label in facts
        assert len(facts.keys() - kept) > 1 or len(facts) == 1
        gone = facts.keys() - kept
        alone = [one for one in gone if possible(legal, labels, sure | {one: facts[one]})]
        for rival, yes, _, _ in ordered[n + 1 :]:
            if rival in out or not yes or not possible(legal, labels, sure | {rival: True}):
                continue
            if any(
                not possible(legal, labels, sure | {one: facts[one], rival: True}) for one in alone
            ):
                assert rival in check_clash(
                    clashes.pop(0), effect | facts | {rival: True}, legal, labels
                )
                gone |= {rival}
        drop(gone)
    assert not clashes
    assert not overruled
    assert found.answers == effect
    assert possible(legal, labels, effect)
    assert found.held == bool(found.conflicts)


def check_clash(clash, among, legal, labels):
    """The facts of a clash: some of those there are, impossible together, possible without any one of them."""
    facts = {opinion.label: opinion.value for opinion in clash.opinions}
    assert facts.items() <= among.items()
    assert not possible(legal, labels, facts)
    assert all(
        possible(legal, labels, {k: v for k, v in facts.items() if k != one}) for one in facts
    )
    return facts


def clash_is_next(clashes, label, effect):
    return (
        bool(clashes) and label in clashes[0].labels and set(clashes[0].labels) <= {label, *effect}
    )


@settings(max_examples=150)
@given(st.data(), ontologies(max_labels=5, max_constraints=5))
def test_standing_agrees_with_the_legal_worlds(data, ontology):
    labels, constraints = ontology
    legal = worlds(labels, constraints)
    assume(len(legal))
    onto = co.Ontology(labels, constraints)
    statements = statements_of(onto)
    events = []
    for step in data.draw(steps(labels, ["i"])):
        if step[0] == "whole" and not possible(legal, labels, dict.fromkeys(step[5], True)):
            continue
        event = event_of(step, events, options=labels[: step[6] % 4])
        if event is not None:
            events.append(event)
    _, _, decisions = naive_opinions(events, onto, statements)
    if not possible(legal, labels, {label: value for label, (value, _) in decisions.items()}):
        with pytest.raises(co.Contradiction):
            standing(events, onto, statements)
        assert set(stand_all({"i": events}, onto, statements).refused) == {"i"}
        return
    found = standing(events, onto, statements)
    check_against_worlds(found, events, labels, legal, onto, statements)
    together = stand_all({"i": events, "j": []}, onto, statements)
    assert together.standings == (found, NOTHING)
    row = {label: bool(v) for label, v in zip(labels, together.known[0], strict=True) if v >= 0}
    assert row == entailed(legal, labels, found.answers)


def said(*parts):
    """Events from (who, label, value), (who, "undo", seq), (lead, "decide", label, value), (lead, "accept", values)."""
    events = []
    for seq, (who, what, *rest) in enumerate(parts, start=1):
        common = {"who": who, "item": "i", "seq": seq, "key": str(seq), "at": "t"}
        if what == "undo":
            events.append(Event(kind="undo", refers=rest[0], **common))
        elif what == "accept":
            events.append(Event(kind="accept", value=rest[0], detail={"audit": 1}, **common))
        elif what == "decide":
            detail = {"reject": rest[2]} if len(rest) > 2 else None
            events.append(
                Event(kind="decision", label=rest[0], value=rest[1], detail=detail, **common)
            )
        else:
            events.append(Event(kind="answer", label=what, value=rest[0], **common))
    return events


@pytest.fixture
def animals():
    return co.Ontology.parse(ANIMALS)


def test_two_people_who_never_saw_the_same_question_can_clash(animals):
    found = standing(
        said(("ann", "fish", True), ("ben", "bird", True), ("ann", "city", False)),
        animals,
        statements_of(animals),
    )
    (conflict,) = found.conflicts
    assert conflict.kind == "clash"
    assert [(o.who, o.label) for o in conflict.opinions] == [("ann", "fish"), ("ben", "bird")]
    assert "at most one of" in conflict.message
    assert found.answers == {"city": False}
    assert found.held


def test_a_decision_beats_answers_and_what_it_makes_impossible(animals):
    events = said(("ann", "fish", True), ("ben", "bird", True), ("mara", "decide", "bird", True))
    found = standing(events, animals, statements_of(animals))
    assert not found.conflicts
    assert [opinion.label for opinion in found.overruled] == ["fish"]
    assert found.answers == {"bird": True}


def test_an_answer_that_the_rules_alone_make_impossible_is_told_until_a_lead_decides(animals):
    without = co.Ontology.parse(f"{ANIMALS}\nrule: ~river")
    events = said(("ann", "river", True), ("ben", "river", True), ("ann", "bird", False))
    found = standing(events, without, statements_of(animals))
    (conflict,) = found.conflicts
    assert (conflict.kind, conflict.labels) == ("clash", ("river",))
    assert [(o.who, o.value) for o in conflict.opinions] == [("ann", True), ("ben", True)]
    assert found.answers == {"bird": False}
    assert found.held
    decided = Event(
        kind="decision", who="mara", item="i", label="river", value=False, seq=4, key="4", at="t"
    )
    after = standing([*events, decided], without, statements_of(animals))
    assert not after.conflicts
    assert after.answers == {"river": False, "bird": False}


def test_a_rejected_answer_comes_back_with_the_undo_of_the_decision(animals):
    events = said(("ann", "fish", True), ("mara", "decide", "city", False, [1]))
    assert standing(events, animals, statements_of(animals)).answers == {"city": False}
    events = said(
        ("ann", "fish", True), ("mara", "decide", "city", False, [1]), ("mara", "undo", 2)
    )
    assert standing(events, animals, statements_of(animals)).answers == {"fish": True}


def test_people_who_disagree_leave_the_cell_open(animals):
    events = said(("ann", "fish", True), ("ben", "fish", False))
    found = standing(events, animals, statements_of(animals))
    assert found.answers == {}
    assert found.conflicts[0].labels == ("fish",)
    changed = standing(
        said(("ann", "fish", True), ("ben", "fish", False), ("ben", "fish", True)),
        animals,
        statements_of(animals),
    )
    assert changed.answers == {"fish": True}
    assert not changed.held


def test_conflicts_come_in_the_order_in_which_they_arose_and_know_their_answers(animals):
    events = said(
        ("ann", "fish", True),
        ("ben", "fish", False),
        ("ann", "city", True),
        ("ben", "city", False),
        ("cleo", "fish", True),
    )
    found = standing(events, animals, statements_of(animals))
    assert [conflict.labels for conflict in found.conflicts] == [("city",), ("fish",)]
    concerned = [
        [seq for seq in range(7) if conflict.concerns(seq)] for conflict in found.conflicts
    ]
    assert concerned == [[3, 4], [1, 2, 5]]
    found = standing(events[:4], animals, statements_of(animals))
    assert [conflict.labels for conflict in found.conflicts] == [("fish",), ("city",)]


def test_accepted_is_what_nobody_was_asked(animals):
    events = said(
        ("ann", "fish", False),
        ("mara", "decide", "river", False),
        ("mara", "accept", {"bird": True, "fish": False, "river": False}),
    )
    found = standing(events, animals, statements_of(animals))
    assert {label: found.is_accepted(label) for label in found.effect} == {
        "river": False,
        "fish": False,
        "bird": True,
    }
    assert not standing(events[:2], animals, statements_of(animals)).is_accepted("fish")


def test_who_cannot_tell_and_who_skipped(animals):
    events = said(
        ("ann", "fish", "cant_tell"),
        ("ben", "bird", "skip"),
        ("ann", "bird", "skip"),
        ("ann", "bird", True),
    )
    found = standing(events, animals, statements_of(animals))
    assert found.said.unsure == {"fish": ("ann",)}
    assert found.said.skipped == {"bird": ("ben",)}
    assert found.set_aside == ("fish",)
    assert found.said.asked == 2


def test_answers_on_removed_labels_are_kept_and_out_of_effect(animals):
    smaller = co.Ontology.parse("animal > exclusive: bird, mammal")
    found = standing(
        said(("ann", "fish", True), ("ann", "animal", False)), smaller, statements_of(animals)
    )
    assert found.answers == {"animal": False}
    assert found.said.opinions["fish"]["ann"].value is True


def test_a_reply_about_the_whole_item_speaks_of_what_was_offered(animals):
    event = Event(
        kind="answer",
        who="ann",
        item="i",
        value=["bird"],
        detail={"options": ["bird", "fish", "river"]},
        seq=1,
        key="k",
    )
    found = standing([event], animals, statements_of(animals))
    assert found.answers == {"bird": True}  # all else follows
    none = Event(
        kind="answer",
        who="ann",
        item="i",
        value=[],
        detail={"options": ["city", "river"]},
        seq=1,
        key="k",
    )
    assert standing([none], animals, statements_of(animals)).answers == {
        "city": False,
        "river": False,
    }


def picks(*names):
    """Each of ann, ben, ... picks one label of an item on which exactly one of three holds."""
    onto = co.Ontology.parse("exactly one: bird, fish, mammal")
    events = said(
        *((who, None, [name]) for who, name in zip(("ann", "ben", "cem"), names, strict=False))
    )
    return onto, [replace(event, detail={"options": list(onto.labels)}) for event in events]


def test_picks_of_several_people_stand_beside_each_other():
    onto, events = picks("bird", "bird", "fish")
    found = standing(events, onto, statements_of(onto))
    assert {who: one.seq for who, one in found.said.opinions["bird"].items()} == {
        "ann": 1,
        "ben": 2,
    }
    assert found.said.opinions["fish"]["cem"].value is True
    assert found.said.has_said("cem")
    assert not found.said.has_said("dan")
    assert found.conflicts


@pytest.mark.parametrize(("value", "stands"), [(True, True), (False, False)])
def test_a_decision_makes_picks_void_that_it_contradicts(value, stands):
    onto, events = picks("bird")
    decision = replace(said(("mara", "decide", "bird", value))[0], seq=2, key="2")
    found = standing([*events, decision], onto, statements_of(onto))
    assert found.conflicts == ()
    assert found.answers == {"bird": value}
    assert found.said.has_said("ann") is stands


def test_who_accepts_what_they_answered_is_still_the_one_who_answered():
    onto = co.Ontology.parse("exactly one: bird, fish, mammal")
    own, accepted = said(("mara", "bird", True), ("mara", "accept", ["bird"]))
    found = standing([own, accepted], onto, statements_of(onto))
    assert found.said.opinions["bird"]["mara"].seq == own.seq
    other = standing([replace(own, label="fish", value=False), accepted], onto, statements_of(onto))
    assert other.said.opinions["bird"]["mara"].seq == accepted.seq


def test_one_kind_of_being_set_aside_is_enough(animals):
    assert standing(said(("ann", "fish", "skip")), animals, statements_of(animals)).set_aside == (
        "fish",
    )
    assert standing(
        said(("ann", "fish", "cant_tell")), animals, statements_of(animals)
    ).set_aside == ("fish",)


@pytest.mark.parametrize(("value", "rest"), [(False, {"fish": False, "mammal": False}), (True, {})])
def test_none_of_these_holds_as_a_whole_or_not_at_all(value, rest):
    onto = co.Ontology.parse("exclusive: bird, fish, mammal")
    none, decision = said(("ann", None, []), ("mara", "decide", "bird", value))
    events = [replace(none, detail={"options": list(onto.labels)}), decision]
    assert standing(events, onto, statements_of(onto)).answers == {"bird": value, **rest}


def test_a_remembered_clash_keeps_no_caller_in_memory():
    onto = co.Ontology.parse("exclusive: bird, fish")
    found = finding_clashes(onto)((("bird", True), ("fish", True)))
    assert isinstance(found, co.Contradiction)
    assert found.__traceback__ is None
