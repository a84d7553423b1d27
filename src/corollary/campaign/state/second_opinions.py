"""Questions that wait for certain people: second opinions, retries, skipped questions, gold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import blake2b

from ...logic.engines import Facts
from ...logic.ontology import Ontology
from ..settings import Settings
from .measured_costs import asked_for
from .standing import IMPORT, Said, Standing

People = frozenset[str]
#: An item and a label; None is the whole item.
Cell = tuple[str, str | None]


class WaitingCells:
    """Waiting cells, each with a set of people: those who may not be asked, or only those who may."""

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
        """Return the longest waiting cell whose people are wanted and whose item is free."""
        found: list[tuple[int, Cell]] = []
        for people, group in self._groups.items():
            if wanted(people):
                found += [(seq, cell) for cell, seq in _first_free(group, free)]
        return min(found, key=_since)[1] if found else None

    def count(self, wanted: Callable[[People], bool]) -> int:
        """Return the number of waiting cells whose people are wanted."""
        return sum(len(group) for people, group in self._groups.items() if wanted(people))

    def __contains__(self, cell: Cell) -> bool:
        return cell[1] in self._of_item.get(cell[0], {})

    def __len__(self) -> int:
        return sum(map(len, self._groups.values()))

    def cells(self) -> list[Cell]:
        """Return all cells, the longest waiting first."""
        waiting = [(seq, cell) for group in self._groups.values() for cell, seq in group.items()]
        return [cell for _, cell in sorted(waiting, key=_since)]


def _since(waiting: tuple[int, Cell]) -> tuple[int, str, str]:
    """Sort by waiting time; cells that wait since the same event by name."""
    seq, (item, label) = waiting
    return seq, item, label or ""


def _first_free(group: Mapping[Cell, int], free: Callable[[str], bool]) -> list[tuple[Cell, int]]:
    for cell, seq in group.items():
        if free(cell[0]):
            return [(cell, seq)]
    return []


#: When this many people can't tell, nobody else is asked, and the lead sees it.
ENOUGH_UNSURE = 2


def most_often(settings: Settings) -> int:
    """Return the most people that are asked one question: those who answer, and one who can't tell."""
    return ENOUGH_UNSURE - 1 + (settings.opinions if settings.overlap else 1)


class Waiting:
    """All waiting cells of a campaign, kept up to date item by item.

    Attributes
    ----------
    second
        Cells that need another blind opinion, not from people who gave theirs.
    unsure
        Cells that one person could not tell, not for that person.
    later
        Cells that someone skipped, not for that person.
    own
        Skipped cells, only for the people who skipped them.
    gold
        Cells whose answer the lead knows, not for people who answered them.
    puzzling
        Cells that ENOUGH_UNSURE people could not tell.
    """

    def __init__(
        self,
        onto: Ontology,
        settings: Settings,
        asked_alone: Callable[[int], bool],
        is_gold: Callable[[int], bool],
    ):
        self._onto = onto
        self._settings = settings
        self._asked_alone = asked_alone  # whether an event is a yes/no answer by a person
        self._is_gold = is_gold
        self.second, self.unsure, self.later, self.own, self.gold, self.puzzling = (
            WaitingCells() for _ in range(6)
        )

    def put(self, item: str, standing: Standing, known: Facts, seq: int) -> None:
        """Sort the cells of an item again after event `seq`."""
        flaggers = frozenset(standing.said.flags)
        self.second.put(item, self._second(item, standing, flaggers), seq)
        self.gold.put(item, self._gold(standing, flaggers), seq)
        unsure: dict[str | None, People] = {}
        later: dict[str | None, People] = {}
        own: dict[str | None, People] = {}
        puzzling: dict[str | None, People] = {}
        for label in standing.set_aside:
            cant = standing.said.unsure.get(label, ())
            left = standing.said.skipped.get(label, ())
            if not self._is_open(label, known):
                continue
            if len(cant) >= ENOUGH_UNSURE:
                puzzling[label] = frozenset(cant)
            elif not standing.held:
                (unsure if cant else later)[label] = frozenset((*cant, *left)) | flaggers
                if mine := frozenset(left) - flaggers:
                    own[label] = mine
        self.unsure.put(item, unsure, seq)
        self.later.put(item, later, seq)
        self.own.put(item, own, seq)
        self.puzzling.put(item, puzzling, seq)

    def blind(self, item: str, standing: Standing, who: str) -> frozenset[str]:
        """Return the labels of an item that `who` may be asked although others settled them."""
        said = standing.said
        if self._settings.fallible:
            asked = (
                label
                for label in said.opinions
                if label in self._onto.index and not _is_sure(said, label)
            )
            second: set[str | None] = {label for label in asked if who not in said.opinions[label]}
            return frozenset(str(label) for label in (*second, *self._gold(standing, frozenset())))
        if not said.decided and not self._settings.overlap:
            return frozenset()
        due = self._due(item, standing, frozenset())
        second = {label for label in due if label is not None and who not in said.opinions[label]}
        if None in due and who not in due[None]:
            second |= {label for labels in said.replied().values() for label in labels}
        return frozenset(str(label) for label in (*second, *self._gold(standing, frozenset())))

    def _second(self, item: str, standing: Standing, flaggers: People) -> dict[str | None, People]:
        return {} if standing.held else self._due(item, standing, flaggers)

    def _due(self, item: str, standing: Standing, flaggers: People) -> dict[str | None, People]:
        settings = self._settings
        said = standing.said
        if not settings.overlap:
            return {}
        due: dict[str | None, People] = {}
        for label, by in said.opinions.items():
            if label in said.decided or label not in self._onto.index:
                continue
            people = [
                who
                for who, opinion in by.items()
                if who != IMPORT and self._asked_alone(opinion.seq)
            ]
            unsure = said.unsure.get(label, ())
            wanted = 0 < len(people) < settings.opinions and len(unsure) < ENOUGH_UNSURE
            if wanted and share(settings.seed, item, label) < settings.overlap:
                due[label] = frozenset((*by, *unsure, *said.skipped.get(label, ()))) | flaggers
        if said.wholes and not said.decided and asked_for(settings, self._onto) != "labels":
            replied = said.replied()
            unsure = said.unsure.get(None, ())
            wanted = 0 < len(replied) < settings.opinions and len(unsure) < ENOUGH_UNSURE
            if wanted and share(settings.seed, item, None) < settings.overlap:
                spoken = (who for by in said.opinions.values() for who in by)
                due[None] = frozenset((*spoken, *unsure, *said.skipped.get(None, ()))) | flaggers
        return due

    def _gold(self, standing: Standing, flaggers: People) -> dict[str | None, People]:
        said = standing.said
        if not said.decided:
            return {}
        return {
            label: frozenset(
                (*said.opinions.get(label, ()), *said.unsure.get(label, ()), decision.who)
            )
            | flaggers
            for label, decision in said.decided.items()
            if label in self._onto.index and self._is_gold(decision.seq)
        }

    def _is_open(self, label: str | None, known: Facts) -> bool:
        if label is None:
            return asked_for(self._settings, self._onto) != "labels" and bool((known < 0).any())
        return label in self._onto.index and bool(known[self._onto.index[label]] < 0)


def _is_sure(said: Said, label: str) -> bool:
    """Whether a label is decided, imported or accepted, so that only gold asks about it again."""
    sure = (one.who == IMPORT or one.seq in said.accepted for one in said.opinions[label].values())
    return label in said.decided or any(sure)


def share(seed: int, *parts: str | int | None) -> float:
    """Return a number from 0 to 1 that depends on the seed and the parts alone."""
    text = "\x1f".join([str(seed), *["" if part is None else str(part) for part in parts]])
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest()) / 2**64
