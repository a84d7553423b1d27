"""The few functions of log-domain arithmetic that the kernels share."""

from __future__ import annotations

import numpy as np

from ..compiling import njit


@njit(cache=True, nogil=True, inline="always")
def softplus(x):  # type: ignore[no-untyped-def]
    """log(1 + e^x), also at -inf."""
    return x + np.log1p(np.exp(-x)) if x > 0.0 else np.log1p(np.exp(x))


@njit(cache=True, nogil=True, inline="always")
def log_expm1(x):  # type: ignore[no-untyped-def]
    """log(e^x - 1) for x >= 0, -inf at 0."""
    if x <= 0.0:
        return -np.inf
    return x + np.log1p(-np.exp(-x)) if x > 30.0 else np.log(np.expm1(x))


@njit(cache=True, nogil=True, inline="always")
def log_add(a, b):  # type: ignore[no-untyped-def]
    """log(e^a + e^b), also at -inf."""
    if a < b:
        a, b = b, a
    return a if b == -np.inf else a + np.log1p(np.exp(b - a))
