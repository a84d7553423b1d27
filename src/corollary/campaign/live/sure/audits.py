"""Audits: cells drawn at random from those that a model is sure of, and what their answers tell of all of them.

Pure functions of the state, so that the log alone tells how an audit stands.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil, log, log1p
from typing import Literal

import numpy as np

from ....logic.errors import CorollaryError
from ...events import AUDIT, Event
from ...state.state import State
from .sure_cells import Sure

#: How sure a passed audit is: if more than the share allowed were wrong, it would fail so often.
LEVEL = 0.95
#: Trainings wait for an audit that is not used yet, but no longer than this.
PATIENCE = timedelta(hours=24)
Name = Literal["open", "passed", "failed", "outdated"]
IN_USE: tuple[Name, ...] = ("open", "passed")
Cell = tuple[str, str, bool]


@dataclass(frozen=True)
class Audit:
    """How an audit stands. `drawn` are its cells with what is predicted, from `cells` of which the model was sure.

    `right` and `wrong` count those that are known by now; that someone could not tell is no confirmation, and counts
    as wrong. `to_answer` are the others. `at_most` is the share of all that may be wrong, at 95 %, once it is finished.
    """

    seq: int
    at_least: float
    most_wrong: float
    cells: int
    drawn: tuple[Cell, ...]
    right: int
    wrong: int
    to_answer: tuple[tuple[str, str], ...]
    at_most: float | None
    state: Name


def most_wrong_of(wrong: int, n: int) -> float:
    """The share that is wrong is at most this, at 95 %, where so many of n drawn are (Clopper and Pearson's bound)."""
    from scipy.stats import beta

    return 1.0 if wrong >= n else float(beta.ppf(LEVEL, wrong + 1, n - wrong))


def needed(most_wrong: float) -> int:
    """How many must be drawn, and all of them be right, to show that at most this share is wrong."""
    n = max(1, ceil(log(1.0 - LEVEL) / log1p(-most_wrong)) - 1)  # rounding may be off by one
    while most_wrong_of(0, n) > most_wrong:
        n += 1
    return n


def stands(state: State, event: Event) -> Audit:
    """How an audit stands now."""
    detail = event.detail or {}
    drawn = tuple((item, label, value) for item, label, value in event.value)
    found = [_is_right(state, *cell) for cell in drawn]
    right, wrong = found.count(True), found.count(False)
    to_answer = tuple((item, label) for (item, label, _), one in zip(drawn, found, strict=True) if one is None)
    most_wrong = detail["most_wrong"]
    at_most = None if to_answer else most_wrong_of(wrong, len(drawn))
    name: Name
    if state.model is None or (event.model, event.ontology) != (state.model.value, state.version):
        name = "outdated"
    elif most_wrong_of(wrong, len(drawn)) > most_wrong:
        name = "failed"  # also before the last answer: no answer to come can mend it
    else:
        name = "open" if to_answer else "passed"
    return Audit(
        event.seq, detail["at_least"], most_wrong, detail["cells"], drawn, right, wrong, to_answer, at_most, name
    )


def last_audit(state: State) -> Audit | None:
    """The last audit; None where there is none."""
    return stands(state, state.audits[-1]) if state.audits else None


def holds_training(state: State, now: str) -> bool:
    """Whether a training waits for the last audit, which another model would make outdated."""
    if not state.audits or state.audits[-1].seq in state.used_audits:
        return False
    begun = datetime.fromisoformat(state.audits[-1].at)
    return datetime.fromisoformat(now) - begun < PATIENCE and stands(state, state.audits[-1]).state in IN_USE


def draft_audit(state: State, who: str, sure: Sure, at_least: float, most_wrong: float, n: int | None) -> Event:
    """An audit of n of the sure cells, drawn by the campaign's seed; refused where it could not pass, or did not."""
    least, there = needed(most_wrong), len(sure.row)
    wanted = least if n is None else n
    _refuse_another_try(state, at_least, most_wrong)
    if wanted < least:
        raise CorollaryError(
            f"an audit of {wanted:,} cells cannot show that at most {most_wrong:.2%} are wrong, even if all are right: "
            f"it takes {least:,}"
        )
    if there < wanted:
        raise CorollaryError(
            f"the model is sure of {there:,} cells at {at_least:g}, and the audit takes {wanted:,}: answer these as "
            "usual, or allow for more wrong ones (most_wrong)"
        )
    chance = np.random.default_rng((state.settings.seed, state.seq + 1))
    drawn = np.sort(chance.choice(there, wanted, replace=False))
    cells = [
        [state.ids[i], state.onto.labels[k], bool(value)]
        for i, k, value in zip(sure.row[drawn], sure.label[drawn], sure.value[drawn], strict=True)
    ]
    detail = {"at_least": at_least, "most_wrong": most_wrong, "cells": there}
    return Event(kind=AUDIT, who=who, value=cells, detail=detail)


def _refuse_another_try(state: State, at_least: float, most_wrong: float) -> None:
    """Who may draw until it passes would pass at last: an audit that failed can be repeated only where it asks less."""
    for event in state.audits:
        audit = stands(state, event)
        same = (audit.at_least, audit.most_wrong) == (at_least, most_wrong)
        if audit.state == "open" and same and event is state.audits[-1]:
            raise CorollaryError(f"audit {audit.seq} is under way: {len(audit.to_answer):,} of its cells are open")
        if audit.state == "failed" and at_least <= audit.at_least and most_wrong <= audit.most_wrong:
            raise CorollaryError(
                f"audit {audit.seq} of this model failed: {audit.wrong:,} of {len(audit.drawn):,} were wrong; ask for "
                "a higher probability (at_least), allow for more wrong ones (most_wrong), or wait for the next model"
            )


def _is_right(state: State, item: str, label: str, value: bool) -> bool | None:
    """Whether what was predicted turned out right; None while that is not known."""
    k, one = state.onto.index.get(label), state.standing_of(item)
    if k is None or one.withdrawn:
        return False  # it cannot be confirmed any more
    known = state.facts[state.row(item), k]
    if known >= 0:
        return bool(known) == value
    return False if label in one.said.unsure else None
