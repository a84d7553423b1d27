"""What a witness says of a cell."""

from __future__ import annotations

from typing import NamedTuple


class Report(NamedTuple):
    """A witness's probability of a label of an item; a list of reports is a long table.

    The item is given by its number, or by its id.
    """

    item: int | str
    label: str
    witness: str
    value: float
