"""Questions that wait for certain people: cells grouped by the people they concern, the longest waiting first."""

from __future__ import annotations

from collections.abc import Callable, Mapping

People = frozenset[str]
#: An item and a label; None is the whole item.
Cell = tuple[str, str | None]


class WaitingCells:
    """Cells, each with the people it concerns (those who may not be asked, or those who alone may)."""

    def __init__(self) -> None:
        self._of_item: dict[str, dict[str | None, People]] = {}
        self._groups: dict[People, dict[Cell, int]] = {}

    def put(self, item: str, cells: Mapping[str | None, People], seq: int) -> None:
        """Replace the cells of an item, which now wait since event `seq`."""
        if not cells and item not in self._of_item:
            return
        for label, people in self._of_item.pop(item, {}).items():
            group = self._groups[people]
            del group[item, label]
            if not group:
                del self._groups[people]
        for label, people in cells.items():
            self._groups.setdefault(people, {})[item, label] = seq
        if cells:
            self._of_item[item] = dict(cells)

    def first(self, wanted: Callable[[People], bool], free: Callable[[str], bool]) -> Cell | None:
        """The cell that waits longest among those with the wanted people and a free item."""
        found: list[tuple[int, Cell]] = []
        for people, group in self._groups.items():
            if wanted(people):
                found += [(seq, cell) for cell, seq in _first_free(group, free)]
        return min(found, key=_since)[1] if found else None

    def count(self, wanted: Callable[[People], bool]) -> int:
        """How many cells wait with the wanted people."""
        return sum(len(group) for people, group in self._groups.items() if wanted(people))

    def __contains__(self, cell: Cell) -> bool:
        return cell[1] in self._of_item.get(cell[0], {})

    def __len__(self) -> int:
        return sum(map(len, self._groups.values()))

    def cells(self) -> list[Cell]:
        """All of them, the longest waiting first."""
        waiting = [(seq, cell) for group in self._groups.values() for cell, seq in group.items()]
        return [cell for _, cell in sorted(waiting, key=_since)]


def _since(waiting: tuple[int, Cell]) -> tuple[int, str, str]:
    """The longest waiting first; of cells that wait since one event, by name, whatever was there before them."""
    seq, (item, label) = waiting
    return seq, item, label or ""


def _first_free(group: Mapping[Cell, int], free: Callable[[str], bool]) -> list[tuple[Cell, int]]:
    for cell, seq in group.items():
        if free(cell[0]):
            return [(cell, seq)]
    return []
