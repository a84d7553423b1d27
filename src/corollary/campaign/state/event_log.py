"""The log of a campaign in memory: events by number, item and person, without any logic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...logic.errors import CorollaryError
from ...logic.ontology import Ontology
from ...logic.readable import readable_names
from ..events import (
    ACCEPT,
    ANSWER,
    DECISION,
    DOUBT,
    DOUBTED,
    FACT,
    FLAG,
    GOLD,
    GROUP,
    LABELS,
    MODEL,
    ONTOLOGY,
    REPORT,
    SETTINGS,
    TRUST,
    UNDO,
    UNFLAG,
    WITHDRAW,
    Event,
)  # fmt: skip
from ..labels.label_moves import LabelMoves, Moves
from ..labels.written_ontology import about_of
from ..settings import Settings
from ..storage.reported import Reported
from .standing import Doubted

#: Kinds of events that change the labels of one item.
ABOUT_ITEM = (ANSWER, UNDO, FLAG, UNFLAG, DECISION, DOUBT, FACT, GOLD, WITHDRAW, ACCEPT)


def is_about_item(event: Event) -> bool:
    """Whether an event changes the labels of one item. To undo a machine's report does not."""
    return event.kind in ABOUT_ITEM and event.item is not None


class EventLog:
    """Events in order, the ontology, settings and model in force, and people who are paused.

    Parameters
    ----------
    ontologies
        All versions up to now, by number.
    settings
        The settings at the start.
    """

    def __init__(self, ontologies: Mapping[int, Ontology], settings: Settings):
        self.ontologies = dict(ontologies)
        self.settings = settings
        self._first_words = settings.labels
        self.version = min(self.ontologies)
        self.moves = LabelMoves(self.ontologies)
        self.model: Event | None = None
        self.events: list[Event] = []
        self.audits: list[Event] = []
        self.reports: list[Event] = []  # of machines, including those taken back
        self.reported: dict[int, Reported] = {}  # the contents of reports, by event
        self.used_audits: set[int] = set()  # audits after which labels were accepted
        self.last_accepted: Event | None = None
        self.of_group: dict[
            str, list[Event]
        ] = {}  # events that were written together, and are taken back together
        self.decided: dict[str, None] = {}  # items with a decision of a lead, ever
        self.accepted: dict[str, None] = {}  # items with an accepted label, ever
        self.of_item: dict[str, list[Event]] = {}
        self.of_person: dict[str, list[Event]] = {}
        self.taken_back: set[int] = set()
        self.doubted: dict[str, Doubted] = {}  # improbable answers, by item
        self.trust: Mapping[
            str, list[float]
        ] = {}  # the reliability of people, estimated by the last model
        self.answered: Counter[str] = Counter()  # events of kind answer, by person
        self.paused: dict[
            str | None, str
        ] = {}  # people, with the time of the pause; None: everybody
        self._names: tuple[object, object, dict[str, str]] | None = (
            None  # the names, with the ontology and setting they were made from
        )
        self._named: tuple[object, object, Ontology] | None = None  # likewise

    @property
    def onto(self) -> Ontology:
        """The ontology in force."""
        return self.ontologies[self.version]

    @property
    def names(self) -> Mapping[str, str]:
        """The displayed name of each label of the ontology in force."""
        onto = self.onto
        about = self.settings.labels
        if self._names is None or self._names[0] is not onto or self._names[1] is not about:
            given = {label: said["name"] for label, said in about.items() if said.get("name")}
            self._names = onto, about, readable_names(onto.labels, given)
        return self._names[2]

    def find(self, text: str) -> str:
        """The label that a text means: a label, an id, a name or a synonym; ambiguous texts are refused."""
        return text if text in self.onto.index else self.named().find(text)

    def named(self) -> Ontology:
        """The ontology in force with the ids, names and synonyms that the settings give its labels."""
        onto = self.onto
        labels = self.settings.labels
        if self._named is None or self._named[0] is not onto or self._named[1] is not labels:
            about = {label: said for label, said in about_of(labels).items() if label in onto}
            constraints = (*onto.constraints, *onto.pair_constraints)
            named = Ontology(onto.labels, constraints, budget=onto.budget, about=about)
            self._named = onto, labels, named
        return self._named[2]

    @property
    def seq(self) -> int:
        """The number of the last event."""
        return len(self.events)

    def event(self, seq: int) -> Event:
        """Return an event by its number."""
        if not 1 <= seq <= len(self.events):
            raise CorollaryError(f"there is no event {seq}; the log has {len(self.events):,}")
        return self.events[seq - 1]

    def paused_since(self, who: str | None) -> str | None:
        """Return since when `who` (None: everybody) is paused; None if not paused."""
        return min((self.paused[name] for name in (who, None) if name in self.paused), default=None)

    def is_withdrawal(self, event: Event) -> bool:
        """Whether an event withdraws an item, or brings one back."""
        undone = (
            self.event(event.refers).kind
            if event.kind == UNDO and event.refers is not None
            else None
        )
        return WITHDRAW in (event.kind, undone)

    def brings_back(self, event: Event) -> int | None:
        """Return the version of the ontology that an undo restores, if it restores one."""
        if event.kind != UNDO or event.refers is None:
            return None
        undone = self.event(event.refers)
        return undone.ontology if undone.kind == ONTOLOGY else None

    def is_report(self, event: Event) -> bool:
        """Whether an event is a machine's report, or takes one back."""
        undone = (
            self.event(event.refers).kind
            if event.kind == UNDO and event.refers is not None
            else None
        )
        return REPORT in (event.kind, undone)

    def is_asked_alone(self, seq: int) -> bool:
        """Whether an event is the answer to a question about one label."""
        event = self.events[seq - 1]
        return event.kind == ANSWER and event.label is not None

    def is_gold(self, seq: int) -> bool:
        """Whether an event makes a gold question."""
        return self.events[seq - 1].kind == GOLD

    def note(self, event: Event) -> None:
        """Add the next event to the log."""
        kind = event.kind
        item = event.item
        who = event.who
        self.events.append(event)
        if (of_person := self.of_person.get(who)) is None:
            of_person = self.of_person[who] = []
        of_person.append(event)
        if kind in ABOUT_ITEM and item is not None:
            of_item = self.of_item.pop(item, None) or []  # items in the order of their last events
            of_item.append(event)
            self.of_item[item] = of_item
        if event.detail is not None:
            self._note_verdict(kind, item, event.detail)
            if GROUP in event.detail:
                self.of_group.setdefault(event.detail[GROUP], []).append(event)
        match kind:
            case "answer":
                self.answered[who] += 1
            case "undo" | "unflag":
                assert event.refers is not None
                self.taken_back.add(event.refers)
                if (version := self.brings_back(event)) is not None:
                    self._put_in_force(version)
                    self.settings = self.settings.stored({LABELS: self._words()})
            case "ontology":
                self.moves.note(event)
                self._put_in_force(event.value)
                if LABELS in (event.detail or {}):
                    self.settings = self.settings.stored({LABELS: (event.detail or {})[LABELS]})
            case "settings":
                self.settings = self.settings.stored(event.detail or {})
            case "model":
                self.model = event
            case "report":
                self.reports.append(event)
            case "audit":
                self.audits.append(event)
            case "decision" | "gold":
                self.decided[str(event.item)] = None
            case "accept":
                self.accepted[str(event.item)] = None
                self.last_accepted = event
                self.used_audits.add((event.detail or {})["audit"])
            case "pause":
                self.paused.setdefault(event.value, event.at)
            case "resume":
                self.paused.pop(event.value, None)

    def _put_in_force(self, version: int) -> None:
        moves = self.moves.between(self.version, version)
        self.doubted = doubted_after(self.doubted, moves)
        self.version = version

    def _words(self) -> Mapping[str, Any]:
        """Return the setting `labels` after its last change that was not taken back."""
        for event in reversed(self.events):
            words = (event.detail or {}).get(LABELS)
            changes = event.kind in (SETTINGS, ONTOLOGY) and event.seq not in self.taken_back
            if changes and words is not None:
                return words  # type: ignore[no-any-return]
        return self._first_words

    def _note_verdict(self, kind: str, item: str | None, detail: Mapping[str, Any]) -> None:
        """Note the improbable answers in an event: of its item, or for a model of all items."""
        if kind == MODEL:
            self.trust = detail.get(TRUST, self.trust)
        doubted = detail.get(DOUBTED)
        if doubted is not None:
            by_item = doubted if kind == MODEL else {str(item): doubted}
            self.doubted.update({item: cells_doubted(cells) for item, cells in by_item.items()})


def doubted_after(doubted: dict[str, Doubted], moves: Moves) -> dict[str, Doubted]:
    """Return the same answers with their labels renamed after some moves."""
    if not moves:
        return doubted
    return {
        item: frozenset((seq, moves.target(label) or label) for seq, label in cells)
        for item, cells in doubted.items()
    }


def cells_doubted(cells: Iterable[Sequence[Any]]) -> Doubted:
    """Return the improbable answers in an event, by event number and label."""
    return frozenset((seq, label) for seq, label in cells)
