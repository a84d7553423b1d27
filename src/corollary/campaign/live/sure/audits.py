"""Audits: questions sampled at random from the sure predictions of a model.

Their answers bound the share of wrong predictions. A question is a whole item if each item has one
label, else one label of an item. All are pure functions of the state, so that the log alone decides
the result of an audit.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from math import ceil, log, log1p
from typing import Literal, NamedTuple

import numpy as np

from ....logic.errors import CorollaryError
from ...events import AUDIT, Event
from ...state.state import State
from .sure_cells import SureCells, SureItems, Unit, labellings, unit_of

#: The confidence of a passed audit. If more than the allowed share is wrong, it fails this often.
LEVEL = 0.95
#: Trainings wait at most this long for an audit that is not used yet.
PATIENCE = timedelta(hours=24)
Name = Literal["open", "passed", "failed", "outdated"]
IN_USE: tuple[Name, ...] = ("open", "passed")


class Drawn(NamedTuple):
    """A question of an audit and its predicted answer.

    Without a label, the question is about the whole item, and the answer is its narrowest labels.
    """

    item: str
    label: str | None
    value: bool | tuple[str, ...]


@dataclass(frozen=True)
class Audit:
    """The current result of an audit.

    Attributes
    ----------
    seq
        The number of its event.
    at_least, most_wrong
        The least probability of the predictions, and the allowed share of wrong ones.
    unit
        Whether whole items or cells (labels of items) were sampled.
    sure
        The number of sure items or cells.
    drawn
        The sampled questions.
    right, wrong
        The number of questions with a known answer. "Can't tell" counts as wrong.
    to_answer
        The open questions, each an item and a label (None: the whole item).
    at_most
        The largest share that may be wrong, at 95 % confidence; None before the audit is finished.
    state
        Open, passed, failed, or outdated.
    """

    seq: int
    at_least: float
    most_wrong: float
    unit: Unit
    sure: int
    drawn: tuple[Drawn, ...]
    right: int
    wrong: int
    to_answer: tuple[tuple[str, str | None], ...]
    at_most: float | None
    state: Name


def most_wrong_of(wrong: int, n: int) -> float:
    """Return the upper bound of the share of wrong ones if `wrong` of n are (Clopper and Pearson)."""
    from scipy.special import betaincinv

    return 1.0 if wrong >= n else float(betaincinv(wrong + 1, n - wrong, LEVEL))


def needed(most_wrong: float) -> int:
    """Return the least size of an audit that can show this share, if all of its answers are right."""
    n = max(1, ceil(log(1.0 - LEVEL) / log1p(-most_wrong)) - 1)  # rounding may be off by one
    while most_wrong_of(0, n) > most_wrong:
        n += 1
    return n


def audit_of(state: State, event: Event) -> Audit:
    """Return the current result of an audit.

    An audit of cells is outdated if whole items are audited now.
    """
    detail = event.detail or {}
    unit: Unit = "items" if "items" in detail else "cells"
    drawn = tuple(
        Drawn(item, label, value if isinstance(value, bool) else tuple(value))
        for item, label, value in event.value
    )
    current = state.model is not None and (event.model, event.ontology) == (
        state.model.value,
        state.version,
    )
    current = current and unit == unit_of(state.onto)
    found = _are_right(state, drawn) if current or unit == "cells" else [False] * len(drawn)
    right = found.count(True)
    wrong = found.count(False)
    to_answer = tuple(
        (one.item, one.label) for one, known in zip(drawn, found, strict=True) if known is None
    )
    most_wrong = detail["most_wrong"]
    at_most = None if to_answer else most_wrong_of(wrong, len(drawn))
    name: Name
    if not current:
        name = "outdated"
    elif most_wrong_of(wrong, len(drawn)) > most_wrong:
        name = "failed"  # also before the last answer, if no further answer can change it
    else:
        name = "open" if to_answer else "passed"
    at_least = detail["at_least"]
    sure = detail.get(unit, len(drawn))
    return Audit(
        event.seq, at_least, most_wrong, unit, sure, drawn, right, wrong, to_answer, at_most, name
    )


def last_audit(state: State) -> Audit | None:
    """Return the last audit; None if there is none."""
    return audit_of(state, state.audits[-1]) if state.audits else None


def draft_audit(
    state: State,
    who: str,
    sure: SureItems | SureCells,
    at_least: float,
    most_wrong: float,
    n: int | None,
) -> Event:
    """Sample an audit of n questions by the campaign's seed.

    Raises
    ------
    CorollaryError
        The audit could not pass, there are too few sure predictions, or it failed before.
    """
    least = needed(most_wrong)
    there = sure.questions
    unit = unit_of(state.onto)
    wanted = least if n is None else n
    _refuse_another_try(state, at_least, most_wrong)
    if wanted < least:
        raise CorollaryError(
            f"an audit of {wanted:,} {unit} is too small to show that at most {most_wrong:.2%} are wrong: "
            f"it takes {least:,}"
        )
    if there < wanted:
        raise CorollaryError(
            f"the model is sure of {there:,} {unit} at {at_least:g}, and the audit takes {wanted:,}: answer them "
            "one by one, or allow for more wrong ones (most_wrong)"
        )
    chance = np.random.default_rng((state.settings.seed, state.seq + 1))
    drawn = np.sort(chance.choice(there, wanted, replace=False))
    detail = {"at_least": at_least, "most_wrong": most_wrong, unit: there}
    return Event(kind=AUDIT, who=who, value=sure.draw(state, drawn), detail=detail)


def _refuse_another_try(state: State, at_least: float, most_wrong: float) -> None:
    """Refuse to repeat an audit that failed, unless it asks less; enough repetitions would pass."""
    for event in state.audits:
        audit = audit_of(state, event)
        same = (audit.at_least, audit.most_wrong) == (at_least, most_wrong)
        if audit.state == "open" and same and event is state.audits[-1]:
            raise CorollaryError(
                f"audit {audit.seq} is under way: {len(audit.to_answer):,} of its {audit.unit} are open"
            )
        if (
            audit.state == "failed"
            and at_least <= audit.at_least
            and most_wrong <= audit.most_wrong
        ):
            raise CorollaryError(
                f"audit {audit.seq} of this model failed: {audit.wrong:,} of {len(audit.drawn):,} were wrong. "
                "Raise at_least or most_wrong, or wait for the next model"
            )


def _are_right(state: State, drawn: tuple[Drawn, ...]) -> list[bool | None]:
    """Return whether each prediction turned out right; None if its answer is not known."""
    if all(one.label is None for one in drawn):
        rows = [state.row(one.item) for one in drawn]
        predicted = labellings(
            state.onto, [one.value for one in drawn if isinstance(one.value, tuple)]
        )
        known = state.facts[rows]
        wrong = ((known >= 0) & (known != predicted)).any(axis=1)
        settled = wrong | (known >= 0).all(axis=1)
        each = zip(drawn, wrong.tolist(), settled.tolist(), strict=True)
        return [
            _confirmed(state, one, not bad if known_all else None) for one, bad, known_all in each
        ]
    return [_confirmed(state, one, _is_right_cell(state, one)) for one in drawn]


def _is_right_cell(state: State, one: Drawn) -> bool | None:
    k = state.onto.index.get(str(one.label))
    if k is None:
        return False  # it cannot be confirmed any more
    known = state.facts[state.row(one.item), k]
    return bool(known) == one.value if known >= 0 else None


def _confirmed(state: State, one: Drawn, right: bool | None) -> bool | None:
    """Return `right`, but False if the item was withdrawn, or someone could not tell."""
    standing = state.standing_of(one.item)
    if standing.withdrawn:
        return False
    return False if right is None and one.label in standing.said.unsure else right
