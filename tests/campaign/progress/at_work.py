"""States as stories go on, and people who answer a campaign from its truth."""

from __future__ import annotations

from corollary.campaign.progress.growth import Growth
from corollary.campaign.state.state import State

from ..logs import PEOPLE
from ..state.test_state import ITEMS, ONTOLOGIES, apply_step

TEXT = "animal > exclusive: bird, fish, mammal\nplace > exclusive: city, river\nexclusive: animal, place"
TRUTH = ("bird", "fish", "mammal", "city", "river")


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
