"""How a campaign goes about its work: what a lead can set, checked before it is stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Self

from ..learning.choosing.picks import Pick
from ..learning.learners.learner_names import READERS
from ..logic.errors import CorollaryError, nearest
from .setting_facts import ABOUT, COSTS

STATIC = "static"
EQUAL, MEASURED = COSTS
#: What may be said of a label in the setting `labels`.
ABOUT_LABELS = ("name", "definition", "synonyms", "question")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a lead can set.

    `overlap` is the share of questions, picks included, that get `opinions` opinions, each blind; `gold_share` the
    share of questions whose answer is known. `pick` tells when people are asked which labels an item has instead of yes
    or no ("auto": where labels exclude each other and it tells more for its time; "always", "never"); with `item_cost`
    that costs so many yes/no questions, without it what was measured. Yes or no costs the same of all labels, or with
    `costs` "measured" as much as people take time for each. A question is held for `lease_seconds`. A model is trained
    after every `retrain_every` answers. `by_chance` is the share of questions about items drawn by chance once there is
    a model: without them the forecast promises nothing. `suggest` is the share of questions with which people are shown
    what the model predicts: it leads them, so that answers without it are needed beside, to compare.

    `labels` may give a label a "name" for people to read, a "definition", "synonyms" (with ; between them) and a
    "question" of its own; `question` is that of all other labels. They have {item} where the item's name goes and
    {label} where the label's goes, as in "Is {item} a {label}?". `pick_question` is the question of a pick, with or
    without {item}: "What does this customer want?". `guidelines` is a text for annotators, in a few marks of Markdown.

    With an `encoder` ("lexical", "static" or a model of sentence-transformers) the texts of the items are read, and the
    names and definitions of the labels, by the learners that can read: "auto", "pool" and "meaning".

    With `fallible` people can be wrong: their answers count by how far each has proven right, and doubtful ones are
    asked again, of someone else.
    """

    learner: str = "auto"
    encoder: str | None = None
    retrain_every: int = 50
    overlap: float = 0.0
    opinions: int = 2
    fallible: bool = False
    gold_share: float = 0.0
    pick: Pick = "auto"
    item_cost: float | None = None
    costs: str = EQUAL
    stay: str | None = "item"
    by_chance: float = 0.05
    show_consequences: bool = True
    suggest: float = 0.0
    show_names: bool = False
    lease_seconds: float = 300.0
    seed: int = 0
    target: float = 0.99
    question: str | None = None
    pick_question: str | None = None
    guidelines: str | None = None
    labels: dict[str, dict[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, (_, kind, _, _) in ABOUT.items():
            value = getattr(self, name)
            _check(name, value, kind.fits(value), kind.allowed, kind.near(value))
        _check("labels", self.labels, _are_texts(self.labels), ABOUT["labels"].kind.allowed)
        _check(
            "question",
            self.question,
            "{label}" in (self.question or "{label}"),
            ABOUT["question"].kind.allowed,
        )
        without = "a question without {label}: a pick is about all labels"
        _check(
            "pick_question",
            self.pick_question,
            "{label}" not in (self.pick_question or ""),
            without,
        )

    @property
    def reads_with(self) -> str | None:
        """The encoder that texts are read with; None where the learner does not read."""
        return self.encoder if self.learner in READERS else None

    def changed(self, changes: Mapping[str, Any]) -> Self:
        """The settings with some of them changed, or an error that says which is wrong."""
        return replace(self, **_known(changes))

    def asked(self, changes: Mapping[str, Any]) -> Self:
        """The same for what someone asks for now, as people write it: numbers must be in their bounds too."""
        wanted = self.changed(understood(changes))
        for name in changes:
            value = getattr(wanted, name)
            kind = ABOUT[name].kind
            _check(name, value, kind.within(value), kind.allowed)
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


def understood(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Changes as they are meant: "0.1" and "10 %" are numbers, "yes" and "off" switches, "none" and "" nothing."""
    return {name: ABOUT[name].kind.read(value) for name, value in _known(changes).items()}


def described(settings: Settings) -> list[dict[str, Any]]:
    """All that there is to know of each setting, with its value, as JSON can hold it; in the order of the headings."""
    values = settings.as_dict()
    return [
        {
            "name": name,
            "group": about.group,
            "does": about.does,
            "now": about.now,
            "allowed": about.kind.allowed,
            "none": about.kind.none,
            "shape": about.kind.shape(),
            "default": DEFAULTS[name],
            "value": values[name],
        }
        for name, about in ABOUT.items()
    ]


def _known(changes: Mapping[str, Any]) -> Mapping[str, Any]:
    names = [one.name for one in fields(Settings)]
    for name in changes:
        if name not in names:
            raise CorollaryError(
                f"no setting {name!r}{nearest(str(name), names)}; there is: {', '.join(names)}"
            )
    return changes


def _check(name: str, value: object, fine: bool, expected: str, near: str = "") -> None:
    if not fine:
        raise CorollaryError(f"the setting {name!r} must be {expected}, got {_brief(value)}{near}")


def _brief(value: object) -> str:
    """A value as it was given, if that is short; a number of thousands of digits cannot even be written."""
    try:
        text = repr(value)
    except ValueError:
        return "a number with too many digits"
    return text if len(text) <= 200 else f"{text[:200]}..."


def _are_texts(labels: Any) -> bool:
    return isinstance(labels, dict) and all(
        isinstance(about, dict)
        and about.keys() <= set(ABOUT_LABELS)
        and all(isinstance(text, str) for text in about.values())
        for about in labels.values()
    )


#: What a setting is while nobody sets it.
DEFAULTS = Settings().as_dict()
