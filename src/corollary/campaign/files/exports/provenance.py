"""Every cell of a campaign at one moment, with its source: asked, accepted, implied or predicted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ....logic.engines import Facts, Floats
from ....logic.language.constraints import Constraint
from ....logic.language.notation import render_constraint
from ....logic.ontology import Ontology
from ....logic.wording import in_words
from ...events import WITHDRAW, Event
from ...items import Item
from ...reading.views import opinions_behind
from ...settings import Settings
from ...state.fallible_session import FallibleSession
from ...state.standing import NOTHING, Standing
from ...state.standings import stand_all
from ...state.state import Ints, State

if TYPE_CHECKING:
    from ...campaign import Campaign

ASKED = "asked"
IMPLIED = "implied"
PREDICTED = "predicted"
OPEN = "open"
ACCEPTED = "accepted"  # a prediction that a lead accepted after an audit; nobody was asked
# items that are worked on at once; fewer if they have more cells than CELLS
CHUNK = 2_000
CELLS = 400_000
#: Items between two reports of progress: an item of a large ontology has hundreds of lines.
REPORTED = 20
NOBODY = ("import", "system")  # they have no name to hide
#: Called with the number of items done, and of all items.
Progress = Callable[[int, int], object]


class Said(NamedTuple):
    """An answer behind a value: one event, or several people who agree."""

    label: str
    value: bool
    seqs: tuple[int, ...]
    by: tuple[str, ...]
    at: str


class Cell(NamedTuple):
    """One label of one item.

    If annotators can be wrong, every cell has a probability, and consequences of answers that are
    not sure are predicted, not implied.

    Attributes
    ----------
    label, value, source
        The label, its value, and its source. An open cell without a prediction has no value.
    probability
        The probability of yes: of a prediction, also one that was accepted.
    answers
        The answer itself, or the answers that an implied value follows from.
    reason
        The answers and constraints that an implied value follows from.
    ontology, model
        The versions of the ontology and the model.
    at
        The time of the last answer behind the value.
    """

    label: str
    value: bool | None
    source: str
    probability: float | None = None
    answers: tuple[Said, ...] = ()
    reason: Reason | None = None
    ontology: int = 1
    model: int = 0
    at: str | None = None

    @property
    def settled(self) -> bool:
        """Whether people answered it, or it follows from their answers."""
        return self.value is not None and (self.source != PREDICTED or self.reason is not None)

    @property
    def witnesses(self) -> int:
        """The number of people behind the value."""
        return len({who for said in self.answers for who in said.by})


@dataclass(frozen=True)
class Reason:
    """The answers that a value follows from, and the constraints, as written and in words."""

    answers: frozenset[tuple[str, bool]]
    labels: tuple[str, ...]
    constraints: tuple[str, ...]
    words: str


class Reasons:
    """Reasons why labels follow from answers, reused for all items that have these answers."""

    def __init__(self, onto: Ontology, called: Mapping[str, str] | None = None):
        self._onto = onto
        self._called = called
        self._found: dict[tuple[str, bool], list[Reason]] = {}

    def of(self, label: str, value: bool, answers: Mapping[str, bool]) -> Reason:
        """Return a minimal reason why a label has its value."""
        known = self._found.setdefault((label, value), [])
        given = answers.items()
        for reason in known:
            if reason.answers <= given:
                return reason
        explanation = self._onto.explain(answers, label)
        used = explanation.answers
        about = (label, *used)
        reason = Reason(
            frozenset(used.items()),
            tuple(used),
            tuple(map(render_constraint, explanation.constraints)),
            "; ".join(_words(one, about, self._called) for one in explanation.constraints),
        )
        known.append(reason)
        return reason


def _words(constraint: Constraint, about: tuple[str, ...], called: Mapping[str, str] | None) -> str:
    return in_words(replace(constraint, source=None), about=about, names=called)


class Part(NamedTuple):
    """A block of items: their known labels and predictions.

    Attributes
    ----------
    items, known
        The items, and their known labels, int8 (n, K).
    probable, likely
        The probability of yes, and the most probable labelling; None without predictions.
    weighed, sure
        If annotators can be wrong: the probability of yes given all answers, and the sure labels.
        Sure are decisions, imported and accepted labels, and their consequences.
    """

    items: list[Item]
    known: Facts
    probable: Floats | None
    likely: Facts | None
    weighed: Floats | None = None
    sure: Facts | None = None

    def follows(self, i: int, k: int) -> str:
        """Return the source of a known value without an answer: implied, or predicted if not sure."""
        return IMPLIED if self.sure is None or self.sure[i, k] >= 0 else PREDICTED


class Testimonies(NamedTuple):
    """The answers of annotators who can be wrong: rows in order, sure labels, and the evidence."""

    rows: Ints
    sure: Facts
    evidence: Floats

    def probable(self, onto: Ontology, rows: Ints, beliefs: Floats, known: Facts) -> Floats:
        """Return the probability of yes for some items; items without answers have their known labels."""
        out = np.where(known >= 0, known, np.nan)
        here = np.flatnonzero(np.isin(rows, self.rows))
        own = np.searchsorted(self.rows, rows[here])
        if len(here):
            out[here] = onto.posterior(beliefs[here], self.sure[own], evidence=self.evidence[own])
        return out

    def certain(self, rows: Ints, known: Facts) -> Facts:
        """Return the sure labels of some items; items without answers have all their known labels."""
        out = known.copy()
        here = np.flatnonzero(np.isin(rows, self.rows))
        out[here] = self.sure[np.searchsorted(self.rows, rows[here])]
        return out


@dataclass(frozen=True)
class Snapshot:
    """A copy of a campaign at one moment, which later answers do not change.

    `beliefs` has the rows of all items, also withdrawn ones. `places` are the rows of `items`.
    """

    items: list[Item]
    onto: Ontology
    version: int
    facts: Facts
    beliefs: Floats
    places: Ints
    standings: dict[str, Standing]
    events: list[Event]
    model: Event | None
    names: bool
    progress: Progress
    settings: Settings = field(default_factory=Settings)
    #: The displayed name of each label.
    called: Mapping[str, str] = field(default_factory=dict)
    #: The answers of annotators who can be wrong; None if answers are facts.
    testimonies: Testimonies | None = None

    @property
    def label_names(self) -> dict[str, str]:
        """The given name of each label, else the label itself; empty if no label has a name."""
        given = {
            label: " ".join(self.settings.labels.get(label, {}).get("name", "").split())
            for label in self.onto.labels
        }
        named = {label: name or label for label, name in given.items()}
        return named if any(name != label for label, name in named.items()) else {}

    def rows(
        self, *, predictions: bool = True, open_cells: bool = True
    ) -> Iterator[tuple[Item, Standing, list[Cell]]]:
        """Yield every item with its cells, in the order of items and labels.

        Parameters
        ----------
        predictions
            Include predictions for open cells.
        open_cells
            Include cells that are neither known nor predicted, and items that have no others.
        """
        reasons = Reasons(self.onto, self.called)
        people = self.pseudonyms()
        done = 0
        for part in self.parts(predictions=predictions):
            for i, item in enumerate(part.items):
                if (done := done + 1) % REPORTED == 0:
                    self.progress(done, len(self.items))
                one = self.standings.get(item.id, NOTHING)
                known = part.known[i]
                cells = self._known_cells(one, part, i, reasons, people)
                if part.probable is not None and part.likely is not None:
                    unknown = np.flatnonzero(known < 0)
                    values = part.likely[i, unknown].tolist()
                    guesses = part.probable[i, unknown].tolist()
                    for k, value, chance in zip(unknown.tolist(), values, guesses, strict=True):
                        cells[k] = self._predicted(self.onto.labels[k], bool(value), chance)
                elif open_cells:
                    for k in np.flatnonzero(known < 0).tolist():
                        cells[k] = Cell(self.onto.labels[k], None, OPEN, ontology=self.version)
                if cells:
                    yield item, one, [cells[k] for k in sorted(cells)]

    def parts(self, *, predictions: bool) -> Iterator[Part]:
        """Yield the items in blocks, which limits memory, and report progress."""
        at_once = max(1, min(CHUNK, CELLS // max(1, len(self.onto))))
        for start in range(0, len(self.items), at_once):
            self.progress(start, len(self.items))
            part = slice(start, start + at_once)
            guess = predictions and self.model is not None
            probable, likely = self._predict(part) if guess else (None, None)
            weighed = sure = None
            if self.testimonies is not None:
                rows = self.places[part]
                known = self.facts[part]
                weighed = self.testimonies.probable(self.onto, rows, self.beliefs[rows], known)
                sure = self.testimonies.certain(rows, known)
            yield Part(self.items[part], self.facts[part], probable, likely, weighed, sure)
        self.progress(len(self.items), len(self.items))

    def _known_cells(
        self, one: Standing, part: Part, i: int, reasons: Reasons, people: Mapping[str, str]
    ) -> dict[int, Cell]:
        answers = one.answers
        known = part.known[i]
        chances = None if part.weighed is None else part.weighed[i].tolist()
        said = {label: self._said(one, label, people) for label in answers}
        cells: dict[int, Cell] = {}
        for k in np.flatnonzero(known >= 0).tolist():
            label = self.onto.labels[k]
            value = bool(known[k])
            if label in answers:
                event = self.events[one.effect[label].seq - 1]
                usual = None if chances is None else chances[k]
                source, chance = (
                    (ACCEPTED, accepted_at(event, label))
                    if one.is_accepted(label)
                    else (ASKED, usual)
                )
                own = (said[label],)
                cells[k] = Cell(
                    label, value, source, chance, own, None, event.ontology, event.model, event.at
                )
            else:
                reason = reasons.of(label, value, answers)
                behind = tuple(said[name] for name in reason.labels)
                at = max((one.at for one in behind), default=None)
                chance = None if chances is None else chances[k]
                rests = reason.labels and all(one.is_accepted(name) for name in reason.labels)
                source = ACCEPTED if rests else part.follows(i, k)
                cells[k] = Cell(label, value, source, chance, behind, reason, self.version, 0, at)
        return cells

    def _said(self, one: Standing, label: str, people: Mapping[str, str]) -> Said:
        opinions = opinions_behind(one, label)
        by = tuple(people.get(opinion.who, opinion.who) for opinion in opinions)
        at = self.events[one.effect[label].seq - 1].at
        return Said(
            label, one.effect[label].value, tuple(opinion.seq for opinion in opinions), by, at
        )

    def _predict(self, part: slice) -> tuple[Floats, Facts]:
        beliefs = self.beliefs[self.places[part]]
        facts = self.facts[part]
        return self.onto.posterior(beliefs, facts), self.onto.most_probable(beliefs, facts)

    def _predicted(self, label: str, value: bool, probability: float) -> Cell:
        assert self.model is not None
        return Cell(
            label,
            value,
            PREDICTED,
            probability,
            (),
            None,
            self.version,
            int(self.model.value),
            self.model.at,
        )

    def pseudonyms(self) -> dict[str, str]:
        """Return pseudonyms of people, numbered as they came; empty if names are shown."""
        if self.names:
            return {}
        people = dict.fromkeys(event.who for event in self.events if event.who not in NOBODY)
        return {who: f"annotator {n}" for n, who in enumerate(people, 1)}


def accepted_at(event: Event, label: str) -> float:
    """Return the predicted probability of yes for a label that was accepted."""
    probability = (event.detail or {})["probability"]
    if isinstance(event.value, dict):
        p = float(probability[label])
        value = event.value[label]
    else:
        p = float(probability)
        value = label in event.value
    return p if value else 1.0 - p


def _tell_nobody(_: int, __: int) -> None:
    """Report no progress."""


def take_snapshot(
    campaign: Campaign,
    *,
    names: bool = True,
    withdrawn: bool = False,
    progress: Progress | None = None,
) -> Snapshot:
    """Return a copy of the campaign as it is now; people wait only during the copying.

    Parameters
    ----------
    campaign
        The campaign.
    names
        Keep the names of people; else they are numbered.
    withdrawn
        Copy only the withdrawn items, as if they were in use.
    progress
        Called with the number of items done and of all items, whenever items are gone through.
    """
    with campaign.lock:
        state = campaign.state
        items = {item.id: item for item in campaign.items(limit=len(state.ids))}
        if withdrawn:
            rows = np.sort([state.row(item) for item in state.withdrawn]).astype(np.int64)
            facts, standings = _as_if_in_use(state, rows)
        else:
            rows = state.in_use()
            facts = state.facts[rows]
            standings = dict(state.standings)
        return Snapshot(
            [items[state.ids[i]] for i in rows],
            state.onto,
            state.version,
            facts,
            state.session.beliefs,
            rows,
            standings,
            list(state.events if state.trouble is None else state.trouble.whole.events),
            state.model,
            names,
            progress or _tell_nobody,
            state.settings,
            state.names,
            _testimonies(state),
        )


def _testimonies(state: State) -> Testimonies | None:
    """Return a copy of the answers of annotators who can be wrong."""
    if not isinstance(state.session, FallibleSession):
        return None
    rows, evidence = state.session.testified()
    return Testimonies(rows, state.session.sure[rows], evidence)


def _as_if_in_use(state: State, rows: Ints) -> tuple[Facts, dict[str, Standing]]:
    """Return the known labels and standings that withdrawn items would have if brought back.

    If decisions clash by now, no answer about the item is in effect.
    """
    events = {
        state.ids[i]: [event for event in state.of_item[state.ids[i]] if event.kind != WITHDRAW]
        for i in rows.tolist()
    }
    found = stand_all(events, state.onto, state.statements, doubted=state.doubts)
    return found.known, dict(zip(found.items, found.standings, strict=True))
