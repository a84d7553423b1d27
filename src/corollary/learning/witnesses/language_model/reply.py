"""Read the reply of a language model.

A probability for each label in it, or the fault of the reply.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from math import exp, fsum
from typing import Any, NamedTuple

_DECODER = json.JSONDecoder()
_BLANK = " \t\r\n"


class Rubbish(Exception):
    """A reply that is not what was asked for; says why."""


class Choice(NamedTuple):
    """The text of a reply, and for each token of it, where there are any, how probable it and others were."""

    text: str
    tokens: Sequence[Mapping[str, Any]]


class Value(NamedTuple):
    """A value of a JSON object, and where it begins in the text."""

    value: Any
    at: int


def read_choice(body: Any) -> tuple[Choice, int | None]:
    """Return the reply of a server, and the number of tokens if it has one."""
    try:
        first = body["choices"][0]
        text = first["message"]["content"]
    except (KeyError, IndexError, TypeError):
        raise Rubbish("it is no chat completion") from None
    if not isinstance(text, str):
        raise Rubbish("it has no text")
    if first.get("finish_reason") == "length":
        raise Rubbish("it was cut off at the limit of tokens")
    logprobs = first.get("logprobs")
    tokens = logprobs.get("content") if isinstance(logprobs, dict) else None
    usage = body.get("usage")
    spent = usage.get("total_tokens") if isinstance(usage, dict) else None
    good = isinstance(tokens, list) and all(isinstance(one, dict) for one in tokens)
    counted = isinstance(spent, int) and not isinstance(spent, bool) and spent >= 0
    return Choice(text, tokens if good and tokens else ()), spent if counted else None


def probabilities(choice: Choice, labels: Collection[str], *, percent: bool) -> dict[str, float]:
    """The probability of each label that the reply speaks of; it may speak of no others."""
    found = _flat_object(choice.text)
    for label in found:
        if label not in labels:
            raise Rubbish(f"it speaks of {label[:80]!r}, which was not asked for")
    said = {label: one for label, one in found.items() if one.value is not None}
    if percent:
        return {label: _percent(label, one.value) for label, one in said.items()}
    return {label: _yes_no(label, one, choice) for label, one in said.items()}


def _percent(label: str, value: Any) -> float:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0 <= value <= 100:
        raise Rubbish(f"of {label!r} it says {str(value)[:80]!r}, which is no number from 0 to 100")
    return float(value) / 100


def _yes_no(label: str, one: Value, choice: Choice) -> float:
    said = one.value.strip().lower() if isinstance(one.value, str) else one.value
    if said not in ("yes", "no", True, False) or isinstance(said, int | float) != isinstance(
        said, bool
    ):
        raise Rubbish(f"of {label!r} it says {str(one.value)[:80]!r}, neither yes nor no")
    yes = said in ("yes", True)
    weighed = _weighed(choice, one.at + 1) if isinstance(one.value, str) else None
    return float(yes) if weighed is None else weighed


def _weighed(choice: Choice, at: int) -> float | None:
    """Return the probability of yes by the possible tokens at a place of the text.

    None without them.
    """
    token = _token_at(choice, at)
    others = token.get("top_logprobs") if token is not None else None
    if not isinstance(others, list) or not others:
        return None
    try:
        listed = {str(one["token"]): exp(min(0.0, float(one["logprob"]))) for one in others}
    except (KeyError, TypeError, ValueError):
        return None
    words = [(text.strip("\"' \n\t:,}").lower(), weight) for text, weight in listed.items()]
    yes, no = (
        fsum(weight for word, weight in words if word and full.startswith(word))
        for full in ("yes", "no")
    )
    if not yes and not no:
        return None
    left = max(
        0.0, 1.0 - fsum(listed.values())
    )  # the one that is not listed can have no more than this
    yes = yes or left
    no = no or left
    return yes / (yes + no)


def _token_at(choice: Choice, at: int) -> Mapping[str, Any] | None:
    """The token that covers a place of the text; None unless the tokens make up the text."""
    texts = [str(token.get("token", "")) for token in choice.tokens]
    if "".join(texts) != choice.text:
        return None
    end = 0
    for token, text in zip(choice.tokens, texts, strict=True):
        end += len(text)
        if at < end:
            return token
    return None


def _flat_object(text: str) -> dict[str, Value]:
    """The first JSON object of a text, its values with their places; models like to put words and fences around it."""
    start = text.find("{")
    if start < 0:
        raise Rubbish("there is no JSON object in it")
    found: dict[str, Value] = {}
    at = _skip(text, start + 1)
    try:
        while text[at] != "}":
            key, at = _DECODER.raw_decode(text, at)
            at = _skip(text, at)
            if not isinstance(key, str) or text[at] != ":":
                raise Rubbish("its JSON is broken")
            at = begins = _skip(text, at + 1)
            value, at = _DECODER.raw_decode(text, at)
            if key in found:
                raise Rubbish(f"it speaks of {key[:80]!r} twice")
            found[key] = Value(value, begins)
            at = _skip(text, at)
            if text[at] == ",":
                at = _skip(text, at + 1)
            elif text[at] != "}":
                raise Rubbish("its JSON is broken")
    except (ValueError, IndexError, RecursionError):
        raise Rubbish("its JSON is broken") from None
    return found


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _BLANK:
        at += 1
    return at
