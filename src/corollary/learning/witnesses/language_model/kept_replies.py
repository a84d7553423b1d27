"""Replies kept in a file, so that nothing is asked and paid twice: by a digest of what was asked, never the texts."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

from ....logic.errors import CorollaryError


def digest(asked: Any) -> str:
    """What stands for a request: whatever changes the reply changes it."""
    return sha256(json.dumps(asked, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


class KeptReplies:
    """A file of lines, each a digest and the probabilities of a reply; in memory alone where there is no path."""

    def __init__(self, path: Path | None):
        self._path = path
        self._lock = Lock()
        self._found: dict[str, dict[str, float]] = {}
        if path is not None and path.exists():
            self._load(path)

    def __len__(self) -> int:
        return len(self._found)

    def get(self, key: str) -> dict[str, float] | None:
        """The probabilities that were said, if they were."""
        return self._found.get(key)

    def keep(self, key: str, said: dict[str, float]) -> None:
        """Keep a reply; it is in the file when this returns."""
        line = json.dumps({"asked": key, "said": said}, ensure_ascii=False) + "\n"
        with self._lock:
            self._found[key] = said
            if self._path is None:
                return
            try:
                with self._path.open("ab") as stream:
                    stream.write(line.encode())
            except OSError as error:
                raise CorollaryError(
                    f"{self._path} cannot be written: {error.strerror or error}"
                ) from None

    def _load(self, path: Path) -> None:
        try:
            data = path.read_bytes()
        except OSError as error:
            raise CorollaryError(f"{path} cannot be read: {error.strerror or error}") from None
        whole = data[
            : data.rfind(b"\n") + 1
        ]  # a last line without an end was being written when all stopped
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                one = json.loads(line)
                said = {str(label): float(value) for label, value in one["said"].items()}
                if not all(0 <= value <= 1 for value in said.values()):
                    raise ValueError
                self._found[str(one["asked"])] = said
            except (ValueError, KeyError, TypeError, AttributeError):
                raise CorollaryError(
                    f"{path}, line {number:,}: this is no kept reply; name another file"
                ) from None
        if len(whole) < len(data):
            with path.open("r+b") as stream:
                stream.truncate(len(whole))
