"""How a campaign goes about its work: what a lead can set, checked before it is stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from math import inf
from typing import Any, Self

from ..learning.choosing.picks import PICKS, Pick
from ..logic.errors import CorollaryError, nearest

LEARNERS = ("auto", "logistic", "crf", "pool", "meaning")
#: Those that can read.
READERS = ("auto", "meaning")
#: The encoder that is to be chosen by what is installed: it is asked for, and never stored.
AUTO = "auto"
STATIC = "static"
#: What may be said of a label in the setting `labels`.
ABOUT_LABELS = ("name", "definition", "synonyms", "question")
#: Seconds that a question may be held: a day.
LONGEST_LEASE = 86_400.0
#: The most that may be asked for; a log that has more of it from before is read all the same.
MOST = {"retrain_every": 10**9, "opinions": 100, "item_cost": 1e6, "lease_seconds": LONGEST_LEASE}
#: The least, where that is more than a number above 0.
LEAST = {"item_cost": 1e-6, "lease_seconds": 1.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a lead can set.

    `overlap` is the share of yes/no questions that get `opinions` opinions, each blind; `gold_share` the share of
    questions whose answer is known. `pick` tells when people are asked which labels an item has instead of yes or no
    ("auto": where labels exclude each other and it tells more for its time; "always", "never"); with `item_cost` that
    costs so many yes/no questions, without it what was measured. A question is held for `lease_seconds`. A model is
    trained after every `retrain_every` answers.

    `labels` may give a label a "name" for people to read, a "definition", "synonyms" (with ; between them) and a
    "question" of its own; `question` is that of all other labels. They have {item} where the item's name goes and
    {label} where the label's goes, as in "Is {item} a {label}?".

    With an `encoder` ("lexical", "static" or a model of sentence-transformers) the texts of the items are read, and the
    names and definitions of the labels, by the learners that can read: "auto" and "meaning".
    """

    learner: str = "auto"
    encoder: str | None = None
    retrain_every: int = 50
    overlap: float = 0.0
    opinions: int = 2
    gold_share: float = 0.0
    pick: Pick = "auto"
    item_cost: float | None = None
    stay: str | None = None
    show_consequences: bool = True
    show_names: bool = False
    lease_seconds: float = 300.0
    seed: int = 0
    target: float = 0.99
    question: str | None = None
    labels: dict[str, dict[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check("learner", self.learner, self.learner in LEARNERS, f"one of {', '.join(LEARNERS)}")
        named = self.encoder is None or (isinstance(self.encoder, str) and 0 < len(self.encoder.strip()) <= 500)
        _check("encoder", self.encoder, named and self.encoder != AUTO, "the name of an encoder, or null")
        _check("pick", self.pick, self.pick in PICKS, f"one of {', '.join(PICKS)}")
        _check("stay", self.stay, self.stay in (None, "label", "item"), "'label', 'item' or null")
        for name in ("retrain_every", "opinions", "seed"):
            least = 0 if name == "seed" else 1
            value = getattr(self, name)
            _check(name, value, type(value) is int and least <= value < 2**31, f"an integer from {least}")
        for name in ("overlap", "gold_share", "target"):
            value = getattr(self, name)
            _check(name, value, _is_number(value) and 0 <= value <= 1, "a number from 0 to 1")
        for name in ("item_cost", "lease_seconds"):
            value = getattr(self, name)
            _check(name, value, (name == "item_cost" and value is None) or _is_positive(value), "a number above 0")
        for name in ("show_consequences", "show_names"):
            _check(name, getattr(self, name), isinstance(getattr(self, name), bool), "true or false")
        asks = self.question is None or (isinstance(self.question, str) and "{label}" in self.question)
        _check(
            "question", self.question, asks, "a question with {label} in it, such as 'Is {item} a {label}?', or null"
        )
        known = f'texts by label: {{"bird": {{"definition": "..."}}}}; each may have {", ".join(ABOUT_LABELS)}'
        _check("labels", self.labels, _are_texts(self.labels), known)

    @property
    def reads_with(self) -> str | None:
        """The encoder that texts are read with; None where the learner does not read."""
        return self.encoder if self.learner in READERS else None

    def changed(self, changes: Mapping[str, Any]) -> Self:
        """The settings with some of them changed, or an error that says which is wrong."""
        names = [one.name for one in fields(self)]
        for name in changes:
            if name not in names:
                raise CorollaryError(f"no setting {name!r}{nearest(str(name), names)}; there is: {', '.join(names)}")
        return replace(self, **changes)

    def asked(self, changes: Mapping[str, Any]) -> Self:
        """The same for what someone asks for now: numbers must be in their bounds too."""
        wanted = self.changed(changes)
        for name, most in MOST.items():
            value, least = getattr(wanted, name), LEAST.get(name, 1)
            if name in changes and value is not None:
                _check(name, value, least <= value <= most, f"from {least:,g} to {most:,g}")
        if wanted.learner == "meaning" and wanted.encoder is None:
            raise CorollaryError(
                "the learner 'meaning' reads texts: it needs a setting 'encoder', and items that have texts"
            )
        return wanted

    def as_dict(self) -> dict[str, Any]:
        """By name, as JSON can hold it."""
        return asdict(self)


def synonyms_of(about: Mapping[str, str]) -> list[str]:
    """What else a label is called, by its entry in the setting `labels`."""
    return [one.strip() for one in about.get("synonyms", "").split(";") if one.strip()]


def _check(name: str, value: object, fine: bool, expected: str) -> None:
    if not fine:
        raise CorollaryError(f"the setting {name!r} must be {expected}, got {_brief(value)}")


def _brief(value: object) -> str:
    """A value as it was given, if that is short; a number of thousands of digits cannot even be written."""
    try:
        text = repr(value)
    except ValueError:
        return "a number with too many digits"
    return text if len(text) <= 200 else f"{text[:200]}..."


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and -inf < value < inf


def _is_positive(value: Any) -> bool:
    return _is_number(value) and value > 0


def _are_texts(labels: Any) -> bool:
    return isinstance(labels, dict) and all(
        isinstance(about, dict)
        and about.keys() <= set(ABOUT_LABELS)
        and all(isinstance(text, str) for text in about.values())
        for about in labels.values()
    )
