"""What a setting may be: kinds of values, each checked, told to people and programs, and read as people write it."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import inf
from typing import Any

from ..logic.errors import nearest

#: What people write for yes and no, and for nothing.
YES_NO = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
NOTHING = ("", "none", "null")
#: Characters of a text that fits a line.
LINE = 500


@dataclass(frozen=True)
class Kind(ABC):
    """What a setting may be; with `none` also nothing. A value is read as people write it: numbers as text too."""

    none: bool = False

    @property
    def allowed(self) -> str:
        """What it may be, in words."""
        return f"{self._allowed()}{', or none' if self.none else ''}"

    def read(self, value: Any) -> Any:
        """The value that is meant; what cannot be read stays as it is, to be refused."""
        if self.none and (
            value is None or (isinstance(value, str) and value.strip().lower() in NOTHING)
        ):
            return None
        return self._read(value)

    def fits(self, value: Any) -> bool:
        """Whether a log may have it: bounds came later than the first logs."""
        return (self.none and value is None) or self._fits(value)

    def within(self, value: Any) -> bool:
        """Whether it may be asked for now."""
        return self.fits(value) and (value is None or self._within(value))

    def near(self, value: Any) -> str:  # noqa: ARG002 (most kinds have no names that could be near)
        """A hint at what was probably meant, or an empty string."""
        return ""

    def schema(self) -> dict[str, Any]:
        """For the API's description."""
        return {"anyOf": [self.shape(), {"type": "null"}]} if self.none else self.shape()

    @abstractmethod
    def _allowed(self) -> str: ...

    @abstractmethod
    def _read(self, value: Any) -> Any: ...

    @abstractmethod
    def _fits(self, value: Any) -> bool: ...

    def _within(self, value: Any) -> bool:  # noqa: ARG002 (most kinds have no bounds)
        return True

    @abstractmethod
    def shape(self) -> dict[str, Any]:
        """What it may be unless it is nothing, as JSON Schema."""


@dataclass(frozen=True)
class Choice(Kind):
    """One of some words."""

    words: tuple[str, ...] = ()

    def near(self, value: Any) -> str:
        return nearest(value, self.words) if isinstance(value, str) else ""

    def _allowed(self) -> str:
        return f"one of {', '.join(self.words)}"

    def _read(self, value: Any) -> Any:
        return value.strip().lower() if isinstance(value, str) else value

    def _fits(self, value: Any) -> bool:
        return isinstance(value, str) and value in self.words

    def shape(self) -> dict[str, Any]:
        return {"type": "string", "enum": list(self.words)}


@dataclass(frozen=True)
class Number(Kind):
    """A number within bounds; with `whole` an integer."""

    least: float = 0
    most: float = 1
    whole: bool = False

    def _allowed(self) -> str:
        what = "an integer" if self.whole else "a number"
        return f"{what} from {_plain(self.least)} to {_plain(self.most)}"

    def _read(self, value: Any) -> Any:
        if isinstance(value, str):
            value = _number_in(value)
        if self.whole and isinstance(value, float) and value.is_integer():
            return int(value)
        return value

    def _fits(self, value: Any) -> bool:
        if self.whole:
            return type(value) is int and self.least <= value < 2**31
        if not isinstance(value, int | float) or isinstance(value, bool) or not -inf < value < inf:
            return False
        return 0 <= value <= 1 if (self.least, self.most) == (0, 1) else value > 0

    def _within(self, value: Any) -> bool:
        return bool(self.least <= value <= self.most)

    def shape(self) -> dict[str, Any]:
        return {
            "type": "integer" if self.whole else "number",
            "minimum": self.least,
            "maximum": self.most,
        }


@dataclass(frozen=True)
class Switch(Kind):
    """On or off."""

    def _allowed(self) -> str:
        return "true or false"

    def _read(self, value: Any) -> Any:
        return YES_NO.get(value.strip().lower(), value) if isinstance(value, str) else value

    def _fits(self, value: Any) -> bool:
        return isinstance(value, bool)

    def shape(self) -> dict[str, Any]:
        return {"type": "boolean"}


@dataclass(frozen=True)
class Text(Kind):
    """A text, which `what` describes; never the word that is only asked for. Only a long one may have several lines."""

    what: str = "a text"
    never: str | None = None
    most: int = LINE

    def _allowed(self) -> str:
        return self.what

    def _read(self, value: Any) -> Any:
        return value.strip() if isinstance(value, str) else value

    def _fits(self, value: Any) -> bool:
        return (
            isinstance(value, str) and 0 < len(value.strip()) <= self.most and value != self.never
        )

    def shape(self) -> dict[str, Any]:
        return {"type": "string", "minLength": 1, "maxLength": self.most}


@dataclass(frozen=True)
class Texts(Kind):
    """Texts by label."""

    def _allowed(self) -> str:
        return 'texts by label: {"bird": {"definition": "..."}}; each may have name, definition, synonyms, question'

    def _read(self, value: Any) -> Any:
        try:
            return json.loads(value) if isinstance(value, str) else value
        except ValueError:
            return value

    def _fits(self, value: Any) -> bool:
        return isinstance(value, dict)  # what is in it is checked where it is stored

    def shape(self) -> dict[str, Any]:
        texts = {"type": "object", "additionalProperties": {"type": "string"}}
        return {"type": "object", "additionalProperties": texts}


def _plain(number: float) -> str:
    return f"{number:f}".rstrip("0").rstrip(".") if number < 1 else f"{int(number):,}"


def _number_in(text: str) -> Any:
    """The number that a text says, "10 %" too; the text itself where it says none."""
    plain = text.strip()
    part, percent = (plain[:-1].strip(), True) if plain.endswith("%") else (plain, False)
    for read in (int, float):
        try:
            return read(part) / 100 if percent else read(part)
        except (ValueError, OverflowError):
            continue
    return text
