"""Every cell of a campaign at one moment, with where its value comes from: asked, accepted, implied, or predicted."""

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
ACCEPTED = "accepted"  # by a lead as it was predicted, after an audit: nobody was asked
# items that are worked on at once, and cells of these where there are many labels
CHUNK = 2_000
CELLS = 400_000
#: Items between two reports of progress: an item of a large ontology has hundreds of lines.
REPORTED = 20
NOBODY = ("import", "system")  # they have no name to hide
#: Is told how many items are done, and of how many.
Progress = Callable[[int, int], object]


class Said(NamedTuple):
    """An answer behind a value: one event, or several people who agree."""

    label: str
    value: bool
    seqs: tuple[int, ...]
    by: tuple[str, ...]
    at: str


class Cell(NamedTuple):
    """One label of one item. Open cells, of which no model has an opinion yet, have no value.

    An asked value has one of `answers`, its own; an implied one those that it follows from, by `reason`. An accepted
    one has its own too, and the probability with which it was predicted. Where people can be wrong all have one: that
    of a yes, in the light of all that was said. What follows from their answers alone is then predicted, not implied,
    with these answers and the reason.
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
        """Whether people said it, or it follows from what they said."""
        return self.value is not None and (self.source != PREDICTED or self.reason is not None)

    @property
    def witnesses(self) -> int:
        """How many people are behind the value."""
        return len({who for said in self.answers for who in said.by})


@dataclass(frozen=True)
class Reason:
    """Answers that a value follows from, and the constraints by which it does, as written and in words."""

    answers: frozenset[tuple[str, bool]]
    labels: tuple[str, ...]
    constraints: tuple[str, ...]
    words: str


class Reasons:
    """Why labels follow from answers; what was found for one item serves all others with these answers among theirs."""

    def __init__(self, onto: Ontology, called: Mapping[str, str] | None = None):
        self._onto = onto
        self._called = called
        self._found: dict[tuple[str, bool], list[Reason]] = {}

    def of(self, label: str, value: bool, answers: Mapping[str, bool]) -> Reason:
        """Why a label has its value; no answer and no constraint could be left out."""
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
    """Some items that are worked on at once: what is known of them, and where a model guesses what it believes.

    `weighed` and `sure` are there where people can be wrong: how probable a yes is in the light of all that was said,
    and what is known for sure, by decisions, labels brought along or accepted, and what follows from these.
    """

    items: list[Item]
    known: Facts
    probable: Floats | None
    likely: Facts | None
    weighed: Floats | None = None
    sure: Facts | None = None

    def follows(self, i: int, k: int) -> str:
        """What an export calls a known value that nobody said: implied, or predicted where it is only probable."""
        return IMPLIED if self.sure is None or self.sure[i, k] >= 0 else PREDICTED


class Testimonies(NamedTuple):
    """What people said who can be wrong: the rows of these items, in order, what is sure of them, and the evidence."""

    rows: Ints
    sure: Facts
    evidence: Floats

    def probable(self, onto: Ontology, rows: Ints, beliefs: Floats, known: Facts) -> Floats:
        """How probable a yes is for each label of some items; what nobody said anything of is as it is known."""
        out = np.where(known >= 0, known, np.nan)
        here = np.flatnonzero(np.isin(rows, self.rows))
        own = np.searchsorted(self.rows, rows[here])
        if len(here):
            out[here] = onto.posterior(beliefs[here], self.sure[own], evidence=self.evidence[own])
        return out

    def certain(self, rows: Ints, known: Facts) -> Facts:
        """What is sure of some items; all that is known of those of which nobody said anything who can be wrong."""
        out = known.copy()
        here = np.flatnonzero(np.isin(rows, self.rows))
        out[here] = self.sure[np.searchsorted(self.rows, rows[here])]
        return out


@dataclass(frozen=True)
class Snapshot:
    """A campaign at one moment; nothing in it changes while people go on answering.

    `beliefs` are those of all items, withdrawn ones too, and are not copied: `places` has the rows of these items.
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
    #: What people read of each label.
    called: Mapping[str, str] = field(default_factory=dict)
    #: What people said who can be wrong; None where answers are facts.
    testimonies: Testimonies | None = None

    @property
    def label_names(self) -> dict[str, str]:
        """What people call the labels, where someone named any: the name that was given, else the label."""
        given = {
            label: " ".join(self.settings.labels.get(label, {}).get("name", "").split())
            for label in self.onto.labels
        }
        named = {label: name or label for label, name in given.items()}
        return named if any(name != label for label, name in named.items()) else {}

    def rows(
        self, *, predictions: bool = True, open_cells: bool = True
    ) -> Iterator[tuple[Item, Standing, list[Cell]]]:
        """Every item with its cells, in the order of the items and of the labels.

        Without `open_cells` those of which nothing is known or predicted are left out, and items that have no others.
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
        """The items, some at a time, so that no more than that is held of what is believed; tells of the progress."""
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
        """What people are called where names are not to be seen: numbered as they came."""
        if self.names:
            return {}
        people = dict.fromkeys(event.who for event in self.events if event.who not in NOBODY)
        return {who: f"annotator {n}" for n, who in enumerate(people, 1)}


def accepted_at(event: Event, label: str) -> float:
    """How probable what was accepted was; of a no as of a yes the probability of a yes, as for what is predicted."""
    told = (event.detail or {})["probability"]
    if isinstance(event.value, dict):
        p = float(told[label])
        value = event.value[label]
    else:
        p = float(told)
        value = label in event.value
    return p if value else 1.0 - p


def _tell_nobody(_: int, __: int) -> None:
    """Nobody waits for it."""


def take_snapshot(
    campaign: Campaign,
    *,
    names: bool = True,
    withdrawn: bool = False,
    progress: Progress | None = None,
) -> Snapshot:
    """The campaign as it is now; people wait only while it is copied.

    With `withdrawn` it has the items that were withdrawn, as if they were not, and no others. `progress` is told how
    many items are done whenever they are gone through.
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
    """What people said who can be wrong, copied."""
    if not isinstance(state.session, FallibleSession):
        return None
    rows, evidence = state.session.testified()
    return Testimonies(rows, state.session.sure[rows], evidence)


def _as_if_in_use(state: State, rows: Ints) -> tuple[Facts, dict[str, Standing]]:
    """What would be known of withdrawn items, and what would stand, if they were brought back.

    Where decisions clash by now, nothing of the item is in effect.
    """
    events = {
        state.ids[i]: [event for event in state.of_item[state.ids[i]] if event.kind != WITHDRAW]
        for i in rows.tolist()
    }
    found = stand_all(events, state.onto, state.statements, doubted=state.doubts)
    return found.known, dict(zip(found.items, found.standings, strict=True))
