"""A campaign: a session whose answers live in a durable log; safe to use from many threads."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from ..logic.errors import CorollaryError, nearest
from ..logic.ontology import Ontology
from .events import (
    ANSWER,
    DECISION,
    DOUBT,
    FACT,
    FLAG,
    GOLD,
    ITEMS,
    ONTOLOGY,
    PAUSE,
    RESUME,
    SETTINGS,
    UNDO,
    UNFLAG,
    WITHDRAW,
    Event,
    new_key,
)
from .items import Item, Thing, as_items, check_alike
from .live import drafts
from .live.blinding import Seen, opened_of_own, seen_by, told_of
from .live.ledger import Pending
from .live.live import Live
from .live.next_question import Asking
from .live.ontology_preview import preview
from .live.replies import Preview, Reply, Undone
from .people import LINK_SECONDS
from .reading.reading import Reading
from .settings import Settings
from .state.second_opinions import IMPORT
from .state.state import Change, State
from .storage.records import ANNOTATOR, LEAD, Annotator, Lease
from .storage.store import Place, Store
from .vectors import SameVectors

#: An existing label of an item: the item, the label, yes or no.
Fact = tuple[str, str, bool]


class Campaign(Reading):
    """Items, an ontology, people, and what they said.

    Every write is checked and applied in memory under a lock, handed to the store, and acknowledged once it is on
    disk. If that fails the caller gets the error, and everything is read again from the store before anybody gets it.
    """

    def __init__(self, store: Store, *, clock: Callable[[], float] = time.time, readonly: bool = False):
        try:
            super().__init__(Live(store, clock=clock, readonly=readonly))
        except BaseException:
            store.close()
            raise

    @classmethod
    def create(
        cls,
        url: Place,
        items: Iterable[Thing],
        onto: Ontology,
        *,
        name: str,
        about: str = "",
        settings: Mapping[str, Any] | None = None,
        lead: str = "lead",
        facts: Iterable[Fact] = (),
        clock: Callable[[], float] = time.time,
    ) -> Self:
        """Make a campaign at a path or an address, all of it or nothing, and open it.

        Items may be texts, dicts with an "id" and perhaps a "text", or `Item`s; `facts` are labels of these that are
        known already.
        """
        start = Settings().asked(settings or {})
        text = str(onto)
        _parse(text)
        known, things = list(facts), as_items(items)
        if known:
            brought = list(things)
            _check_facts(known, {item.id for item in brought}, onto)
            things = iter(brought)
        store = Store.create(
            url,
            name=name,
            about=about,
            ontology_text=text,
            items=check_alike(things, SameVectors()),
            settings=start.as_dict(),
            annotators=[Annotator(name=lead, role=LEAD)],
            events=map(_as_event, known),
            who=lead,
        )
        return cls(store, clock=clock)

    @classmethod
    def open(cls, url: Place, *, readonly: bool = False, clock: Callable[[], float] = time.time) -> Self:
        """Open a campaign; for writing only one process can."""
        return cls(Store.open(url, readonly=readonly), clock=clock, readonly=readonly)

    def close(self) -> None:
        """Write what waits and let go of the campaign; closing twice is fine."""
        self._live.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- asking and answering ----------------------------------------------------------------------------------------

    def next(self, who: str, n: int = 1) -> list[Asking]:
        """The next n questions for someone, held for them: those they hold already, then further ones."""
        with self._ledger.lock:
            self._people.check(who)
            self._live.let_go()
            self._live.take_up()
            return [] if self.state.paused_since(who) else self._live.hand_out(who, n)

    def answer(
        self,
        who: str,
        item: str,
        label: str | None,
        value: Any,
        *,
        key: str | None = None,
        seconds: float | None = None,
        lease: str | None = None,
    ) -> Reply:
        """Take an answer: True, False, "cant_tell" or "skip"; for a whole item (no label) the list of its labels."""
        return self.take_answer(who, item, label, value, key=key, seconds=seconds, lease=lease).wait()

    def take_answer(
        self,
        who: str,
        item: str,
        label: str | None,
        value: Any,
        *,
        key: str | None = None,
        seconds: float | None = None,
        lease: str | None = None,
    ) -> Pending[Reply]:
        """The same for those who have other things to do until the answer is safe on disk: the reply comes at once."""
        known, seen = False, None

        def draft(state: State) -> Event:
            nonlocal known, seen
            person = self._people.check(who)
            made = drafts.draft_answer(state, who, item, label, value, seconds)
            seen = self._hidden(state, person, item, label)
            known = label is not None and state.is_known(item, label)
            return made

        def tell(event: Event, change: Change) -> Reply:
            self._live.release_for(who, item, label, lease)
            self._live.answered()
            found = next((one for one in change.after.conflicts if one.concerns(event.seq)), None)
            first = who not in change.before.said.opinions.get(str(label), {})
            done = bool((self.state.facts[self.state.row(item)] >= 0).all())
            if seen is None:
                return Reply(event, change.settled, change.opened, known and first, found, done, self._counts())
            told = told_of(self.state, seen, event, change)
            second = first and label in seen.known and label not in seen.hidden
            # No conflict is told: which one is found, of several, may depend on what is hidden. A lead sees them all.
            return Reply(event, told.settled, told.opened, second, None, told.done, self._counts())

        return self._ledger.write(
            key or new_key(), (ANSWER, who), draft, tell, retell=lambda event: Reply(event, counts=self._counts())
        )

    def undo(self, who: str, seq: int | None = None, *, key: str | None = None) -> Undone:
        """Take back one's last answer or flag, or an event by its number; a lead may take back anybody's."""
        lead = False

        def draft(state: State) -> Event:
            nonlocal lead
            lead = self._people.check(who).role == LEAD
            return drafts.draft_undo(state, who, seq, lead=lead)

        def tell(event: Event, change: Change) -> Undone:
            assert event.refers is not None
            state = self.state
            undone, opened, settled = state.event(event.refers), change.opened, change.settled
            if not lead and (state.settings.overlap or state.settings.gold_share):
                opened, settled = opened_of_own(state.onto, who, change), ()  # what others said may be hidden from them
            return Undone(event, undone, opened, settled, self._counts())

        def first(event: Event, change: Change) -> Undone:
            undone = tell(event, change)
            if undone.undone.kind == WITHDRAW:
                self._live.reconsider()
            return undone

        return self._ledger.write(
            key or new_key(), (UNDO, who), draft, first, retell=lambda event: tell(event, Change())
        ).wait()

    def flag(
        self, who: str, item: str, label: str | None = None, *, reason: str, note: str = "", rule: str | None = None,
        key: str | None = None,
    ) -> Event:  # fmt: skip
        """Tell the lead that something is wrong with an item; its flagger is no longer asked about it."""
        detail = {"reason": reason, "note": note, "rule": rule}

        def draft(state: State) -> Event:
            self._people.check(who)
            return drafts.draft_flag(state, who, item, label, detail)

        def tell(event: Event, _: Change) -> Event:
            self._live.release_for(who, item, label, None)
            return event

        return self._ledger.write(key or new_key(), (FLAG, who), draft, tell, retell=_itself).wait()

    def doubt(self, who: str, seq: int, *, rules: Sequence[str] = (), note: str = "", key: str | None = None) -> Event:
        """Tell the lead of a contradiction that one's own answer is part of."""
        return self._say((DOUBT, who), key, lambda state: drafts.draft_doubt(state, who, seq, rules, note))

    # -- what a lead does --------------------------------------------------------------------------------------------

    def unflag(self, who: str, seq: int, *, key: str | None = None) -> Event:
        """End a flag or a doubt."""
        return self._say((UNFLAG, who), key, lambda state: drafts.draft_unflag(state, who, seq), lead=True)

    def decide(
        self, who: str, item: str, label: str, value: bool, *, reject: Sequence[int] = (), note: str = "",
        key: str | None = None,
    ) -> Reply:  # fmt: skip
        """Settle a cell, whatever was answered; `reject` are answers that shall no longer stand."""

        def draft(state: State) -> Event:
            self._people.check(who, lead=True)
            return drafts.draft_decision(state, who, item, label, value, reject=reject, note=note)

        def tell(event: Event, change: Change) -> Reply:
            done = bool((self.state.facts[self.state.row(item)] >= 0).all())
            left = change.after.conflicts[0] if change.after.conflicts else None
            return Reply(event, change.settled, change.opened, False, left, done, self._counts())

        return self._ledger.write(
            key or new_key(), (DECISION, who), draft, tell, retell=lambda event: Reply(event, counts=self._counts())
        ).wait()

    def gold(self, who: str, item: str, label: str, value: bool, *, key: str | None = None) -> Event:
        """Make a cell a gold question: its answer is known, and people may be asked it as if it were not."""
        return self._say((GOLD, who), key, lambda state: drafts.draft_gold(state, who, item, label, value), lead=True)

    def withdraw(self, ids: str | Iterable[str], *, who: str, reason: str = "") -> list[Event]:
        """Take items out of the campaign, all or none, without losing what was said of them.

        They are not asked, learnt from, counted or exported until the withdrawal is undone. Items that were withdrawn
        before stay so; the events tell of the others, each to be taken back with `undo`, or all with `bring_back`.
        """
        return self._put_all(who, lambda state: drafts.draft_withdrawals(state, who, _listed(ids), reason))

    def bring_back(self, ids: str | Iterable[str], *, who: str) -> list[Event]:
        """Undo the withdrawal of items, all or none; the events tell of those that were withdrawn."""
        return self._put_all(who, lambda state: drafts.draft_returns(state, who, _listed(ids)))

    def preview_ontology(self, text: str) -> Preview:
        """What another ontology would settle, reopen or break; nothing changes."""
        onto = _parse(text)
        with self._ledger.lock:
            return preview(self.state, onto)

    def change_ontology(self, who: str, text: str, *, key: str | None = None) -> Event:
        """Put another ontology in force; refused where decisions would clash."""
        onto = _parse(text)

        def draft(state: State) -> Event:
            self._people.check(who, lead=True)
            refused = preview(state, onto).refused
            if refused:
                item, message = refused[0]
                raise CorollaryError(
                    f"the decisions about {len(refused):,} items cannot be true under this ontology; "
                    f"undo them, or change it. The first is item {item!r}: {message}"
                )
            version = self._live.store.add_ontology(text, who=who)
            state.ontologies[version] = onto
            return Event(kind=ONTOLOGY, who=who, value=version)

        return self._ledger.write(key or new_key(), (ONTOLOGY, who), draft, self._renewed, retell=_itself).wait()

    def change_settings(self, who: str, changes: Mapping[str, Any], *, key: str | None = None) -> Settings:
        """Change some settings."""

        def draft(state: State) -> Event:
            self._people.check(who, lead=True)
            state.settings.asked(changes)
            return Event(kind=SETTINGS, who=who, detail=dict(changes))

        self._ledger.write(key or new_key(), (SETTINGS, who), draft, self._renewed, retell=_itself).wait()
        return self.settings

    def add(self, who: str, items: Iterable[Item] = (), facts: Iterable[Fact] = ()) -> int:
        """Add items, and labels that are known already, all or nothing; how many events tell of it."""
        new = list(items)
        known = list(facts)
        with self._ledger.lock:
            self._people.check(who, lead=True)
            list(check_alike(new, self.vectors()))
            for item, _, _ in known:
                if item in self.state.withdrawn:
                    drafts.check_item(self.state, item)
            _check_facts(known, {*self.state.ids, *(item.id for item in new)}, self.state.onto)
            told = [Event(kind=ITEMS, who=who, value=len(new))] if new else []
            told += map(_as_event, known)
            if not told:
                return 0
            tickets = self._ledger.put_all(told, items=new)
            if new:
                self._live.add_items(new)
            self._live.renewed()
            if known:
                self._live.train()
        tickets[-1].receipt.wait()
        return len(told)

    def pause(self, name: str | None = None, *, who: str) -> Event:
        """Ask someone, or everybody, nothing for now."""
        return self._say((PAUSE, who), None, lambda _: Event(kind=PAUSE, who=who, value=self._named(name)), lead=True)

    def resume(self, name: str | None = None, *, who: str) -> Event:
        """Go on asking someone, or everybody."""
        return self._say((RESUME, who), None, lambda _: Event(kind=RESUME, who=who, value=self._named(name)), lead=True)

    def invite(self, name: str, role: str = ANNOTATOR) -> str:
        """A token for someone, to be shown once."""
        return self._people.invite(name, role)

    def invite_by_link(self, name: str, role: str = ANNOTATOR, *, seconds: float = LINK_SECONDS) -> str:
        """The secret of a link for someone, to be shown once; `join` exchanges it for a token, once and in time."""
        return self._people.link(name, role, seconds=seconds)

    def join(self, link: str) -> str | None:
        """A token for the secret of a link; None where that does not work, or no longer."""
        return self._people.join(link)

    def linked(self, link: str) -> Annotator | None:
        """Who is invited by a link."""
        return self._people.linked(link)

    def revoke(self, name: str) -> None:
        """Let someone no longer take part; what they said stands, what they hold is free."""
        self._people.revoke(name)
        with self._ledger.lock:
            for lease in self._live.leases.of(name):
                self._live.release(lease)

    def annotators(self) -> list[Annotator]:
        """Everyone, in order of name; at once, as `authenticate`: check `in_step` where it matters."""
        return self._live.people.all()

    def set_password(self, name: str, password_hash: str | None) -> None:
        """Keep the hash of someone's password."""
        self._people.set_password(name, password_hash)

    def authenticate(self, token: str) -> Annotator | None:
        """Whose token this is."""
        return self._live.people.authenticate(token)

    def retrain(self, *, wait: bool = False) -> dict[str, object]:
        """Train a model on all that is known now; with `wait` until it decides. How training stands."""
        if wait:
            self._finish_training()
        with self._ledger.lock:
            self._live.take_up()
            self._live.train()
        if wait:
            self._finish_training()
        return self._live.models.status

    def _finish_training(self) -> None:
        self.state.session.finish()  # not under the lock: people go on answering
        with self._ledger.lock:
            self._live.take_up()

    # -- leases ------------------------------------------------------------------------------------------------------

    def renew(self, who: str, leases: Sequence[str]) -> list[Lease]:
        """Hold some questions for longer; those that are gone are left out."""
        with self._ledger.lock:
            self._live.let_go()
            renewed = self._live.leases.renew(who, leases, self.settings.lease_seconds)
            self._live.store.mirror_leases(renewed)
            return renewed

    def release(self, who: str, leases: Sequence[str]) -> int:
        """Give questions back without an answer; how many."""
        with self._ledger.lock:
            mine = [lease for lease in self._live.leases.of(who) if lease.id in leases]
            for lease in mine:
                self._live.release(lease)
            return len(mine)

    def _say(
        self, about: tuple[str, str], key: str | None, draft: Callable[[State], Event], *, lead: bool = False
    ) -> Event:
        """Write an event of which there is nothing to tell."""

        def checked(state: State) -> Event:
            self._people.check(about[1], lead=lead)
            return draft(state)

        return self._ledger.write(key or new_key(), about, checked, lambda event, _: event, retell=_itself).wait()

    def _put_all(self, who: str, draft: Callable[[State], list[Event]]) -> list[Event]:
        """Write the events of a lead about items, all or none, and go on without, or with, these items."""
        with self._ledger.lock:
            self._people.check(who, lead=True)
            drafted = draft(self.state)
            if not drafted:
                return []
            tickets = self._ledger.put_all(drafted)
            for ticket in tickets:
                if (lease := self._live.leases.on(str(ticket.event.item))) is not None:
                    self._live.release(lease)
            self._live.reconsider()
        tickets[-1].receipt.wait()
        return [ticket.event for ticket in tickets]

    def _hidden(self, state: State, person: Annotator, item: str, label: str | None = None) -> Seen | None:
        """What someone sees of an item of which something is hidden from them; a lead sees all but what they are asked.

        None where nothing is hidden.
        """
        if person.role != LEAD:
            return seen_by(state, person.name, item)
        held, cell = self._live.leases.on(item), (item, label)
        asked = held is not None and held.who == person.name and held.label == label
        blind = asked and (cell in state.waiting.second or cell in state.waiting.gold)
        return seen_by(state, None, item, asked=label) if blind else None

    def _renewed(self, event: Event, _: Change) -> Event:
        self._live.renewed()
        return event

    def _named(self, name: str | None) -> str | None:
        return None if name is None else self._people.get(name).name

    def _counts(self) -> dict[str, int]:
        return self.state.counts()


def _listed(ids: str | Iterable[str]) -> list[str]:
    return [ids] if isinstance(ids, str) else list(ids)


def _check_facts(facts: Iterable[Fact], there: Collection[str], onto: Ontology) -> None:
    for item, label, _ in facts:
        if label not in onto.index:
            raise CorollaryError(f"unknown label {label!r}{nearest(str(label), onto.labels)}")
        if item not in there:
            raise CorollaryError(f"the label {label!r} is of item {item!r}, which is not there")


def _as_event(fact: Fact) -> Event:
    item, label, value = fact
    return Event(kind=FACT, who=IMPORT, item=item, label=label, value=value)


def _itself(event: Event) -> Event:
    return event


def _parse(text: str) -> Ontology:
    """An ontology from its text; one that contradicts itself is refused."""
    onto = Ontology.parse(text)
    if not len(onto):
        raise CorollaryError("an ontology needs at least one label")
    onto.propagate({})
    return onto
