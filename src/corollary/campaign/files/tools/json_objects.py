"""The objects of a JSON file of any length, one by one: a list, or one on each line."""

from __future__ import annotations

from collections.abc import Iterator
from json import JSONDecodeError
from pathlib import Path
from typing import Any, NoReturn, TextIO

from ....logic.errors import CorollaryError
from ...jsontext import decode_json

CHUNK = 1 << 20  # characters that are read at once
LONGEST = 1 << 27  # characters of one object; a broken file must not fill the memory
CUT = 16  # characters: the longest that JSON has in one piece, such as \ud83d\ude00 and true
SPACE = " \t\r\n"


def objects_in(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each object with its place: `object 7` of a list, or `line 7` of JSON lines."""
    try:
        with path.open(encoding="utf-8-sig") as stream:
            yield from _Text(path, stream).objects()
    except UnicodeDecodeError as error:
        raise CorollaryError(
            f"{path} is not UTF-8 text ({error.reason}); save it as UTF-8"
        ) from None
    except OSError as error:
        raise CorollaryError(f"{path} cannot be read: {error.strerror or error}") from None


class _Text:
    """A text of which only the unread part of a block is in memory."""

    def __init__(self, path: Path, stream: TextIO):
        self._path = path
        self._stream = stream
        self._text = ""
        self._at = 0
        self._line = 1
        self._ended = False

    def objects(self) -> Iterator[tuple[str, dict[str, Any]]]:
        listed = self._peek() == "["
        if listed:
            self._skip(1)
        n = 0
        while (sign := self._peek()) and not (listed and sign == "]"):
            n += 1
            line = self._line
            value = self._value()
            place = f"object {n:,}" if listed else f"line {line:,}"
            if not isinstance(value, dict):
                raise CorollaryError(
                    f"{self._path}, {place}: expected an object in braces, got {str(value)[:40]!r}"
                )
            yield place, value
            if listed and (sign := self._peek()) not in ("]", ""):
                if sign != ",":
                    self._fail("a comma or the end of the list is missing")
                self._skip(1)
        if listed:
            if not self._peek():
                self._fail("the list does not end: the file was cut off")
            self._skip(1)
            if self._peek():
                self._fail("there is something after the end of the list")

    def _peek(self) -> str:
        """Return the next character that is not a space; empty at the end."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in SPACE:
                self._skip(1)
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def _skip(self, n: int) -> None:
        self._line += self._text.count("\n", self._at, self._at + n)
        self._at += n

    def _value(self) -> Any:
        """Return the value that begins here; read more until it is complete."""
        while True:
            try:
                value, end = decode_json(self._text, self._at)
            except JSONDecodeError as error:
                if not (self._may_be_cut(error) and self._more()):
                    self._skip(error.pos - self._at)
                    self._fail(error.msg)
            except ValueError as error:
                self._fail(str(error))
            else:
                self._skip(end - self._at)
                return value

    def _may_be_cut(self, error: JSONDecodeError) -> bool:
        """Whether more text could solve an error, because it is at the end or in an open string."""
        return error.pos > len(self._text) - CUT or error.msg.startswith("Unterminated")

    def _more(self) -> bool:
        """Double the text in memory, so that a long object is not tried too often."""
        waiting = len(self._text) - self._at
        if waiting > LONGEST:
            self._fail(f"not JSON, or an object of more than {LONGEST:,} characters")
        new = "" if self._ended else self._stream.read(max(CHUNK, waiting))
        self._ended = not new
        self._text = self._text[self._at :] + new
        self._at = 0
        return bool(new)

    def _fail(self, what: str) -> NoReturn:
        raise CorollaryError(f"{self._path}, line {self._line:,}: not good JSON: {what}")
