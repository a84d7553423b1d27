"""A file that gets its name when all of it is written: nobody finds half of one, under any name.

The part written so far lies beside it, locked by its writer. However a process ends, it is gone: Ctrl-C and a request
to end (SIGTERM) remove it; after a kill it stays until the next one writes that file.
"""

from __future__ import annotations

import glob
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import FrameType
from uuid import uuid4

try:
    import fcntl
except (
    ModuleNotFoundError
):  # Windows, where a file that is open cannot be removed: that is lock enough
    fcntl = None  # type: ignore[assignment]

#: Requests to end that would leave a half-written file behind.
REQUESTS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


@contextmanager
def written_whole(target: Path) -> Iterator[Path]:
    """Yield a path to write to, and give it the name `target` at the end, unless the block fails.

    Two writers of one file, on one machine or two, do not meet: the last one to end wins.
    """
    _remove_leftovers(target)
    partial = target.with_name(f".{target.name}.{os.getpid()}.{uuid4().hex}.partial")
    with ExitStack() as held:
        held.enter_context(_asked_to_end())
        held.callback(_remove, partial)
        file = held.enter_context(partial.open("xb"))
        _lock(file.fileno())
        yield partial
        if fcntl is None:
            file.close()
        partial.replace(target)


def _remove_leftovers(target: Path) -> None:
    """Remove the parts of this file that killed processes left."""
    for left in target.parent.glob(f".{glob.escape(target.name)}.*.partial"):
        with suppress(OSError), left.open("r+b") as file:
            if not _lock(file.fileno()):
                continue
        _remove(left)


def _lock(file: int) -> bool:
    """Lock an open file; False where another has."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink(missing_ok=True)


@contextmanager
def _asked_to_end() -> Iterator[None]:
    """Let a request to end stop the process tidily, as Ctrl-C does."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {one: signal.getsignal(one) for one in REQUESTS}
    ours = [one for one, handler in before.items() if handler == signal.SIG_DFL]
    for one in ours:
        signal.signal(one, _end)
    try:
        yield
    finally:
        for one in ours:
            signal.signal(one, signal.SIG_DFL)


def _end(number: int, _: FrameType | None) -> None:
    raise SystemExit(128 + number)
