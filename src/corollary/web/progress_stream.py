"""Progress as server-sent events, computed once for all watchers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

from starlette.concurrency import run_in_threadpool

from .access.rate_limits import Turns

LOOK_SECONDS = 0.5
QUIET_SECONDS = 15.0  # a comment after this time keeps proxies from closing the connection
WATCHERS = 500
EACH = 10  # the most streams of one person; a tab has one


class Stream:
    """The last progress, updated while someone watches, once for all watchers."""

    def __init__(self, look: Callable[[], dict[str, Any]], stopping: Callable[[], bool]):
        self._look = look
        self._stopping = stopping
        self._text = ""
        self._looked = 0.0
        self._lock: asyncio.Lock | None = None
        self._turns = Turns("progress streams", each=EACH, all=WATCHERS, wait=60)
        #: Leaves again by calling what comes back; refused where there are too many.
        self.enter = self._turns.take

    @property
    def watchers(self) -> int:
        """The number of watchers."""
        return len(self._turns)

    async def watch(self, welcome: Callable[[], bool]) -> AsyncIterator[str]:
        """Yield progress now and after every change, while the watcher may see it and the server runs."""
        sent = ""
        quiet = 0.0
        while not self._stopping() and welcome():
            text = await self._current()
            if text != sent:
                sent = text
                quiet = 0.0
                yield f"event: progress\ndata: {text}\n\n"
            elif quiet >= QUIET_SECONDS:
                quiet = 0.0
                yield ": still here\n\n"
            await asyncio.sleep(LOOK_SECONDS)
            quiet += LOOK_SECONDS

    async def _current(self) -> str:
        self._lock = self._lock or asyncio.Lock()
        async with self._lock:
            now = asyncio.get_running_loop().time()
            if now - self._looked >= LOOK_SECONDS / 2 or not self._text:
                self._text = json.dumps(await run_in_threadpool(self._look))
                self._looked = now
        return self._text
