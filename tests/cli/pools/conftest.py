"""A pool of things of the zoo, and workers in this process, which start at once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import corollary as co

from ...scale.pools import ids, lists, said, write

distributed = pytest.importorskip(
    "distributed", reason="pools are computed on Dask: pip install 'corollary[dask]'"
)
N = 60


@pytest.fixture(scope="session")
def address():
    with distributed.Client(
        processes=False,
        n_workers=1,
        threads_per_worker=1,
        dashboard_address="127.0.0.1:0",
        set_as_default=False,
    ) as client:
        yield client.scheduler.address


@pytest.fixture
def pooled(call, address):
    """Run `corollary pool` with these arguments, on workers that are there."""
    return lambda *arguments: call(
        "pool", *arguments, "--cluster", address, "--learner", "logistic"
    )


@pytest.fixture
def onto(zoo: Path) -> co.Ontology:
    return co.Ontology.load(zoo)


@pytest.fixture
def facts(onto) -> np.ndarray:
    rng = np.random.default_rng(0)
    known = np.full((N, len(onto)), -1, np.int8)
    known[:12] = onto.most_probable(rng.uniform(0.1, 0.9, (12, len(onto))))
    return known


@pytest.fixture
def vectors() -> np.ndarray:
    return np.random.default_rng(1).normal(size=(N, 4)).astype(np.float32)


@pytest.fixture
def folder(tmp_path: Path, onto, facts, vectors) -> Path:
    columns = {
        "id": ids(N),
        "title": [f"thing {i}" for i in range(N)],
        "vector": lists(vectors),
        "labels": said(facts, onto),
    }
    return write(tmp_path / "items", columns)
