"""Check that the log gives the state in memory: derive everything again, and compare.

Facts and counts must be the same to the bit on any machine. A model must have the hash that is in
the log. Trained again on the same kind of machine, it must be the same too. Another kind of machine
rounds sums differently, so that a training ends with slightly different beliefs. A difference up to
`ROUNDING` is reported as a note, not as a fault.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby

import numpy as np

from ...logic.engines import Floats
from ...logic.errors import Contradiction, CorollaryError
from ...logic.ontology import Ontology
from ..events import FACT, ITEMS, MODEL, Event
from ..labels.written_ontology import ontology_of
from ..live.live import Live
from ..state.beliefs import carried_over
from ..state.state import State
from ..storage.records import Model
from ..storage.reported import check_reported
from ..training.machine import elsewhere
from ..training.trained_models import input_of, state_at
from ..training.training_process import FeaturesOfItems, learn

#: The largest change of a belief if its model is trained again on another kind of machine. Rounding
#: moves a fit that stops before it has converged. With OpenBLAS's kernels for Haswell and Sandybridge,
#: the default learner's beliefs differed by at most 0.011 in 27 trainings on iris, vowel and segment.
#: Those of logistic regression differed by 3e-16.
ROUNDING = 0.05

#: Called with a note that is no difference.
Tell = Callable[[str], object]
#: Called with the number of events done, and of all events.
Progress = Callable[[int, int], object]


def verify(
    live: Live,
    *,
    step_by_step: bool = False,
    train: bool = True,
    tell: Tell | None = None,
    progress: Progress | None = None,
) -> list[str]:
    """Return the differences between the state in memory and the state that the log gives.

    Parameters are as in `CampaignReading.verify`.
    """
    if live.state.trouble is not None:
        return [str(live.state.trouble)]
    events = list(live.store.events())
    if [event.seq for event in events] != list(range(1, len(events) + 1)):
        return ["the numbers of the events are not 1, 2, 3, ...: the log has a gap"]
    if len(events) < live.state.seq or (len(events) > live.state.seq and not live.readonly):
        return [f"the log has {len(events):,} events, memory {live.state.seq:,}"]
    events = events[: live.state.seq]
    reported, wrong = check_reported(events, live.store.reported())
    ontologies = {one.version: ontology_of(one) for one in live.store.ontologies()}
    anew = one_by_one(live, ontologies, events, progress, tell=tell) if step_by_step else None
    if anew is None:
        anew = State(tuple(live.items), ontologies, events, settings=live.start)
    last = next((event for event in reversed(events) if event.kind == MODEL), None)
    found = wrong + compare(live.state, anew)
    if last is None:
        return found
    then = state_at(tuple(live.items), ontologies, events, live.start, _upto(last), reported)
    return found + _check_model(live, ontologies, then, last, train=train, tell=tell)


def one_by_one(
    live: Live,
    ontologies: dict[int, Ontology],
    events: list[Event],
    progress: Progress | None = None,
    *,
    tell: Tell | None = None,
) -> State | None:
    """Apply the events one by one, as they came, and return the state.

    Return None if an event cannot be applied before a later one repairs the log.
    """
    ids = tuple(live.items)
    place = len(ids) - sum(event.value for event in events if event.kind == ITEMS)
    state = State(ids[:place], ontologies, settings=live.start)
    for brought, together in groupby(events, lambda event: event.kind == FACT):
        if progress is not None:
            progress(state.seq, len(events))
        if brought:
            state.apply_all(list(together))
            continue
        for event in together:
            added = event.value if event.kind == ITEMS else 0
            try:
                state.apply(event, ids=ids[place : place + added])
            except Contradiction as clash:
                if tell is not None:
                    tell(
                        f"event {event.seq} could not be applied when it came ({clash}); a later one repaired it"
                    )
                return None
            place += added
            if progress is not None:
                progress(state.seq, len(events))
    return state


def compare(one: State, other: State) -> list[str]:
    """Return the differences of two states, without beliefs."""
    if one.ids != other.ids or one.onto != other.onto:
        return ["the items, or the labels, are not the same"]
    found = []
    if not np.array_equal(one.facts, other.facts):
        i, k = np.argwhere(one.facts != other.facts)[0]
        found.append(
            f"the facts differ, first in item {one.ids[i]!r}, label {one.onto.labels[k]!r}"
        )
    parts = _parts(one)
    others = _parts(other)
    return found + [
        f"the part {name!r} of the state differs" for name in parts if parts[name] != others[name]
    ]


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


def _check_model(
    live: Live,
    ontologies: dict[int, Ontology],
    then: State,
    last: Event,
    *,
    train: bool,
    tell: Tell | None,
) -> list[str]:
    """Compare the kept, the current and the newly trained beliefs with the log.

    `then` is the state when the model's training began.
    """
    found = []
    kept, damaged = _kept(live, last)
    if damaged:
        found.append(f"the kept beliefs of model {last.value} are not those in the log")
    trained: Floats | None = None
    if train or kept is None:
        try:
            trained = _train_again(live, ontologies[last.ontology], then, last)
        except CorollaryError as error:
            failure = f"model {last.value} cannot be trained again: {error}"
            if kept is None:
                found.append(failure)
            elif tell is not None:
                tell(f"{failure}; its beliefs were kept and are those in the log")
    elif tell is not None:
        tell(
            f"model {last.value}: its beliefs were kept and are those in the log; it was not trained again"
        )
    if trained is not None and not _is_logged(last, trained):
        line, harmless = _differing(last, trained, kept)
        if not harmless:
            found.append(line)
        elif tell is not None:
            tell(line)
    expected = trained if kept is None else kept
    if (
        live.state.has_model and expected is not None
    ):  # else the model is lost, and the rules alone decide until the next
        state = live.state
        label_now = state.moves.between(last.ontology, state.version).label
        onto = ontologies[last.ontology]
        now = carried_over(expected, onto, state.onto, len(live.items), label_now)
        if not np.array_equal(now, live.state.session.beliefs):
            found.append(f"the beliefs in use are not those of model {last.value}")
    return found


def _kept(live: Live, last: Event) -> tuple[Floats | None, bool]:
    """Return the last model's stored or current beliefs if the log has them, and whether stored ones differ."""
    stored = live.store.model()
    if stored is not None and stored.version == last.value:
        if _is_logged(last, stored.beliefs):
            return stored.beliefs, False
        damaged = True
    else:
        damaged = False
    added = sum(event.value for event in live.state.events[_upto(last) :] if event.kind == ITEMS)
    used = live.state.session.beliefs[: len(live.items) - added]
    return used if _is_logged(last, used) else None, damaged


def _train_again(live: Live, onto: Ontology, then: State, last: Event) -> Floats:
    items = live.items_to_learn()[: len(then.ids)]
    wanted = input_of(last, onto, then)
    return learn(FeaturesOfItems(items, live.store.encodings()).of(wanted), wanted)[0]


def _is_logged(last: Event, beliefs: Floats) -> bool:
    model = Model(version=last.value, upto=_upto(last), beliefs=beliefs)
    return bool(model.sha256 == (last.detail or {})["sha256"])


def _upto(last: Event) -> int:
    """Return the last event that a model was trained on."""
    return int((last.detail or {})["upto"])


def _differing(event: Event, trained: Floats, kept: Floats | None) -> tuple[str, bool]:
    """Describe how a newly trained model differs from the log, and whether rounding may explain it."""
    other = elsewhere((event.detail or {}).get("machine"))
    line = f"model {event.value}, trained again {other or 'on such a machine'}, differs from the one in the log"
    if kept is None:
        return f"{line}; by how much is not known: its beliefs were not kept", other is not None
    largest = (
        float(np.abs(trained - kept).max(initial=0.0)) if trained.shape == kept.shape else np.inf
    )
    line += f" by at most {largest:.1g}"
    if other is None:
        return f"{line}, and must not differ at all", False
    if largest > ROUNDING:
        return f"{line}: more than rounding explains (up to {ROUNDING:g})", False
    return f"{line}: within rounding (up to {ROUNDING:g})", True
