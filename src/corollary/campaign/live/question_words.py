"""A question as people read it: a label's own sentence, else the campaign's, else one that needs no article."""

from __future__ import annotations

from collections.abc import Mapping

from ...logic.readable import called
from ...logic.wording import QUOTED_UP_TO, question_in_words
from ..items import Item
from ..settings import Settings

#: How a pick is asked for where nobody worded it.
PICK = "Which of these is {item}?"


def sentence(
    item: Item, label: str, settings: Settings, names: Mapping[str, str] | None = None
) -> str:
    """The question for one label of an item."""
    return question_in_words(_name(item), called(label, names), template_of(label, settings))


def template_of(label: str, settings: Settings) -> str | None:
    """The sentence with {item} and {label} by which a label is asked for; None where nobody worded one."""
    return settings.labels.get(label, {}).get("question") or settings.question


def whole_sentence(item: Item, settings: Settings) -> str:
    """The question for all labels of an item."""
    return pick_template(settings).replace("{item}", _name(item, unnamed="it"))


def pick_template(settings: Settings) -> str:
    """The sentence by which a pick is asked for, with or without {item}."""
    return settings.pick_question or PICK


def _name(item: Item, unnamed: str = "this") -> str:
    text = (item.text or "").strip()
    return f"“{text}”" if text and len(text) <= QUOTED_UP_TO and "\n" not in text else unnamed
