"""Backups of a campaign, also while it is in use, and campaigns restored from backups."""

from __future__ import annotations

import base64
import gzip
import json
import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, Any

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from ..events import REPORT, from_row
from ..jsontext import parse_json
from . import tables
from .databases import Database, database_at, making
from .records import StoreError
from .reported import check_reported, read_reported
from .rows import item_of, select_items
from .sqlite import SqliteFile
from .tables import READABLE, check_version, migrate, version_of

PORTABLE = ".jsonl.gz"
FORMAT = "corollary campaign"
CHUNK = 1_000
LONGEST = 1 << 27  # characters of a row: the largest picture has a third of it
Row = tuple[str, dict[str, Any]]  # the table's name, and the values by column; bytes are bytes


def backup(database: Database, path: str | os.PathLike[str]) -> None:
    """Copy one moment of a campaign to a new file: SQLite, or JSON lines if it ends in .jsonl.gz."""
    target = Path(path)
    if not target.name.endswith(PORTABLE) and not isinstance(database, SqliteFile):
        raise StoreError(
            f"a backup from PostgreSQL is a portable file; let its name end in {PORTABLE}"
        )
    with _whole(target) as partial:
        if target.name.endswith(PORTABLE):
            with (
                database.snapshot() as connection,
                gzip.open(partial, "wt", encoding="utf-8", compresslevel=5) as out,
            ):
                _dump(connection, out)
        else:
            assert isinstance(database, SqliteFile)
            _copy(database, partial)


def restore(path: str | os.PathLike[str], url: str | os.PathLike[str]) -> None:
    """Restore a backup to a new file or an empty database, from either kind of database."""
    source = Path(path)
    if not source.is_file():
        raise StoreError(f"there is no backup at {path}")
    database = database_at(url)
    try:
        with making(database) as connection:
            _load(
                connection,
                _read(source) if source.name.endswith(PORTABLE) else _read_sqlite(source),
            )
            _check(connection)
        database.close()
    except StoreError:
        raise
    except SQLAlchemyError as error:
        raise StoreError(
            f"{path} could not be restored to {database.name}: {getattr(error, 'orig', error)}"
        ) from error
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        TypeError,
        ValueError,
    ) as error:  # rows of another shape
        raise StoreError(
            f"{path} is damaged, nothing was restored: {type(error).__name__}: {error}"
        ) from error


@contextmanager
def _whole(target: Path) -> Iterator[Path]:
    """Open a private file beside the target, which gets its name once it is complete and on disk."""
    if target.exists():
        raise StoreError(f"{target} exists already; choose another name for the backup")
    partial = target.with_name(target.name + ".partial")
    try:
        partial.unlink(missing_ok=True)
        os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        yield partial
        with partial.open("rb+") as stream:
            os.fsync(stream.fileno())
        partial.replace(target)
        _sync_folder(target.parent)
    except OSError as error:
        raise StoreError(f"cannot write the backup {target}: {error.strerror or error}") from error
    finally:
        if partial.parent.is_dir():
            partial.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    """Sync the folder of a new file; systems without O_DIRECTORY do not need it."""
    if hasattr(os, "O_DIRECTORY"):
        number = os.open(folder, os.O_DIRECTORY)
        os.fsync(number)
        os.close(number)


def _copy(database: SqliteFile, partial: Path) -> None:
    with closing(sqlite3.connect(f"{database.path.as_uri()}?mode=ro", uri=True)) as source, closing(
        sqlite3.connect(partial)
    ) as target:  # fmt: skip
        source.backup(target)
        target.execute("PRAGMA journal_mode = DELETE")  # one file, without a log beside it
        if (state := target.execute("PRAGMA quick_check").fetchone()[0]) != "ok":
            raise StoreError(f"the copy of {database.name} is damaged: {state}")


def _dump(connection: sa.Connection, out: IO[str]) -> None:
    count = 0
    out.write(_line({"format": FORMAT, "version": version_of(connection)}))
    for name, row in _rows(connection):
        count += 1
        out.write(
            _line(
                {"table": name, "row": {column: _to_text(value) for column, value in row.items()}}
            )
        )
    out.write(_line({"rows": count}))


def _rows(connection: sa.Connection) -> Iterator[Row]:
    """Yield all rows of one moment, those that others refer to first."""
    there = sa.inspect(connection).get_table_names()  # older campaigns have fewer
    for table in tables.metadata.sorted_tables:
        if table is not tables.schema and table.name in there:
            found = connection.execution_options(yield_per=CHUNK).execute(
                sa.select(table).order_by(*table.primary_key.columns)
            )
            for row in found.mappings():
                yield table.name, dict(row)


def _read_sqlite(source: Path) -> Iterator[int | Row]:
    database = SqliteFile(source, readonly=True)
    try:
        with database.snapshot() as connection:
            if (version := version_of(connection)) is None:
                raise StoreError(f"{source} is not a campaign")
            check_version(version)
            if version < READABLE:
                raise StoreError(
                    f"{source} was made by an older program; copy it, open the copy once and restore that"
                )
            yield version
            yield from _rows(connection)
    finally:
        database.close()


def _read(source: Path) -> Iterator[int | Row]:
    """Yield the version of the tables, then the rows."""
    count = 0
    try:
        with gzip.open(source, "rt", encoding="utf-8") as lines:
            head = parse_json(lines.readline(LONGEST) or "null")
            if (
                not isinstance(head, dict)
                or head.get("format") != FORMAT
                or not isinstance(head.get("version"), int)
            ):
                raise StoreError(f"{source} is not the backup of a campaign")
            yield head["version"]
            while line := lines.readline(LONGEST):
                content = parse_json(line)
                if "rows" in content:
                    if content["rows"] != count:
                        raise StoreError(
                            f"{source} is damaged: it has {count:,} rows of {content['rows']:,}"
                        )
                    return
                count += 1
                yield (
                    content["table"],
                    {column: _from_text(value) for column, value in content["row"].items()},
                )
    except (EOFError, OSError, ValueError, zlib.error) as error:
        if isinstance(error, StoreError):
            raise
        raise StoreError(f"{source} is damaged or not a backup: {error}") from error
    raise StoreError(f"{source} is truncated: it stops after {count:,} rows")


def _load(connection: sa.Connection, content: Iterator[Any]) -> None:
    """Make the tables of the backup's version, fill them, then bring them up to date."""
    version = next(content)
    check_version(version)
    if version < 1:
        raise StoreError(f"there is no version {version} of the tables; the backup is damaged")
    migrate(connection, version=0, upto=version)
    made = sa.MetaData()
    made.reflect(connection)
    for name, rows in _batches(content):
        if name not in made.tables or name == tables.schema.name:
            raise StoreError(
                f"there is no table {str(name)[:40]!r} in a campaign; the backup is damaged"
            )
        columns = made.tables[name].columns.keys()
        if wrong := next((row for row in rows if row.keys() != set(columns)), None):
            found = f"{', '.join(map(str, wrong))[:200]} where it must have {', '.join(columns)}"
            raise StoreError(
                f"the backup is damaged: a row of the table {name} has {found}; nothing was restored"
            )
        connection.execute(sa.insert(made.tables[name]), rows)
    migrate(connection, version=version)


def _check(connection: sa.Connection) -> None:
    """Raise StoreError unless the restored data is a campaign that can be opened."""
    rows = connection.execute(sa.select(tables.campaign)).all()
    if len(rows) != 1 or not isinstance(json.loads(rows[0].settings), dict):
        raise StoreError(
            "the backup is damaged or empty: it has no campaign in it; nothing was restored"
        )
    if not connection.execute(
        sa.select(sa.func.count()).select_from(tables.ontologies)
    ).scalar_one():
        raise StoreError("the backup is damaged: it has no ontology in it; nothing was restored")
    stream = connection.execution_options(yield_per=CHUNK).execute
    for row in stream(select_items(images=False)):
        item_of(row)
    for seq, event in enumerate(
        stream(sa.select(tables.events).order_by(tables.events.c.seq)).mappings(), 1
    ):
        if from_row(event).seq != seq:
            raise StoreError(
                f"the backup is damaged: its log has no event {seq:,}; nothing was restored"
            )
    reports = connection.execute(
        sa.select(tables.events).where(tables.events.c.kind == REPORT)
    ).mappings()
    _, wrong = check_reported(map(from_row, reports), read_reported(connection))
    if wrong:
        raise StoreError(
            f"the backup is damaged: {wrong[0].partition(';')[0]}; nothing was restored"
        )


def _batches(rows: Iterable[Row]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    name = ""
    batch: list[dict[str, Any]] = []
    for table, row in rows:
        if batch and (table != name or len(batch) >= CHUNK):
            yield name, batch
            batch = []
        name = table
        batch.append(row)
    if batch:
        yield name, batch


def _to_text(value: Any) -> Any:
    return (
        {"base64": base64.b64encode(value).decode()}
        if isinstance(value, bytes | memoryview)
        else value
    )


def _from_text(value: Any) -> Any:
    return base64.b64decode(value["base64"]) if isinstance(value, dict) else value


def _line(content: dict[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n"
