"""Make the files anew: `python -m corollary.experiment.data.classics FOLDER`, with FOLDER/iris/iris.parquet and so on.

The tables have the values of UCI's public files, one column a feature, besides `label` and `split`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from ..tables import numbers, read_table
from . import FIRST, FOLDER, NAMES, file_of, write


def make(tables: Path, target: Path = FOLDER) -> None:
    """Write all of them into a folder."""
    for name in NAMES:
        path = tables / name / f"{name}.parquet"
        frame = read_table(path)
        features = frame.drop(columns=list(FIRST))
        labels, splits = (frame[column].tolist() for column in FIRST)
        write(
            target / file_of(name), numbers(features, path), labels, splits, list(features.columns)
        )


if __name__ == "__main__":
    make(Path(sys.argv[1]))
