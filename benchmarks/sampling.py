"""Where a process spends its time: every ten milliseconds, which part of the package each busy thread is in."""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter
from functools import cache
from pathlib import Path
from types import CodeType, FrameType

import corollary

PACKAGE = Path(corollary.__file__).parent
#: Modules in whose functions a thread only waits: those of Python, and of the server while nobody calls.
WAITING = (
    "threading.py",
    "selectors.py",
    "queue.py",
    "thread.py",
    "socket.py",
    "connection.py",
    "subprocess.py",
)
WAITING += ("runners.py", "server.py", "popen_fork.py", "popen_spawn_posix.py", "process.py")
ELSEWHERE = "HTTP and event loop"


class Sampler:
    """Looks at all threads but its own until it is stopped; `shares` tells of the busy moments what share was where."""

    def __init__(self, every: float = 0.01):
        self._every, self._found = every, Counter[str]()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Sampler:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._stopped.is_set():
            time.sleep(self._every)
            for thread, frame in sys._current_frames().items():  # noqa: SLF001  # there is no other way
                if thread != self._thread.ident and not _waits(frame.f_code):
                    self._found[_area(frame)] += 1

    @property
    def shares(self) -> dict[str, float]:
        """The areas, the largest first."""
        total = self._found.total()
        return {
            area: round(times / total, 3)
            for area, times in self._found.most_common()
            if times / total >= 0.01
        }


@cache
def _waits(code: CodeType) -> bool:
    return Path(code.co_filename).name in WAITING


@cache
def _part(code: CodeType) -> str | None:
    path = Path(code.co_filename)
    return "/".join(path.relative_to(PACKAGE).parts[:2]) if path.is_relative_to(PACKAGE) else None


def _area(frame: FrameType | None) -> str:
    """The part of the package that was called last, down to two folders."""
    while frame is not None:
        if (part := _part(frame.f_code)) is not None:
            return part
        frame = frame.f_back
    return ELSEWHERE
