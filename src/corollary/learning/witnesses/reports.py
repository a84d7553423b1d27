"""What witnesses said, one entry a cell, from a table per witness or from one long table."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...logic.arrays import as_table
from ...logic.engines import Floats
from ...logic.errors import CorollaryError, nearest
from ...logic.labelled import is_missing, item_ids, same_rows
from ...logic.ontology import Ontology
from ..argument_checks import list_of, shown

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
COLUMNS = ("item", "label", "witness", "value")
Columns = tuple[Sequence[Any], Sequence[Any], Sequence[Any], Sequence[Any]]


class Report(NamedTuple):
    """A witness's probability of a label of an item; a list of reports is a long table.

    The item is given by its number, or by its id.
    """

    item: int | str
    label: str
    witness: str
    value: float


@dataclass(frozen=True, eq=False)
class Reports:
    """Values between 0 and 1 that witnesses gave to cells; witnesses, items and labels by position."""

    witnesses: tuple[Hashable, ...]
    items: tuple[Hashable, ...]
    witness: Ints
    item: Ints
    label: Ints
    value: Floats

    def some(self, which: Flags) -> Reports:
        """Only these reports, of the same witnesses and items."""
        return Reports(
            self.witnesses,
            self.items,
            self.witness[which],
            self.item[which],
            self.label[which],
            self.value[which],
        )

    @property
    def are_votes(self) -> Flags:
        """Which reports are of witnesses that only ever say 0 or 1."""
        between = (self.value > 0) & (self.value < 1)
        weighs = np.bincount(self.witness[between], minlength=len(self.witnesses)) > 0
        return np.asarray(~weighs[self.witness])


def read_reports(
    reports: Any, onto: Ontology, *, items: Iterable[Hashable] | None = None
) -> Reports:
    """Reports from a mapping witness -> (N, K), nan where silent, or from a long table of item, label, witness, value.

    The items of a long table are ids, whole numbers too; `items` lists all of them in the order of the rows. Without
    it, they are the items that were reported on, in order of their first report. Of several reports of a witness about
    a cell the last one counts.
    """
    listed = None if items is None else list_of("items", items)
    columns = _columns(reports)
    found = (
        _of_tables(reports, onto, listed)
        if columns is None
        else _of_columns(*columns, onto, listed)
    )
    if not len(found.value):
        raise CorollaryError("there are no reports: every value is missing")
    wrong = ~((found.value >= 0) & (found.value <= 1))
    if wrong.any():
        r = int(np.argmax(wrong))
        raise CorollaryError(
            f"a report is a probability, 0 for no and 1 for yes; witness {found.witnesses[found.witness[r]]!r} has "
            f"{found.value[r]} for item {found.items[found.item[r]]!r}, label {onto.labels[found.label[r]]!r}"
        )
    return found


def _of_tables(reports: Any, onto: Ontology, items: list[Hashable] | None) -> Reports:
    if not isinstance(reports, Mapping) or not reports:
        raise CorollaryError(
            "reports must be a mapping witness -> (items x labels) values, nan where silent, or a table with the "
            f"columns {', '.join(COLUMNS)}; got {shown(reports)}"
        )
    if items is None:
        items = next(
            (found for table in reports.values() if (found := item_ids(table)) is not None), None
        )
    like = "numbers between 0 and 1, nan where silent"
    said = {
        w: as_table(
            name, same_rows(name, table, "reports", items), onto.labels, like=like, unsaid=np.nan
        )
        for w, table in reports.items()
        for name in [f"reports[{w!r}]"]
    }
    n = len(next(iter(said.values()))) if items is None else len(items)
    for w, table in said.items():
        if len(table) != n:
            raise CorollaryError(f"reports[{w!r}] has {len(table):,} items where there are {n:,}")
    where = [np.nonzero(~np.isnan(table.astype(np.float64))) for table in said.values()]
    return Reports(
        tuple(said),
        tuple(range(n) if items is None else items),
        np.repeat(np.arange(len(said)), [len(rows) for rows, _ in where]),
        np.concatenate([rows for rows, _ in where]),
        np.concatenate([columns for _, columns in where]),
        np.concatenate(
            [table[at].astype(np.float64) for table, at in zip(said.values(), where, strict=True)]
        ),
    )


def is_wide(reports: Any) -> bool:
    """Whether reports are a table of items x labels for each witness, and no long table."""
    return _columns(reports) is None


def _columns(reports: Any) -> Columns | None:
    """The four columns of a long table, if it is one."""
    names = (
        reports.columns
        if hasattr(reports, "columns")
        else reports
        if isinstance(reports, Mapping)
        else ()
    )
    if set(COLUMNS) <= set(names):
        item, label, witness, value = (np.asarray(reports[name]).tolist() for name in COLUMNS)
        return item, label, witness, value
    if isinstance(reports, Sequence) and not isinstance(reports, str | bytes) and len(reports):
        if any(not isinstance(row, tuple | list) or len(row) != len(COLUMNS) for row in reports):
            raise CorollaryError(f"each row of a table of reports must be ({', '.join(COLUMNS)})")
        item, label, witness, value = zip(*reports, strict=True)
        return item, label, witness, value
    return None


def _of_columns(
    item: Sequence[Any],
    label: Sequence[Any],
    witness: Sequence[Any],
    value: Sequence[Any],
    onto: Ontology,
    items: list[Hashable] | None,
) -> Reports:
    for r, one in enumerate(item):
        if is_missing(one):
            raise CorollaryError(f"row {r} of the reports has no item: its id is {one!r}")
    numbers = np.array([np.nan if is_missing(v) else v for v in value], np.float64)
    items = list(dict.fromkeys(item)) if items is None else items
    witnesses = list(dict.fromkeys(witness))
    found = Reports(
        tuple(witnesses),
        tuple(items),
        _positions("witness", witness, {w: j for j, w in enumerate(witnesses)}),
        _positions("item", item, {i: j for j, i in enumerate(items)}),
        _positions("label", label, onto.index),
        numbers,
    )
    cell = (found.witness * len(items) + found.item) * len(onto) + found.label
    last = len(cell) - 1 - np.unique(cell[::-1], return_index=True)[1]
    current = np.zeros(len(cell), np.bool_)
    current[last] = True
    return found.some(current & ~np.isnan(numbers))


def _positions(what: str, names: Sequence[Any], position: Mapping[Any, int]) -> Ints:
    try:
        return np.fromiter((position[name] for name in names), np.int64, len(names))
    except KeyError as unknown:
        name = unknown.args[0]
        raise CorollaryError(
            f"unknown {what} {name!r} in the reports{nearest(str(name), list(map(str, position)))}"
        ) from None
