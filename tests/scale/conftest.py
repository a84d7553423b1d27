"""Workers for small pools: threads of this process, which start at once."""

from __future__ import annotations

import pytest

distributed = pytest.importorskip("distributed", reason="pools are computed on Dask: pip install 'corollary[dask]'")


@pytest.fixture(scope="session")
def workers():
    with distributed.Client(
        processes=False, n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0", set_as_default=False
    ) as client:
        yield client


@pytest.fixture
def in_pieces(monkeypatch):
    """Parts and blocks of a few rows, as a large pool has them of many."""
    monkeypatch.setattr("corollary.scale.parts.ROWS", 20)
    monkeypatch.setattr("corollary.scale.work.CELLS_AT_ONCE", 60)
