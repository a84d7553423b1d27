"""That `make test-plain` runs as on a plain processor: its settings took effect. Not collected by its name."""

from __future__ import annotations

import os

import numpy as np
import scipy.linalg  # noqa: F401 (brings scipy's own BLAS)
import sklearn.linear_model  # noqa: F401 (and what scikit-learn links)
from numba import njit
from numba.core import config
from threadpoolctl import threadpool_info


def test_every_blas_has_the_kernels_that_were_asked_for():
    found = [one["architecture"] for one in threadpool_info() if one["internal_api"] == "openblas"]
    assert found, "numpy and scipy have no OpenBLAS here; these settings say nothing about theirs"
    assert set(found) == {os.environ["OPENBLAS_CORETYPE"]}


def test_numba_compiles_for_any_processor():
    assert (config.CPU_NAME, config.CPU_FEATURES) == ("generic", "")

    @njit(fastmath=True)
    def total(row):
        found = 0.0
        for x in row:
            found += x
        return found

    assert total(np.ones(1000)) == 1000.0
    (code,) = total.inspect_asm().values()
    assert "xmm" in code
    assert "ymm" not in code
    assert "zmm" not in code
