"""Suite `exporting`: how long exports take, and that their memory does not grow with the number of items."""

from __future__ import annotations

import resource
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import corollary as co
from corollary.campaign.events import MODEL, Event
from corollary.campaign.files.exports.exports import PARQUET, text_of
from corollary.campaign.files.exports.provenance import Snapshot
from corollary.campaign.items import Item

BELIEVED = 1_000  # rows of beliefs, shared by many items, so that the memory measured is that of the export


def snapshot_of(n_items: int, groups: int, size: int) -> Snapshot:
    """Items of which nothing is known, a model's beliefs, and labels in exclusive groups, themselves exclusive."""
    names = {f"group {g}": [f"label {g} {k}" for k in range(size)] for g in range(groups)}
    lines = [
        f'"{group}" > exclusive: ' + ", ".join(f'"{one}"' for one in own)
        for group, own in names.items()
    ]
    lines.append("exclusive: " + ", ".join(f'"{group}"' for group in names))
    onto = co.Ontology.parse("\n".join(lines))
    return Snapshot(
        [Item(f"q{i}", text="a query of a few words") for i in range(n_items)],
        onto,
        1,
        np.broadcast_to(np.full(len(onto), -1, np.int8), (n_items, len(onto))),
        np.random.default_rng(0).uniform(0, 0.3, (BELIEVED, len(onto))),
        np.arange(n_items) % BELIEVED,
        {},
        [],
        Event(kind=MODEL, who="system", value=1, detail={"upto": 0, "sha256": "0" * 64}),
        True,
        lambda _, __: None,
    )


def peak() -> float:
    """The most memory that this process ever had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def write(snapshot: Snapshot, path: Path, kind: str) -> dict[str, Any]:
    started, work = time.perf_counter(), time.process_time()
    if kind in PARQUET:
        PARQUET[kind](snapshot, path, predictions=True, open_cells=True)
    else:
        with path.open("w", encoding="utf-8", newline="") as out:
            out.writelines(text_of(snapshot, kind))
    return {
        f"{kind}, seconds": time.perf_counter() - started,
        f"{kind}, seconds of processor": time.process_time() - work,
        f"{kind}, MB": path.stat().st_size / 1e6,
    }


def queries() -> dict[str, Any]:
    """23,700 items with 160 labels, all predicted, in each form."""
    snapshot = snapshot_of(23_700, 10, 15)
    figures: dict[str, Any] = {}
    with TemporaryDirectory() as folder:
        write(snapshot_of(10, 10, 15), Path(folder) / "x", "csv-items")  # compiles
        for kind in ("csv-items", "parquet-items", "csv-long"):
            figures |= write(snapshot, Path(folder) / "x", kind)
    return figures | {"targets": {"csv-items, seconds of processor": ("at most", 5)}}


def million() -> dict[str, Any]:
    """A million items with 200 labels, a line for each item: the memory that it takes besides the items."""
    with TemporaryDirectory() as folder:
        write(snapshot_of(10_000, 10, 19), Path(folder) / "x", "csv-items")  # compiles
        snapshot = snapshot_of(1_000_000, 10, 19)
        before = peak()
        figures = write(snapshot, Path(folder) / "x", "csv-items")
        more = peak() - before
    return figures | {
        "more memory at most, MB": more,
        "targets": {"more memory at most, MB": ("at most", 200)},
    }


CASES = {"queries": queries, "million": million}
