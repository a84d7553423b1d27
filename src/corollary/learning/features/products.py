"""Products of matrices in threads of our own, which sleep while they wait.

Those of a BLAS wait at full speed: on a machine that has something else to do, a product can take twenty times as long.
Within `one_blas_thread` there is one of them, and `product` shares the rows among ours, in blocks that depend on sizes
alone: how many cores there are does not change the last digits.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
from scipy import sparse

from ...logic.engines.rows import over_rows

#: Multiplications that a thread does at least.
AT_ONCE = 30_000_000
#: Rows of a block at least, where that leaves SHARES of them: for fewer the BLAS is busy with the other matrix.
ROWS = 96
SHARES = 4


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let the BLAS have one thread meanwhile."""
    with _blas().limit(limits=1):
        yield


@cache
def _blas() -> Any:
    import scipy.linalg  # noqa: F401 (it has a BLAS of its own)
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


def product(left: Any, right: Any) -> Any:
    """`left @ right`, of which left may be sparse."""
    n, inner = left.shape
    step = max(1, min(ROWS, n // SHARES), AT_ONCE // max(1, inner * right.shape[1]))
    if sparse.issparse(left) or n < 2 * step:
        return left @ right
    found = np.empty((n, right.shape[1]), np.result_type(left, right))

    def fill(first: int, last: int) -> None:
        for start in range(first * step, min(n, last * step), step):
            np.matmul(left[start : start + step], right, out=found[start : min(n, start + step)])

    over_rows(fill, -(-n // step), at_least=1)
    return found
