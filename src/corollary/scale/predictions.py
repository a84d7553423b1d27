"""Predictions for a part of a pool, as a file: labels, where each comes from, and how far they can be trusted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..learning.stopping.calibration import log_odds
from ..logic.whole_file import written_whole
from .table.parts import Block, Part
from .table.values import ids_in, known_in
from .work import Work

#: Where a label comes from: someone said it, it follows from what was said, or the model says so.
ORIGINS = ("known", "implied", "predicted")


def predictions(work: Work, part: Part, path: str, probabilities: bool) -> int:
    """Write the most probable legal labelling of each item of a part to a file, all of it or nothing; how many."""
    from pyarrow import parquet

    schema = prediction_schema(len(work.onto) if probabilities else None)
    with written_whole(Path(path)) as partial, parquet.ParquetWriter(partial, schema) as writer:
        for block in work.blocks(part, work.columns.needed):
            writer.write_table(_predicted(work, block, schema))
    return part.rows


def prediction_schema(n_probabilities: int | None) -> Any:
    """The columns of predictions; `origin` and `probability` are of each of the `labels`."""
    import pyarrow as pa

    columns = [
        ("id", pa.string()),
        ("labels", pa.list_(pa.string())),
        ("origin", pa.list_(pa.string())),
        ("probability", pa.list_(pa.float32())),
        ("risk", pa.float32()),
    ]
    if n_probabilities is not None:
        columns.append(("probabilities", pa.list_(pa.float32(), n_probabilities)))
    return pa.schema(columns)


def _predicted(work: Work, block: Block, schema: Any) -> Any:
    """The labels of each item, where each comes from and how probable it is, and how probable one is wrong."""
    import pyarrow as pa

    onto = work.onto
    given, known = known_in(block, work.columns, onto, work.extra)
    beliefs = work.beliefs(block)
    labelling = onto.most_probable(beliefs, known)
    odds = log_odds(beliefs)
    posterior, log_z = onto.marginals(odds, known, propagated=True)
    risk = -np.expm1(np.minimum(np.where(labelling == 1, odds, 0.0).sum(axis=1) - log_z, 0.0))
    rows, labels = np.nonzero(labelling == 1)
    ends = pa.array(np.searchsorted(rows, np.arange(len(labelling) + 1)), pa.int32())
    origin = (known[rows, labels] < 0).astype(np.int64) + (given[rows, labels] < 0)
    lists = (
        pa.array(onto.labels, pa.string()).take(pa.array(labels)),
        pa.array(ORIGINS, pa.string()).take(pa.array(origin)),
        pa.array(posterior[rows, labels].astype(np.float32)),
    )
    values = [
        ids_in(block, work.columns),
        *(pa.ListArray.from_arrays(ends, one) for one in lists),
        risk,
    ]
    if len(schema) > len(values):
        values.append(
            pa.FixedSizeListArray.from_arrays(
                pa.array(posterior.astype(np.float32).ravel()), len(onto)
            )
        )
    return pa.table(
        [
            pa.array(v, f.type) if isinstance(v, list | np.ndarray) else v
            for v, f in zip(values, schema, strict=True)
        ],
        schema,
    )
