"""Pictures from folders, zip files and beside tables; what a picture is, its first bytes tell, not its name."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from ....logic.errors import CorollaryError
from ...items import Item, Picture

LARGEST = 32 << 20  # bytes of one picture
HEAD = 16  # bytes that tell what a picture is
IGNORED = (
    "Thumbs.db",
    "desktop.ini",
)  # what systems leave in folders; names that begin with a dot too


def mime_of(head: bytes) -> str | None:
    """The kind of a picture by its first bytes; None if it is none that browsers show."""
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if head.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if head.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return "image/webp"
    if head[4:12] in (b"ftypavif", b"ftypavis"):
        return "image/avif"
    return "image/bmp" if head.startswith(b"BM") else None


def make_picture(name: str, data: bytes) -> Picture:
    """A picture of its bytes."""
    mime = mime_of(data)
    if mime is None:
        raise CorollaryError(
            f"{name!r} is no picture; PNG, JPEG, GIF, WebP, AVIF and BMP can be shown"
        )
    if len(data) > LARGEST:
        raise CorollaryError(
            f"the picture {name!r} has {len(data):,} bytes; at most {LARGEST:,} are taken"
        )
    return Picture(name, mime, data)


def picture_beside(path: Path, name: str, *, load: bool) -> Picture:
    """The picture that a table names, by its place below the table's folder; without `load` only its head is read."""
    folder = path.parent.resolve()
    told = name if len(name) <= 80 else name[:80] + "..."
    if "://" in name:
        raise CorollaryError(
            f"{told!r} is an address; pictures are read from files beside the table: fetch them first"
        )
    place = folder
    try:
        place = (folder / name).resolve()
        is_below = place.is_relative_to(folder)
        is_there = place.is_file()
    except (
        OSError,
        ValueError,
        RuntimeError,
    ):  # too long for a name, a NUL in it, links in a circle
        is_below = True
        is_there = False
    if not is_below:
        raise CorollaryError(f"the picture {told!r} is not below the table's folder; move it there")
    if not is_there:
        raise CorollaryError(f"there is no picture {told!r} beside the table")
    return _read(place, name, load=load)


def folder_items(folder: Path, *, load: bool) -> Iterator[Item]:
    """An item for each picture of a folder and the folders in it, named by its path, in order of name."""
    for file in _files(folder):
        name = file.relative_to(folder).as_posix()
        if _is_picture(file):
            yield Item(name, image=_read(file, name, load=load))


def others_in(folder: Path) -> list[str]:
    """The files of a folder that are no pictures."""
    return [file.relative_to(folder).as_posix() for file in _files(folder) if not _is_picture(file)]


def size_of(folder: Path) -> int:
    """The bytes of all files in a folder."""
    return sum(file.stat().st_size for file in _files(folder) if file.is_file())


def zip_items(path: Path, *, limit: int) -> tuple[list[Item], list[str]]:
    """An item for each picture in a zip file, and the files in it that are none; nothing is ever unpacked to disk."""
    items: list[Item] = []
    others: list[str] = []
    try:
        with zipfile.ZipFile(path) as archive:
            inside = [
                one
                for one in archive.infolist()
                if not one.is_dir() and not _is_ignored(one.filename)
            ]
            if (total := sum(one.file_size for one in inside)) > limit:
                raise CorollaryError(
                    f"{path} holds {total:,} bytes, more than the limit of {limit:,}; split it"
                )
            for one in sorted(inside, key=lambda info: info.filename):
                if one.filename.startswith("/") or ".." in PurePosixPath(one.filename).parts:
                    raise CorollaryError(
                        f"{path}: the name {one.filename!r} leads out of the zip file; rename it"
                    )
                with archive.open(one) as stream:
                    data = stream.read(one.file_size + 1)
                if mime_of(data) is None:
                    others.append(one.filename)
                else:
                    items.append(Item(one.filename, image=make_picture(one.filename, data)))
    except CorollaryError:
        raise
    except Exception as error:  # whatever the unpacking of a damaged file stumbles over
        raise CorollaryError(
            f"{path} is not a good zip file, or needs a password: {error}"
        ) from None
    return items, others


def _files(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not _is_ignored(name))
        for name in sorted(names):
            if not _is_ignored(name):
                yield Path(place) / name


def _is_ignored(name: str) -> bool:
    parts = [part for part in PurePosixPath(name).parts if part != ".."]
    return any(part.startswith((".", "__MACOSX")) or part in IGNORED for part in parts)


def _is_picture(file: Path) -> bool:
    return (
        file.is_file() and mime_of(_begin(file, HEAD)) is not None
    )  # a pipe, or a link to nothing, is no file


def _read(file: Path, name: str, *, load: bool) -> Picture:
    size = file.stat().st_size
    if size > LARGEST:
        raise CorollaryError(
            f"the picture {name!r} has {size:,} bytes; at most {LARGEST:,} are taken"
        )
    made = make_picture(name, _begin(file, -1 if load else HEAD))
    return made if load else Picture(name, made.mime)


def _begin(file: Path, size: int) -> bytes:
    try:
        with file.open("rb") as stream:
            return stream.read(size)
    except OSError as error:
        raise CorollaryError(
            f"the picture {file} cannot be read: {error.strerror or error}"
        ) from None
