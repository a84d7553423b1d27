"""Short garbage collections while a campaign is served."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

#: One in this many full collections looks at all objects again.
ALL_EVERY = 100
OLDEST = 2  # a generation


@contextmanager
def short_collections() -> Iterator[None]:
    """Leave out of full collections the objects that survived one already.

    A search through a whole campaign stops every request for half a second. Objects without cycles are freed as always.
    """
    full = 0

    def after(phase: str, info: dict[str, Any]) -> None:
        nonlocal full
        if phase == "stop" and info["generation"] == OLDEST:
            full += 1
            if full % ALL_EVERY:
                gc.freeze()
            else:
                gc.unfreeze()

    gc.freeze()
    gc.callbacks.append(after)
    try:
        yield
    finally:
        gc.callbacks.remove(after)
        gc.unfreeze()
