"""The reports of a machine as they are stored.

Arrays in parts, checked by the hash in their event.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa

from ..events import REPORT, Event, to_json
from . import tables
from .rows import PART_BYTES

INTEGER = np.dtype("<i4")
NUMBER = np.dtype("<f4")
Ints = npt.NDArray[np.int32]
Numbers = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Reported:
    """The probabilities of some cells: items by row in the campaign, labels by position in `labels`."""

    labels: tuple[str, ...]
    item: Ints
    label: Ints
    value: Numbers

    def some(self, which: npt.NDArray[np.bool_]) -> Reported:
        """Return only some cells."""
        return Reported(self.labels, self.item[which], self.label[which], self.value[which])

    def to_bytes(self) -> bytes:
        """Return a line with the lengths of the arrays and the labels, then the arrays."""
        head = to_json({"cells": len(self.value), "labels": self.labels}).encode() + b"\n"
        arrays = (self.item.astype(INTEGER), self.label.astype(INTEGER), self.value.astype(NUMBER))
        return head + b"".join(array.tobytes() for array in arrays)

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return the report from its bytes; raise ValueError if they are damaged."""
        head, _, body = data.partition(b"\n")
        header = json.loads(head)
        n = int(header["cells"])
        labels = tuple(map(str, header["labels"]))
        if len(body) != n * (2 * INTEGER.itemsize + NUMBER.itemsize):
            raise ValueError("its length differs from its header")
        item, label = (np.frombuffer(body, INTEGER, n, at * n * INTEGER.itemsize) for at in (0, 1))
        return cls(labels, item, label, np.frombuffer(body, NUMBER, n, 2 * n * INTEGER.itemsize))

    @property
    def sha256(self) -> str:
        """The hash that the event keeps."""
        return sha256_of(self.to_bytes())


def sha256_of(data: bytes) -> str:
    """Return the hash of a report before compression."""
    return hashlib.sha256(data).hexdigest()


def insert_reported(connection: sa.Connection, *, reported: Mapping[int, Reported]) -> None:
    """Store reports by their event, in the transaction of the events."""
    for seq, said in reported.items():
        data = said.to_bytes()
        for part, start in enumerate(range(0, len(data), PART_BYTES)):
            packed = zlib.compress(data[start : start + PART_BYTES], level=1)
            connection.execute(
                sa.insert(tables.reports), {"seq": seq, "part": part, "data": packed}
            )


def read_reported(connection: sa.Connection) -> dict[int, bytes]:
    """Return stored reports by event, if they can be unpacked.

    A file of an earlier version, opened to read, has none.
    """
    if not sa.inspect(connection).has_table(tables.reports.name):
        return {}
    parts: dict[int, list[bytes]] = {}
    for row in connection.execute(
        sa.select(tables.reports).order_by(*tables.reports.primary_key.columns)
    ):
        parts.setdefault(row.seq, []).append(bytes(row.data))
    return dict(_unpacked(parts.items()))


def _unpacked(parts: Iterable[tuple[int, list[bytes]]]) -> Iterator[tuple[int, bytes]]:
    for seq, packed in parts:
        try:
            yield seq, b"".join(map(zlib.decompress, packed))
        except zlib.error:
            continue


def check_reported(
    events: Iterable[Event], stored: Mapping[int, bytes]
) -> tuple[dict[int, Reported], list[str]]:
    """Return the contents of reports in the log, and a line for each that is lost or damaged."""
    found: dict[int, Reported] = {}
    wrong: list[str] = []
    for event in events:
        if event.kind != REPORT:
            continue
        detail: dict[str, Any] = event.detail or {}
        about = f"what {event.who!r} reported of {event.value:,} cells (event {event.seq})"
        data = stored.get(event.seq)
        if data is None:
            wrong.append(f"{about} is gone from the store; bring it again, or restore a backup")
        elif sha256_of(data) != detail["sha256"]:
            wrong.append(f"{about} differs from storage; bring it again, or restore a backup")
        else:
            found[event.seq] = Reported.from_bytes(data)
    return found, wrong
