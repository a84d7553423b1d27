"""An open campaign: log and state, people, leases and models together, under one lock."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from warnings import warn

from ...logic.engines import Floats
from ...logic.errors import CorollaryError
from ...logic.ontology import Ontology
from ..events import ANSWER, DRAWN, FACT, MODEL, ONTOLOGY, UNDO, Event, now
from ..items import Item, as_stored
from ..labels.label_places import Places
from ..labels.written_ontology import ontology_of
from ..people import People
from ..settings import Settings
from ..state.state import State
from ..state.unreadable import derive_or_tell
from ..storage.records import Lease, StoreWarning
from ..storage.reported import Reported, check_reported
from ..storage.store import Store
from ..training.trained_models import Models, answers_since, state_at
from ..training.training_notice import forget_others
from ..vectors import VECTOR, SameVectors
from .leases import Leases
from .ledger import Ledger
from .next_question import HeldQuestion, choose, draw, may_ask, put_question
from .replies import Reply
from .suggestions import Guess, Guesses, predicted
from .sure.under_way import holds_models, holds_training


@contextmanager
def collecting_later() -> Iterator[None]:
    """Switch the garbage collector off while a campaign is read.

    It would find nothing and take a third of the time. `gc.freeze` is no choice for a library: it
    affects the whole process, and keeps a closed campaign in memory.
    """
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()


class Live:
    """The parts of an open campaign. Methods are called under `ledger.lock` unless they say otherwise."""

    def __init__(
        self, store: Store, *, clock: Callable[[], float] = time.time, readonly: bool = False
    ):
        self.store = store
        self.readonly = readonly
        # Older campaigns have no setting `by_chance`.
        self.start = Settings(by_chance=0.0).stored(store.settings)
        self.people = People(store)
        self.items: dict[str, Item] = {}
        self.models = Models(store, self.items_to_learn)
        self.leases = Leases(clock=clock)
        self._shown: dict[str, tuple[object, HeldQuestion]] = {}  # by lease
        self._guesses = Guesses()
        self._drawn = Guesses()
        self._opening = True
        with collecting_later():
            self.ledger = Ledger(store, self.load)
        self._opening = False
        if not readonly:
            forget_others(store)
        with self.ledger.lock:
            self.let_go()
            self.train_if_due()

    @property
    def state(self) -> State:
        """The state of the campaign."""
        return self.ledger.state

    @property
    def members(self) -> People:
        """The people of the campaign; StoreError while the store cannot be read."""
        self.ledger.keep_up()
        return self.people

    def retold(self, event: Event) -> Reply:
        """Return the reply to a repeated answer or decision whose first reply is no longer kept."""
        return Reply(event, counts=self.state.counts())

    def load(self) -> State:
        """Read items, people, ontologies and events from the store; a failure changes nothing."""
        items = {item.id: item for item in self.store.items()}
        events = list(self.store.events())
        ontologies, broken = self._ontologies()
        leases = self.store.leases() if self._opening else ()
        reported = self._reported(events)

        def derive(events: Sequence[Event]) -> State:
            last = _last_model(events)
            if found := broken.keys() & _used(events):
                raise broken[min(found)]
            beliefs = (
                None
                if last is None
                else self._beliefs_of(last, items, ontologies, events, reported)
            )
            state = State(tuple(items), ontologies, events, settings=self.start, beliefs=beliefs)
            state.reported = reported
            if not self.readonly:
                state.session.ask(0)  # scores every question, so that the first comes at once
            return state

        state = derive_or_tell(derive, events, ontologies)
        if state.trouble is not None:
            warn(str(state.trouble), StoreWarning, stacklevel=2)
        self.people.read()
        if items.keys() != self.items.keys():
            self.items = items
            self.models.renew(self.items_to_learn)
        self.leases.restore(leases)
        for lease in self.leases.all():
            if lease.item in items:
                state.hold(lease.item, True)
            else:
                self.leases.release(lease.id)
        if not self.readonly:
            state.session.ask(0)
        self.places = Places(state.onto)
        self._session = state.session
        self._shown.clear()
        self.models.forget()
        last = state.model
        beliefs = state.has_model
        events = state.events
        self.models.begun = 0 if last is None else int((last.detail or {})["upto"])
        self._since = answers_since(events, self.models.begun)
        self._brought = any(
            event.kind == FACT or state.is_report(event) for event in events[self.models.begun :]
        )
        self._brought |= last is not None and not beliefs  # a lost model is trained again
        self._unread = (
            last is None and state.settings.reads_with is not None
        )  # reading needs no answer
        return state

    def _beliefs_of(
        self,
        last: Event,
        items: dict[str, Item],
        ontologies: dict[int, Ontology],
        events: Sequence[Event],
        reported: Mapping[int, Reported],
    ) -> Floats | None:
        """Return the beliefs of the last model; if they are lost, make them again on opening."""
        kept = self.models.kept(last)
        if kept is not None or not self._opening:
            return kept
        state = state_at(
            tuple(items), ontologies, events, self.start, int((last.detail or {})["upto"]), reported
        )
        learnt = list(self.store.items(images=True, vectors=True))[: len(state.ids)]
        return self.models.made_again(last, learnt, ontologies[last.ontology], state)

    def _ontologies(self) -> tuple[dict[int, Ontology], dict[int, CorollaryError]]:
        """Return the ontologies by version, and the errors of those that this program cannot read."""
        found = dict[int, Ontology]()
        broken = dict[int, CorollaryError]()
        for one in self.store.ontologies():
            try:
                found[one.version] = ontology_of(one)
            except CorollaryError as error:
                broken[one.version] = error
        if not found:
            raise next(iter(broken.values()))
        return found, broken

    def _reported(self, events: Iterable[Event]) -> dict[int, Reported]:
        """Return the reports of machines; warn about damaged ones, and leave them out."""
        found, wrong = check_reported(events, self.store.reported())
        for line in wrong:
            warn(f"{line}; until then it counts for nothing", StoreWarning, stacklevel=2)
        return found

    def items_to_learn(self) -> list[Item]:
        """Return all items, with their pictures and vectors; may be called from any thread."""
        items = self.items
        images = any(item.image is not None for item in items.values())
        if not images and not self.store.vector_length():
            return list(items.values())
        stored = {item.id: item for item in self.store.items(images=images, vectors=True)}
        return [
            stored.get(item.id, item) for item in items.values()
        ]  # items just added may not be stored yet

    def vectors(self) -> SameVectors:
        """Return the check that new items have vectors like those of the current items."""
        own = (item.fields.get(VECTOR) for item in self.items.values())
        return SameVectors(own, length=self.store.vector_length())

    def add_items(self, items: Iterable[Item]) -> None:
        """Take in further items."""
        self.items = self.items | {item.id: as_stored(item) for item in items}
        self.models.renew(self.items_to_learn)

    # -- leases ------------------------------------------------------------------------------------------------------

    def hand_out(self, who: str, n: int) -> list[HeldQuestion]:
        """Return the questions that a person holds, topped up to n."""
        state = self.state
        seconds = self.state.settings.lease_seconds
        for lease in self.leases.of(who):
            if not may_ask(state, who, (lease.item, lease.label)):
                self.release(lease)
        held = self.leases.renew(who, [lease.id for lease in self.leases.of(who)[:n]], seconds)
        while len(held) < n:
            number = state.answered[who] + len(held)
            drawn = draw(state, who, number)
            cell = drawn or choose(state, who, number)
            if cell is None:
                break
            held.append(self.leases.take(who, *cell, seconds))
            if drawn is not None:
                self._drawn.first(held[-1], Guess(*predicted(state, *drawn), shown=False))
            state.hold(cell[0], True)
        if held:
            self.store.mirror_leases(held)
        return [self._asking(lease) for lease in held]

    def _asking(self, lease: Lease) -> HeldQuestion:
        """Return the question of a lease; it is made again only if its item changed."""
        said = self.state.of_item.get(lease.item)
        version = (
            0 if said is None else said[-1].seq,
            self.state.version,
            self.state.model,
            self.state.settings,
        )
        if self._shown.get(lease.id, (None,))[0] != version:
            asking = put_question(self.state, self.places, self.items[lease.item], lease)
            self._shown[lease.id] = (
                version,
                replace(asking, guess=self._guesses.first(lease, asking.guess)),
            )
        asking = replace(self._shown[lease.id][1], expires=lease.expires)
        return asking

    def said_by_model(
        self, who: str, item: str, label: str | None, id: str | None
    ) -> dict[str, Any]:
        """Return the prediction for an answered question, by its lease or the one on the item."""
        held = self.leases.on(item)
        leases = (id, None if held is None else held.id)
        guess = next(
            filter(None, (self._guesses.of(one, who, item, label) for one in leases)), None
        )
        drawn = next(filter(None, (self._drawn.of(one, who, item, label) for one in leases)), None)
        found = {} if guess is None else guess.as_detail()
        return found if drawn is None else found | {DRAWN: [drawn.value, drawn.probability]}

    def was_put(self, who: str, item: str, label: str | None, id: str | None) -> bool:
        """Whether the person was asked this question. Who chooses a question may know the answer."""
        held = self.leases.on(item)
        return (held is not None and (held.who, held.label) == (who, label)) or self._guesses.has(
            id, who, item, label
        )

    def release(self, lease: Lease) -> None:
        """End a lease, so that anybody can be asked about its item."""
        if self.leases.release(lease.id) is not None:
            self._shown.pop(lease.id, None)
            self.state.hold(lease.item, False)
            self.store.mirror_leases(released=[lease.id])

    def release_for(self, who: str, item: str, label: str | None, id: str | None = None) -> None:
        """End the lease whose question was answered."""
        lease = self.leases.on(item)
        if lease is not None and lease.who == who and (lease.label == label or lease.id == id):
            self.release(lease)

    def let_go(self) -> None:
        """End the leases that have run out."""
        gone = self.leases.expired()
        for lease in gone:
            self._shown.pop(lease.id, None)
            self.state.hold(lease.item, False)
        if gone and not self.readonly:
            self.store.mirror_leases(released=[lease.id for lease in gone])

    # -- models ------------------------------------------------------------------------------------------------------

    def take_up(self) -> None:
        """Take a newly trained model into use, unless an acceptance still needs the current one."""
        taken = None if holds_models(self.state, now()) else self.models.take_up(self.state)
        if taken is not None:
            event, model = taken
            ticket = self.ledger.put(event)  # nobody waits for it; after a loss all is read again
            self.models.keep(model, once=ticket.receipt)
        self.train_if_due()  # also where a model was lost in a failure

    def answered(self, event: Event) -> None:
        """Count an answer, and train a model after every `retrain_every` of them."""
        self._since += answers_since([event], 0)
        self.train_if_due()

    def train_if_due(self) -> None:
        """Train a model after enough answers, an import or a report, or if no item was read yet.

        Training waits while a lead audits the sure predictions of the current model, because
        another model would be sure of other labels.
        """
        due = self._brought or self._unread or self._since >= self.state.settings.retrain_every
        if due and not self.readonly and not holds_training(self.state, now()):
            self.train()

    def train(self) -> None:
        """Start a training, unless one is running."""
        if self.state.trouble is not None:
            return
        if not self.state.session.awaited:
            self._since = 0
            self._brought = False
            self._unread = False
        self.models.begin(self.state)

    def reports_changed(self) -> None:
        """Train a model after a machine's report was added or taken back."""
        self._brought = True
        self.train_if_due()

    def renewed(self) -> None:
        """Score all questions again and train, if a change has made a new session."""
        if self.state.session is self._session:
            return
        self._session = self.state.session
        self.models.forget()
        self.places = Places(self.state.onto)
        self.state.session.ask(0)
        if self.state.model is not None or self.state.settings.reads_with is not None:
            self.train()

    def reconsider(self) -> None:
        """Score and train again after items were withdrawn or brought back."""
        self.renewed()
        if self.state.model is not None:
            self.train()

    def close(self) -> None:
        """Write what waits and close the campaign; not under the lock."""
        self.models.close()
        self.store.close()


def _last_model(events: Sequence[Event]) -> Event | None:
    return next((event for event in reversed(events) if event.kind == MODEL), None)


def _used(events: Sequence[Event]) -> set[int]:
    """Return the versions of the ontology that are needed to replay a log."""
    needed = {
        event.ontology
        for event in events
        if event.kind == MODEL or (event.kind == ANSWER and not event.label)
    }
    undone = {event.refers for event in events if event.kind == UNDO}
    changes = [event for event in events if event.kind == ONTOLOGY]
    last = next((event.value for event in reversed(changes) if event.seq not in undone), 1)
    moved = {v for event in changes if event.detail for v in (event.value, event.ontology)}
    return needed | moved | {last}
