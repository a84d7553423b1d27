"""JSON that others wrote, as values: nothing that is no JSON, and nothing nested so deep that it cannot be written."""

from __future__ import annotations

import json
from typing import Any, NoReturn

#: Lists and objects inside one another; nobody nests as deep, and Python gives up at some hundreds.
DEEPEST = 100


class TooDeep(ValueError):
    """Lists and objects are nested too deep."""

    def __init__(self) -> None:
        super().__init__(f"lists and objects are nested more than {DEEPEST} deep")


def parse_json(text: str) -> Any:
    """Return the value of a JSON text; raise ValueError with its fault."""
    try:
        value = json.loads(text, parse_constant=_refuse)
    except RecursionError:
        raise TooDeep from None
    check_depth(value, text.count("[") + text.count("{"))
    return value


def decode_json(text: str, at: int) -> tuple[Any, int]:
    """Return the JSON value that begins at a position, and its end; raise ValueError with its fault."""
    try:
        value, end = DECODER.raw_decode(text, at)
    except RecursionError:
        raise TooDeep from None
    check_depth(value, text.count("[", at, end) + text.count("{", at, end))
    return value, end


def check_depth(value: Any, brackets: int) -> None:
    """Raise TooDeep if a value is nested too deep; `brackets` bounds its lists and objects."""
    if brackets <= DEEPEST:
        return
    level = [value]
    depth = 0
    while level := [one for one in level if isinstance(one, list | dict)]:
        depth += 1
        if depth > DEEPEST:
            raise TooDeep
        level = [
            inner for one in level for inner in (one.values() if isinstance(one, dict) else one)
        ]


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number in JSON; write null")


DECODER = json.JSONDecoder(parse_constant=_refuse)
