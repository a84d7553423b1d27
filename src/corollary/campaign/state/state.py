"""The state of a campaign: current labels, consequences and questions; the log alone decides it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ...learning.question import Settled
from ...logic.engines import Facts, Floats
from ...logic.errors import Contradiction, CorollaryError
from ...logic.ontology import Ontology
from ..events import (
    DOUBTED,
    FACT,
    ITEMS,
    MODEL,
    ONTOLOGY,
    SAME,
    SETTINGS,
    WIDER,
    WITHDRAW,
    Event,
    now,
)
from ..labels.label_moves import Moves
from ..labels.statements import Statements
from ..settings import Settings
from .beliefs import KeptLabellings, brought_along, carried_over, first_beliefs
from .campaign_session import CampaignSession
from .event_log import EventLog, cells_doubted, doubted_after, is_about_item
from .fallible_session import FallibleSession
from .measured_costs import holds_one, prices
from .second_opinions import Waiting
from .standing import NOTHING, Doubted, Standing, claims, find_clash, settle, standing, what_is_said
from .standings import Standings, Tally, Untouched, stand_all
from .weighing import Hearings

if TYPE_CHECKING:
    from .unreadable import Trouble

#: Settings that decide which questions are asked.
DECIDE_QUESTIONS = frozenset(
    (
        "learner",
        "encoder",
        "overlap",
        "opinions",
        "pick",
        "item_cost",
        "costs",
        "stay",
        "seed",
        "fallible",
    )
)
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Change:
    """The effect of an event on its item.

    `settled` are labels that are known only now, `opened` are labels that are open again.
    """

    before: Standing = NOTHING
    after: Standing = NOTHING
    settled: tuple[Settled, ...] = ()
    opened: tuple[tuple[str, bool], ...] = ()


class State(EventLog):
    """The log of a campaign, and all that follows from it.

    Parameters
    ----------
    ids
        The ids of all items.
    ontologies
        All versions up to now, by number.
    events
        The log, in order.
    settings
        The settings at the start.
    beliefs
        The probabilities of the last model in the log, (n, K). Without them, the ontology and the
        imported labels suggest how common labels are.
    """

    session: CampaignSession
    #: Whether each item has at most one label, with those above it.
    one: bool
    standings: dict[str, Standing]
    tally: Tally
    #: Items with a conflict, items with flags or doubts, and withdrawn items, the oldest first.
    held: dict[str, None]
    marked: dict[str, None]
    withdrawn: dict[str, None]

    def __init__(
        self,
        ids: Sequence[str],
        ontologies: Mapping[int, Ontology],
        events: Iterable[Event] = (),
        *,
        settings: Settings | None = None,
        beliefs: Floats | None = None,
    ):
        super().__init__(ontologies, settings or Settings())
        self.start = self.settings
        self.trouble: Trouble | None = None  # the reason if the rest of the log is left out
        self.ids = tuple(ids)
        self.leased: set[str] = set()  # items that someone holds; not in the log
        self._believed = beliefs
        self.labellings = KeptLabellings()
        self._day = ""  # of the last event about an item; below, the questions saved before it
        self._saved_before = 0
        self.statements = Statements(self.ontologies, self.moves)
        for event in events:
            self.note(event)
        self.rebuild()

    # -- reading -----------------------------------------------------------------------------------------------------

    @property
    def has_model(self) -> bool:
        """Whether the beliefs of the last model are available."""
        return self._believed is not None and self.model is not None

    @property
    def facts(self) -> Facts:
        """All known labels, int8 (N, K); for reading only."""
        return self.session.known

    def standing_of(self, item: str) -> Standing:
        """Return the standing of an item."""
        return self.standings.get(item, NOTHING)

    def in_use(self) -> Ints:
        """Return the rows of the items that are not withdrawn."""
        out = [self.row(item) for item in self.withdrawn]
        return np.delete(np.arange(len(self.ids)), out)

    def known_of(self, item: str) -> dict[str, bool]:
        """Return the known labels of an item."""
        known = self.session.known[self.row(item)]
        return {label: bool(known[k]) for k, label in enumerate(self.onto.labels) if known[k] >= 0}

    def is_known(self, item: str, label: str) -> bool:
        """Whether a label of an item is known."""
        k = self.onto.index.get(label)
        return k is not None and bool(self.session.known[self.row(item), k] >= 0)

    def is_done(self, item: str) -> bool:
        """Whether all labels of an item are known."""
        return bool((self.session.known[self.row(item)] >= 0).all())

    def row(self, item: str) -> int:
        """Return the row of an item, or raise CorollaryError if there is no such item."""
        try:
            return self._row[item]
        except KeyError:
            raise CorollaryError(
                f"no item {item!r} in this campaign of {len(self.ids):,} items"
            ) from None

    def counts(self) -> dict[str, Any]:
        """Return the figures that change with every answer, including those of this day (UTC).

        If `one` is true, each item has at most one label, and the page counts items, not labels.
        """
        today = self._saved - self._saved_before if self._day == now()[:10] else 0
        return self.tally.as_dict(one=self.one) | {"saved_today": today, "one": self.one}

    @property
    def _saved(self) -> int:
        return self.tally.saved(one=self.one)

    # -- events --------------------------------------------------------------------------------------

    def foresee(self, event: Event) -> Standing:
        """Return the standing of the event's item after it, without applying the event.

        Raises
        ------
        Contradiction
            The decisions about the item would contradict each other.
        """
        assert event.item is not None
        doubted = self._doubted_of(event.item)
        return standing(
            [*self.of_item.get(event.item, ()), event], self.onto, self.statements, doubted=doubted
        )

    def apply(self, event: Event, *, ids: Sequence[str] = ()) -> Change:
        """Apply the next event of the log.

        Parameters
        ----------
        event
            The event.
        ids
            The ids of the items that it adds.

        Returns
        -------
        Change
            The effect on its item.

        Raises
        ------
        CorollaryError
            The event does not follow the last one, or decisions clash. Nothing has changed then.
        """
        if event.seq != self.seq + 1:
            raise CorollaryError(
                f"event {event.seq} cannot follow event {self.seq}: the log has a gap"
            )
        if self._renews(event):
            self.apply_all([event])
        elif is_about_item(event):
            return self._apply_to_item(event)
        elif event.kind == ONTOLOGY:
            onto = self.ontologies[event.value]
            found = self.standings_after(onto, event.value, _moves_of(event))
            _refuse(found)
            self.note(event)
            self._build(found)
        elif (version := self.brings_back(event)) is not None:
            found = self.standings_under(version)
            _refuse(found)
            self.note(event)
            self._build(found)
        elif event.kind == ITEMS:
            self.ids = (*self.ids, *ids)
            self.note(event)
            self.rebuild()
        elif event.kind == SETTINGS:
            self.note(event)
            if not DECIDE_QUESTIONS.isdisjoint(event.detail or {}):
                self.rebuild()
        else:
            self.note(event)
            if isinstance(self.session, FallibleSession) and event.kind == MODEL:
                for item in (event.detail or {}).get(DOUBTED, {}):
                    self._stand_anew(item)
        return Change()

    def _renews(self, event: Event) -> bool:
        """Whether an event changes beliefs about other items, as imports do before the first model."""
        return self.model is None and (event.kind == FACT or self.is_withdrawal(event))

    def apply_all(self, events: Sequence[Event], *, ids: Sequence[str] = ()) -> None:
        """Apply many events about items at once, as in an import, without returning their effects."""
        self.ids = (*self.ids, *ids)
        for event in events:
            self.note(event)
        self.rebuild()

    def take_beliefs(self, beliefs: Floats) -> None:
        """Keep the beliefs of the current model, for the next time the session is made."""
        self._believed = beliefs

    def standings_after(self, onto: Ontology, version: int, moves: Moves) -> Standings:
        """Return the standing of each item under the next ontology, which has these moves of labels."""
        ahead = self.moves.with_next(version, self.version, onto, moves)
        statements = Statements(ahead.ontologies, ahead)
        doubts = None if self.doubts is None else doubted_after(self.doubted, moves)
        return stand_all(self.of_item, onto, statements, doubted=doubts)

    def standings_under(self, version: int) -> Standings:
        """Return the standing of each item under an earlier version of the ontology."""
        onto = self.ontologies[version]
        moves = self.moves.between(self.version, version)
        doubts = None if self.doubts is None else doubted_after(self.doubted, moves)
        return stand_all(self.of_item, onto, self.statements, doubted=doubts)

    def rebuild(self) -> None:
        """Derive everything again from the events."""
        self._build(stand_all(self.of_item, self.onto, self.statements, doubted=self.doubts))

    @property
    def doubts(self) -> Mapping[str, Doubted] | None:
        """The improbable answers of each item; None if answers are facts."""
        return self.doubted if self.settings.fallible else None

    def _doubted_of(self, item: str) -> Doubted | None:
        return None if self.doubts is None else self.doubts.get(item, frozenset())

    def hold(self, item: str, leased: bool) -> None:
        """Note that someone holds an item, or no longer does."""
        (self.leased.add if leased else self.leased.discard)(item)
        self.session.hold(item, leased or self.standing_of(item).rests)

    def _apply_to_item(self, event: Event) -> Change:
        assert event.item is not None
        before = self.standing_of(event.item)
        was = self.session.known_of(self.row(event.item))
        events = [*self.of_item.get(event.item, ()), event]
        doubted = self._doubted_of(event.item)
        if doubted is not None and DOUBTED in (event.detail or {}):
            doubted = cells_doubted((event.detail or {})[DOUBTED])
        after, settled = self._restate(event.item, events, before, doubted)
        if event.at[:10] != self._day:
            self._day = event.at[:10]
            self._saved_before = self._saved
        self.note(event)
        known = self._stand(event.item, before, was, after)
        self._index(event.item, after, known)
        if self.is_withdrawal(event):
            self._day, self._saved_before = self._look_back()
        labels = self.onto.labels
        opened = tuple(
            (labels[k], bool(was[k])) for k in np.flatnonzero((was >= 0) & (known < 0)).tolist()
        )
        return Change(before, after, settled, opened)

    def _stand_anew(self, item: str) -> None:
        """Update the standing of an item after a model changed which answers are improbable."""
        before = self.standing_of(item)
        was = self.session.known_of(self.row(item))
        after, _ = self._restate(item, self.of_item[item], before, self._doubted_of(item))
        self._stand(item, before, was, after)
        self.waiting.put(
            item, after, self.session.known[self.row(item)], self.of_item[item][-1].seq
        )

    def _stand(self, item: str, before: Standing, was: Facts, after: Standing) -> Facts:
        """Set and count the standing of an item; return its known labels."""
        self.standings[item] = after
        known: Facts = self.session.known[self.row(item)]
        self.session.hold(item, item in self.leased or after.rests)
        self.tally = self.tally.plus(Tally.of(before, was, self._untouched), times=-1)
        self.tally = self.tally.plus(Tally.of(after, known, self._untouched))
        return known

    def _restate(
        self, item: str, events: Sequence[Event], before: Standing, doubted: Doubted | None
    ) -> tuple[Standing, tuple[Settled, ...]]:
        """Give the session the new standing of an item; settle clashes only if there are any."""
        if isinstance(self.session, FallibleSession):
            after = standing(events, self.onto, self.statements, doubted=doubted)
            evidence = self.hearings.of(after.said)
            skipped = self._set_aside(after)
            return after, self.session.hear(item, evidence, after.answers, skipped=skipped)
        said = what_is_said(events, self.onto, self.statements)
        counting, disagreements = claims(said, self.onto)
        after = Standing(
            said, {opinion.label: opinion for opinion in counting}, tuple(disagreements)
        )
        try:
            return after, self._tell(item, before, after)
        except Contradiction:
            after = settle(said, counting, disagreements, partial(find_clash, self.onto))
            return after, self._tell(item, before, after)

    def _tell(self, item: str, before: Standing, after: Standing) -> tuple[Settled, ...]:
        if after.answers == before.answers and after.set_aside == before.set_aside:
            return ()
        return self.session.restate(item, after.answers, skipped=self._set_aside(after))

    # -- building ----------------------------------------------------------------------------------------------------

    def _build(self, found: Standings) -> None:
        """Make the session, the waiting questions and the counts from the standings."""
        _refuse(found)
        onto = self.onto
        n = len(self.ids)
        k = len(onto)
        self._row = {item: i for i, item in enumerate(self.ids)}
        self._untouched = Untouched.of(onto)
        self.one = holds_one(onto)
        self.standings = dict(zip(found.items, found.standings, strict=True))
        rows = np.array([self.row(item) for item in found.items], np.int64)
        answers = np.full((n, k), -1, np.int8)
        known = np.tile(self._untouched.known, (n, 1))
        answers[rows] = found.answers
        known[rows] = found.known
        skipped = np.zeros((n, k + 1), np.bool_)
        held = np.zeros(n, np.bool_)
        self.waiting = Waiting(onto, self.settings, self.is_asked_alone, self.is_gold)
        self.held = {}
        self.marked = {}
        self.withdrawn = {}
        for i, item, one in zip(rows.tolist(), found.items, found.standings, strict=True):
            skipped[
                i, [k if label is None else onto.index[label] for label in self._set_aside(one)]
            ] = True
            held[i] = one.rests
            self._index(item, one, known[i])
        self.tally = Tally.all(found, self._untouched).plus(self._untouched.tally, times=n)
        held[[self.row(item) for item in self.leased]] = True
        make: Callable[..., CampaignSession] = CampaignSession
        self.hearings = Hearings(onto)
        if self.settings.fallible:
            evidence = {
                i: self.hearings.of(one.said)
                for i, one in zip(rows.tolist(), found.standings, strict=True)
            }
            make = partial(FallibleSession, evidence=evidence, trust=self.trust)
        self.session = make(
            onto,
            self.ids,
            self._beliefs(),
            self.settings,
            cost=prices(self.settings, onto, self.events),
            answers=answers,
            known=known,
            skipped=skipped,
            held=held,
        )
        self._day, self._saved_before = self._look_back()

    def _look_back(self) -> tuple[str, int]:
        """Return the day of the last event about an item, and the questions saved before that day.

        The day begins with the first of its consecutive events. Withdrawn items are left out, and
        items brought back count as if they had always been there, so that neither saves anything.
        """
        about = (event for event in reversed(self.events) if is_about_item(event))
        last = next(about, None)
        day = last.at[:10] if last is not None else ""
        today = (
            [last, *takewhile(lambda event: event.at[:10] == day, about)]
            if last is not None
            else []
        )
        begun = today[-1].seq - 1 if today else 0
        items = dict.fromkeys(str(event.item) for event in reversed(today))
        before = {
            item: [
                event
                for event in self.of_item[item]
                if event.seq <= begun and event.kind != WITHDRAW
            ]
            for item in items.keys() - self.withdrawn.keys()
        }
        some = {item: events for item, events in before.items() if events}
        found = stand_all(some, self.onto, self.statements, doubted=self.doubts)
        then = Tally.all(found, self._untouched)
        known = self.session.known[[self.row(item) for item in items]]
        these = Tally.sum(
            Tally.each([self.standings[item] for item in items], known, self._untouched)
        )
        return day, self._saved + then.saved(one=self.one) - these.saved(one=self.one)

    def _index(self, item: str, one: Standing, known: Facts) -> None:
        """Update the lists of items that wait for someone."""
        self.waiting.put(item, one, known, self.of_item[item][-1].seq)
        for items, listed in (
            (self.held, bool(one.conflicts)),
            (self.marked, bool(one.said.flags or one.said.doubts)),
            (self.withdrawn, one.withdrawn),
        ):
            items.pop(item, None)
            if listed:
                items[item] = None

    def _set_aside(self, one: Standing) -> list[str | None]:
        return [label for label in one.set_aside if label is None or label in self.onto.index]

    def _beliefs(self) -> Floats:
        """Return the last model's beliefs for the current items and labels, or first beliefs."""
        if self._believed is None or self.model is None:
            in_use = (event for event in self.events if event.item not in self.withdrawn)
            brought = brought_along(in_use, self.onto, self.statements)
            return first_beliefs(self.onto, len(self.ids), brought, seed=self.settings.seed)
        then = self.model.ontology
        moves = self.moves.between(then, self.version)
        return carried_over(
            self._believed, self.ontologies[then], self.onto, len(self.ids), moves.label
        )


def _moves_of(event: Event) -> Moves:
    detail = event.detail or {}
    return Moves(detail.get(SAME, {}), detail.get(WIDER, {}))


def _refuse(found: Standings) -> None:
    for item, clash in found.refused.items():
        raise Contradiction(
            f"decisions about item {item!r} clash: {clash}",
            answers=clash.answers,
            constraints=clash.constraints,
        )
