"""Products of matrices in threads of our own, which sleep while they wait.

Those of a BLAS wait at full speed: on a machine that has something else to do, a product can take twenty times as long.
Within `one_blas_thread` there is one of them, and `product` shares the rows among ours, in blocks that depend on sizes
alone: how many cores there are does not change the last digits.
"""

from __future__ import annotations

from contextlib import ContextDecorator
from functools import cache
from threading import Lock
from typing import Any

import numpy as np
from scipy import sparse

from ...logic.engines.rows import over_rows

#: Multiplications that a thread does at least.
AT_ONCE = 30_000_000
#: Rows of a block at least, where that leaves SHARES of them: for fewer the BLAS is busy with the other matrix.
ROWS = 96
SHARES = 4


class OneBlasThread(ContextDecorator):
    """While anybody is inside, BLAS has one thread; after the last one it has as many as before the first.

    With several, BLAS keeps the interpreter's lock while it waits for them, and people would wait 80 ms for a page.
    The limit is one for the whole process: blocks that overlap must not each put back what they found.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._inside = 0
        self._limits: Any = None

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._limits = _blas().limit(limits=1)
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self._limits.restore_original_limits()


one_blas_thread = OneBlasThread()


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
