"""The kind of machine that a model is trained on, on which the last digits of its beliefs depend."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version

#: The libraries whose versions can change the last digits.
LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba")
#: A number that changes whenever our kernels, learners or witness weights change the last digits.
ARITHMETIC = "4"


@cache
def machine() -> dict[str, str]:
    """Return the processor that code is compiled for, the BLAS, and the versions of the libraries."""
    import scipy.linalg  # noqa: F401 (with numpy's it loads the BLAS, which is found only once it is loaded)
    from llvmlite.binding import get_host_cpu_name
    from numba.core import config
    from threadpoolctl import threadpool_info

    # With the kernels that a BLAS chose for the processor. A training uses one of its threads.
    blas = {
        f"{one['internal_api']} {one['version']} {one.get('architecture', '')}".strip()
        for one in threadpool_info()
        if one["user_api"] == "blas"
    }
    return {
        "processor": str(config.CPU_NAME or get_host_cpu_name()),  # type: ignore[attr-defined]  # read from the environment
        "blas": ", ".join(sorted(blas)) or "unknown",
        "arithmetic": ARITHMETIC,
        **{name: version(name) for name in LIBRARIES},
    }


def elsewhere(recorded: object) -> str | None:
    """Describe a recorded machine that differs from this one; None if it is the same kind."""
    if not isinstance(recorded, dict):
        return "on what may be another kind of machine (none is recorded)"
    here = machine()
    other = [
        f"{name} {recorded.get(name)} there, {here[name]} here"
        for name in here
        if recorded.get(name) != here[name]
    ]
    return f"on another kind of machine ({'; '.join(other)})" if other else None
