"""A file that gets its name when all of it is written: whoever finds it finds all of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4


@contextmanager
def written_whole(target: Path) -> Iterator[Path]:
    """A path to write to; what is there at the end gets the name `target`, unless it fails.

    Two that write the same file, on one machine or two, do not meet: the last one stands.
    """
    partial = target.with_name(f".{target.name}.{uuid4().hex}.partial")
    try:
        yield partial
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
