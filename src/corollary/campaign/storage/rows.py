"""Items, ontologies and beliefs as rows of the tables, both ways."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict
from typing import Any

import numpy as np
import sqlalchemy as sa

from ..events import to_json
from ..items import Item, Picture, without_vector
from ..storage import tables
from ..vectors import BYTES, VECTOR, packed, unpacked
from .records import Encodings, Model, OntologyVersion, StoreError
from .tables import SEQ

CHUNK = 2_000  # rows that are read or written at once
EVENTS = 10_000  # events that are read at once
PICTURES = 50  # the same, with their pictures
ENCODINGS = 500  # vectors in one transaction
PART_BYTES = 2**20  # of beliefs in one transaction


def check_new(connection: sa.Connection, items: Sequence[Item]) -> None:
    """Raise StoreError if items are repeated, or in the campaign already."""
    ids = [item.id for item in items]
    _check_unlike(ids, set())
    for start in range(0, len(ids), 500):
        found = sa.select(tables.items.c.id).where(tables.items.c.id.in_(ids[start : start + 500]))
        if (known := connection.execute(found).scalars().first()) is not None:
            raise StoreError(
                f"item {known!r} is in the campaign already; none of the {len(ids):,} was added"
            )


def insert_items(connection: sa.Connection, items: Iterable[Item]) -> None:
    """Add items after the existing ones, with their pictures."""
    last = connection.execute(sa.select(sa.func.max(tables.items.c.position))).scalar()
    seen: set[str] = set()
    rows: list[dict[str, Any]] = []
    pictures: list[dict[str, Any]] = []
    vectors: list[dict[str, Any]] = []
    for position, item in enumerate(items, start=0 if last is None else last + 1):
        fields = without_vector(item.fields)
        rows.append(
            {"position": position, "id": item.id, "text": item.text, "fields": to_json(fields)}
        )
        if fields is not item.fields:
            vectors.append({"item": item.id, "data": packed(item.fields[VECTOR])})
        if item.image is not None:
            if item.image.data is None:
                raise StoreError(
                    f"the picture {item.image.name!r} of item {item.id!r} has no bytes to store"
                )
            pictures.append({"item": item.id, **asdict(item.image)})
        if len(rows) >= CHUNK or len(pictures) >= PICTURES:
            _insert(connection, rows, pictures, vectors, seen)
            rows = []
            pictures = []
            vectors = []
    _insert(connection, rows, pictures, vectors, seen)


def _insert(
    connection: sa.Connection,
    rows: list[dict[str, Any]],
    pictures: list[dict[str, Any]],
    vectors: list[dict[str, Any]],
    seen: set[str],
) -> None:
    _check_unlike((row["id"] for row in rows), seen)
    for table, content in (
        (tables.items, rows),
        (tables.pictures, pictures),
        (tables.vectors, vectors),
    ):
        if content:
            connection.execute(sa.insert(table), content)


def _check_unlike(ids: Iterable[str], seen: set[str]) -> None:
    for one in ids:
        if one in seen:
            raise StoreError(
                f"the item id {one!r} is there twice; every item needs an id of its own"
            )
        seen.add(one)


def select_items(*, images: bool, vectors: bool = False) -> sa.Select[Any]:
    """Return the query for items, with or without the bytes of pictures and the vectors."""
    columns: list[Any] = [*tables.items.c, tables.pictures.c.name, tables.pictures.c.mime]
    if images:
        columns.append(tables.pictures.c.data)
    if vectors:
        columns.append(tables.vectors.c.data.label(VECTOR))
    query = sa.select(*columns).outerjoin(
        tables.pictures, tables.pictures.c.item == tables.items.c.id
    )
    return (
        query.outerjoin(tables.vectors, tables.vectors.c.item == tables.items.c.id)
        if vectors
        else query
    )


def read_items(
    reading: Callable[[], AbstractContextManager[sa.Connection]], *, images: bool, vectors: bool
) -> Iterator[Item]:
    """Yield all items in order, in blocks, each with its own connection."""
    chunk = PICTURES if images else CHUNK
    query = (
        select_items(images=images, vectors=vectors).order_by(tables.items.c.position).limit(chunk)
    )
    after = -1
    while True:
        with reading() as connection:
            rows = connection.execute(query.where(tables.items.c.position > after)).all()
        yield from map(item_of, rows)
        if len(rows) < chunk:
            return
        after = rows[-1].position


def item_of(row: Any) -> Item:
    """Return the item of a row of `select_items`."""
    _, key, text, written, name, mime, *rest = row
    fields = json.loads(written) if written != "{}" else {}
    if not rest and name is None:  # the usual case: neither pictures nor vectors are wanted
        return Item(key, text=text, fields=fields)
    image = None if name is None else Picture(name, mime, getattr(row, "data", None))
    if (vector := getattr(row, VECTOR, None)) is not None:
        fields[VECTOR] = unpacked(vector)
    return Item(key, text=text, fields=fields, image=image)


def vector_length(connection: sa.Connection) -> int:
    """Return the most frequent length of stored vectors; 0 if there are none."""
    if not sa.inspect(connection).has_table(
        tables.vectors.name
    ):  # a campaign of an older program, opened for reading
        return 0
    size = sa.func.length(tables.vectors.c.data)
    number = sa.func.count()
    usual = sa.select(size).group_by(size).order_by(number.desc(), size).limit(1)
    return (connection.execute(usual).scalar() or 0) // BYTES


def model_rows(model: Model) -> Iterator[tuple[sa.Table, dict[str, Any]]]:
    """Yield the parts of the beliefs, then the row that marks them as complete."""
    data = np.ascontiguousarray(model.beliefs, np.float64).tobytes()
    for part, start in enumerate(range(0, len(data), PART_BYTES)):
        packed = zlib.compress(data[start : start + PART_BYTES], level=1)
        yield tables.beliefs, {"version": model.version, "part": part, "data": packed}
    n_items, n_labels = model.beliefs.shape
    row = {
        "version": model.version,
        "upto": model.upto,
        "sha256": model.sha256,
        "items": n_items,
        "labels": n_labels,
    }
    yield tables.models, row


def model_of(row: Any, parts: Iterable[bytes]) -> Model | None:
    """Return the model from its row and its parts; None if they are damaged."""
    try:
        data = b"".join(map(zlib.decompress, parts))
        beliefs = np.frombuffer(data, np.float64).reshape(row.items, row.labels).copy()
    except (zlib.error, ValueError):
        return None
    model = Model(version=row.version, upto=row.upto, beliefs=beliefs)
    return model if model.sha256 == row.sha256 else None


def forget_models(
    connection: sa.Connection, *, version: int | None = None, but: int | None = None
) -> None:
    """Delete all models, the model of one version, or all but one."""
    for table in (tables.models, tables.beliefs):
        wanted = sa.true() if version is None else table.c.version == version
        connection.execute(
            sa.delete(table).where(wanted, sa.true() if but is None else table.c.version != but)
        )


def read_encodings(connection: sa.Connection) -> Encodings:
    """Return the stored vectors of encoders; a campaign of an older program has none."""
    found: Encodings = {}
    if not sa.inspect(connection).has_table(tables.encodings.name):
        return found
    for row in connection.execution_options(yield_per=CHUNK).execute(sa.select(tables.encodings)):
        found.setdefault(row.encoder, {})[row.sha256] = bytes(row.vector)
    return found


def insert_row(connection: sa.Connection, table: sa.Table, row: dict[str, Any]) -> None:
    """Store a row of any table."""
    connection.execute(sa.insert(table), row)


def insert_encodings(connection: sa.Connection, *, rows: Sequence[dict[str, Any]]) -> None:
    """Add missing vectors of one encoder."""
    encodings = tables.encodings.c
    wanted = encodings.sha256.in_([row["sha256"] for row in rows])
    found = sa.select(encodings.sha256).where(encodings.encoder == rows[0]["encoder"], wanted)
    there = set(connection.execute(found).scalars())
    if new := [row for row in rows if row["sha256"] not in there]:
        connection.execute(sa.insert(tables.encodings), new)


def forget_encodings(connection: sa.Connection) -> None:
    """Delete the vectors of encoders."""
    connection.execute(sa.delete(tables.encodings))


def insert_ontology(connection: sa.Connection, one: OntologyVersion) -> None:
    """Store a version of the ontology, and the places of its constraints."""
    row = {"version": one.version, "text": one.text, "who": one.who, "at": one.at}
    connection.execute(sa.insert(tables.ontologies), row)
    if one.places:
        connection.execute(
            sa.insert(tables.sources), {"version": one.version, "places": to_json(list(one.places))}
        )


def select_ontologies(connection: sa.Connection) -> list[OntologyVersion]:
    """Return all versions, the oldest first."""
    rows = (
        connection.execute(sa.select(tables.ontologies).order_by(tables.ontologies.c.version))
        .mappings()
        .all()
    )
    there = sa.inspect(connection).has_table(
        tables.sources.name
    )  # a campaign of an older program, opened for reading, has none
    found = connection.execute(sa.select(tables.sources)).all() if there else ()
    places = {row.version: tuple(json.loads(row.places)) for row in found}
    return [OntologyVersion(**row, places=places.get(row["version"], ())) for row in rows]


metadata = sa.MetaData()
places = sa.Table(
    "webhooks",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("seq", SEQ, nullable=False),
)


def read_place(connection: sa.Connection, name: str) -> int | None:
    """Return the last event that was sent to a webhook; None if none was."""
    if not sa.inspect(connection).has_table(places.name):
        return None
    return connection.execute(sa.select(places.c.seq).where(places.c.name == name)).scalar()


def write_place(connection: sa.Connection, *, name: str, seq: int) -> None:
    """Store the last event that was sent to a webhook."""
    metadata.create_all(connection)
    if not connection.execute(
        sa.update(places).where(places.c.name == name).values(seq=seq)
    ).rowcount:
        connection.execute(sa.insert(places), {"name": name, "seq": seq})
