"""The columns of exported tables, and text that no spreadsheet takes for a formula.

An export puts an apostrophe before text that a spreadsheet would take for a formula. It also puts one
before text that looks as if it had one already. An import removes one apostrophe, and so gives the
same text again.
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
)  # after the item's id, text and fields
# beside labels, if they have names
NAME = "name"
NAMES = "names"
WITNESSES = "witnesses"  # after the probability, if annotators can be wrong: the number of people
FORMS = (
    (False, False),
    (True, False),
    (False, True),
    (True, True),
)  # labels named, answers weighed
#: Characters that begin a formula, also full-width ones, perhaps after blanks.
SIGN = r"(?:[\s\u200b\ufeff]*[=+\-@＝＋－＠]|[\t\r\n])"
FORMULA = re.compile(f"'*{SIGN}")
MARKED = re.compile(f"'+{SIGN}")


def harmless(row: Iterable[Any]) -> list[Any]:
    """Return cells that no spreadsheet takes for a formula."""
    return _marked(row, FORMULA)


def unmistakable(row: Iterable[Any]) -> list[Any]:
    """Return cells unchanged, except those from which an import would remove an apostrophe."""
    return _marked(row, MARKED)


def _marked(row: Iterable[Any], odd: re.Pattern[str]) -> list[Any]:
    return [f"'{one}" if isinstance(one, str) and odd.match(one) else one for one in row]


def as_it_was(text: str) -> str:
    """Return the original text of an exported cell."""
    return text[1:] if MARKED.match(text) else text


def long_header(*, named: bool, weighed: bool = False) -> tuple[str, ...]:
    """Return the columns of a table with a row for each cell.

    Parameters
    ----------
    named
        Include the names of labels.
    weighed
        Include the number of people behind a value.
    """
    after = LONG.index(PROBABILITY) + 1
    columns = (*LONG[:after], WITNESSES, *LONG[after:]) if weighed else LONG
    return (*columns[:2], NAME, *columns[2:]) if named else columns


def items_header(*, named: bool, weighed: bool = False) -> tuple[str, ...]:
    """Return the last columns of a table with a row for each item; parameters as in `long_header`."""
    columns = (*ITEMS, WITNESSES) if weighed else ITEMS
    return (*columns[:1], NAMES, *columns[1:]) if named else columns


def wide_header(labels: Sequence[str]) -> list[str]:
    """Return the columns of a table with three columns for each label."""
    columns = wide_columns(labels)
    return [*WIDE, *(name for label in labels for name in (columns[label], *_beside(label)))]


def wide_columns(labels: Sequence[str]) -> dict[str, str]:
    """Return the column of each label: its name, with `.value` added if that name is taken."""
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
    """Return the columns of labels in an exported table of items; empty for any other table."""
    for named, weighed in FORMS:
        own = items_header(named=named, weighed=weighed)
        if list(header[:1]) == ["id"] and tuple(header[-len(own) :]) == own:
            return own
    return ()


def is_wide(header: Sequence[str]) -> bool:
    """Whether a table has three columns for each label, as an export gives it."""
    return list(header) == wide_header(_labels_of_wide(header)) and len(header) > len(WIDE)


def moved_labels(header: Sequence[str]) -> dict[str, str]:
    """Return the labels of a wide export whose column has another name, with that name."""
    columns = wide_columns(_labels_of_wide(header)) if is_wide(header) else {}
    return {label: column for label, column in columns.items() if column != label}


def _labels_of_wide(header: Sequence[str]) -> list[str]:
    return [name.removesuffix(f".{SOURCE}") for name in header[len(WIDE) + 1 :: 3]]
