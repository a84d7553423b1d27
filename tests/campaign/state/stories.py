"""Three ontologies, three items, and random stories of what happens to them."""

from __future__ import annotations

from hypothesis import strategies as st

import corollary as co
from corollary.campaign.events import Event
from corollary.campaign.state.verdicts import with_verdict

from ..logs import LEAD, event_of, steps

TEXTS = {
    1: "animal > exclusive: bird, fish, mammal\nplace > exclusive: city, river\nexclusive: animal, place",
    2: "animal > bird, fish, mammal\nplace > exclusive: city, river",
    3: "animal > exclusive: bird, fish\nexclusive: animal, place\nrule: bird >> flies\nplace > city, river, sea",
}
ONTOLOGIES = {version: co.Ontology.parse(text) for version, text in TEXTS.items()}
ITEMS = ("i", "j", "k")


def made(kind, state, **parts):
    parts = {"who": LEAD, "ontology": state.version} | parts
    return Event(kind=kind, seq=state.seq + 1, key=str(state.seq), at="t", **parts)


def apply_step(state, step):
    """One random step, if it can be."""
    kind = step[0]
    if kind == "ontology":
        event = made("ontology", state, value=1 + step[6] % 3)
    elif kind == "settings":
        event = made(
            "settings",
            state,
            detail={
                "overlap": (0.0, 0.5, 1.0)[step[6] % 3],
                "item_cost": None if step[6] % 2 else 2.0,
            },
        )
    elif kind == "pause":
        event = made("pause" if step[6] % 2 else "resume", state, value=step[1])
    else:
        known = state.facts[state.row(step[2])]
        options = [label for k, label in enumerate(state.onto.labels) if known[k] < 0]
        event = event_of(step, state.events, ontology=state.version, options=options)
        wanted = [step[3], *step[5]] if kind != "whole" else step[5]
        if event is None or any(label not in state.onto.index for label in wanted):
            return
        if kind == "whole":
            try:
                state.onto.propagate(dict.fromkeys(step[5], True))
            except co.Contradiction:
                return
    before = state.seq
    try:
        state.apply(with_verdict(state, event))
    except co.Contradiction:
        assert state.seq == before
        assert event.kind in ("decision", "gold", "undo", "ontology")


@st.composite
def stories(draw):
    labels = [*ONTOLOGIES[1].labels, "flies", "sea"]
    story = draw(steps(labels, ITEMS, max_steps=14))
    kinds = st.sampled_from(("ontology", "settings", "pause"))
    for n, kind, pick in draw(
        st.lists(st.tuples(st.integers(0, 13), kinds, st.integers(0, 9)), max_size=3)
    ):
        story.insert(n, (kind, "ann", "i", labels[0], True, [], pick))
    return story


def answered(state, who, item, label, value):
    return state.apply(
        with_verdict(state, made("answer", state, who=who, item=item, label=label, value=value))
    )
