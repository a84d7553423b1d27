"""The models of a campaign: trained, taken into use, kept, and trained again from the log."""

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
from .training_notice import seconds_elsewhere, tell_begun, tell_ended
from .training_process import Trainer


class Models:
    """The trainings of one campaign. Methods need the campaign's lock, unless they say otherwise."""

    def __init__(self, store: Store, items: Callable[[], Sequence[Item]]):
        self._store = store
        self._trainer = Trainer(items, store.encodings)
        self._wanted: TrainingInput | None = None  # of the training that goes on
        self._started = 0.0
        self._notes: tuple[str, ...] = ()
        self._unkept: Encodings = {}  # vectors that are not stored yet
        self._keeping: Thread | None = None
        self._safe: Model | None = None  # the last model whose event is on disk
        self._new: Model | None = None  # the last model that came into use
        self._trouble: str | None = None
        self.begun = 0  # the event up to which the last training learns

    def begin(self, state: State) -> None:
        """Start a training on all labels known now, unless one is running."""
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
        """Train in the process, and keep new vectors even if the result is not used."""
        result = self._trainer.train(wanted)
        for encoder, vectors in result.vectors.items():
            self._unkept[encoder] = self._unkept.get(encoder, {}) | vectors
        return result

    def take_up(self, state: State) -> tuple[Event, Model] | None:
        """Take the model of a finished training into use.

        Returns
        -------
        tuple of Event and Model, or None
            The event to write, and the model to keep. None if no training has finished.
        """
        wanted = self._wanted
        if wanted is None:
            return None
        try:
            result = state.session.take_up()
        except Exception as error:  # the campaign keeps its current model, and reports the error
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
        """Drop the running training, because the session is new or the training has ended."""
        if self._wanted is not None:
            self._wanted = None
            tell_ended(self._store)

    def renew(self, items: Callable[[], Sequence[Item]]) -> None:
        """Start over with more items: features are made again."""
        self._trainer.close()
        self._trainer = Trainer(items, self._store.encodings)
        self._notes = ()

    @property
    def status(self) -> dict[str, object]:
        """Whether a training is running, since when, and the last error."""
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
        """Return the kept beliefs of a model in the log, from memory or store; None if they are lost."""
        wanted = _sha256(event)
        for model in (self._new, self._safe):
            if model is not None and model.sha256 == wanted:
                return model.beliefs
        stored = self._store.model()
        return stored.beliefs if stored is not None and stored.sha256 == wanted else None

    def made_again(
        self, event: Event, items: Sequence[Item], onto: Ontology, state: State
    ) -> Floats | None:
        """Train a model in the log again and return its beliefs; None if that fails.

        A failure is a warning, because the campaign can be used without these beliefs.
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
                f"model {event.value} was trained again and differs from the one in the log: "
                "the libraries or the machine are different"
            )
        return np.asarray(result.beliefs, np.float64)

    def close(self) -> None:
        """End the training, and wait until the last model is stored. Not under the lock."""
        self.forget()
        self._trainer.close()
        if self._keeping is not None:
            self._keeping.join()

    def keep(self, model: Model, *, once: Receipt) -> None:
        """Store the beliefs in the background, once the event of the model is on disk."""
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
    """Return the training input of a model in the log; `state` is that when its training began."""
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
    """Return the state of a campaign after event `upto`, with the items and reports of that time."""
    added = sum(event.value for event in events[upto:] if event.kind == ITEMS)
    state = State(ids[: len(ids) - added], ontologies, events[:upto], settings=settings)
    state.reported = dict(reported or {})
    return state


def answers_since(events: Sequence[Event], upto: int) -> int:
    """Return the number of answers after an event; a skip is not an answer."""
    return sum(event.kind == ANSWER and event.value != SKIP for event in events[upto:])


def _version(state: State) -> int:
    return 0 if state.model is None else int(state.model.value)


def _encoder(model: Event | None) -> dict[str, Any] | None:
    """Return a model's encoder: its setting, its name with the version, whether it takes pictures."""
    return None if model is None else (model.detail or {}).get("encoder")


def _warn(message: str) -> None:
    warnings.warn(message, StoreWarning, stacklevel=2)


def _sha256(event: Event) -> str:
    return str((event.detail or {})["sha256"])
