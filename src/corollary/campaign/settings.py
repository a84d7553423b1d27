"""The settings of a campaign: allowed values, defaults, descriptions, and the effect of a change.

The checks, the page, the command, the description of the HTTP API and the docs read the fields
of `Settings`. A new setting is one field.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
)

from ..learning.choosing.picks import Pick
from ..learning.learners.learner_names import READERS, Learner
from ..logic.errors import CorollaryError, nearest

STATIC = "static"
EQUAL = "equal"
MEASURED = "measured"
#: Asks for the best encoder installed; the log stores the name of that encoder instead.
AUTO = "auto"
#: The parts of an entry of the setting `labels`.
ABOUT_LABELS = ("name", "definition", "synonyms", "question", "id")
#: Seconds for which a question may be held: a day.
LONGEST_LEASE = 86_400.0
#: Characters of the guidelines.
GUIDELINES = 20_000
#: Characters of any other text.
LINE = 500
#: Words for no value.
NOTHING = ("", "none", "null")

ASKING = "Questions"
OPINIONS = "Second opinions and gold"
LEARNING = "Learning"
SEEN = "Display"
NEXT = "From the next question on."
ANEW = "Questions are ranked again at once, and a new model is trained."
HELD = "Questions that people already have stay as they are."


def _setting(group: str, does: str, now: str, *, allowed: str = "", **field: Any) -> Any:
    """A field under a heading, with its effect, the effect of a change, and its allowed values."""
    extra: dict[str, Any] = {"group": group, "now": now, "allowed": allowed}
    return Field(description=does, json_schema_extra=extra, **field)


def _share(group: str, does: str, now: str, default: float = 0.0) -> Any:
    return _setting(group, does, now, default=default, ge=0, le=1)


def _text(group: str, does: str, now: str, allowed: str, most: int = LINE, **field: Any) -> Any:
    return _setting(
        group, does, now, allowed=allowed, default=None, min_length=1, max_length=most, **field
    )


class Settings(BaseModel):
    """The settings that a lead can change.

    Raises
    ------
    CorollaryError
        If a value is not allowed, or there is no setting of that name.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    pick: Pick = _setting(
        ASKING,
        "When to ask “Which of these is it?” instead of yes or no. With auto: if labels exclude "
        "each other and a pick is worth its time.",
        f"{ANEW} {HELD}",
        default="auto",
    )
    item_cost: float | None = _setting(
        ASKING,
        "The cost of a pick; a yes/no question costs 1. With none, the cost is measured from "
        "people's answer times. With a number, picks are asked in any ontology.",
        f"{ANEW} {HELD}",
        default=None,
        ge=1e-6,
        le=1e6,
    )
    costs: Literal["equal", "measured"] = _setting(
        ASKING,
        "The cost of a yes/no question: equal for all labels, or measured from people's answer "
        "times for each label.",
        f"{ANEW} Each later training measures the times again.",
        default=EQUAL,
    )
    stay: Literal["label", "item"] | None = _setting(
        ASKING,
        "Stay on one item, which saves questions, or on one label, while it is worth it. With "
        "none, people always get the best question.",
        ANEW,
        default="item",
    )
    by_chance: float = _share(
        ASKING,
        "The share of questions about items drawn at random, once there is a model. They show "
        "where the model is sure and wrong. Without them, no target counts as reached. "
        "Example: 0.05.",
        NEXT,
        0.05,
    )
    lease_seconds: float = _setting(
        ASKING,
        "The seconds for which a question is reserved for one person. Example: 300.",
        "For questions handed out from now on. Questions that people already have keep their time.",
        default=300.0,
        ge=1,
        le=LONGEST_LEASE,
    )
    overlap: float = _share(
        OPINIONS,
        "The share of questions, picks included, that several people answer without seeing each "
        "other's answers.",
        "Also for answered questions: more or fewer of them come up again. Opinions given so "
        "far are kept.",
    )
    opinions: int = _setting(
        OPINIONS,
        "The number of people who answer such a question, the first one included.",
        "Questions with fewer answers come up again. Answers beyond this number are kept.",
        default=2,
        ge=1,
        le=100,
    )
    fallible: bool = _setting(
        OPINIONS,
        "People can be wrong. Each answer is weighed by the accuracy of its author and by the "
        "model. Doubtful answers are asked again, of another person. For teams. A training "
        "takes about four times as long.",
        "Answers that are probably wrong no longer count. Switched off, all answers count "
        f"again. {ANEW}",
        default=False,
    )
    gold_share: float = _share(
        OPINIONS,
        "The share of gold questions: their answers are known, and people cannot recognise them.",
        NEXT,
    )
    learner: Learner = _setting(
        LEARNING,
        "The classifier that learns from the answers. With auto, it is chosen to fit the items.",
        ANEW,
        default="auto",
    )
    encoder: str | None = _text(
        LEARNING,
        "The model that reads the texts of items and labels: lexical, static, sentences, or a "
        "model of sentence-transformers. CLIP-like models also read pictures. With auto, the best "
        "one installed; with none, texts are not read.",
        "All texts are read again, which may take a while, and a new model is trained.",
        "the name of an encoder",
    )
    retrain_every: int = _setting(
        LEARNING,
        "The number of answers after which a new model is trained. Example: 50.",
        "Answers since the last training count. If there are enough, the next question or "
        "answer starts a training.",
        default=50,
        ge=1,
        le=10**9,
    )
    target: float = _share(
        LEARNING,
        "The share of items that should be labelled right in the end. The forecast counts the "
        "questions until then. Example: 0.99.",
        "The forecast uses the new target. Nothing else changes.",
        0.99,
    )
    seed: int = _setting(
        LEARNING,
        "The start of all random choices: questions for second opinions, suggestions, and the "
        "draws of learners.",
        f"Other questions get second opinions or suggestions. {ANEW}",
        default=0,
        ge=0,
        le=2**31 - 1,
    )
    show_consequences: bool = _setting(
        SEEN,
        "Show with each question which labels a yes and a no would settle.",
        NEXT,
        default=True,
    )
    suggest: float = _share(
        SEEN,
        "The share of questions that show the model's prediction. Gold questions and second "
        "opinions never do. Predictions influence people; below 1, the figures compare answers "
        "with and without them.",
        f"{NEXT} {HELD}",
    )
    show_names: bool = _setting(
        SEEN,
        "Show annotators each other's names. Leads always see them.",
        "At once, also for earlier answers.",
        default=False,
    )
    question: str | None = _text(
        SEEN,
        "The wording of yes/no questions, for labels without their own question. {item} and "
        "{label} stand for the names. With none, “Should {item} be labelled {label}?”.",
        NEXT,
        "a question with {label} in it, such as 'Is {item} a {label}?'",
        pattern=r"\{label\}",
    )
    pick_question: str | None = _text(
        SEEN,
        "The wording of picks. {item} stands for the item's name. With none, “Which of these is "
        "{item}?”.",
        NEXT,
        "a question without {label}, such as 'What does this customer want?'",
    )
    guidelines: str | None = _text(
        SEEN,
        "Instructions for annotators, shown with the key G. Formatting: # headings, - lists, "
        "1. lists, **bold**, *italics*, `code` and links.",
        "At once. An open page shows them when the guidelines are opened next.",
        f"a text of at most {GUIDELINES:,} characters",
        GUIDELINES,
    )
    labels: dict[str, dict[Annotated[str, Field(pattern=f"^({'|'.join(ABOUT_LABELS)})$")], str]] = (
        _setting(
            SEEN,
            "Texts for each label: its name, definition, synonyms (separated by ;), question and "
            "id. In a question, {item} is replaced by the name of the item.",
            "People see it with the next question. If texts are read, a new model is trained.",
            allowed='texts by label: {"bird": {"definition": "..."}}; each may have '
            f"{', '.join(ABOUT_LABELS)}",
            default={},
        )
    )

    def __init__(self, **values: Any) -> None:
        _check_names(values)
        try:
            super().__init__(**values)
        except ValidationError as error:
            name = str(error.errors(include_url=False, include_context=False)[0]["loc"][0])
            raise CorollaryError(_refusal(name, values[name])) from None

    @field_validator("*", mode="before")
    @classmethod
    def _read(cls, value: Any, info: ValidationInfo) -> Any:
        """Read a value as people write it: "10 %" for a number, "none" or "" for nothing, JSON."""
        about = ABOUT[str(info.field_name)]
        kind = about["shape"]["type"]
        if isinstance(value, bool) and kind in ("number", "integer"):
            raise ValueError("a switch is no number")
        if not isinstance(value, str):
            return value
        text = value.strip()
        if about["none"] and text.lower() in NOTHING:
            return None
        if kind == "object":
            return json.loads(text)
        if kind == "number" and text.endswith("%"):
            return float(text[:-1]) / 100
        return text.lower() if "enum" in about["shape"] else text

    @field_validator("encoder", "pick_question")
    @classmethod
    def _fits(cls, value: str | None) -> str | None:
        """Refuse an encoder that has no name of its own, and a pick that is about one label."""
        if value == AUTO or "{label}" in (value or ""):
            raise ValueError("no such text")
        return value

    @property
    def reads_with(self) -> str | None:
        """The encoder of the texts; None if the learner does not read."""
        return self.encoder if self.learner in READERS else None

    def changed(self, changes: Mapping[str, Any]) -> Self:
        """Change some settings, with values as people write them.

        Parameters
        ----------
        changes
            The new value of each setting that changes. "0.1" and "10 %" are numbers, "yes" and
            "off" are switches, "none" and "" are nothing.

        Raises
        ------
        CorollaryError
            If a value is not allowed, or there is no setting of that name.
        """
        _check_names(changes)
        wanted = type(self)(**self.model_dump() | dict(changes))
        if wanted.learner == "meaning" and wanted.encoder is None:
            raise CorollaryError(
                "the learner 'meaning' reads texts: it needs a setting 'encoder', and items "
                "that have texts"
            )
        return wanted

    def stored(self, changes: Mapping[str, Any]) -> Self:
        """Change some settings as a log says; bounds came later, a number beyond one becomes it."""
        _check_names(changes)
        bounded = dict(changes)
        for name, value in changes.items():
            shape = ABOUT[name]["shape"]
            if "maximum" in shape and type(value) in (int, float):
                bounded[name] = min(max(value, shape["minimum"]), shape["maximum"])
        return type(self)(**self.model_dump() | bounded)


def synonyms_of(about: Mapping[str, str]) -> list[str]:
    """List the synonyms of a label, by its entry in the setting `labels`."""
    return [one.strip() for one in about.get("synonyms", "").split(";") if one.strip()]


def described(settings: Settings) -> list[dict[str, Any]]:
    """Describe each setting, with its value, as JSON can hold it; in the order of the headings."""
    values = settings.model_dump()
    return [about | {"value": values[name]} for name, about in ABOUT.items()]


def _described(name: str, field: dict[str, Any]) -> dict[str, Any]:
    shapes = field.pop("anyOf", [field])
    texts = {key: field.pop(key) for key in ("title", "group", "description", "now", "default")}
    allowed = field.pop("allowed") or _in_words(shapes[0])
    none = len(shapes) > 1
    return {
        "name": name,
        "group": texts["group"],
        "does": texts["description"],
        "now": texts["now"],
        "allowed": f"{allowed}, or none" if none else allowed,
        "none": none,
        "shape": shapes[0],
        "default": texts["default"],
    }


def _in_words(shape: Mapping[str, Any]) -> str:
    if "enum" in shape:
        return f"one of {', '.join(shape['enum'])}"
    if shape["type"] == "boolean":
        return "true or false"
    kind = "an integer" if shape["type"] == "integer" else "a number"
    return f"{kind} from {_plain(shape['minimum'])} to {_plain(shape['maximum'])}"


def _plain(number: float) -> str:
    return f"{number:f}".rstrip("0").rstrip(".") if number < 1 else f"{int(number):,}"


def _check_names(names: Iterable[str]) -> None:
    known = list(Settings.model_fields)
    for name in names:
        if name not in known:
            raise CorollaryError(
                f"no setting {name!r}{nearest(str(name), known)}; there is: {', '.join(known)}"
            )


def _refusal(name: str, value: object) -> str:
    """Say what a setting may be, and a value that is near; numbers can be too long to be shown."""
    about = ABOUT[name]
    words = about["shape"].get("enum", ())
    near = nearest(value, words) if isinstance(value, str) else ""
    try:
        text = repr(value)
    except ValueError:
        text = "a number with too many digits"
    shown = text if len(text) <= 200 else f"{text[:200]}..."
    return f"the setting {name!r} must be {about['allowed']}, got {shown}{near}"


#: The description of each setting, by its name, without its value.
ABOUT = {
    name: _described(name, field)
    for name, field in Settings.model_json_schema()["properties"].items()
}
