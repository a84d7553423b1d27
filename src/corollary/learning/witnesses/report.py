"""What a witness says of a cell."""

from __future__ import annotations

from typing import NamedTuple


class Report(NamedTuple):
    """How probable a label is of an item, as a witness says; a list of these is a long table of reports.

    An item is told by its number, or by its id.
    """

    item: int | str
    label: str
    witness: str
    value: float
