"""Bytes in and out of files: limits, compression, encodings, and writing that never leaves half a file."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Collection
from contextlib import suppress
from importlib import import_module
from pathlib import Path, PurePosixPath
from secrets import token_hex
from typing import Any
from urllib.parse import urlsplit

from ..errors import FormatError

#: A file larger than this, after decompression, is refused unless the caller allows more.
MAX_BYTES = 256 * 2**20
#: How a line begins that is about an annotation, which is no part of the meaning.
ANNOTATION = "annotation: "


def beside(file: Path, iri: str, endings: Collection[str]) -> Path | None:
    """The file beside another that an IRI or a name stands for: it is called like the end of the IRI."""
    name = PurePosixPath(urlsplit(iri).path).name
    places = [file.parent / f"{name}{ending}" for ending in ("", *endings)] if name else []
    return next((one for one in places if one.suffix in endings and one.is_file()), None)


def read_bytes(path: Path, *, max_bytes: int = MAX_BYTES) -> bytes:
    """The content of a file, decompressed if its name ends in .gz."""
    if not isinstance(max_bytes, int) or max_bytes < 1:
        raise FormatError(f"max_bytes must be a positive whole number, got {max_bytes!r}")
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as stream:
            data = bytearray()
            while len(data) <= max_bytes and (
                more := stream.read(2**20)
            ):  # never room for all that is allowed
                data += more
    except IsADirectoryError:
        raise FormatError(f"{path} is a folder; give a file") from None
    except FileNotFoundError:
        raise FormatError(f"{path} does not exist") from None
    except EOFError:
        raise FormatError(
            f"{path} is truncated: the compressed data stops before its end; fetch it again"
        ) from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise FormatError(f"{path} is not a good gzip file: {error}") from None
    except (OSError, ValueError) as error:  # a ValueError for names that no file can have
        raise FormatError(
            f"{path} cannot be read: {getattr(error, 'strerror', None) or error}"
        ) from None
    if len(data) > max_bytes:
        raise FormatError(
            f"{path} has more than {max_bytes:,} bytes; if that is right, pass a larger max_bytes"
        )
    if not data.strip():
        raise FormatError(f"{path} is empty")
    return bytes(data)


def decode(data: bytes, *, file: str) -> str:
    """UTF-8 text without a byte order mark; anything else is an error that names the byte."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # The codec's positions do not count a byte order mark.
        at = error.start + (3 if data.startswith(b"\xef\xbb\xbf") else 0)
        raise FormatError(
            f"{file} is not UTF-8 text: byte 0x{data[at]:02x} at offset {at} (line {_line(data, at)}); convert the file"
        ) from None
    if "\0" in text:
        at = data.index(b"\0")
        raise FormatError(
            f"{file} has a NUL byte at offset {at} (line {_line(data, at)}); it is not a text file"
        )
    return text


def _line(data: bytes, at: int) -> int:
    return data.count(b"\n", 0, at) + 1


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file, compressed if its name ends in .gz: either all of it is there afterwards or nothing has changed."""
    if path.suffix.lower() == ".gz":
        data = gzip.compress(data, mtime=0)  # the same document gives the same bytes
    temporary = None
    try:
        temporary = path.with_name(f".{path.name}.{token_hex(4)}")
        with temporary.open("xb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        if path.exists():
            temporary.chmod(path.stat().st_mode & 0o777)
        temporary.replace(path)
    except (OSError, ValueError) as error:
        raise FormatError(
            f"{path} cannot be written: {getattr(error, 'strerror', None) or error}"
        ) from None
    finally:
        if temporary is not None:
            with suppress(OSError, ValueError):  # a name that no file can have
                temporary.unlink(missing_ok=True)


def optional(module: str) -> Any:
    """Import a package that only some formats need."""
    try:
        return import_module(module)
    except ImportError as error:
        name = module.partition(".")[0]
        raise FormatError(
            f"this needs the package {name}: pip install corollary[formats]"
        ) from error
