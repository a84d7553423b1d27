"""That a model is being trained, told to those who read the campaign while another process has it.

It stands among the leases, as one of no item: they too are a mirror of what a server holds, and gone when it is.
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
    """Tell that a training begins; whether that can be told or not."""
    with suppress(StoreError):
        store.mirror_leases([Lease(id=TRAINING, item="", label=None, who="system", expires=now())])


def tell_ended(store: Store) -> None:
    """Tell that none is under way."""
    with suppress(StoreError):
        store.mirror_leases(released=[TRAINING])


def forget_others(store: Store) -> None:
    """Take back what a process that was killed told."""
    if any(lease.id == TRAINING for lease in store.leases()):
        tell_ended(store)


def seconds_elsewhere(store: Store) -> float | None:
    """For how long another process has been training a model; None where none does."""
    if not store.held_elsewhere:
        return None
    begun = next((lease.expires for lease in store.leases() if lease.id == TRAINING), None)
    if begun is None:
        return None
    return max(0.0, time.time() - datetime.fromisoformat(begun).timestamp())
