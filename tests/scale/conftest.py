"""Workers for small pools: threads of this process, which start at once."""

from __future__ import annotations

import numpy as np
import pytest

from corollary.scale.cluster import Cluster

cloudpickle = pytest.importorskip(
    "cloudpickle", reason="pools are computed on Dask: pip install 'corollary[dask]'"
)
distributed = pytest.importorskip(
    "distributed", reason="pools are computed on Dask: pip install 'corollary[dask]'"
)


@pytest.fixture(scope="session")
def workers():
    with distributed.Client(
        processes=False,
        n_workers=1,
        threads_per_worker=1,
        dashboard_address="127.0.0.1:0",
        set_as_default=False,
    ) as client:
        yield client


class Inline(Cluster):
    """What a cluster does, one part after another, in no order."""

    def over(
        self, parts, function, work, *arguments, take, each=lambda _: (), progress=None, before=0
    ):
        sent, done, total = (
            cloudpickle.dumps(work),
            before,
            before + sum(part.rows for part in parts),
        )
        for i in np.random.default_rng(len(parts)).permutation(len(parts)):
            part = parts[i]
            take(part, function(cloudpickle.loads(sent), part, *arguments, *each(part)))
            done += part.rows
            if progress is not None:
                progress(done, total)


@pytest.fixture
def inline(monkeypatch):
    """Pools without Dask, for what does not depend on it."""
    monkeypatch.setattr("corollary.scale.pool.Cluster", Inline)


@pytest.fixture
def in_pieces(monkeypatch):
    """Parts and blocks of a few rows, as a large pool has them of many."""
    monkeypatch.setattr("corollary.scale.table.parts.ROWS", 20)
    monkeypatch.setattr("corollary.scale.work.CELLS_AT_ONCE", 60)
