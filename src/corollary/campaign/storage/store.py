"""A stored campaign: the log of events, with its items, ontologies and people."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from os import PathLike
from typing import Any, Self
from warnings import warn

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from ..events import Event, from_row, now, to_json, to_row
from ..items import Item
from . import tables
from .backups import backup
from .databases import Database, database_at, making
from .event_groups import Receipt, brief
from .holding import Closing, closing_on_error, holder_of, is_running
from .records import Annotator, Encodings, Lease, Model, OntologyVersion, StoreError, StoreWarning
from .reported import Reported, insert_reported, read_reported
from .rows import (
    ENCODINGS,
    EVENTS,
    check_new,
    forget_encodings,
    forget_models,
    insert_encodings,
    insert_items,
    insert_ontology,
    insert_row,
    item_of,
    model_of,
    model_rows,
    read_encodings,
    read_items,
    read_place,
    select_items,
    select_ontologies,
    vector_length,
    write_place,
)
from .tables import READABLE, check_version, migrate, version_of
from .writer import Writer

Place = str | PathLike[str]


class Store(Closing):
    """A stored campaign that is open. All methods may be called from any thread."""

    def __init__(self, database: Database, *, readonly: bool):
        self._database = database
        with self._reading() as connection:
            row = connection.execute(sa.select(tables.campaign)).one()
        self.name: str = row.name
        self.about: str = row.about
        self.made_at: str = row.at
        #: The settings that the campaign began with; changes are events.
        self.settings: dict[str, Any] = json.loads(row.settings)
        self._writer = (
            None if readonly else Writer(database.writer, self._places, beat=database.may_lose_lock)
        )

    @classmethod
    def create(
        cls,
        url: Place,
        *,
        name: str,
        ontology_text: str,
        places: tuple[str, ...] = (),
        items: Iterable[Item] = (),
        about: str = "",
        settings: dict[str, Any] | None = None,
        annotators: Iterable[Annotator] = (),
        events: Iterable[Event] = (),
        who: str = "system",
    ) -> Self:
        """Make a campaign, completely or not at all, and open it; its log begins with `events`."""
        database = database_at(url)
        start = {
            "id": 1,
            "name": name,
            "about": about,
            "settings": to_json(settings or {}),
            "at": now(),
        }
        first = OntologyVersion(version=1, text=ontology_text, who=who, at=now(), places=places)
        with _store_errors(database), making(database) as connection:
            migrate(connection, version=0)
            connection.execute(sa.insert(tables.campaign), start | {"holder": database.holder})
            insert_ontology(connection, first)
            if people := [asdict(annotator) for annotator in annotators]:
                connection.execute(sa.insert(tables.annotators), people)
            insert_items(connection, items)
            if rows := [to_row(event.placed(seq)) for seq, event in enumerate(events, start=1)]:
                connection.execute(sa.insert(tables.events), rows)
        return cls(database, readonly=False)

    @classmethod
    def open(cls, url: Place, *, readonly: bool = False) -> Self:
        """Open a campaign; one process can open it for writing, any number for reading."""
        database = database_at(url, readonly=readonly)
        with _store_errors(database), closing_on_error(database):
            if not readonly:
                database.lock()
            with database.engine.connect() as connection:
                version = version_of(connection)
            if version is None:
                raise StoreError(f"{database.name} is not a campaign")
            check_version(version)
            if not readonly:
                connection = database.writer()
                with connection.begin():
                    migrate(connection, version=version)
                    connection.execute(sa.update(tables.campaign).values(holder=database.holder))
            elif version < READABLE:
                raise StoreError(
                    f"{database.name} was made by an older program; open it once for writing to bring it up to date"
                )
            return cls(database, readonly=readonly)

    def close(self) -> None:
        """Write what waits and close the campaign; closing twice is fine."""
        if self._writer is not None:
            self._writer.close()
        self._database.close()

    @property
    def held_elsewhere(self) -> bool:
        """Whether another process has the campaign open for writing, and is running."""
        return self._writer is None and is_running(holder_of(self._database.engine))

    # The log

    @property
    def epoch(self) -> int:
        """Grows whenever data read before may differ from the store."""
        return 0 if self._writer is None else self._writer.epoch

    @property
    def slept(self) -> bool:
        """Whether this process was suspended, so that another may have the campaign."""
        return self._writer is not None and self._writer.slept

    def try_connection(self) -> None:
        """Try the connection; the epoch grows if another process has taken the campaign."""
        if self._writer is not None:
            self._writer.try_connection()

    @property
    def failing(self) -> bool:
        """Whether the last write failed less than a minute ago."""
        return self._writer is not None and self._writer.failing

    @property
    def last(self) -> int:
        """The number of the last event, stored or waiting; 0 if there is none."""
        if self._writer is not None:
            return self._writer.last
        with self._reading() as connection:
            return connection.execute(sa.select(sa.func.max(tables.events.c.seq))).scalar() or 0

    def summary(self) -> tuple[int, int]:
        """Return the number of the last event on disk, and of items, at one moment."""
        items = sa.select(sa.func.max(tables.items.c.position)).scalar_subquery()
        with self._reading() as connection:
            last, place = connection.execute(
                sa.select(sa.func.max(tables.events.c.seq), items)
            ).one()
        return last or 0, 0 if place is None else place + 1

    def append(self, event: Event) -> Receipt:
        """Hand in an event. It has its number at once, and is on disk when the receipt's `wait` returns.

        A key that is in the log gives the number of the first event, and stores nothing.

        Raises
        ------
        StoreError
            The event has a `seq` that is not the next number.
        """
        return self.append_all([event])[0]

    def check_new(self, items: Sequence[Item]) -> None:
        """Raise StoreError if items are repeated, or in the campaign already."""
        with self._reading() as connection:
            check_new(connection, items)

    def append_all(
        self,
        events: Sequence[Event],
        *,
        items: Sequence[Item] = (),
        reported: Mapping[int, Reported] | None = None,
        new: bool = False,
    ) -> list[Receipt]:
        """Hand in events with new items or reports, stored all or none.

        If the keys of all events are in the log already, nothing is stored.

        Parameters
        ----------
        events
            The events.
        items
            New items, which the events may be about.
        reported
            The contents of reports, by the number of their event.
        new
            No key is in the log, so that none is looked up.
        """
        writer = self._writing()
        if reported and items:
            raise StoreError("new items and reports are not stored together; store the items first")
        if reported:
            return writer.append(
                events, before=partial(insert_reported, reported=reported), new=new
            )
        if items and not events:
            raise StoreError('new items need an event of the kind "items"')
        if not items:
            return writer.append(events, new=new)
        try:
            self.check_new(items)
        except StoreError:
            if self._places(keys := [event.key for event in events]).keys() == set(keys):
                return writer.append(events)
            raise
        return writer.append(events, before=partial(insert_items, items=items))

    def events(self, after: int = 0) -> Iterator[Event]:
        """Yield the stored events after number `after`, in order."""
        query = sa.select(tables.events).order_by(tables.events.c.seq).limit(EVENTS)
        while True:
            with self._reading() as connection:
                found = connection.execute(query.where(tables.events.c.seq > after))
                columns = tuple(found.keys())
                rows = found.all()
            for row in rows:
                yield from_row(dict(zip(columns, row, strict=True)))
            if len(rows) < EVENTS:
                return
            after = rows[-1].seq

    def find(self, key: str) -> Event | None:
        """Return the stored event with this key; None if there is none."""
        with self._reading() as connection:
            row = (
                connection.execute(sa.select(tables.events).where(tables.events.c.key == key))
                .mappings()
                .first()
            )
        return None if row is None else from_row(row)

    def reported(self) -> dict[int, bytes]:
        """Return the stored reports, by the number of their event; `check_reported` reads them."""
        with self._reading() as connection:
            return read_reported(connection)

    # Items

    def count_items(self) -> int:
        with self._reading() as connection:
            return connection.execute(
                sa.select(sa.func.count()).select_from(tables.items)
            ).scalar_one()

    def vector_length(self) -> int:
        """Return the length of the stored vectors; 0 if there are none."""
        with self._reading() as connection:
            return vector_length(connection)

    def items(self, *, images: bool = False, vectors: bool = False) -> Iterator[Item]:
        """Return all items in order; with the bytes of pictures and the vectors only on request."""
        return read_items(
            self._reading, images=images, vectors=vectors and self.vector_length() > 0
        )

    def item(self, id: str) -> Item | None:
        """Return one item with its picture; None if there is none."""
        with self._reading() as connection:
            row = connection.execute(
                select_items(images=True).where(tables.items.c.id == id)
            ).first()
        return None if row is None else item_of(row)

    # Ontologies, people

    def ontologies(self) -> list[OntologyVersion]:
        """Return all versions of the ontology, the oldest first; events decide which is in force."""
        with self._reading() as connection:
            return select_ontologies(connection)

    def add_ontology(self, text: str, *, who: str) -> int:
        """Store a further version; an event puts it in force."""

        def insert(connection: sa.Connection) -> int:
            version = (
                connection.execute(sa.select(sa.func.max(tables.ontologies.c.version))).scalar_one()
                + 1
            )
            insert_ontology(
                connection, OntologyVersion(version=version, text=text, who=who, at=now())
            )
            return int(version)

        return self._writing().change(insert).result()

    def annotators(self) -> list[Annotator]:
        """Return everyone who takes part, in order of name."""
        with self._reading() as connection:
            rows = connection.execute(
                sa.select(tables.annotators).order_by(tables.annotators.c.name)
            ).mappings()
            return [Annotator(**row) for row in rows]

    def put_annotator(self, annotator: Annotator) -> None:
        """Add a person, or change their data."""

        def put(connection: sa.Connection) -> None:
            row = asdict(annotator)
            old = sa.update(tables.annotators).where(tables.annotators.c.name == annotator.name)
            if not connection.execute(old.values(row)).rowcount:
                connection.execute(sa.insert(tables.annotators), row)

        self._writing().change(put).result()

    # Leases, models

    def leases(self) -> list[Lease]:
        """Return the stored leases, for a server that starts."""
        with self._reading() as connection:
            rows = connection.execute(
                sa.select(tables.leases).order_by(tables.leases.c.id)
            ).mappings()
            return [Lease(**row) for row in rows]

    def mirror_leases(self, held: Iterable[Lease] = (), released: Iterable[str] = ()) -> None:
        """Store leases within half a second, without waiting; `released` are ids."""
        self._writing().mirror(held, released)

    def put_model(self, model: Model) -> None:
        """Store the beliefs of a model, then delete those of earlier ones."""
        change = partial(self._writing().change, derived=True)
        change(
            partial(forget_models, version=model.version)
        ).result()  # parts of a model that was not stored completely
        for table, row in model_rows(
            model
        ):  # each in its own transaction, so that answers do not wait for all of them
            change(partial(insert_row, table=table, row=row)).result()
        change(partial(forget_models, but=model.version)).result()

    def model(self) -> Model | None:
        """Return the last stored model; None if it is incomplete or damaged."""
        newest = sa.select(tables.models).order_by(tables.models.c.version.desc()).limit(1)
        with _store_errors(self._database), self._database.snapshot() as connection:
            row = connection.execute(newest).first()
            if row is None:
                return None
            parts = sa.select(tables.beliefs.c.data).where(tables.beliefs.c.version == row.version)
            packed = connection.execute(parts.order_by(tables.beliefs.c.part)).scalars().all()
        model = model_of(row, packed)
        if model is None:
            warn(
                f"the stored beliefs of model {row.version} are damaged and not used",
                StoreWarning,
                stacklevel=2,
            )
        return model

    def forget_models(self) -> None:
        """Delete the stored models; they can be trained again."""
        self._writing().change(forget_models, derived=True).result()

    def put_encodings(self, found: Encodings) -> None:
        """Store vectors of encoders; existing ones stay."""
        for encoder, vectors in found.items():
            rows = [
                {"encoder": encoder, "sha256": sha256, "vector": vector}
                for sha256, vector in vectors.items()
            ]
            for start in range(
                0, len(rows), ENCODINGS
            ):  # each in its own transaction, as the beliefs of a model
                part = rows[start : start + ENCODINGS]
                self._writing().change(partial(insert_encodings, rows=part), derived=True).result()

    def encodings(self) -> Encodings:
        """Return the stored vectors of encoders."""
        with _store_errors(self._database), self._database.snapshot() as connection:
            return read_encodings(connection)

    def forget_encodings(self) -> None:
        """Delete the vectors of encoders; texts are encoded again when a model is trained."""
        self._writing().change(forget_encodings, derived=True).result()

    def hook_place(self, name: str) -> int | None:
        """Return the last event that was sent to a webhook; None if none was."""
        with self._reading() as connection:
            return read_place(connection, name)

    def put_hook_place(self, name: str, seq: int) -> None:
        """Store the last event that was sent to a webhook."""
        self._writing().change(partial(write_place, name=name, seq=seq), derived=True).result()

    def backup(self, path: Place) -> None:
        """Copy the campaign, also while it is in use: `.sqlite` from SQLite, `.jsonl.gz` from both."""
        with _store_errors(self._database):
            backup(self._database, path)

    def _writing(self) -> Writer:
        if self._writer is None:
            raise StoreError(f"{self._database.name} was opened for reading only")
        return self._writer

    @contextmanager
    def _reading(self) -> Iterator[sa.Connection]:
        with _store_errors(self._database), self._database.engine.connect() as connection:
            yield connection

    def _places(self, keys: Sequence[str]) -> dict[str, int]:
        places: dict[str, int] = {}
        events = tables.events.c
        with self._reading() as connection:
            for start in range(0, len(keys), 500):
                found = sa.select(events.key, events.seq).where(
                    events.key.in_(keys[start : start + 500])
                )
                places |= {row.key: row.seq for row in connection.execute(found)}
        return places


@contextmanager
def _store_errors(database: Database) -> Iterator[None]:
    """Turn errors of a database into StoreErrors with its name."""
    try:
        yield
    except SQLAlchemyError as error:
        reason = brief(error)
        if "not a database" in reason:
            raise StoreError(f"{database.name} is not a campaign: {reason}") from error
        raise StoreError(f"{database.name}: {reason}") from error
