"""States as stories go on, and people who answer a campaign from its truth."""

from __future__ import annotations

from hypothesis import strategies as st

from corollary.campaign.events import Event
from corollary.campaign.labels.statements import Statements
from corollary.campaign.progress.growth import Growth
from corollary.campaign.state.state import State

from ..logs import LEAD, PEOPLE
from ..state.test_state import ITEMS, ONTOLOGIES, apply_step

TEXT = "animal > exclusive: bird, fish, mammal\nplace > exclusive: city, river\nexclusive: animal, place"
TRUTH = ("bird", "fish", "mammal", "city", "river")
ONTO = ONTOLOGIES[3]
LABELS = [*ONTO.labels, "unknown"]
VALUES = (True, True, False, False, "skip", "cant_tell", ["bird"])

STATEMENTS = Statements({1: ONTO})


@st.composite
def logs(draw, *, max_size=14):
    """Answers, some of the whole item, what takes them back, and now and then a flag or a decision."""
    kinds = st.sampled_from(("answer",) * 8 + ("undo", "undo", "flag", "decision"))
    parts = st.tuples(
        kinds, st.sampled_from(PEOPLE), st.sampled_from(ITEMS), st.sampled_from(LABELS)
    )
    events = []
    for kind, who, item, label in draw(st.lists(parts, max_size=max_size)):
        common = {
            "kind": kind,
            "who": who,
            "item": item,
            "seq": len(events) + 1,
            "key": str(len(events)),
            "at": "t",
        }
        if kind == "answer":
            value = draw(st.sampled_from(VALUES))
            whole = isinstance(value, list)
            events.append(
                Event(label=None if whole else label, value=value, detail={"options": []}, **common)
            )
        elif kind == "flag":
            events.append(Event(detail={"reason": "text"}, **common))
        elif kind == "decision":
            events.append(Event(**common | {"who": LEAD}, label="flies", value=True))
        else:
            gone = {event.refers for event in events}
            own = [
                e.seq
                for e in events
                if e.item == item and e.kind in ("answer", "flag") and e.seq not in gone
            ]
            if own:
                by = LEAD if len(own) % 2 else who
                events.append(Event(refers=draw(st.sampled_from(own)), **common | {"who": by}))
    return events


def follow(story):
    """The state after each of the steps that can be taken."""
    state = State(ITEMS, ONTOLOGIES)
    for step in story:
        before = state.seq
        apply_step(state, step)
        if state.seq > before:
            yield state


def grown(state):
    growth = Growth(state.onto, state.statements)
    growth.extend(state.events)
    return growth


def is_true(item, label):
    truth = TRUTH[int(item[1:]) % 5]
    return label in (truth, "animal" if truth in ("bird", "fish", "mammal") else "place")


def work(campaign, n, *, wrong=()):
    for turn in range(n):
        who = PEOPLE[turn % 3]
        for asked in campaign.next(who, 1):
            value = is_true(asked.item.id, asked.label) ^ (turn in wrong)
            campaign.answer(
                who, asked.item.id, asked.label, value, seconds=0.5 if who == "cem" else 2.0
            )
