"""What is still to come: questions to the end and how many labels are right, worked out beside the campaign's work."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock, Thread
from typing import Any

import numpy as np

from ...learning.stopping.forecast import Forecast, forecast
from ...logic.engines import Facts, Floats
from ...logic.ontology import Ontology
from ..events import DRAWN, EXPECTED, Event
from ..state.state import State
from .expected import record_of, told_by

#: Of the open items so many are played through to the end, at most; a random sample stands for all.
PLAYED = 400
#: A model that goes on learning takes fewer questions than one that stays as it is; mistaken beliefs take more. Of what
#: was played through so much is needed, at the least and at the most: as much as was seen when whole data sets were
#: labelled to the end, where sure and mistaken beliefs took up to 4.3 times the questions. Rough, and a wide range.
FEWER, MORE = 0.35, 4.5
POINTS = 25
#: Before so many answers nothing is told of the end: what was learnt so far is too little to play through.
ENOUGH_ANSWERS = 50
#: What a forecast is of: the versions of the model and of the ontology, how many items there are, which are withdrawn.
Which = tuple[int, int, int, frozenset[str]]


@dataclass(frozen=True)
class ToTheEnd:
    """How many more questions settle every label, if each is the most uncertain of its item: expected, and a range.

    `path` has, for some numbers of further questions, how many more labels are settled: expected, least, most.
    """

    questions: int
    low: int
    high: int
    path: tuple[tuple[int, int, int, int], ...]


def to_the_end(onto: Ontology, beliefs: Floats, known: Facts, *, asked: int = 0, random_state: int = 0) -> ToTheEnd:
    """Play the open items through to the end, answered by chance from the posterior, and count.

    That is what a model takes that learns nothing more. The range around it is wide at the start of a campaign, when
    much is still to be learnt, and closes towards its end: it goes with the share of all questions, after those
    `asked` before, that are still to come.
    """
    rows = np.flatnonzero((known < 0).any(axis=1))
    if not len(rows):
        return ToTheEnd(0, 0, 0, ((0, 0, 0, 0),))
    rng = np.random.default_rng(random_state)
    scale = max(1.0, len(rows) / PLAYED)
    rows = np.sort(rng.permutation(rows)[:PLAYED])
    gains = _play(onto, beliefs[rows], known[rows], rng)
    total = scale * len(gains)
    to_come = float(np.sqrt(total / (asked + total)))
    low, high = FEWER**to_come, MORE**to_come
    middle = float(np.sqrt(low * high))
    settled = np.concatenate([[0.0], np.cumsum(gains)])
    settled *= float((known < 0).sum()) / settled[-1]
    further = np.linspace(0.0, high * total, POINTS)

    def after(factor: float) -> Floats:
        return np.asarray(np.interp(further, factor * scale * np.arange(len(settled)), settled).round())

    return ToTheEnd(
        round(middle * total),
        round(low * total),
        round(high * total),
        tuple(
            (round(x), int(expected), int(least), int(most))
            for x, expected, least, most in zip(further.tolist(), after(middle), after(high), after(low), strict=True)
        ),
    )


def _play(onto: Ontology, beliefs: Floats, known: Facts, rng: np.random.Generator) -> Floats:
    """Labels settled by each question, in the order in which they would be asked.

    The most uncertain cell comes first; what an item is asked later comes after what it was asked before.
    """
    known = known.copy()
    place = np.full(len(known), np.inf)
    places, gains = [np.empty(0)], [np.empty(0)]
    while len(live := np.flatnonzero((known < 0).any(axis=1))):
        q = onto.posterior(beliefs[live], known[live])
        uncertain = np.where(known[live] < 0, np.minimum(q, 1.0 - q), -1.0)
        label = uncertain.argmax(axis=1)
        each = np.arange(len(live))
        place[live] = np.minimum(place[live], uncertain[each, label])
        after = known[live]
        after[each, label] = rng.random(len(live)) < q[each, label]
        after = onto.propagate(after)
        gains.append(((after >= 0).sum(axis=1) - (known[live] >= 0).sum(axis=1)).astype(np.float64))
        places.append(place[live].copy())
        known[live] = after
    return np.asarray(np.concatenate(gains)[np.argsort(-np.concatenate(places), kind="stable")])


class Outlook:
    """The forecasts of the last model, worked out by a thread of its own; each model's once."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._wanted: Which | None = None
        self._thread: Thread | None = None
        self._found: dict[str, Any] | None = None

    def get(self, state: State) -> dict[str, Any]:
        """What is known of the future now: "early" without a model or many answers, "coming" while it is worked out.

        While it is early, `missing` says what it waits for, and `more` how many answers are still to come.

        Called under the campaign's lock, which the work itself does not need.
        """
        if state.model is None or state.tally.asked < ENOUGH_ANSWERS:
            more = max(0, ENOUGH_ANSWERS - state.tally.asked)
            missing = [*(["answers"] if more else []), *(["model"] if state.model is None else [])]
            return {"state": "early", "after": ENOUGH_ANSWERS, "more": more, "missing": missing}
        which = (int(state.model.value), state.version, len(state.ids), frozenset(state.withdrawn))
        with self._lock:
            busy = self._thread is not None and self._thread.is_alive()
            if which != self._wanted and not busy:
                self._wanted = which
                self._thread = Thread(target=self._work, args=(_parts(state), which), daemon=True)
                self._thread.start()
            return self._found or {"state": "coming"}

    def wait(self) -> None:
        """Until the forecast that is being worked out is there."""
        if self._thread is not None:
            self._thread.join()

    def _work(self, now: _Parts, which: Which) -> None:
        try:
            end = to_the_end(now.onto, now.beliefs, now.known, asked=now.asked, random_state=now.random_state)
            right = now.forecast() if len(now.known) else None
            found = {
                "state": "ready",
                "model": which[0],
                "asked": now.asked,
                "settled": now.settled,
                **_told(end, right, now.by_chance),
            }
        except Exception as error:  # the lead is told, and the campaign goes on
            found = {"state": "failed", "error": str(error)}
        with self._lock:
            self._found = found


@dataclass(frozen=True)
class _Parts:
    """What a forecast needs, as it was under the lock."""

    onto: Ontology
    ontologies: dict[int, Ontology]
    beliefs: Floats
    known: Facts
    answers: list[Event]
    target: float
    random_state: int
    asked: int
    settled: int
    by_chance: float

    def forecast(self) -> Forecast:
        record = record_of(self.answers, self.ontologies)
        return forecast(self.onto, self.beliefs, self.known, record, target=self.target)


def _parts(state: State) -> _Parts:
    session, settings, rows = state.session, state.settings, state.in_use()
    return _Parts(
        state.onto,
        dict(state.ontologies),
        session.beliefs[rows],
        session.known[rows],
        told_by(state, DRAWN, EXPECTED),
        min(max(settings.target, 0.5), 0.9999),
        session.random_state,
        state.tally.asked,
        state.tally.settled,
        settings.by_chance,
    )


def forecast_now(state: State) -> Forecast:
    """How many items are labelled right by the beliefs in use, and how sure that is; under the lock, for small ones."""
    return _parts(state).forecast()


def _told(end: ToTheEnd, right: Forecast | None, by_chance: float) -> dict[str, Any]:
    told: dict[str, Any] = {
        "questions": end.questions,
        "low": end.low,
        "high": end.high,
        "path": [list(point) for point in end.path],
    }
    if right is not None:
        low, high = right.accuracy_interval
        told |= {
            "accuracy": {"value": right.accuracy, "low": low, "high": high, "wrong_items": right.wrong_items},
            "target": right.target,
            "to_target": right.questions,
            "to_target_interval": list(right.questions_interval),
            "reached": right.reached,
            "promised": right.promised,
            "drawn": right.drawn,
            "why_not": None if right.reached else _why_not(right, by_chance),
        }
    return told


def _why_not(right: Forecast, by_chance: float) -> str:
    """Why the target does not count as reached."""
    if right.drawn:
        return f"{right.promised:.1%} can be promised"
    if by_chance:
        return "no question was drawn by chance yet"
    return "no question is drawn by chance (the setting by_chance is 0)"
