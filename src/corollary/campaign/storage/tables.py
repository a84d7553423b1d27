"""The tables of a campaign, the same in SQLite and PostgreSQL; a change here needs a step in `migrations`."""

from __future__ import annotations

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
reports = sa.Table(  # what machines said, by the event that tells of it, in parts; its hash is in the event
    "reports",
    metadata,
    sa.Column("seq", SEQ, primary_key=True, autoincrement=False),
    sa.Column("part", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("data", sa.LargeBinary, nullable=False),  # see `reported`, compressed by zlib
)
encodings = sa.Table(  # what an encoder made of the texts of items and labels; derived: may be emptied at any time
    "encodings",
    metadata,
    sa.Column("encoder", sa.Text, primary_key=True),  # the model and its version
    sa.Column("sha256", sa.Text, primary_key=True),  # of the text
    sa.Column("vector", sa.LargeBinary, nullable=False),  # float16
)
