"""Where the real data sets are on this machine, if they are; tests that need them say so where they are not."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import pytest

from corollary.experiment.data.known import PACKAGED

FOLDERS = [os.environ.get("COROLLARY_DATA"), Path(__file__).parents[2] / "shared" / "datasets"]
#: Their folder, or None.
DATA = next((Path(folder) for folder in FOLDERS if folder and Path(folder).is_dir()), None)
MISSING = "no data sets: set COROLLARY_DATA to their folder"
needs_data = pytest.mark.skipif(DATA is None, reason=MISSING)


def each(names: Iterable[str]) -> pytest.MarkDecorator:
    """A test of each data set `name`; only those that do not come with the package need the folder."""
    cases = [pytest.param(name, marks=() if name in PACKAGED else needs_data) for name in names]
    return pytest.mark.parametrize("name", cases)


def data_path(*parts: str) -> Path:
    """A file or folder of the data sets; the test is skipped, with the reason, where it is not there."""
    if DATA is None:
        pytest.skip(MISSING)
    path = DATA.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"{path} is missing: {MISSING}")
    return path
