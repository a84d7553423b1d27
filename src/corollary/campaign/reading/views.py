"""What people look up in a campaign: their history, reasons, conflicts, figures by label and by person."""

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

#: What a person did that they may look back on.
REMEMBERED = (ANSWER, FLAG, DOUBT)


@dataclass(frozen=True, slots=True)
class Remembered:
    """Something that a person said, and whether it still stands."""

    event: Event
    stands: bool


def history(state: State, who: str, limit: int, before: int | None) -> list[Remembered]:
    """What someone said, the last first; `before` goes on from an event on."""
    found: list[Remembered] = []
    for event in reversed(state.of_person.get(who, ())):
        if len(found) == limit:
            break
        if event.kind in REMEMBERED and (before is None or event.seq < before):
            found.append(Remembered(event, event.seq not in state.taken_back))
    return found


def explain(state: State, item: str, label: str, seen: Seen | None = None) -> Why:
    """Why a cell is what it is, and who said what it follows from, as far as someone may see it."""
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
    """Who said an answer in effect: the decision, or all who agree on it."""
    claim = one.effect[label]
    return (
        [claim]
        if claim.decided
        else [by for by in one.said.opinions[label].values() if by.value == claim.value]
    )


def conflicts(state: State) -> list[ToSettle]:
    """What a lead has to settle, the oldest first."""
    found = []
    for item in state.held:
        one = state.standing_of(item)
        doubts = tuple(state.event(seq) for seq in one.said.doubts)
        waiting = int((state.facts[state.row(item)] < 0).sum()) if one.held else 0
        found += [ToSettle(item, conflict, doubts, waiting) for conflict in one.conflicts]
    return found


def marked(state: State) -> list[Event]:
    """Standing flags, and doubts that no decision has answered, the oldest item first."""
    found = []
    for item in state.marked:
        said = state.standing_of(item).said
        found += [state.event(seq) for seq in sorted((*said.flags.values(), *said.doubts))]
    return found


def withdrawals(state: State) -> list[Event]:
    """Withdrawals that stand."""
    seqs = (state.standing_of(item).said.withdrawn for item in state.withdrawn)
    return [state.event(seq) for seq in seqs if seq is not None]


def labels(
    onto: Ontology, answers: Facts, facts: Facts, accepted: Iterable[Standing]
) -> list[dict[str, Any]]:
    """For each label how many items are yes, no and open, and how many of them were asked, or accepted as predicted.

    `answers` are those in effect; `accepted` is what stands of the items of which something was accepted.
    """
    nobody: Counter[tuple[str, bool]] = Counter()  # was asked this
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
    """What someone did, by their events: answers of each kind, the median of their seconds."""
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
    """How long the last training took; None before the first."""
    return None if state.model is None else (state.model.detail or {}).get("seconds")


def situation_of(state: State, who: str, gold: Mapping[tuple[str, bool], int]) -> dict[str, Any]:
    """How it stands with someone: how gold questions went, whether they are asked anything."""
    since = state.paused_since(who)
    return {
        "gold_right": gold.get((who, True), 0),
        "gold_wrong": gold.get((who, False), 0),
        "paused": since is not None,
        "paused_since": since,
    }


def gold_so_far(state: State) -> Counter[tuple[str, bool]]:
    """How many gold questions each person answered right, and how many wrong."""
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
    """All that there is to say of an item; its values as far as someone may see them."""
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
    """Why someone has, or has not, a question, and what they wait for."""
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
