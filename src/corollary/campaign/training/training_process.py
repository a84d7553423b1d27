"""Training in a process of its own, which holds the items' features.

A `TrainingInput` goes in, a `TrainingResult` comes out. The reports of machines are part of the
beliefs.

A model is a pure function of the items, the ontology, the facts and the seed. If texts are read, it
depends on the encoder and the labels' texts too. Every training starts afresh, so that the log gives
the same beliefs again. The process reads orders from its standard input. It ends when the input
ends, even during a training, so that none outlives its server.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread
from typing import IO, Any

import numpy as np

from ...learning.features.columns import FeaturesWarning
from ...learning.features.matrices import check_matrix
from ...learning.features.neighbours import Nearest, nearest_items
from ...learning.features.products import one_blas_thread
from ...learning.meaning.label_texts import LabelText
from ...learning.session.training import TrainingInput, TrainingResult
from ...logic.engines import Floats
from ...logic.errors import CorollaryError
from ...logic.ontology import Ontology
from ..items import Item, features_of
from ..storage.records import Encodings, hash_of
from .item_reading import read
from .machine import machine
from .machine_witnesses import fold

#: The number of times that a training is started if its process dies.
TRIES = 2


class TrainingError(CorollaryError):
    """A training failed; the campaign keeps its current model."""


def learn(X: Any, wanted: TrainingInput) -> tuple[Floats, dict[str, Any]]:
    """Return the beliefs of a fresh learner with the reports of machines, and their reliabilities."""
    beliefs = learn_alone(X, wanted)
    wanted.onto.check_beliefs(beliefs)
    return fold(wanted.onto, beliefs, wanted.facts, wanted.reports)


def learn_alone(X: Any, wanted: TrainingInput) -> Floats:
    """Return the beliefs of a fresh learner, without the reports of machines."""
    from ...learning.learners.learner import make_learner
    from ...learning.session.held_out import Learners

    seed = wanted.random_state
    learner = make_learner(wanted.learner, onto=wanted.onto, random_state=seed)
    with one_blas_thread():
        if wanted.sure is None:
            beliefs = learner.fit(X, wanted.facts).predict_proba(X)
        else:
            rows = np.flatnonzero((wanted.facts != wanted.sure).any(axis=1))
            parts = Learners(learner, len(wanted.facts), random_state=seed)
            beliefs = parts.beliefs(X, wanted.facts, wanted.sure, rows)
    return np.ascontiguousarray(beliefs, np.float64)


class Trainer:
    """Trainings of one set of items, one at a time.

    The process starts with the first training, and is started again if it dies.
    """

    def __init__(self, items: Callable[[], Sequence[Item]], kept: Callable[[], Encodings] = dict):
        self._items = items
        self._kept = kept
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False
        self.deaths = 0

    def train(self, wanted: TrainingInput) -> TrainingResult:
        """Return the result of a training; raise TrainingError if it failed."""
        begun = time.monotonic()
        with self._lock:
            for _ in range(TRIES):
                try:
                    result = self._send(wanted)
                except (EOFError, OSError, pickle.UnpicklingError):  # the process is gone
                    self._stop()
                    self.deaths += not self._closed
                    continue
                if isinstance(result, str):
                    raise TrainingError(f"the training failed: {result}")
                return replace(result, seconds=time.monotonic() - begun)
            reason = (
                "it was closed"
                if self._closed
                else f"it died {TRIES} times; is there enough memory?"
            )
            raise TrainingError(f"the training process did not finish: {reason}")

    @property
    def pid(self) -> int | None:
        """The id of the process, if it is running."""
        return None if self._process is None else self._process.pid

    def close(self) -> None:
        """End the process; a running training fails."""
        self._closed = True
        process = self._process
        if process is not None:
            process.kill()
        with self._lock:
            self._stop()

    def _send(self, wanted: TrainingInput) -> TrainingResult | str:
        """Return the result from the process, or its error message."""
        if self._process is None:
            self._process = _start()
            if self._closed:  # `close` sets this before it looks for the process
                raise EOFError
            _write(self._process.stdin, (self._items(), self._kept()))
        _write(self._process.stdin, wanted)
        assert self._process.stdout is not None
        return pickle.load(self._process.stdout)  # type: ignore[no-any-return]

    def _stop(self) -> None:
        process = self._process
        self._process = None
        if process is not None:
            process.kill()
            for pipe in (process.stdin, process.stdout):
                try:
                    if pipe is not None:
                        pipe.close()
                except OSError:  # buffered data could not be written any more
                    continue
            process.wait()


def _start() -> subprocess.Popen[bytes]:
    """Start the process.

    It does not import the program's main module, so that scripts need no guard. Because of `-P` it
    does not import from the working folder either, which may be a folder of somebody's data.
    """
    command = [
        sys.executable,
        "-P",
        "-c",
        "from corollary.campaign.training.training_process import serve; serve()",
    ]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(import_path())}
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env)


def import_path() -> list[str]:
    """Return the module path without the working folder, unless the package itself is there."""
    here = Path.cwd().resolve()
    home = Path(__file__).resolve().parents[2]
    return [part for part in sys.path if part and (Path(part).resolve() != here or here == home)]


def _write(pipe: IO[bytes] | None, content: object) -> None:
    assert pipe is not None
    pickle.dump(content, pipe, protocol=pickle.HIGHEST_PROTOCOL)
    pipe.flush()


def serve() -> None:
    """Run the process: make features when needed, and train to order until the input ends."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of libraries must not get between the replies
    if hasattr(os, "nice"):
        os.nice(5)  # people come first
    orders = SimpleQueue[Any]()
    Thread(target=_listen, args=(sys.stdin.buffer, orders), daemon=True).start()
    features = FeaturesOfItems(*orders.get())
    while True:
        wanted = orders.get()
        reply: TrainingResult | str
        try:
            reply = train(features, wanted)
        except Exception as error:  # the reply to the order
            reply = f"{type(error).__name__}: {error}"
        _write(replies, reply)


def _listen(orders: IO[bytes], queue: SimpleQueue[Any]) -> None:
    """Take orders as they come, and end the process at once when the input ends."""
    try:
        while True:
            queue.put(pickle.load(orders))
    except (EOFError, pickle.UnpicklingError):  # perhaps in the middle of an order
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


class FeaturesOfItems:
    """The features of items, made when first needed, and again when other texts are to be read."""

    def __init__(self, items: Sequence[Item], kept: Encodings | None = None):
        self._items = items
        self._kept = kept or {}
        self._of: tuple[Ontology, str, tuple[LabelText, ...]] | None = None
        self._X: Any = None
        self._nearest: Nearest | None = None
        self._new: Encodings = {}
        self.encoder: dict[str, Any] | None = None
        self.notes: tuple[str, ...] = ()

    def of(self, wanted: TrainingInput) -> Any:
        """Return the features for a training."""
        reading = wanted.reading
        read_for = None if reading is None else (wanted.onto, reading.encoder, reading.labels)
        if self._X is None or read_for != self._of:
            self._X = None
            self._nearest = None
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", FeaturesWarning)
                self._X = self._made(wanted)
            self._of = read_for
            self.notes = tuple(
                str(one.message) for one in caught if issubclass(one.category, FeaturesWarning)
            )
        return self._X

    def nearest(self, *, random_state: int) -> Nearest:
        """Return the nearest neighbours of each item, found once."""
        if self._nearest is None:
            self._nearest = nearest_items(check_matrix(self._X), random_state=random_state)
        return self._nearest

    def take_new(self) -> Encodings:
        """Return the vectors made since the last call."""
        new = self._new
        self._new = {}
        return new

    def _made(self, wanted: TrainingInput) -> Any:
        if wanted.reading is None:
            self.encoder = None
            return features_of(self._items)
        with one_blas_thread():
            found = read(self._items, wanted.onto, wanted.reading, self._kept)
        self.encoder = found.encoder
        for encoder, vectors in found.new.items():
            self._kept[encoder] = self._kept.get(encoder, {}) | vectors
            self._new[encoder] = self._new.get(encoder, {}) | vectors
        return found.X


def train(features: FeaturesOfItems, wanted: TrainingInput) -> TrainingResult:
    """Train in this process and return the result."""
    X = features.of(wanted)
    near = features.nearest(random_state=wanted.random_state)
    beliefs, witnesses = learn(X, wanted)
    return TrainingResult(
        beliefs,
        neighbours=near,
        notes=features.notes,
        machine=machine(),
        encoder=features.encoder,
        vectors=features.take_new(),
        witnesses=witnesses,
        sha256=hash_of(beliefs),
    )
