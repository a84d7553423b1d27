"""What a label means, in words: its name made readable, its definition, its synonyms."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from ...logic.errors import CorollaryError, nearest
from ..argument_checks import shown

#: What labels mean: a text for each, "auto" for their names, None to leave it out.
MeaningOf = Mapping[str, str] | Literal["auto"] | None

#: Where a name falls into words: aB, ABc, a1, 1a; separators of every kind count as spaces.
BREAKS = re.compile(
    r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z]{2})(?=[0-9])|(?<=[0-9])(?=[A-Za-z]{2})"
)
#: A name that is none: GO:0008150, C50.9, 1.2.3.
CODE = re.compile(r"[A-Za-z]{0,12}[:_. -]?\d[\d.:-]*")
SEPARATORS = re.compile(r"[_\-./\\:;,|#@+~*\s]+")


class LabelText(NamedTuple):
    """The text about a label, and the names by which texts may call it."""

    text: str
    names: tuple[str, ...]


def readable(name: str) -> str:
    """A label's name as people would say it: `credit_limit`, `creditLimit` and `CREDIT-LIMIT` are "credit limit"."""
    words = [word for part in SEPARATORS.split(name) for word in BREAKS.sub(" ", part).split()]
    spoken = " ".join(word if _is_short_form(word, words) else word.lower() for word in words)
    return spoken or name


def label_texts(labels: Sequence[str], meaning: MeaningOf) -> list[LabelText] | None:
    """Return the text of each label, its readable name first; None without meaning."""
    if meaning is None:
        return None
    if isinstance(meaning, str):
        if meaning != "auto":
            raise CorollaryError(
                f"meaning must be 'auto', None, or a dict from labels to texts, got {shown(meaning)}"
            )
        meaning = {}
    texts = check_meaning(meaning, labels)
    return [_label_text(label, " ".join(texts.get(label, "").split())) for label in labels]


def check_meaning(meaning: Any, labels: Sequence[str]) -> dict[str, str]:
    """Return a text for some of the labels; an error names an unknown label, or a wrong text."""
    if not isinstance(meaning, Mapping):
        raise CorollaryError(
            f"meaning must be 'auto', None, or a dict from labels to texts, got {shown(meaning)}"
        )
    _check_texts("meaning", meaning, labels)
    return dict(meaning)


def check_names(names: Any, labels: Sequence[str]) -> Mapping[str, str] | None:
    """Return names for some of the labels; an error names an unknown label, or a wrong text."""
    if names is None:
        return None
    if not isinstance(names, Mapping):
        raise CorollaryError(
            f"names must be a dict from labels to what people call them, got {shown(names)}"
        )
    _check_texts("names", names, labels)
    return names


def joined(name: str, text: str) -> str:
    """Join a name and its text, which may begin with the name already."""
    text = " ".join(text.split())
    if not text:
        return name
    return text if text.lower().startswith(name.lower()) else f"{name}: {text}"


def _label_text(label: str, said: str) -> LabelText:
    """Return a label and its text on one line; a label that is a code is left out."""
    name = readable(label)
    synonyms = _names(said)
    if said and CODE.fullmatch(label):
        return LabelText(said, (name, *synonyms))
    return LabelText(joined(name, said), (name, *synonyms))


def _names(said: str) -> tuple[str, ...]:
    """The names that a text begins with: "stream; brook: flowing water" has two. A sentence is no name."""
    called = said.partition(": ")[0]
    parts = () if called.endswith(".") else (part.strip() for part in called.split(";"))
    return tuple(part for part in parts if part)


def _check_texts(name: str, texts: Mapping[Any, Any], labels: Sequence[str]) -> None:
    there = set(labels)
    for label, text in texts.items():
        if label not in there:
            raise CorollaryError(f"{name}: unknown label {label!r}{nearest(str(label), labels)}")
        if not isinstance(text, str):
            raise CorollaryError(f"{name}: {label!r} must have a text, got {shown(text)}")


def _is_short_form(word: str, words: Sequence[str]) -> bool:
    """Whether a word in capitals stands for itself (DNA), and not just in a name all in capitals."""
    return word.isupper() and any(not other.isupper() for other in words)
