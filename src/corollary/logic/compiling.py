"""numba's `njit`, and the one line that says why a first use takes seconds: kernels are being compiled."""

from __future__ import annotations

import sys
import time
from typing import Any

from numba import njit
from numba.core import event

__all__ = ["njit"]

#: Seconds spent on compiling before anything is said.
AFTER = 0.5
MESSAGE = (
    "Compiling the numerical kernels for this machine, once; which takes about half a minute. "
    "To have it done beforehand: corollary demo --prepare"
)


class SayOnce(event.Listener):
    """Says once on stderr that our kernels are being compiled, if it takes long.

    Cached ones are not compiled.
    """

    def __init__(self) -> None:
        self.said = False
        self._spent = self._since = 0.0
        self._depth = 0  # kernels that call others compile these meanwhile

    def on_start(self, compiled: Any) -> None:
        """A kernel is about to be compiled."""
        if self.said or not _is_ours(compiled):
            return
        now = time.monotonic()
        if self._depth == 0:
            self._since = now
        self._depth += 1
        if (
            self._spent + now - self._since > AFTER and sys.stderr is not None
        ):  # as in a program without a console
            self.said = True
            sys.stderr.write(f"{MESSAGE}\n")
            sys.stderr.flush()

    def on_end(self, compiled: Any) -> None:
        """A kernel was compiled."""
        if self.said or not _is_ours(compiled):
            return
        self._depth -= 1
        if self._depth == 0:
            self._spent += time.monotonic() - self._since


def _is_ours(compiled: Any) -> bool:
    return str(compiled.data["dispatcher"].py_func.__module__).startswith("corollary.")


SAY_ONCE = SayOnce()
event.register("numba:compile", SAY_ONCE)  # type: ignore[no-untyped-call]  # numba has no types
