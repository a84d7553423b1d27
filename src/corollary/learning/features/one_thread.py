"""One thread of BLAS while Python threads of ours compute."""

from __future__ import annotations

from threading import Lock
from typing import Any


class OneThreadOfBlas:
    """While anybody is inside, BLAS has one thread; after the last one it has as many as before the first.

    With several, BLAS keeps the interpreter's lock while it waits for them, and people would wait 80 ms for a page.
    The limit is one for the whole process: blocks that overlap must not each put back what they found.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._inside = 0
        self._limits: Any = None

    def __enter__(self) -> None:
        from threadpoolctl import threadpool_limits

        with self._lock:
            if not self._inside:
                self._limits = threadpool_limits(limits=1, user_api="blas")
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self._limits.restore_original_limits()


one_thread_of_blas = OneThreadOfBlas()
