"""Views of a campaign: history, reasons, conflicts, figures by label and by person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...logic.engines import Facts
from ...logic.ontology import Ontology
from ..events import ANSWER, CANT_TELL, DOUBT, FLAG, SKIP, Event
from ..items import Item
from ..live.next_question import choose
from ..live.replies import Seen, ToSettle, Why
from ..state.standing import Opinion, Standing
from ..state.state import State
from ..storage.records import Lease

#: Kinds of events in a person's history.
REMEMBERED = (ANSWER, FLAG, DOUBT)


@dataclass(frozen=True, slots=True)
class Remembered:
    """An answer, flag or doubt of a person, and whether it is still in effect."""

    event: Event
    stands: bool


def history(state: State, who: str, limit: int, before: int | None) -> list[Remembered]:
    """Return the answers, flags and doubts of `who` before event `before`, the last first."""
    found: list[Remembered] = []
    for event in reversed(state.of_person.get(who, ())):
        if len(found) == limit:
            break
        if event.kind in REMEMBERED and (before is None or event.seq < before):
            found.append(Remembered(event, event.seq not in state.taken_back))
    return found


def explain(state: State, item: str, label: str, seen: Seen | None = None) -> Why:
    """Explain the value of a label of an item; with `seen`, only from what that person may see."""
    label = state.find(label)
    if seen is not None:
        return _explain_seen(state, item, label, seen)
    value = state.facts[state.row(item), state.onto.index[label]]
    one = state.standing_of(item)
    if value < 0:
        return Why(item, label, None, None, tuple(one.said.opinions.get(label, {}).values()))
    explanation = state.onto.explain(one.answers, label)
    behind = [opinion for answer in explanation.answers for opinion in opinions_behind(one, answer)]
    return Why(item, label, bool(value), explanation, tuple(behind))


def _explain_seen(state: State, item: str, label: str, seen: Seen) -> Why:
    said = state.standing_of(item).said
    value = seen.known.get(label)
    explanation = None if value is None else state.onto.explain(seen.answers, label)
    behind = (label,) if explanation is None else explanation.answers
    opinions = (one for answer in behind for one in said.opinions.get(answer, {}).values())
    return Why(
        item, label, value, explanation, tuple(one for one in opinions if seen.may_show(one))
    )


def opinions_behind(one: Standing, label: str) -> list[Opinion]:
    """Return the opinions behind an answer in effect: the decision, or all who agree."""
    claim = one.effect[label]
    return (
        [claim]
        if claim.decided
        else [by for by in one.said.opinions[label].values() if by.value == claim.value]
    )


def conflicts(state: State) -> list[ToSettle]:
    """Return the conflicts that a lead has to settle, the oldest first."""
    found = []
    for item in state.held:
        one = state.standing_of(item)
        doubts = tuple(state.event(seq) for seq in one.said.doubts)
        waiting = int((state.facts[state.row(item)] < 0).sum()) if one.held else 0
        found += [ToSettle(item, conflict, doubts, waiting) for conflict in one.conflicts]
    return found


def marked(state: State) -> list[Event]:
    """Return flags and doubts that wait for a lead, the oldest item first."""
    found = []
    for item in state.marked:
        said = state.standing_of(item).said
        found += [state.event(seq) for seq in sorted((*said.flags.values(), *said.doubts))]
    return found


def withdrawals(state: State) -> list[Event]:
    """Return the withdrawals in effect."""
    seqs = (state.standing_of(item).said.withdrawn for item in state.withdrawn)
    return [state.event(seq) for seq in seqs if seq is not None]


def labels(
    onto: Ontology, answers: Facts, facts: Facts, accepted: Iterable[Standing]
) -> list[dict[str, Any]]:
    """Return the number of items with yes, no or open for each label, and how many were asked or accepted.

    Parameters
    ----------
    onto
        The ontology.
    answers, facts
        The answers in effect, and the known labels, int8 (n, K).
    accepted
        The standings of items with accepted labels.
    """
    nobody: Counter[tuple[str, bool]] = Counter()  # labels that nobody was asked about
    for one in accepted:
        nobody.update(
            (label, said.value) for label, said in one.effect.items() if one.is_accepted(label)
        )
    (yes, no), (asked_yes, asked_no) = (
        [(cells == value).sum(axis=0).tolist() for value in (1, 0)] for cells in (facts, answers)
    )
    return [
        {
            "label": label,
            "yes": yes[k],
            "no": no[k],
            "open": len(facts) - yes[k] - no[k],
            "asked_yes": asked_yes[k] - nobody[label, True],
            "asked_no": asked_no[k] - nobody[label, False],
            "accepted": nobody[label, True] + nobody[label, False],
        }
        for k, label in enumerate(onto.labels)
    ]


def figures_of(events: Sequence[Event], taken_back: Collection[int]) -> dict[str, Any]:
    """Return a person's number of answers of each kind, and the median of their seconds."""
    own = [event for event in events if event.kind == ANSWER and event.seq not in taken_back]
    kinds = Counter(_kind(event.value) for event in own)
    seconds = [event.seconds for event in own if event.seconds is not None]
    return {
        "answers": len(own) - kinds["skip"],
        **{kind: kinds[kind] for kind in ("yes", "no", "whole", "cant_tell", "skip")},
        "seconds": float(np.median(seconds)) if seconds else None,
        "last": own[-1].at if own else None,
    }


def training_seconds(state: State) -> float | None:
    """Return the seconds of the last training; None before the first."""
    return None if state.model is None else (state.model.detail or {}).get("seconds")


def situation_of(state: State, who: str, gold: Mapping[tuple[str, bool], int]) -> dict[str, Any]:
    """Return a person's results on gold questions, and whether they are paused."""
    since = state.paused_since(who)
    return {
        "gold_right": gold.get((who, True), 0),
        "gold_wrong": gold.get((who, False), 0),
        "paused": since is not None,
        "paused_since": since,
    }


def gold_so_far(state: State) -> Counter[tuple[str, bool]]:
    """Return how many gold questions each person answered right, and how many wrong."""
    found: Counter[tuple[str, bool]] = Counter()
    for item, label in state.waiting.gold.cells():
        said = state.standing_of(item).said
        assert label is not None
        truth = said.decided[label].value
        found.update(
            (who, opinion.value == truth) for who, opinion in said.opinions.get(label, {}).items()
        )
    return found


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if value in (CANT_TELL, SKIP) else "whole"


@dataclass(frozen=True)
class ItemView:
    """An item, its standing and its events; each label's value and source.

    That is "asked", "accepted" (as it was predicted), "implied", or None if it is open.
    """

    item: Item
    values: dict[str, tuple[bool | None, str | None]]
    standing: Standing
    events: tuple[Event, ...]


def item_view(state: State, item: Item, seen: Seen | None = None) -> ItemView:
    """Return the view of an item; with `seen`, only the values that this person may see."""
    one = state.standing_of(item.id)
    known, asked = (
        (state.known_of(item.id), one.answers) if seen is None else (seen.known, seen.answers)
    )

    def source(label: str) -> str | None:
        if label in asked:
            return "accepted" if label in one.effect and one.is_accepted(label) else "asked"
        return "implied" if label in known else None

    values = {label: (known.get(label), source(label)) for label in state.onto.labels}
    return ItemView(item, values, one, tuple(state.of_item.get(item.id, ())))


def situation(state: State, who: str, leases: Sequence[Lease]) -> dict[str, Any]:
    """Return whether a person has a question, and otherwise why not."""
    others = [lease for lease in leases if lease.who != who]
    mine = sum(lease.who == who for lease in leases)
    skipped = state.waiting.own.count(lambda people: who in people)
    if state.paused_since(who):
        name = "paused"
    elif not state.tally.items:
        name = "empty"
    elif mine or choose(state, who, state.answered[who]) is not None:
        name = "asking"
    else:
        name = "finished" if state.tally.open == 0 else "waiting"
    return {
        "state": name,
        "skipped": skipped,
        "with_others": len(others),
        "others": sorted({lease.who for lease in others}),
        "free_at": min((lease.expires for lease in others), default=None),
        "held": state.tally.held,
    }
