"""The kernel for junction trees, compiled as plain C++ for one thread: what it computes is what the engine does."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from corollary.logic.engines import junction as engines
from corollary.torch.junction_kernel import layout

from .laid_out import PRECISIONS, cases
from .plain_kernels import COMPILER, compiler_of, real_of
from .test_junction import several_parents


@pytest.mark.skipif(COMPILER is None, reason="needs a C++ compiler")
def test_posterior_and_log_z_are_those_of_the_engine(tmp_path):
    compiled = compiler_of("junction_kernel.cu", tmp_path)
    for engine, odds, known in cases(3, 80, engines.Junction, several_parents):
        tables, variables = layout(engine.tree), engine.tree.column
        n_entries, n_rows = (int(size) for size in tables[1:3])
        for given in (known, None):
            found = engine.infer(odds, np.full_like(known, -1) if given is None else given)
            for dtype, error in PRECISIONS.items():
                own = np.ascontiguousarray(odds.T[variables]).astype(
                    torch.empty(0, dtype=dtype).numpy().dtype
                )
                states = np.ascontiguousarray(known.T[variables])
                posterior, n_items = np.full_like(own, np.nan), own.shape[1]
                log_z = np.empty(n_items, own.dtype)
                table, off, on = (
                    np.empty((n, n_items), own.dtype) for n in (n_entries, n_rows, n_rows)
                )
                run = compiled(REAL=real_of(own), LANES=1, FACTS=int(given is not None))
                run(own, states, posterior, log_z, table, off, on, n_items, tables)
                unknown = True if given is None else states < 0
                expected = found.posterior.T[variables]
                np.testing.assert_allclose(
                    np.where(unknown, posterior, expected), expected, rtol=0, atol=error
                )
                np.testing.assert_allclose(log_z, found.log_z, rtol=error, atol=error)
