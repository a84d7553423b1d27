"""JSON that others wrote, as values: nothing that is no JSON, and nothing nested so deep that it cannot be written."""

from __future__ import annotations

import json
from typing import Any, NoReturn

#: Lists and objects inside one another; nobody nests as deep, and Python gives up at some hundreds.
DEEPEST = 100


class TooDeep(ValueError):
    """Lists and objects inside one another without an end in sight."""

    def __init__(self) -> None:
        super().__init__(f"lists and objects are nested more than {DEEPEST} deep")


def parse_json(text: str) -> Any:
    """The value of a text; a ValueError says what is wrong with it."""
    try:
        value = json.loads(text, parse_constant=_refuse)
    except RecursionError:
        raise TooDeep from None
    check_depth(value, text.count("[") + text.count("{"))
    return value


def decode_json(text: str, at: int) -> tuple[Any, int]:
    """The value that begins at a place of a text, and where it ends; a ValueError says what is wrong with it."""
    try:
        value, end = DECODER.raw_decode(text, at)
    except RecursionError:
        raise TooDeep from None
    check_depth(value, text.count("[", at, end) + text.count("{", at, end))
    return value, end


def check_depth(value: Any, brackets: int) -> None:
    """An error where a value is nested too deep; it has at most as many lists and objects as brackets."""
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
