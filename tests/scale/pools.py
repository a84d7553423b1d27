"""Small pools: some items with features and facts, written as Parquet, and the same as arrays."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

import corollary as co

ZOO = """
animal > exclusive: bird, fish, mammal
place > exclusive: city, river
exclusive: animal, place
rule: flies >> bird
"""
#: One for each engine.
ONTOLOGIES = {
    "tree": "a > exclusive: b, c, d\ne > exclusive: f, g",
    "junction": "exclusive: a, b, c\nexclusive: c, d, e\nrule: a >> f | g\nrule: f >> d",
    "diagram": "rule: a <-> (b <-> (c <-> d))\nrule: (a & b) | (c & e) | f",
    "soft": "a > b, c\nexclusive: b, c\nrule (weight 2): b >> d",
}


def ids(n: int) -> list[str]:
    """The ids of n items."""
    return [f"item {i}" for i in range(n)]


def some_facts(
    onto: co.Ontology, n: int, rng: np.random.Generator, share: float = 0.3
) -> np.ndarray:
    """Facts about some of n items, in part, that can be true."""
    truth = onto.most_probable(rng.uniform(0.05, 0.95, (n, len(onto))))
    seen = (rng.random((n, 1)) < share) & (rng.random(truth.shape) < 0.6)
    return np.where(seen, truth, -1).astype(np.int8)


def said(facts: np.ndarray, onto: co.Ontology) -> pa.Array:
    """Facts as maps from labels to yes or no."""
    return pa.array(
        [list(row.items()) for row in by_label(facts, onto)], pa.map_(pa.string(), pa.bool_())
    )


def by_label(facts: np.ndarray, onto: co.Ontology) -> list[dict[str, bool]]:
    """What is known of each item, by label."""
    return [{onto.labels[k]: bool(row[k]) for k in np.flatnonzero(row >= 0)} for row in facts]


def lists(matrix: np.ndarray) -> pa.Array:
    """A matrix as a column."""
    return pa.FixedSizeListArray.from_arrays(
        pa.array(np.ascontiguousarray(matrix).ravel()), matrix.shape[1]
    )


def write(folder: Path, columns: dict[str, Any], *, files: int = 3, group: int = 7) -> Path:
    """A table as Parquet files of unequal size, with small row groups."""
    folder.mkdir(parents=True, exist_ok=True)
    table = pa.table(columns)
    bounds = [table.num_rows * i * i // (files * files) for i in range(files + 1)]
    for i, (low, high) in enumerate(pairwise(bounds)):
        parquet.write_table(
            table.slice(low, high - low), folder / f"part-{i}.parquet", row_group_size=group
        )
    return folder


def shown(questions: Any) -> list[tuple[Any, ...]]:
    """Questions as they are compared: all but the wording."""
    return [
        (one.item, one.labels, one.score)
        if isinstance(one, co.ItemQuestion)
        else (one.item, one.label, one.score, one.if_yes, one.if_no)
        for one in questions
    ]
