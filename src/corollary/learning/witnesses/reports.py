"""What witnesses say, one report a cell."""

from __future__ import annotations

from typing import NamedTuple


class Report(NamedTuple):
    """How probable a label is of an item, as a witness says; an item is told by its number, or by its id."""

    witness: str
    item: int | str
    label: str
    probability: float
