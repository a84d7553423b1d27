"""What there is to know of each setting: what it may be, what it does, what changing it now means; and reading values.

One table for the checks, the page, the command, the API's description and the docs. A new setting is a field of
`Settings` and a line of `ABOUT`.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple

from ..learning.choosing.picks import PICKS
from ..learning.learners.learner_names import LEARNERS
from ..logic.errors import nearest

#: The encoder that is to be chosen by what is installed: it is asked for, and never stored.
AUTO = "auto"
#: Seconds that a question may be held: a day.
LONGEST_LEASE = 86_400.0
#: What people write for yes and no, and for nothing.
YES_NO = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
NOTHING = ("", "none", "null")


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
        if self.none and (value is None or (isinstance(value, str) and value.strip().lower() in NOTHING)):
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
        return {"type": "integer" if self.whole else "number", "minimum": self.least, "maximum": self.most}


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
    """A short text, which `what` describes; never the word that is only asked for."""

    what: str = "a text"
    never: str | None = None

    def _allowed(self) -> str:
        return self.what

    def _read(self, value: Any) -> Any:
        return value.strip() if isinstance(value, str) else value

    def _fits(self, value: Any) -> bool:
        return isinstance(value, str) and 0 < len(value.strip()) <= 500 and value != self.never

    def shape(self) -> dict[str, Any]:
        return {"type": "string", "minLength": 1, "maxLength": 500}


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


class About(NamedTuple):
    """What there is to know of a setting: its heading, what it may be, what it does, and what a change means now."""

    group: str
    kind: Kind
    does: str
    now: str


SHARE = Number(least=0, most=1)
ASKING, OPINIONS, LEARNING, SEEN = "Questions", "Second opinions and gold", "Learning", "What people see"
COSTS = ("equal", "measured")
#: What a change means for many of them.
NEXT, ANEW = "From the next question on.", "Questions are chosen anew at once, and a model is trained anew."

#: Every setting, under its heading, in the order in which people see them.
ABOUT = {
    "pick": About(
        ASKING,
        Choice(words=PICKS),
        "When to ask which labels an item has, instead of yes or no: auto where labels exclude each other and it tells "
        "more for the time it takes, always, or never.",
        f"{ANEW} Questions that people hold stay as they are.",
    ),
    "item_cost": About(
        ASKING,
        Number(none=True, least=1e-6, most=1e6),
        "What such a question costs, where a yes/no question costs 1; with none, what the seconds of people say. "
        "With a number they are asked in any ontology.",
        f"{ANEW} Questions that people hold stay as they are.",
    ),
    "costs": About(
        ASKING,
        Choice(words=COSTS),
        "What yes or no about a label costs: the same for all, or as measured by how long people take for each.",
        f"{ANEW} Later the seconds are looked at whenever a model is trained.",
    ),
    "stay": About(
        ASKING,
        Choice(none=True, words=("label", "item")),
        "Keep to one label, or to one item, for a while; none takes the best question each time.",
        ANEW,
    ),
    "lease_seconds": About(
        ASKING,
        Number(least=1, most=LONGEST_LEASE),
        "How many seconds a question is held for someone; nobody else is asked it until then.",
        "For questions handed out or held longer from now on; those that are out keep their time.",
    ),
    "overlap": About(
        OPINIONS,
        SHARE,
        "Which share of the yes/no questions gets further opinions, each given blind.",
        "Questions that are answered already count too: more of them come up again, or fewer. Opinions given stay.",
    ),
    "opinions": About(
        OPINIONS,
        Number(least=1, most=100, whole=True),
        "How many opinions these questions get, the first one included.",
        "Questions that have fewer come up again; opinions beyond that stay.",
    ),
    "gold_share": About(
        OPINIONS,
        SHARE,
        "Which share of the questions are gold: their answer is known, and nobody can tell them from others.",
        NEXT,
    ),
    "learner": About(
        LEARNING,
        Choice(words=LEARNERS),
        "What learns from the answers; auto is the one that suits the items.",
        ANEW,
    ),
    "encoder": About(
        LEARNING,
        Text(none=True, what="the name of an encoder", never=AUTO),
        "What reads the texts of items and labels: lexical, static, or a model of sentence-transformers, a CLIP-like "
        "one the pictures too; none reads nothing, auto takes what is installed.",
        "All texts are read, which may take a while, and a model is trained anew.",
    ),
    "retrain_every": About(
        LEARNING,
        Number(least=1, most=10**9, whole=True),
        "After how many answers a model is trained.",
        "Answers since the last training count: if there are enough, one begins with the next question or answer.",
    ),
    "target": About(
        LEARNING,
        SHARE,
        "Which share of the items is to be right in the end; the forecast tells what that takes.",
        "The forecast is for this share from now on; nothing else changes.",
    ),
    "seed": About(
        LEARNING,
        Number(least=0, most=2**31 - 1, whole=True),
        "What chance starts from: which questions get further opinions or suggestions, and what learners draw.",
        f"Other questions get further opinions or suggestions. {ANEW}",
    ),
    "show_consequences": About(
        SEEN,
        Switch(),
        "Tell with a question what a yes and a no would settle besides.",
        NEXT,
    ),
    "suggest": About(
        SEEN,
        SHARE,
        "With which share of the questions people are shown what the model predicts, and how probable that is; never "
        "with gold and second opinions. It leads people: below 1, the figures compare answers with and without it.",
        "From the next question on; questions that people hold stay as they are.",
    ),
    "show_names": About(
        SEEN,
        Switch(),
        "Show annotators each other's names; leads see them always.",
        "At once, for earlier answers too.",
    ),
    "question": About(
        SEEN,
        Text(none=True, what="a question with {label} in it, such as 'Is {item} a {label}?'"),
        "How labels are asked for that have no question of their own, with {item} where the item's name goes and "
        "{label} where the label's goes; with none the usual words.",
        NEXT,
    ),
    "labels": About(
        SEEN,
        Texts(),
        "For each label a name to read, a definition, synonyms (with ; between them) and a question of its own, with "
        "{item} where the item's name goes.",
        "People see it with the next question; where texts are read a model is trained anew.",
    ),
}


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
