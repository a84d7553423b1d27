"""The tables of a campaign, the same in SQLite and PostgreSQL, and the migrations: a change needs a further step."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sqlalchemy as sa

from ..events import now
from .records import StoreError

try:
    import sqlalchemy as sa
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "campaigns need the package sqlalchemy: pip install 'corollary[campaign]'"
    ) from error

metadata = sa.MetaData()
SEQ = sa.BigInteger().with_variant(
    sa.Integer, "sqlite"
)  # of any size there, and the name of the row itself

# JSON is kept as text: byte for byte the same in either database.
schema = sa.Table(
    "schema",
    metadata,
    sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("at", sa.Text, nullable=False),
)
campaign = sa.Table(  # one row
    "campaign",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("about", sa.Text, nullable=False),
    sa.Column(
        "settings", sa.Text, nullable=False
    ),  # JSON; as they were at the start, changes are events
    sa.Column("at", sa.Text, nullable=False),
    sa.Column(
        "holder", sa.Text
    ),  # the process that has, or last had, the campaign open for writing
)
ontologies = sa.Table(
    "ontologies",
    metadata,
    sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("who", sa.Text, nullable=False),
    sa.Column("at", sa.Text, nullable=False),
)
items = sa.Table(
    "items",
    metadata,
    sa.Column(
        "position", sa.Integer, primary_key=True, autoincrement=False
    ),  # from 0; the item's row in all arrays
    sa.Column("id", sa.Text, nullable=False, unique=True),
    sa.Column("text", sa.Text),
    sa.Column("fields", sa.Text, nullable=False),  # JSON
)
vectors = sa.Table(  # apart too: only those who learn read them
    "vectors",
    metadata,
    sa.Column("item", sa.Text, sa.ForeignKey("items.id"), primary_key=True),
    sa.Column("data", sa.LargeBinary, nullable=False),  # float32
)
pictures = sa.Table(  # apart from the items, so that reading those stays quick
    "pictures",
    metadata,
    sa.Column("item", sa.Text, sa.ForeignKey("items.id"), primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("mime", sa.Text, nullable=False),
    sa.Column("data", sa.LargeBinary, nullable=False),
)
annotators = sa.Table(
    "annotators",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("role", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("token_hash", sa.Text, unique=True),
    sa.Column("password_hash", sa.Text),
    sa.Column("made_at", sa.Text, nullable=False),
)
events = sa.Table(
    "events",
    metadata,
    sa.Column("seq", SEQ, primary_key=True, autoincrement=False),
    sa.Column("key", sa.Text, nullable=False, unique=True),
    sa.Column("at", sa.Text, nullable=False),
    sa.Column("who", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("item", sa.Text, sa.ForeignKey("items.id")),
    sa.Column("label", sa.Text),
    sa.Column("value", sa.Text, nullable=False),  # JSON
    sa.Column("seconds", sa.Double),
    sa.Column("ontology", sa.Integer, sa.ForeignKey("ontologies.version"), nullable=False),
    sa.Column("model", sa.Integer, nullable=False),
    sa.Column("refers", SEQ, sa.ForeignKey("events.seq")),
    sa.Column("detail", sa.Text),  # JSON
)
leases = sa.Table(  # a mirror of what the server holds in memory; may be a moment behind
    "leases",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("item", sa.Text, nullable=False),
    sa.Column("label", sa.Text),
    sa.Column("who", sa.Text, nullable=False),
    sa.Column("expires", sa.Text, nullable=False),
)
models = sa.Table(  # derived: may be emptied at any time
    "models",
    metadata,
    sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("upto", SEQ, nullable=False),
    sa.Column("sha256", sa.Text, nullable=False),
    sa.Column("items", sa.Integer, nullable=False),
    sa.Column("labels", sa.Integer, nullable=False),
)
beliefs = sa.Table(  # of the models, in parts, so that answers are stored in between
    "beliefs",
    metadata,
    sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("part", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("data", sa.LargeBinary, nullable=False),  # float64, compressed by zlib
)
sources = sa.Table(  # where the constraints of a version of the ontology were written: in a file of the user's
    "sources",
    metadata,
    sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column(
        "places", sa.Text, nullable=False
    ),  # JSON; a text for each constraint, such as zoo.onto:3
)
reports = sa.Table(  # the contents of reports, by their event, in parts; the event has the hash
    "reports",
    metadata,
    sa.Column("seq", SEQ, primary_key=True, autoincrement=False),
    sa.Column("part", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("data", sa.LargeBinary, nullable=False),  # see `reported`, compressed by zlib
)
encodings = sa.Table(  # vectors of texts of items and labels; derived: may be emptied at any time
    "encodings",
    metadata,
    sa.Column("encoder", sa.Text, primary_key=True),  # the model and its version
    sa.Column("sha256", sa.Text, primary_key=True),  # of the text
    sa.Column("vector", sa.LargeBinary, nullable=False),  # float16
)


Step = Callable[[sa.Connection], None]


def make_tables(connection: sa.Connection) -> None:
    """Version 1: all tables that no later step makes. When one of them changes, this keeps a copy of what it was."""
    later = (encodings, sources, vectors, reports)
    first = [table for table in metadata.sorted_tables if table not in later]
    metadata.create_all(connection, first, checkfirst=False)


def make_encodings(connection: sa.Connection) -> None:
    """Version 2: campaigns that read keep what their encoder made."""
    encodings.create(connection)


def make_sources(connection: sa.Connection) -> None:
    """Version 3: campaigns know where the constraints of their ontology were written."""
    sources.create(connection)


def make_vectors(connection: sa.Connection) -> None:
    """Version 4: vectors of new items have a table; those of before stay among the fields, to the bit."""
    vectors.create(connection)


def make_reports(connection: sa.Connection) -> None:
    """Version 5: what machines say of items has a table."""
    reports.create(connection)


#: The step to version 1, to version 2, ...; steps that were ever released do not change.
STEPS: tuple[Step, ...] = (make_tables, make_encodings, make_sources, make_vectors, make_reports)
#: From this version on a campaign can be read as it is; what later ones added may be missing.
READABLE = 1


def version_of(connection: sa.Connection) -> int | None:
    """The version of the tables; None where there is no campaign."""
    inspector = sa.inspect(connection)
    if not (inspector.has_table("schema") and inspector.has_table("campaign")):
        return None
    return connection.execute(sa.select(sa.func.max(schema.c.version))).scalar()


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
        connection.execute(sa.insert(schema), {"version": number, "at": now()})


def check_version(version: int, *, steps: Sequence[Step] = STEPS) -> None:
    """Refuse what a newer program has written."""
    if version > len(steps):
        raise StoreError(
            f"this campaign has version {version} of the tables, this program knows up to {len(steps)}; "
            "install a newer version of corollary"
        )
