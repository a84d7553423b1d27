"""Tables as exports write them: their columns, and text that no spreadsheet takes for a formula.

A text that a spreadsheet would take for a formula gets an apostrophe before it, and so does one that looks as if it had
one already: an import of such a table takes one away, and so gives back what was there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

LABEL, VALUE, SOURCE, PROBABILITY = "label", "value", "source", "probability"
LONG = ("item", LABEL, VALUE, SOURCE, PROBABILITY, "by", "at", "ontology", "model", "because")
WIDE = ("item", "text")  # then each label, its source and its probability
FORMULA = re.compile(r"'*[=+\-@\t\r\n]")
MARKED = re.compile(r"'+[=+\-@\t\r\n]")


def harmless(value: Any) -> Any:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{value}" if isinstance(value, str) and FORMULA.match(value) else value


def unmistakable(value: Any) -> Any:
    """A cell as it is, but for one that an import would take for a harmless one."""
    return f"'{value}" if isinstance(value, str) and MARKED.match(value) else value


def as_it_was(text: str) -> str:
    """The text of a cell of an export."""
    return text[1:] if MARKED.match(text) else text


def wide_header(labels: Sequence[str]) -> list[str]:
    """Three columns for each label; an import understands them."""
    return [*WIDE, *(name for label in labels for name in (label, f"{label}.{SOURCE}", f"{label}.{PROBABILITY}"))]


def is_export(header: Sequence[str]) -> bool:
    """Whether a table has the columns that an export gives it."""
    return tuple(header) == LONG or (len(header) > len(WIDE) and list(header) == wide_header(header[len(WIDE) :: 3]))
