"""The steps from one version of the tables to the next; a new campaign takes them all, an old one those it lacks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sqlalchemy as sa

from ..events import now
from . import tables
from .errors import StoreError

Step = Callable[[sa.Connection], None]


def make_tables(connection: sa.Connection) -> None:
    """Version 1: all tables that no later step makes. When one of them changes, this keeps a copy of what it was."""
    later = (tables.encodings, tables.sources, tables.vectors, tables.reports)
    first = [table for table in tables.metadata.sorted_tables if table not in later]
    tables.metadata.create_all(connection, first, checkfirst=False)


def make_encodings(connection: sa.Connection) -> None:
    """Version 2: campaigns that read keep what their encoder made."""
    tables.encodings.create(connection)


def make_sources(connection: sa.Connection) -> None:
    """Version 3: campaigns know where the constraints of their ontology were written."""
    tables.sources.create(connection)


def make_vectors(connection: sa.Connection) -> None:
    """Version 4: vectors of new items have a table; those of before stay among the fields, to the bit."""
    tables.vectors.create(connection)


def make_reports(connection: sa.Connection) -> None:
    """Version 5: what machines say of items has a table."""
    tables.reports.create(connection)


#: The step to version 1, to version 2, ...; steps that were ever released do not change.
STEPS: tuple[Step, ...] = (make_tables, make_encodings, make_sources, make_vectors, make_reports)
#: From this version on a campaign can be read as it is; what later ones added may be missing.
READABLE = 1


def version_of(connection: sa.Connection) -> int | None:
    """The version of the tables; None where there is no campaign."""
    inspector = sa.inspect(connection)
    if not (inspector.has_table("schema") and inspector.has_table("campaign")):
        return None
    return connection.execute(sa.select(sa.func.max(tables.schema.c.version))).scalar()


def migrate(
    connection: sa.Connection,
    *,
    version: int,
    upto: int | None = None,
    steps: Sequence[Step] = STEPS,
) -> None:
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
