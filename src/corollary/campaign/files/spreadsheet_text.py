"""Tables as exports write them: their columns, and text that no spreadsheet takes for a formula.

A text that a spreadsheet would take for a formula gets an apostrophe before it, and so does one that looks as if it had
one already: an import of such a table takes one away, and so gives back what was there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

LABEL = "label"
VALUE = "value"
SOURCE = "source"
PROBABILITY = "probability"
LONG = ("item", LABEL, VALUE, SOURCE, PROBABILITY, "by", "at", "ontology", "model", "because")
WIDE = ("item", "text")  # then each label, its source and its probability
ORIGIN = "origin"
ITEMS = (
    "labels",
    ORIGIN,
    PROBABILITY,
)  # of a line for each item, after its id, its text and its fields
# beside labels, where someone named them
NAME = "name"
NAMES = "names"
WITNESSES = "witnesses"  # after the probability, where people can be wrong: how many said so
FORMS = (
    (False, False),
    (True, False),
    (False, True),
    (True, True),
)  # labels named, answers weighed
#: Signs that begin a formula, those of East Asian keyboards too, perhaps after blanks.
SIGN = r"(?:[\s\u200b\ufeff]*[=+\-@＝＋－＠]|[\t\r\n])"
FORMULA = re.compile(f"'*{SIGN}")
MARKED = re.compile(f"'+{SIGN}")


def harmless(row: Iterable[Any]) -> list[Any]:
    """Cells that no spreadsheet takes for a formula."""
    return _marked(row, FORMULA)


def unmistakable(row: Iterable[Any]) -> list[Any]:
    """Cells as they are, but for those that an import would take for harmless ones."""
    return _marked(row, MARKED)


def _marked(row: Iterable[Any], odd: re.Pattern[str]) -> list[Any]:
    return [f"'{one}" if isinstance(one, str) and odd.match(one) else one for one in row]


def as_it_was(text: str) -> str:
    """The text of a cell of an export."""
    return text[1:] if MARKED.match(text) else text


def long_header(*, named: bool, weighed: bool = False) -> tuple[str, ...]:
    """The columns of a line for each cell; beside the labels what people call them, where they are `named`.

    Where answers are `weighed` it tells how many people are behind a value.
    """
    after = LONG.index(PROBABILITY) + 1
    columns = (*LONG[:after], WITNESSES, *LONG[after:]) if weighed else LONG
    return (*columns[:2], NAME, *columns[2:]) if named else columns


def items_header(*, named: bool, weighed: bool = False) -> tuple[str, ...]:
    """The last columns of a line for each item; the same."""
    columns = (*ITEMS, WITNESSES) if weighed else ITEMS
    return (*columns[:1], NAMES, *columns[1:]) if named else columns


def wide_header(labels: Sequence[str]) -> list[str]:
    """Three columns for each label; an import understands them."""
    columns = wide_columns(labels)
    return [*WIDE, *(name for label in labels for name in (columns[label], *_beside(label)))]


def wide_columns(labels: Sequence[str]) -> dict[str, str]:
    """The column of each label: its name, or `text.value` where another column is called `text`."""
    others = {*WIDE, *(name for label in labels for name in _beside(label))}
    taken = others | set(labels)
    columns = {}
    for label in labels:
        column = label
        while column in (others if column == label else taken):
            column = f"{column}.{VALUE}"
        columns[label] = column
    return columns


def _beside(label: str) -> tuple[str, str]:
    return f"{label}.{SOURCE}", f"{label}.{PROBABILITY}"


def is_export(header: Sequence[str]) -> bool:
    """Whether a table has the columns that an export gives it."""
    is_long = any(
        tuple(header) == long_header(named=named, weighed=weighed) for named, weighed in FORMS
    )
    return is_long or bool(own_columns(header)) or is_wide(header)


def own_columns(header: Sequence[str]) -> tuple[str, ...]:
    """The columns of labels in a table with a line for each item, as an export gives it; none where it is no such."""
    for named, weighed in FORMS:
        own = items_header(named=named, weighed=weighed)
        if list(header[:1]) == ["id"] and tuple(header[-len(own) :]) == own:
            return own
    return ()


def is_wide(header: Sequence[str]) -> bool:
    """Whether a table has three columns for each label, as an export gives it."""
    return list(header) == wide_header(_labels_of_wide(header)) and len(header) > len(WIDE)


def moved_labels(header: Sequence[str]) -> dict[str, str]:
    """The labels of a wide export that have a column of another name, and which."""
    columns = wide_columns(_labels_of_wide(header)) if is_wide(header) else {}
    return {label: column for label, column in columns.items() if column != label}


def _labels_of_wide(header: Sequence[str]) -> list[str]:
    return [name.removesuffix(f".{SOURCE}") for name in header[len(WIDE) + 1 :: 3]]
