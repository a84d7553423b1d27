"""The models of a campaign: when one is trained, how it is taken up, kept, and made again from the log."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from threading import Thread
from typing import Any

import numpy as np

from ...learning.session.training import TrainingInput, TrainingResult
from ...logic.engines import Floats
from ...logic.ontology import Ontology
from ..events import ANSWER, ITEMS, MODEL, SKIP, Event
from ..items import Item
from ..settings import Settings
from ..state.measured_costs import prices
from ..state.state import State
from ..state.verdicts import verdicts
from ..storage.event_groups import Receipt
from ..storage.records import Encodings, Model, StoreError, StoreWarning
from ..storage.reported import Reported
from ..storage.store import Store
from .item_reading import to_read
from .machine_witnesses import reports_in
from .told_training import seconds_elsewhere, tell_begun, tell_ended
from .training_process import Trainer


class Models:
    """Trainings of one campaign; its methods are called under the campaign's lock, unless they say otherwise."""

    def __init__(self, store: Store, items: Callable[[], Sequence[Item]]):
        self._store = store
        self._trainer = Trainer(items, store.encodings)
        self._wanted: TrainingInput | None = None  # of the training that goes on
        self._started = 0.0
        self._notes: tuple[str, ...] = ()
        self._unkept: Encodings = {}  # vectors that are not stored yet
        self._keeping: Thread | None = None
        self._safe: Model | None = None  # the last one whose event is in the log
        self._new: Model | None = None  # the last one that was taken up
        self._trouble: str | None = None
        self.begun = 0  # the event up to which the last training learns

    def begin(self, state: State) -> None:
        """Start a training on all that is known now, unless one is under way."""
        session = state.session
        if session.awaited or not state.tally.items:
            return
        settings = state.settings
        self._started = time.monotonic()
        self.begun = state.seq
        tell_begun(self._store)
        self._wanted = session.train(
            self._train,
            cost=prices(settings, state.onto, state.events),
            learner=settings.learner,
            reports=reports_in(state),
            reading=to_read(settings, state.onto, before=_encoder(state.model)),
        )

    def _train(self, wanted: TrainingInput) -> TrainingResult:
        """Train in the process; vectors wait to be kept even if the result is of no use any more."""
        result = self._trainer.train(wanted)
        for encoder, vectors in result.vectors.items():
            self._unkept[encoder] = self._unkept.get(encoder, {}) | vectors
        return result

    def take_up(self, state: State) -> tuple[Event, Model] | None:
        """Let a training that is done decide from now on: the event to be stored and applied, and the model to keep."""
        wanted = self._wanted
        if wanted is None:
            return None
        try:
            result = state.session.take_up()
        except Exception as error:  # the campaign goes on with the model before, and says so
            self.forget()
            self._trouble = str(error)
            return None
        if result is None:
            return None
        self.forget()
        self._trouble = None
        self._notes = result.notes
        beliefs = np.asarray(result.beliefs, np.float64)
        state.take_beliefs(beliefs)
        detail = {
            "upto": self.begun,
            "sha256": result.sha256,
            "learner": wanted.learner,
            "seconds": round(result.seconds, 3),
            "machine": result.machine,
        }
        if result.encoder is not None and wanted.reading is not None:
            detail["encoder"] = {"setting": wanted.reading.encoder, **result.encoder}
        if result.witnesses:
            detail["witnesses"] = result.witnesses
        detail |= verdicts(state)
        model = Model(version=_version(state) + 1, upto=self.begun, beliefs=beliefs)
        return Event(kind=MODEL, who="system", value=model.version, detail=detail), model

    def forget(self) -> None:
        """No training is under way, or the session is a new one: what was trained for the one before is of no use."""
        if self._wanted is not None:
            self._wanted = None
            tell_ended(self._store)

    def renew(self, items: Callable[[], Sequence[Item]]) -> None:
        """There are more items: features are made anew."""
        self._trainer.close()
        self._trainer = Trainer(items, self._store.encodings)
        self._notes = ()

    @property
    def status(self) -> dict[str, object]:
        """What a lead wants to know: whether one is under way, since when, what went wrong."""
        if self._wanted is None:
            seconds = seconds_elsewhere(self._store)
        else:
            seconds = time.monotonic() - self._started
        return {
            "training": seconds is not None,
            "seconds": None if seconds is None else round(seconds, 1),
            "error": self._trouble,
            "deaths": self._trainer.deaths,
            "notes": list(self._notes),
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
        try:
            result = trainer.train(input_of(event, onto, state))
        except Exception as error:
            _warn(
                f"model {event.value} was not kept and could not be trained again ({error}); a new one is trained"
            )
            return None
        finally:
            trainer.close()
        if result.sha256 != _sha256(event):
            _warn(
                f"model {event.value} was trained again and differs from the one that people were asked with: "
                "other versions of the libraries, or another machine"
            )
        return np.asarray(result.beliefs, np.float64)

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
        encoded = self._unkept
        self._unkept = {}

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


def input_of(event: Event, onto: Ontology, state: State) -> TrainingInput:
    """What a model in the log was trained on; `state` is that of the campaign when its training began."""
    before = _encoder(event)
    return TrainingInput(
        onto=onto,
        facts=state.facts,
        learner=str((event.detail or {})["learner"]),
        random_state=state.settings.seed,
        sure=state.session.sure if state.settings.fallible else None,
        reports=reports_in(state),
        reading=None if before is None else to_read(state.settings, onto, before=before, only=True),
    )


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
