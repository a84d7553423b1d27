"""The log of a session as a file: JSON lines, the first tells how the session was made, each further one an event."""

from __future__ import annotations

import json
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

from ..logic.errors import CorollaryError

Event = dict[str, Any]
#: The version of the format that this code writes, and the newest that it reads.
VERSION = 2


def write_log(path: str | PathLike[str], events: Iterable[Event]) -> None:
    """Write all events, or leave the file as it was."""
    target = Path(path)
    partial = target.with_name(target.name + ".partial")
    partial.write_text("".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events), encoding="utf-8")
    partial.replace(target)


def read_log(path: str | PathLike[str]) -> list[Event]:
    """All events; the first one tells how the session was made."""
    events: list[Event] = []
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), start=1):
        try:
            event = json.loads(line)
        except json.JSONDecodeError as error:
            raise CorollaryError(f"{path}, line {number}: not JSON ({error.msg}); is the file truncated?") from error
        if not isinstance(event, dict) or "event" not in event:
            raise CorollaryError(f"{path}, line {number}: not an event")
        events.append(event)
    if not events or events[0]["event"] != "session":
        raise CorollaryError(f"{path} is not the log of a session: its first line must be the event 'session'")
    if events[0].get("version") not in range(1, VERSION + 1):
        raise CorollaryError(
            f"{path} has version {events[0].get('version')!r} of the format, this reads up to {VERSION}"
        )
    return events
