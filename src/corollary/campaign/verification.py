"""Whether the log gives what is in memory: everything built anew from it, and compared bit by bit."""

from __future__ import annotations

from itertools import groupby

import numpy as np

from ..logic.ontology import Ontology
from .events import FACT, ITEMS, MODEL, Event
from .items import features_of
from .live import Live
from .models import state_at
from .state import State
from .storage.records import Model
from .training import Order, learn


def verify(live: Live, *, step_by_step: bool = False) -> list[str]:
    """What differs between the state in memory and the one that the stored log gives."""
    events = list(live.store.events())
    if [event.seq for event in events] != list(range(1, len(events) + 1)):
        return ["the numbers of the events are not 1, 2, 3, ...: the log has a gap"]
    if len(events) < live.state.seq or (len(events) > live.state.seq and not live.readonly):
        return [f"the log has {len(events):,} events, memory {live.state.seq:,}"]
    events = events[: live.state.seq]
    ontologies = {one.version: Ontology.parse(one.text) for one in live.store.ontologies()}
    if step_by_step:
        anew = one_by_one(live, ontologies, events)
    else:
        anew = State(tuple(live.items), ontologies, events, settings=live.start)
    return [*compare(live.state, anew), *_check_model(live, ontologies, events)]


def one_by_one(live: Live, ontologies: dict[int, Ontology], events: list[Event]) -> State:
    """The state after the events were applied in turn, as it happened when they came."""
    ids = tuple(live.items)
    place = len(ids) - sum(event.value for event in events if event.kind == ITEMS)
    state = State(ids[:place], ontologies, settings=live.start)
    for brought, together in groupby(events, lambda event: event.kind == FACT):
        if brought:
            state.apply_all(list(together))
            continue
        for event in together:
            added = event.value if event.kind == ITEMS else 0
            state.apply(event, ids=ids[place : place + added])
            place += added
    return state


def compare(one: State, other: State) -> list[str]:
    """Which parts of two states differ; beliefs apart."""
    if one.ids != other.ids or one.onto != other.onto:
        return ["the items, or the labels, are not the same"]
    found = []
    if not np.array_equal(one.facts, other.facts):
        i, k = np.argwhere(one.facts != other.facts)[0]
        found.append(f"the facts differ, first in item {one.ids[i]!r}, label {one.onto.labels[k]!r}")
    parts, others = _parts(one), _parts(other)
    return found + [f"what is kept as {name!r} differs" for name in parts if parts[name] != others[name]]


def _parts(state: State) -> dict[str, object]:
    names = ("events", "settings", "standings", "tally", "paused", "taken_back", "answered")
    pools = ("second", "unsure", "later", "own", "gold", "puzzling")
    return {
        **{name: getattr(state, name) for name in names},
        **{name: getattr(state.waiting, name).cells() for name in pools},
        "held": list(state.held),
        "marked": list(state.marked),
        "withdrawn": list(state.withdrawn),
    }


def _check_model(live: Live, ontologies: dict[int, Ontology], events: list[Event]) -> list[str]:
    """Train the last model again and compare its beliefs with the log, with the kept ones and with those in use."""
    last = next((event for event in reversed(events) if event.kind == MODEL), None)
    if last is None:
        return []
    detail = last.detail or {}
    ids = tuple(live.items)
    state = state_at(ids, ontologies, events, live.start, int(detail["upto"]))
    items = live.items_to_learn()[: len(state.ids)]
    order = Order(ontologies[last.ontology], str(detail["learner"]), state.settings.seed, state.facts)
    beliefs = learn(features_of(items), order)
    found = []
    if Model(version=last.value, upto=int(detail["upto"]), beliefs=beliefs).sha256 != detail["sha256"]:
        found.append(f"model {last.value}, trained again, differs from the one in the log")
    if not live.state.has_model:  # lost in a failure; until the next one is trained the rules alone decide
        return found
    anew = State(ids, ontologies, events, settings=live.start, beliefs=beliefs)
    if not np.array_equal(anew.session.beliefs, live.state.session.beliefs):
        found.append(f"the beliefs in use are not those of model {last.value}")
    return found
