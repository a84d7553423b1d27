"""The kernel for forests, compiled as plain C++ for one thread: what it computes is what the engine does.

On a GPU, with many threads, `test_functions` has it beside the engines, and make bench SUITE=gpu on large trees.
"""

from __future__ import annotations

import numpy as np
import pytest

from corollary.torch.forest_kernel import layout

from .forests import random_facts, random_forest
from .plain_kernels import COMPILER, compiler_of, real_of


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    return compiler_of("forest_kernel.cu", tmp_path_factory.mktemp("kernel"))


def infer(kernel, engine, column, odds, known):
    """Posterior and log Z of the columns; those that are not the forest's stay nan."""
    tables = layout(engine, column)
    columns, nodes = tables[4:][: 2 * engine.size].reshape(2, -1)
    every = np.array_equal(columns, np.arange(odds.shape[1]))
    ordered = every and np.array_equal(nodes, columns)
    wide = 2 if every and odds.shape[1] % 2 == 0 else 1
    posterior, log_z = np.full_like(odds, np.nan), np.zeros(len(odds), odds.dtype)
    definitions = {"EVERY": int(every), "ORDERED": int(ordered), "WIDE": wide}
    run = kernel(REAL=real_of(odds), TEAM=1, FACTS=int(known is not None), **definitions)
    rows = [
        part
        for x in (odds, odds if known is None else known, posterior)
        for part in (x, odds.shape[1])
    ]
    run(*rows, log_z, len(odds), tables)
    return posterior, log_z


@pytest.mark.skipif(COMPILER is None, reason="needs a C++ compiler")
def test_posterior_and_log_z_are_those_of_the_engine(kernel):
    rng = np.random.default_rng(0)
    for _ in range(150):
        onto = random_forest(rng, int(rng.integers(1, 40)))
        service = onto.reasoner.weighed.services[0]
        first = [labels[0] for labels in service.members]
        known = np.ascontiguousarray(onto.propagate(random_facts(rng, onto, 5))[:, first])
        odds = rng.choice(
            [
                rng.normal(0, 3, known.shape),
                rng.choice([-500.0, 0.0, 500.0], known.shape),
                rng.normal(-150, 50, known.shape),
            ]
        )
        n = len(first)
        wider = int(rng.integers(2)) * 3
        column = rng.permutation(n + wider)[:n] if rng.random() < 0.7 else np.arange(n + wider)[:n]
        for facts in (known, None):
            found = service.engine.infer(odds, np.full_like(known, -1) if facts is None else facts)
            log_z = found.log_z + (0 if facts is None else np.where(facts == 1, odds, 0).sum(1))
            for dtype, error in ((np.float64, 1e-10), (np.float32, 1e-4)):
                matrix, states = (
                    np.zeros((5, n + wider), dtype),
                    np.full((5, n + wider), -1, np.int8),
                )
                matrix[:, column], states[:, column] = odds, known
                ours, our_log_z = infer(
                    kernel, service.engine, column, matrix, None if facts is None else states
                )
                np.testing.assert_allclose(ours[:, column], found.posterior, rtol=0, atol=error)
                np.testing.assert_allclose(our_log_z, log_z, rtol=error, atol=error)
                assert np.isnan(np.delete(ours, column, 1)).all()


@pytest.mark.skipif(COMPILER is None, reason="needs a C++ compiler")
@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_odds_that_are_not_finite_make_log_z_nan(kernel, odd):
    onto = random_forest(np.random.default_rng(1), 12)
    engine = onto.reasoner.weighed.services[0].engine
    odds = np.zeros((2, engine.size))
    odds[1, 3] = odd
    _, log_z = infer(kernel, engine, np.arange(engine.size), odds, None)
    assert np.isnan(log_z).tolist() == [False, True]
