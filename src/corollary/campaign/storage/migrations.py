"""The steps from one version of the tables to the next; a new campaign takes them all, an old one those it lacks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sqlalchemy as sa

from ..events import now
from . import tables
from .errors import StoreError

Step = Callable[[sa.Connection], None]


def make_tables(connection: sa.Connection) -> None:
    """Version 1. When version 2 comes, this keeps a copy of the tables as they are now."""
    tables.metadata.create_all(connection, checkfirst=False)


#: The step to version 1, to version 2, ...; steps that were ever released do not change.
STEPS: tuple[Step, ...] = (make_tables,)


def version_of(connection: sa.Connection) -> int | None:
    """The version of the tables; None where there is no campaign."""
    inspector = sa.inspect(connection)
    if not (inspector.has_table("schema") and inspector.has_table("campaign")):
        return None
    return connection.execute(sa.select(sa.func.max(tables.schema.c.version))).scalar()


def migrate(connection: sa.Connection, *, version: int, upto: int | None = None, steps: Sequence[Step] = STEPS) -> None:
    """Take the steps after `version`, all of them unless `upto` says so; the caller's transaction keeps all or none."""
    check_version(version, steps=steps)
    for number, step in enumerate(steps[version:upto], start=version + 1):
        step(connection)
        connection.execute(sa.insert(tables.schema), {"version": number, "at": now()})


def check_version(version: int, *, steps: Sequence[Step] = STEPS) -> None:
    """Refuse what a newer program has written."""
    if version > len(steps):
        raise StoreError(
            f"this campaign has version {version} of the tables, this program knows up to {len(steps)}; "
            "install a newer version of corollary"
        )
