"""What can go wrong with a stored campaign."""

from __future__ import annotations

from ...logic.errors import CorollaryError


class StoreError(CorollaryError):
    """A campaign that cannot be opened, read or written: what, where and what to do."""


class StoreBusy(StoreError):
    """A campaign that another process has open for writing."""


class StoreTaken(StoreError):
    """Another process had the campaign open meanwhile: what is in memory may be out of date."""


class StoreWarning(UserWarning):
    """A campaign that works, but is not as safe as it should be."""
