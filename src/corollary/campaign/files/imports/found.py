"""What was found in a file that someone brings: its items and labels, or what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ....logic.errors import CorollaryError
from ...items import Item
from ...live.drafts import Fact
from .file_form import Columns

#: What was answered of an item that is there already; None if it is not.
Answers = Callable[[str], Mapping[str, bool] | None]
TOLD = 5  # problems that a message lists
ENOUGH = 100  # problems after which the rest of a file is not looked at


@dataclass
class Import:
    """A file that was checked: how many items it has, the labels it brings, and what there is to tell of it."""

    n_items: int
    facts: list[Fact]
    _items: Callable[[], Iterator[Item]] = field(repr=False)
    columns: Columns | None = None
    notes: list[str] = field(default_factory=list)

    def items(self) -> Iterator[Item]:
        """The items, read from the file again."""
        return self._items()


class Problems:
    """What is wrong with a file, gathered until there is enough to tell."""

    def __init__(self, path: Path):
        self._path = path
        self._found: list[str] = []

    def add(self, place: str, what: object) -> None:
        self._found.append(f"{place}: {what}")
        if len(self._found) >= ENOUGH:
            self.tell()

    def tell(self) -> None:
        """Raise an error if there was any problem."""
        if len(self._found) == 1:
            raise CorollaryError(f"{self._path}, {self._found[0]}. Nothing was imported")
        if self._found:
            more = "or more " if len(self._found) >= ENOUGH else ""
            first = f", the first {TOLD}" if len(self._found) > TOLD else ""
            lines = "\n  ".join(self._found[:TOLD])
            raise CorollaryError(
                f"{self._path} has {len(self._found)} {more}problems{first}:\n  {lines}\nNothing was imported"
            )
