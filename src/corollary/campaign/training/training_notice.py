"""The notice that a model is being trained, for processes that only read the campaign.

It is stored among the leases, as a lease without an item. Like all stored leases, it is only a copy
of the server's memory, and ends with the server.
"""

from __future__ import annotations

import time
from contextlib import suppress
from datetime import datetime

from ..events import now
from ..storage.records import Lease, StoreError
from ..storage.store import Store

TRAINING = "training"  # the id of that lease; it expires when the training began


def tell_begun(store: Store) -> None:
    """Store the notice; a failure to store it is ignored."""
    with suppress(StoreError):
        store.mirror_leases([Lease(id=TRAINING, item="", label=None, who="system", expires=now())])


def tell_ended(store: Store) -> None:
    """Remove the notice."""
    with suppress(StoreError):
        store.mirror_leases(released=[TRAINING])


def forget_others(store: Store) -> None:
    """Remove the notice of a process that was killed."""
    if any(lease.id == TRAINING for lease in store.leases()):
        tell_ended(store)


def seconds_elsewhere(store: Store) -> float | None:
    """Return the seconds that another process has been training a model; None if none is."""
    if not store.held_elsewhere:
        return None
    begun = next((lease.expires for lease in store.leases() if lease.id == TRAINING), None)
    if begun is None:
        return None
    return max(0.0, time.time() - datetime.fromisoformat(begun).timestamp())
