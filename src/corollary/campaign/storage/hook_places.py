"""How far each webhook has been told: the log is the queue, and its place in it outlives a restart.

The table is made when it is first needed. It is derived: without it a hook goes on from the end of the log.
"""

from __future__ import annotations

import sqlalchemy as sa

from .tables import SEQ

metadata = sa.MetaData()
places = sa.Table(
    "webhooks",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("seq", SEQ, nullable=False),
)


def read_place(connection: sa.Connection, name: str) -> int | None:
    """The last event that a hook was told; None where it was told nothing yet."""
    if not sa.inspect(connection).has_table(places.name):
        return None
    return connection.execute(sa.select(places.c.seq).where(places.c.name == name)).scalar()


def write_place(connection: sa.Connection, *, name: str, seq: int) -> None:
    """Keep the last event that a hook was told."""
    metadata.create_all(connection)
    if not connection.execute(
        sa.update(places).where(places.c.name == name).values(seq=seq)
    ).rowcount:
        connection.execute(sa.insert(places), {"name": name, "seq": seq})
