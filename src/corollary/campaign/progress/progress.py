"""The figures for a lead: progress, quality and forecast, by label, person and version."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any

from ...logic.language.notation import render_constraint
from ...logic.ontology import Ontology
from ..events import Event, now
from ..state.measured_costs import AnswerTimes
from ..state.second_opinions import most_often
from ..state.standing import Standing
from ..training.trained_models import answers_since
from .agreement import accuracy_by_pairs, krippendorff_alpha, wilson
from .growth import NOTHING_DONE, Growth
from .outlook import Outlook
from .overlap import ENOUGH, Overlap
from .predicted import Predicted, Predictions
from .suggested import suggestions

if TYPE_CHECKING:
    from ..reading.reading import CampaignReading
    from ..state.state import State

#: The probability of intervals.
LEVEL = 0.9
#: Alpha below this is too low to draw conclusions from (Krippendorff 2004).
LOW = 0.667
#: A low alpha is not reported if people differ on fewer cells than this. If nearly all is yes, or no,
#: a single slip makes alpha low.
SLIPS = 3
#: The number of last days with answers from which the pace is computed.
DAYS = 7
#: An accuracy is reported only with at least this many pairs of opinions, or gold questions.
ENOUGH_PAIRS = 20


@dataclass(frozen=True)
class Moment:
    """A copy of the data for the figures of a campaign, taken at one moment."""

    ontologies: dict[int, Ontology]
    version: int
    model: Event | None
    since: int
    conflicting: list[Standing]
    decided: dict[tuple[str, str], bool]
    labels: list[dict[str, Any]]
    people: list[dict[str, Any]]
    leases: list[Any]
    retrain_every: int
    repeats: int
    forecast: dict[str, Any]
    predicted: Predicted | None
    unpredicted: str | None


class Figures:
    """The figures of one campaign. Past events are counted once, and never under the lock."""

    def __init__(self, campaign: CampaignReading):
        self._campaign = campaign
        self._lock = Lock()
        self._outlook = Outlook()
        self._predictions = Predictions()
        self._times = AnswerTimes()
        self._growth: Growth | None = None
        self._overlap: Overlap | None = None
        self._version = 0
        self._withdrawn: frozenset[str] = frozenset()

    def get(self) -> dict[str, Any]:
        """Return the current figures. Do not call it under the campaign's lock, for which it waits."""
        with self._lock:
            campaign = self._campaign
            with campaign.lock:
                state = campaign.state
                self._keep_up(state)
                assert self._growth is not None
                seq = self._growth.seq
                withdrawn = self._withdrawn
                events = state.events[:]
                labels = campaign.labels_now()
                people = campaign.members_now()
                leases = campaign.leases()
                conflicting = [state.standing_of(item) for item in state.held]
                decided = _decided(state)
                ontologies = dict(state.ontologies)
                version = state.version
                model = state.model
                every = state.settings.retrain_every
                repeats = most_often(state.settings)
                forecast = self._outlook.get(state)
                guess = self._predictions.get(state)
                error = self._predictions.error
            upto = 0 if model is None else int((model.detail or {})["upto"])
            moment = Moment(
                ontologies, version, model, answers_since(events, upto), conflicting, decided, labels(), people, leases,
                every, repeats, forecast, guess, error,
            )  # fmt: skip
            assert self._overlap is not None
            self._overlap.refresh(self._growth.extend(events[seq:], withdrawn))
            self._times.follow(events)
            return figures(moment, self._growth, self._overlap, self._times)

    def wait(self) -> None:
        """Wait until running computations of the forecast and the predictions have finished."""
        self._outlook.wait()
        self._predictions.wait()

    def _keep_up(self, state: State) -> None:
        """Start over if the ontology, the items in use, or the log itself has changed."""
        events = state.events
        withdrawn = frozenset(state.withdrawn)
        last = None if self._growth is None else self._growth.last
        same = last is None or (last.seq <= len(events) and events[last.seq - 1].key == last.key)
        if (
            self._growth is None
            or (state.version, withdrawn) != (self._version, self._withdrawn)
            or not same
        ):
            self._growth = Growth(state.onto, state.statements)
            self._overlap = Overlap(self._growth)
            self._version = state.version
            self._withdrawn = withdrawn
            self._times = AnswerTimes()


def figures(moment: Moment, growth: Growth, overlap: Overlap, times: AnswerTimes) -> dict[str, Any]:
    """Return all figures as a dict for JSON."""
    undone = growth.taken_back
    asked, cant_tell, days = growth.asked()
    second = len(growth.second - undone)
    suggested = (event for event in growth.suggested if event.seq not in undone)
    pairs, differ = overlap.differences()
    judged = overlap.judged()
    cells = int(judged[3].sum())
    return {
        "at": now(),
        "second_opinions": second,
        "cant_tell": cant_tell,
        "accuracy": _accuracy(int(differ.sum()), int(pairs.sum()), moment.people),
        "suggestions": suggestions(suggested, moment.ontologies, level=LEVEL),
        "answer_times": times.figures(),
        "agreement": {
            "alpha": krippendorff_alpha(*judged[1:]) if cells >= ENOUGH else None,
            "cells": cells,
        },
        "curve": asdict(growth.curve().thinned()),
        "forecast": _with_pace(
            moment.forecast, asked, asked - second - cant_tell, days, moment.repeats
        ),
        "predicted": _predicted(moment),
        "by_label": _labels(moment, judged, (pairs, differ)),
        "annotators": _people(moment, overlap, growth.of_people()),
        "versions": _versions(moment, growth.ontologies),
        "models": _models(moment),
        "oldest_lease": min((lease.expires for lease in moment.leases), default=None),
    }


def _predicted(moment: Moment) -> dict[str, Any] | None:
    """Return the share of items that the model expects to be right; None before the first model."""
    if moment.unpredicted is not None:
        return {"items": None, "error": moment.unpredicted}
    return None if moment.predicted is None else {"items": moment.predicted.items, "error": None}


def _accuracy(differ: int, pairs: int, people: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Return how often an answer is right, by second opinions, or by gold if there are too few."""
    right, wrong = (sum(one[name] for one in people) for name in ("gold_right", "gold_wrong"))
    if pairs >= ENOUGH_PAIRS:
        value, low, high = accuracy_by_pairs(differ, pairs, level=LEVEL)
        source = "second opinions"
        n = pairs
    elif right + wrong >= ENOUGH_PAIRS:
        n = right + wrong
        source = "gold questions"
        value = right / n
        low, high = wilson(right, n, level=LEVEL)
    else:
        return None
    return {"value": value, "low": low, "high": high, "level": LEVEL, "source": source, "n": n}


def _with_pace(
    forecast: dict[str, Any], asked: int, fruitful: int, days: Mapping[str, int], repeats: int
) -> dict[str, Any]:
    """Return the forecast in questions that people are asked, and in days.

    It includes second opinions and "can't tell". Each question is asked at most `repeats` times.
    """
    if forecast["state"] != "ready" or fruitful <= 0:
        return forecast
    more = min(asked / fruitful, repeats)
    late = sorted(days)[-DAYS:]
    pace = (
        sum(days[day] for day in late) / len(late) if len(late) > 1 else None
    )  # a single day that has not ended gives no pace
    found = forecast | {name: round(more * forecast[name]) for name in ("questions", "low", "high")}
    if "to_target" in forecast:
        found["to_target"] = round(more * forecast["to_target"])
        found["to_target_interval"] = [round(more * n) for n in forecast["to_target_interval"]]
    return found | {
        "path": [[round(more * point[0]), *point[1:]] for point in forecast["path"]],
        "a_day": pace,
        "days": None if pace is None else more * forecast["questions"] / pace,
    }


def _labels(
    moment: Moment, judged: tuple[Any, ...], compared: tuple[Any, Any]
) -> list[dict[str, Any]]:
    label, yes, no, often = judged
    pairs, differ = compared
    conflicts: Counter[str] = Counter()
    for standing in moment.conflicting:
        conflicts.update({name for conflict in standing.conflicts for name in conflict.labels})
    found = []
    for k, one in enumerate(moment.labels):
        asked = one["asked_yes"] + one["asked_no"]
        cells = label == k
        shared = int(often[cells].sum())
        alpha = (
            krippendorff_alpha(yes[cells], no[cells], often[cells]) if shared >= ENOUGH else None
        )
        found.append(
            one
            | {
                "answered": asked,
                "implied": one["yes"] + one["no"] - asked - one["accepted"],
                "overlap": shared,
                "alpha": alpha,
                "low": alpha is not None
                and alpha < LOW
                and int(often[cells & (yes * no > 0)].sum()) >= SLIPS,
                "differ": int(differ[k]),
                "accuracy": accuracy_by_pairs(int(differ[k]), int(pairs[k]))[0]
                if pairs[k] >= ENOUGH_PAIRS
                else None,
                "conflicts": conflicts[one["label"]],
                "predicted": None if moment.predicted is None else moment.predicted.yes[k],
                "sure": None if moment.predicted is None else moment.predicted.sure[k],
                "never_yes": asked >= ENOUGH and not one["yes"],
            }
        )
    return found


def _people(
    moment: Moment, overlap: Overlap, did: Mapping[str, dict[str, Any]]
) -> list[dict[str, Any]]:
    agreed = overlap.of_people()
    right = overlap.reliabilities(moment.decided)
    conflicts: Counter[str] = Counter()
    for one in moment.conflicting:
        for conflict in one.conflicts:
            conflicts.update({opinion.who for opinion in conflict.opinions})
    return [
        person
        | did.get(person["name"], NOTHING_DONE)
        | agreed.get(
            person["name"],
            {"overlap": 0, "alpha": None, "overlap_implied": 0, "alpha_implied": None},
        )
        | {"reliability": right.get(person["name"]), "conflicts": conflicts[person["name"]]}
        for person in moment.people
    ]


def _decided(state: State) -> dict[tuple[str, str], bool]:
    """Return the decisions of leads that are in effect."""
    return {
        (item, label): decision.value
        for item in state.decided
        for label, decision in state.standing_of(item).said.decided.items()
    }


def _versions(moment: Moment, events: Iterable[Event]) -> list[dict[str, Any]]:
    """Return the versions of the ontology with their changes, the last first."""
    since = {event.value: event for event in events}
    found = []
    before = None
    for version, onto in sorted(moment.ontologies.items()):
        if version > moment.version and version not in since:
            continue
        rules = dict.fromkeys(render_constraint(rule) for rule in onto.constraints)
        earlier = rules if before is None else before
        found.append(
            {
                "version": version,
                "at": since[version].at if version in since else None,
                "seq": since[version].seq if version in since else None,
                "labels": len(onto),
                "rules": len(rules),
                "added": [rule for rule in rules if rule not in earlier],
                "removed": [rule for rule in earlier if rule not in rules],
            }
        )
        before = rules
    return found[::-1]


def _models(moment: Moment) -> dict[str, Any]:
    """Return the current model, and the number of answers before the next training."""
    last = moment.model
    return {
        "at": None if last is None else last.at,
        "seconds": None if last is None else (last.detail or {}).get("seconds"),
        "learner": None if last is None else (last.detail or {}).get("learner"),
        "next_after": max(0, moment.retrain_every - moment.since),
    }
