"""The models of a campaign: when one is trained, how it is taken up, kept, and made again from the log."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import Thread
from typing import Any

from ...learning.features.likeness import Alike
from ...logic.engines import Facts, Floats
from ...logic.ontology import Ontology
from ..events import ANSWER, ITEMS, MODEL, SKIP, Event
from ..items import Item
from ..settings import Settings
from ..state.pick_price import prices
from ..state.state import State
from ..state.verdicts import verdicts
from ..storage.errors import StoreError, StoreWarning
from ..storage.event_groups import Receipt
from ..storage.records import Model
from ..storage.reported import Reported
from ..storage.store import Store
from .item_reading import to_read
from .machine_witnesses import heard_in
from .told_training import seconds_elsewhere, tell_begun, tell_ended
from .training_process import Order, Trainer


@dataclass
class Underway:
    """A training that was begun: what it learns from, and once it is done what came out."""

    upto: int
    learner: str
    started: float
    reads_with: str | None
    beliefs: Floats | None = None
    sha256: str = ""
    seconds: float = 0.0
    machine: dict[str, str] | None = None
    encoder: dict[str, Any] | None = None
    witnesses: dict[str, Any] | None = None


class Models:
    """Trainings of one campaign; its methods are called under the campaign's lock, unless they say otherwise."""

    def __init__(self, store: Store, items: Callable[[], Sequence[Item]]):
        self._store = store
        self._trainer = Trainer(items, store.encodings)
        self._underway: Underway | None = None
        self._keeping: Thread | None = None
        self._safe: Model | None = None  # the last one whose event is in the log
        self._new: Model | None = None  # the last one that was taken up
        self._trouble: str | None = None
        self.begun = 0  # the event up to which the last training learns

    def begin(self, state: State) -> None:
        """Start a training on all that is known now, unless one is under way."""
        if state.session.awaited or not state.tally.items:
            return
        underway = Underway(
            state.seq, state.settings.learner, time.monotonic(), state.settings.reads_with
        )
        onto = state.onto
        settings = state.settings
        trainer = self._trainer
        version = _version(state) + 1
        wanted = to_read(settings, onto, before=_encoder(state.model))
        heard = heard_in(state)

        def train(facts: Facts, sure: Facts | None) -> tuple[Floats, Alike | None]:
            order = Order(onto, settings.learner, settings.seed, facts, wanted, heard, sure)
            beliefs = trainer.train(order)
            underway.beliefs = beliefs
            underway.sha256 = Model(version=version, upto=underway.upto, beliefs=beliefs).sha256
            underway.seconds = time.monotonic() - underway.started
            underway.machine = trainer.machine
            underway.encoder = trainer.encoder
            underway.witnesses = trainer.witnesses
            return beliefs, trainer.alike

        self._underway = underway
        self.begun = underway.upto
        tell_begun(self._store)
        state.session.train(train, cost=prices(state.settings, state.onto, state.events))

    def take_up(self, state: State) -> tuple[Event, Model] | None:
        """Let a training that is done decide from now on: the event to be stored and applied, and the model to keep."""
        underway = self._underway
        if underway is None or not state.session.awaited:
            return None
        try:
            if not state.session.take_up():
                return None
        except Exception as error:  # the campaign goes on with the model before, and says so
            self.forget()
            self._trouble = str(error)
            return None
        self.forget()
        self._trouble = None
        assert underway.beliefs is not None
        state.take_beliefs(underway.beliefs)
        detail = {
            "upto": underway.upto,
            "sha256": underway.sha256,
            "learner": underway.learner,
            "seconds": round(underway.seconds, 3),
            "machine": underway.machine,
        }
        if underway.encoder is not None:
            detail["encoder"] = {"setting": underway.reads_with, **underway.encoder}
        if underway.witnesses:
            detail["witnesses"] = underway.witnesses
        detail |= verdicts(state)
        model = Model(version=_version(state) + 1, upto=underway.upto, beliefs=underway.beliefs)
        return Event(kind=MODEL, who="system", value=model.version, detail=detail), model

    def forget(self) -> None:
        """No training is under way, or the session is a new one: what was trained for the one before is of no use."""
        if self._underway is not None:
            self._underway = None
            tell_ended(self._store)

    def renew(self, items: Callable[[], Sequence[Item]]) -> None:
        """There are more items: features are made anew."""
        self._trainer.close()
        self._trainer = Trainer(items, self._store.encodings)

    @property
    def status(self) -> dict[str, object]:
        """What a lead wants to know: whether one is under way, since when, what went wrong."""
        if self._underway is None:
            seconds = seconds_elsewhere(self._store)
        else:
            seconds = time.monotonic() - self._underway.started
        return {
            "training": seconds is not None,
            "seconds": None if seconds is None else round(seconds, 1),
            "error": self._trouble,
            "deaths": self._trainer.deaths,
            "notes": list(self._trainer.notes),
        }

    @property
    def trainer(self) -> Trainer:
        """The process that trains."""
        return self._trainer

    def kept(self, event: Event) -> Floats | None:
        """The beliefs of a model in the log as they were kept, in memory or in the store; None where they are gone."""
        wanted = _sha256(event)
        for model in (self._new, self._safe):
            if model is not None and model.sha256 == wanted:
                return model.beliefs
        stored = self._store.model()
        return stored.beliefs if stored is not None and stored.sha256 == wanted else None

    def made_again(
        self, event: Event, items: Sequence[Item], onto: Ontology, state: State
    ) -> Floats | None:
        """The beliefs of a model in the log, trained again from what was known then; None if that fails.

        They only follow from the log: whatever happens here is told, and keeps nobody from the campaign.
        """
        trainer = Trainer(lambda: items, self._store.encodings)
        detail = event.detail or {}
        try:
            beliefs = trainer.train(order_of(event, onto, state))
        except Exception as error:
            _warn(
                f"model {event.value} was not kept and could not be trained again ({error}); a new one is trained"
            )
            return None
        finally:
            trainer.close()
        if Model(version=event.value, upto=detail["upto"], beliefs=beliefs).sha256 != _sha256(
            event
        ):
            _warn(
                f"model {event.value} was trained again and differs from the one that people were asked with: "
                "other versions of the libraries, or another machine"
            )
        return beliefs

    def close(self) -> None:
        """End the training; wait until the last model is kept. Not under the lock."""
        self.forget()
        self._trainer.close()
        if self._keeping is not None:
            self._keeping.join()

    def keep(self, model: Model, *, once: Receipt) -> None:
        """Write the beliefs down in the background, once the event that tells of them is safe."""
        before = self._keeping
        self._new = model
        encoded = self._trainer.encoded
        self._trainer.encoded = {}

        def write() -> None:
            if before is not None:
                before.join()
            try:
                self._store.put_encodings(encoded)
                once.wait()
                self._safe = model
                self._store.put_model(model)
            except StoreError as error:
                self._trouble = f"the model was not kept: {error}"

        self._keeping = Thread(target=write, name="corollary-models", daemon=True)
        self._keeping.start()


def order_of(event: Event, onto: Ontology, state: State) -> Order:
    """What a model in the log was made from; `state` is that of the campaign when its training began."""
    before = _encoder(event)
    wanted = None if before is None else to_read(state.settings, onto, before=before, only=True)
    learner = str((event.detail or {})["learner"])
    sure = state.session.sure if state.settings.fallible else None
    return Order(onto, learner, state.settings.seed, state.facts, wanted, heard_in(state), sure)


def state_at(
    ids: Sequence[str],
    ontologies: dict[int, Ontology],
    events: Sequence[Event],
    settings: Settings,
    upto: int,
    reported: Mapping[int, Reported] | None = None,
) -> State:
    """The state of a campaign after event `upto`, with the items it had then, and what machines said by event."""
    added = sum(event.value for event in events[upto:] if event.kind == ITEMS)
    state = State(ids[: len(ids) - added], ontologies, events[:upto], settings=settings)
    state.reported = dict(reported or {})
    return state


def answers_since(events: Sequence[Event], upto: int) -> int:
    """How many answers came after an event; to skip a question is none, and teaches nothing."""
    return sum(event.kind == ANSWER and event.value != SKIP for event in events[upto:])


def _version(state: State) -> int:
    return 0 if state.model is None else int(state.model.value)


def _encoder(model: Event | None) -> dict[str, Any] | None:
    """The encoder of a model that reads: its setting, its name with the version, and whether it takes pictures."""
    return None if model is None else (model.detail or {}).get("encoder")


def _warn(message: str) -> None:
    warnings.warn(message, StoreWarning, stacklevel=2)


def _sha256(event: Event) -> str:
    return str((event.detail or {})["sha256"])
