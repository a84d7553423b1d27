"""Forecasts: the number of questions still needed, and of right labels, computed in the background."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from threading import Lock, Thread
from typing import Any

import numpy as np

from ...learning.choosing.question_worth import cost_of_asked
from ...learning.stopping.asked_next import asked_next, may_pick
from ...learning.stopping.calibration import Learnt
from ...learning.stopping.forecast import Forecast, forecast
from ...logic.engines import Facts, Floats
from ...logic.ontology import Ontology
from ..events import DRAWN, EXPECTED, Event
from ..state.measured_costs import asked_for, prices
from ..state.state import State
from .expected import answers_with, record_of, worse

#: At most this many open items, a random sample, are simulated to the end.
PLAYED = 400
#: The least and the most questions needed, relative to the simulation. A model that goes on learning
#: needs fewer, mistaken beliefs need more. The range is wide and rough. It was seen when whole data
#: sets were labelled to the end, where sure but mistaken beliefs took up to 4.3 times the questions.
FEWER = 0.35
MORE = 4.5
POINTS = 25
#: There is no forecast before this many answers, because the model has learnt too little.
ENOUGH_ANSWERS = 50
#: A forecast depends on the model, the ontology, the number of items, and the withdrawn ones.
Which = tuple[int, int, int, frozenset[str]]


@dataclass(frozen=True)
class ToTheEnd:
    """The number of further questions that settle every label: expected, and a range.

    `path` has some points: the number of further questions, and the number of labels settled or
    items done after them (expected, least, most).
    """

    questions: int
    low: int
    high: int
    path: tuple[tuple[int, int, int, int], ...]


def to_the_end(
    onto: Ontology,
    beliefs: Floats,
    known: Facts,
    cost: Floats | None = None,
    *,
    asked: int = 0,
    in_items: bool = False,
    random_state: int = 0,
) -> ToTheEnd:
    """Simulate the open items to the end, with random answers from the posterior, and count questions.

    The simulated model learns nothing more. The range around the count is wide at the start of a
    campaign and narrow at its end. It follows the share of questions still to come. Every open item
    takes at least one question and at most one pick. Each open label is asked yes or no at most
    once.

    Parameters
    ----------
    onto, beliefs, known
        The ontology, and the beliefs and known labels of all items, (N, K).
    cost
        The cost of each question, (K+1,): yes or no about each label, and a pick last.
    asked
        The number of questions asked so far.
    in_items
        Count items done instead of labels settled.
    random_state
        The seed of the simulation.
    """
    rows = np.flatnonzero((known < 0).any(axis=1))
    if not len(rows):
        return ToTheEnd(0, 0, 0, ((0, 0, 0, 0),))
    items = len(rows)
    cells = int(np.count_nonzero(known < 0))
    rng = np.random.default_rng(random_state)
    scale = max(1.0, items / PLAYED)
    rows = np.sort(rng.permutation(rows)[:PLAYED])
    gains, n_picks = _play(onto, beliefs[rows], known[rows], cost, rng, in_items=in_items)
    total = scale * len(gains)
    yes_no = total - scale * n_picks
    picks = scale * n_picks
    to_come = float(np.sqrt(total / (asked + total)))
    fewer = FEWER**to_come
    more = MORE**to_come
    middle = float(np.sqrt(fewer * more))
    most = (
        min(cells, yes_no + items) if may_pick(cost) else cells
    )  # if beliefs are mistaken, a pick for each item settles everything
    at_least, expected, at_most = (
        min(max(factor * yes_no + max(factor, 1.0) * picks, items), most)
        for factor in (fewer, middle, more)
    )
    settled = np.concatenate([[0.0], np.cumsum(gains)])
    settled *= (items if in_items else cells) / settled[-1]
    further = np.linspace(0.0, at_most, POINTS)

    def after(questions: float) -> Floats:
        return np.asarray(
            np.interp(further, np.linspace(0.0, questions, len(settled)), settled).round()
        )

    return ToTheEnd(
        round(expected),
        round(at_least),
        round(at_most),
        tuple(
            (round(x), int(middle), int(least), int(most))
            for x, middle, least, most in zip(
                further.tolist(), after(expected), after(at_most), after(at_least), strict=True
            )
        ),
    )


def _play(
    onto: Ontology,
    beliefs: Floats,
    known: Facts,
    cost: Floats | None,
    rng: np.random.Generator,
    *,
    in_items: bool,
) -> tuple[Floats, int]:
    """Return the labels settled (or items done) by each question, best first, and the number of picks.

    The questions about one item stay in order.
    """
    known = known.copy()
    place = np.full(len(known), np.inf)
    places = [np.empty(0)]
    gains = [np.empty(0)]
    picks = 0
    while len(live := np.flatnonzero((known < 0).any(axis=1))):
        q = onto.posterior(beliefs[live], known[live])
        label, worth = asked_next(onto, beliefs[live], q, known[live], cost)
        place[live] = np.minimum(place[live], worth)
        places.append(place[live].copy())
        open_before = (known[live] < 0).sum(axis=1)
        pick = label == len(onto)
        picks += int(pick.sum())
        known[live[pick]] = 0  # a pick settles the whole item; the value does not matter
        rest = np.flatnonzero(~pick)
        after = known[live[rest]]
        after[np.arange(len(rest)), label[rest]] = rng.random(len(rest)) < q[rest, label[rest]]
        known[live[rest]] = onto.propagate(after)
        open_now = (known[live] < 0).sum(axis=1)
        gains.append((open_now == 0 if in_items else open_before - open_now).astype(np.float64))
    return np.asarray(
        np.concatenate(gains)[np.argsort(-np.concatenate(places), kind="stable")]
    ), picks


class Outlook:
    """The forecast of the last model, computed once for each model in a thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._wanted: Which | None = None
        self._thread: Thread | None = None
        self._found: dict[str, Any] | None = None

    def get(self, state: State) -> dict[str, Any]:
        """Return the current forecast; needs the campaign's lock.

        Its state is "early" without a model or enough answers, and "coming" during the computation.
        While it is early, `missing` lists the missing parts, and `more` is the number of answers
        still needed. `most` is the largest number of questions: one for each open item with picks,
        else one for each open label.
        """
        if state.model is None or state.tally.asked < ENOUGH_ANSWERS:
            more = max(0, ENOUGH_ANSWERS - state.tally.asked)
            missing = [*(["answers"] if more else []), *(["model"] if state.model is None else [])]
            picks = asked_for(state.settings, state.onto) == "items"
            tally = state.tally
            most = tally.items - tally.done if picks else tally.open
            return {
                "state": "early",
                "after": ENOUGH_ANSWERS,
                "more": more,
                "most": most,
                "missing": missing,
            }
        which = (int(state.model.value), state.version, len(state.ids), frozenset(state.withdrawn))
        with self._lock:
            busy = self._thread is not None and self._thread.is_alive()
            if which != self._wanted and not busy:
                self._wanted = which
                self._thread = Thread(target=self._work, args=(_parts(state), which), daemon=True)
                self._thread.start()
            return self._found or {"state": "coming"}

    def wait(self) -> None:
        """Wait until the running computation has finished."""
        if self._thread is not None:
            self._thread.join()

    def _work(self, now: _Parts, which: Which) -> None:
        try:
            end = to_the_end(
                now.onto,
                now.beliefs,
                now.known,
                now.cost,
                asked=now.asked,
                in_items=now.one,
                random_state=now.random_state,
            )
            right = now.forecast() if len(now.known) else None
            found = {
                "state": "ready",
                "model": which[0],
                "asked": now.asked,
                "settled": now.settled,
                "done": now.done,
                **_figures(end, right, now.by_chance),
                "worse": worse(now.record),
            }
        except Exception as error:  # shown to the lead; the campaign goes on
            found = {"state": "failed", "error": str(error)}
        with self._lock:
            self._found = found


@dataclass(frozen=True)
class _Parts:
    """A copy of the data for a forecast, taken under the lock."""

    onto: Ontology
    ontologies: dict[int, Ontology]
    beliefs: Floats
    known: Facts
    answers: list[Event]
    target: float
    random_state: int
    asked: int
    settled: int
    done: int
    by_chance: float
    cost: Floats
    one: bool

    @cached_property
    def record(self) -> list[Learnt]:
        return record_of(self.answers, self.ontologies)

    def forecast(self) -> Forecast:
        return forecast(
            self.onto, self.beliefs, self.known, self.record, target=self.target, cost=self.cost
        )


def _parts(state: State) -> _Parts:
    session = state.session
    settings = state.settings
    rows = state.in_use()
    return _Parts(
        state.onto,
        dict(state.ontologies),
        session.beliefs[rows],
        session.known[rows],
        answers_with(state, DRAWN, EXPECTED),
        min(max(settings.target, 0.5), 0.9999),
        session.random_state,
        state.tally.asked,
        state.tally.settled,
        state.tally.done,
        settings.by_chance,
        cost_of_asked(prices(settings, state.onto, state.events), asked_for(settings, state.onto)),
        state.one,
    )


def forecast_now(state: State) -> Forecast:
    """Return the expected share of items labelled right; needs the lock, so only for small campaigns."""
    return _parts(state).forecast()


def _figures(end: ToTheEnd, right: Forecast | None, by_chance: float) -> dict[str, Any]:
    figures: dict[str, Any] = {
        "questions": end.questions,
        "low": end.low,
        "high": end.high,
        "path": [list(point) for point in end.path],
    }
    if right is not None:
        low, high = right.accuracy_interval
        figures |= {
            "accuracy": {
                "value": right.accuracy,
                "low": low,
                "high": high,
                "wrong_items": right.wrong_items,
            },
            "target": right.target,
            # The target is reached at the latest when all labels are known.
            "to_target": min(right.questions, end.questions),
            "to_target_interval": [min(n, end.high) for n in right.questions_interval],
            "reached": right.reached,
            "promised": right.promised,
            "drawn": right.drawn,
            "why_not": None if right.reached else _why_not(right, by_chance),
        }
    return figures


def _why_not(right: Forecast, by_chance: float) -> str:
    """Return the reason why the target does not count as reached."""
    if right.drawn:
        return f"random questions show only that at least {right.promised:.1%} are right"
    if by_chance:
        return "no random question was asked yet"
    return "no random question is asked (the setting by_chance is 0)"
