"""Whether suggestions lead people: how often they say what the model predicted, where they were shown it and not."""

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
    """Those of a campaign as it is now; under its lock."""
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
    """Of answers that stand, those given with a suggestion (`shown`) and those without; None where there are none.

    Can't tell and skip are no answers. `share` of them say what the model predicted; None where there are none, else it
    is from `low` to `high` with probability `level`.
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
    """Whether an answer says what its detail of a name predicted; None where it is no answer."""
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
    """Labels with all that they imply: people may name that too. What cannot be any more stays as it is."""
    try:
        return frozenset(
            label for label, on in onto.propagate(dict.fromkeys(names, True)).items() if on
        )
    except CorollaryError:  # another ontology is in force than when the question was put
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
