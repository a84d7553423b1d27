"""Pictures from folders, zip files and beside tables, recognised by their first bytes, not by name."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from ....logic.errors import CorollaryError
from ...items import Item, Picture

LARGEST = 32 << 20  # bytes of one picture
HEAD = 16  # first bytes, by which a picture is recognised
IGNORED = (
    "Thumbs.db",
    "desktop.ini",
)  # files that systems leave in folders; names that begin with a dot are ignored too


def mime_of(head: bytes) -> str | None:
    """Return the MIME type of a picture by its first bytes; None if browsers cannot show it."""
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
    """Make a picture from its bytes."""
    mime = mime_of(data)
    if mime is None:
        raise CorollaryError(
            f"{name!r} is not a picture; PNG, JPEG, GIF, WebP, AVIF and BMP can be shown"
        )
    if len(data) > LARGEST:
        raise CorollaryError(
            f"the picture {name!r} has {len(data):,} bytes; at most {LARGEST:,} are taken"
        )
    return Picture(name, mime, data)


def picture_beside(path: Path, name: str, *, load: bool) -> Picture:
    """Return the picture that a table names by its path below the table's folder.

    Without `load`, only its first bytes are read.
    """
    folder = path.parent.resolve()
    shown = name if len(name) <= 80 else name[:80] + "..."
    if "://" in name:
        raise CorollaryError(
            f"{shown!r} is an address; pictures are read from files beside the table: download them first"
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
    ):  # a name that is too long or has a NUL, links in a circle
        is_below = True
        is_there = False
    if not is_below:
        raise CorollaryError(
            f"the picture {shown!r} is not below the table's folder; move it there"
        )
    if not is_there:
        raise CorollaryError(f"there is no picture {shown!r} beside the table")
    return _read(place, name, load=load)


def folder_items(folder: Path, *, load: bool) -> Iterator[Item]:
    """Yield an item for each picture in a folder and its subfolders, named by path, in order."""
    for file in _files(folder):
        name = file.relative_to(folder).as_posix()
        if _is_picture(file):
            yield Item(name, image=_read(file, name, load=load))


def others_in(folder: Path) -> list[str]:
    """Return the files of a folder that are not pictures."""
    return [file.relative_to(folder).as_posix() for file in _files(folder) if not _is_picture(file)]


def size_of(folder: Path) -> int:
    """Return the bytes of all files in a folder."""
    return sum(file.stat().st_size for file in _files(folder) if file.is_file())


def zip_items(path: Path, *, limit: int) -> tuple[list[Item], list[str]]:
    """Return an item for each picture in a zip file, and its other files; nothing is unpacked to disk."""
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
                        f"{path}: the name {one.filename!r} points outside the zip file; rename it"
                    )
                with archive.open(one) as stream:
                    data = stream.read(one.file_size + 1)
                if mime_of(data) is None:
                    others.append(one.filename)
                else:
                    items.append(Item(one.filename, image=make_picture(one.filename, data)))
    except CorollaryError:
        raise
    except Exception as error:  # any error from unpacking a damaged file
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
    )  # a pipe or a broken link is not a file


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
