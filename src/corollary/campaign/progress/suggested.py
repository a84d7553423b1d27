"""How often people agree with the model's prediction, with and without a suggestion shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from ...logic.errors import CorollaryError
from ...logic.ontology import Ontology
from ..events import ANSWER, PREDICTED, SUGGESTED, Event
from ..state.state import State
from .agreement import wilson


def suggestions_of(state: State) -> dict[str, Any] | None:
    """Return the figures of a campaign as it is now; needs its lock."""
    answers = (
        event
        for event in state.events
        if event.kind == ANSWER and event.seq not in state.taken_back
    )
    return suggestions(
        (event for event in answers if event.item not in state.withdrawn), state.ontologies
    )


def suggestions(
    answers: Iterable[Event], ontologies: Mapping[int, Ontology], *, level: float = 0.9
) -> dict[str, Any] | None:  # fmt: skip
    """Return figures of the answers in effect with a suggestion (`shown`) and without; None if none.

    Can't tell and skip do not count. `share` is the share of answers as predicted, and lies between
    `low` and `high` with probability `level`; None without answers.
    """
    agreed: dict[str, list[bool]] = {SUGGESTED: [], PREDICTED: []}
    as_predicted = comparing(ontologies)
    for event in answers:
        for name in agreed.keys() & (event.detail or {}).keys():
            if (same := as_predicted(event, name)) is not None:
                agreed[name].append(same)
    if not any(agreed.values()):
        return None
    return {
        "shown": _share(agreed[SUGGESTED], level),
        "not_shown": _share(agreed[PREDICTED], level),
        "level": level,
    }


def comparing(ontologies: Mapping[int, Ontology]) -> Callable[[Event, str], bool | None]:
    """Return a function that says whether an answer is as predicted; None if it is no answer."""
    meant = lru_cache(maxsize=10_000)(
        lambda version, names: _with_broader(ontologies[version], names)
    )

    def as_predicted(event: Event, name: str) -> bool | None:
        guess = (event.detail or {})[name][0]
        said = event.value
        if isinstance(said, bool):
            return bool(said == guess)
        if isinstance(said, list):
            return bool(
                meant(event.ontology, frozenset(said)) == meant(event.ontology, frozenset(guess))
            )
        return None

    return as_predicted


def _with_broader(onto: Ontology, names: frozenset[str]) -> frozenset[str]:
    """Return labels with all labels they imply, because people may name these too."""
    try:
        return frozenset(
            label for label, on in onto.propagate(dict.fromkeys(names, True)).items() if on
        )
    except CorollaryError:  # the ontology has changed since the question
        return names


def _share(agreed: list[bool], level: float) -> dict[str, Any]:
    n = len(agreed)
    low, high = wilson(sum(agreed), n, level=level) if n else (None, None)
    return {
        "answers": n,
        "agreed": sum(agreed),
        "share": sum(agreed) / n if n else None,
        "low": low,
        "high": high,
    }
