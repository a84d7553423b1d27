"""Training in a process of its own: it holds the items' features, is sent facts, and sends back beliefs.

What machines said of items comes with the order, is weighed here and is part of the beliefs.

With them it tells what machine it runs on and, the first time, which items are alike, so that people are not asked
about like ones at a time, and what of the items could not be made use of.

A model is a pure function of the items, the ontology, the facts and the seed, and where texts are read of the encoder
and the labels' texts: every training starts afresh, so that the log rebuilds the same beliefs. The process reads its
orders from its standard input and ends with it, even in the middle of a training, so that none outlives its server.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread
from typing import IO, Any, NamedTuple

import numpy as np

from ...learning.features.columns import FeaturesWarning
from ...learning.features.learner_inputs import check_matrix
from ...learning.features.likeness import Alike, alike
from ...learning.features.products import one_blas_thread
from ...learning.learners.learner import make_learner
from ...learning.meaning.label_texts import LabelText
from ...learning.session.held_out import Learners
from ...logic.engines import Facts, Floats
from ...logic.errors import CorollaryError
from ...logic.ontology import Ontology
from ..items import Item, features_of
from ..storage.records import Encodings
from .item_reading import read
from .machine import machine
from .machine_witnesses import Heard, fold
from .recalled import ToRead

#: How often one training is begun, where the process dies over it.
TRIES = 2


class Order(NamedTuple):
    """What a model is made from, besides the features of the first `n` items.

    `sure` is there where people can be wrong: of what else is known of an item its beliefs are to know nothing.
    """

    onto: Ontology
    learner: str
    seed: int
    facts: Facts
    to_read: ToRead | None = None
    heard: Heard = ()
    sure: Facts | None = None


class TrainingError(CorollaryError):
    """A training that failed; the campaign goes on with the model before."""


def learn(X: Any, order: Order) -> Floats:
    """The beliefs of a fresh learner about all items, with what machines say of them."""
    return learn_and_hear(X, order)[0]


def learn_and_hear(X: Any, order: Order) -> tuple[Floats, dict[str, Any]]:
    """The same, and how far each machine can be trusted."""
    return fold(order.onto, learn_alone(X, order), order.facts, order.heard)


def learn_alone(X: Any, order: Order) -> Floats:
    """The beliefs of a fresh learner, whatever machines say."""
    learner = make_learner(order.learner, onto=order.onto, random_state=order.seed)
    with one_blas_thread():
        if order.sure is None:
            beliefs = learner.fit(X, order.facts).predict_proba(X)
        else:
            rows = np.flatnonzero((order.facts != order.sure).any(axis=1))
            parts = Learners(learner, len(order.facts), random_state=order.seed)
            beliefs = parts.beliefs(X, order.facts, order.sure, rows)
    return np.ascontiguousarray(beliefs, np.float64)


class Trainer:
    """Trainings of one set of items, one at a time; the process starts with the first and is restarted if it dies."""

    def __init__(self, items: Callable[[], Sequence[Item]], kept: Callable[[], Encodings] = dict):
        self._items = items
        self._kept = kept
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False
        #: Which items are alike, once there was a training.
        self.alike: Alike | None = None
        #: What there is to tell of the items' features, once there was a training.
        self.notes: list[str] = []
        #: How far each machine that is a witness can be trusted, as the last training found.
        self.witnesses: dict[str, Any] = {}
        #: The kind of machine that trained last.
        self.machine: dict[str, str] | None = None
        #: What the log is to have of the encoder that read for the last training; what encoders made, not kept yet.
        self.encoder: dict[str, Any] | None = None
        self.encoded: Encodings = {}
        self.deaths = 0
        self.error: str | None = None

    def train(self, order: Order) -> Floats:
        """The beliefs after a training; TrainingError where it failed."""
        with self._lock:
            for _ in range(TRIES):
                try:
                    told, result = self._send(order)
                except (EOFError, OSError, pickle.UnpicklingError):  # the process is gone
                    self._stop()
                    self.deaths += not self._closed
                    continue
                self.error = None if told == "beliefs" else str(result)
                if told == "error":
                    raise TrainingError(f"the training failed: {result}")
                beliefs: Floats
                beliefs, first, self.machine, self.encoder, new, self.witnesses = result
                if first is not None:
                    self.alike, self.notes = first
                for encoder, vectors in new.items():
                    self.encoded[encoder] = self.encoded.get(encoder, {}) | vectors
                return beliefs
            reason = (
                "it was closed"
                if self._closed
                else f"it died {TRIES} times; is there enough memory?"
            )
            self.error = f"the training process did not finish: {reason}"
            raise TrainingError(self.error)

    @property
    def pid(self) -> int | None:
        """The number of the process, if one is there."""
        return None if self._process is None else self._process.pid

    def close(self) -> None:
        """End the process; a training under way fails."""
        self._closed = True
        process = self._process
        if process is not None:
            process.kill()
        with self._lock:
            self._stop()

    def _send(self, order: Order) -> tuple[str, Any]:
        if self._process is None:
            self._process = _start()
            if self._closed:  # whoever closes looks for the process after saying so
                raise EOFError
            _write(self._process.stdin, (self._items(), self._kept()))
        _write(self._process.stdin, order)
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
                except OSError:  # what could not be written any more
                    continue
            process.wait()


def _start() -> subprocess.Popen[bytes]:
    """The process. It does not import the program's own main module, so that scripts need no guard.

    Nor does it import what lies in the working folder, which may be a folder of somebody's data: `-P`.
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
    """Where this process finds modules, without the working folder, unless the package itself is there."""
    here = Path.cwd().resolve()
    home = Path(__file__).resolve().parents[2]
    return [part for part in sys.path if part and (Path(part).resolve() != here or here == home)]


def _write(pipe: IO[bytes] | None, content: object) -> None:
    assert pipe is not None
    pickle.dump(content, pipe, protocol=pickle.HIGHEST_PROTOCOL)
    pipe.flush()


def serve() -> None:
    """What the process does: make the features when they are wanted, and train to order until its input ends."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not get between the replies
    if hasattr(os, "nice"):
        os.nice(5)  # people come first
    orders = SimpleQueue[Any]()
    Thread(target=_listen, args=(sys.stdin.buffer, orders), daemon=True).start()
    features = FeaturesOfItems(*orders.get())
    while True:
        order = orders.get()
        try:
            X, first = features.of(order)
            told = (
                (alike(check_matrix(X), random_state=order.seed), features.notes) if first else None
            )
            beliefs, witnesses = learn_and_hear(X, order)
            result = (beliefs, told, machine(), features.encoder, features.new, witnesses)
            reply: tuple[str, Any] = ("beliefs", result)
            features.told()
        except Exception as error:  # told to whoever ordered it
            reply = ("error", f"{type(error).__name__}: {error}")
        _write(replies, reply)


def _listen(orders: IO[bytes], queue: SimpleQueue[Any]) -> None:
    """Take orders as they come, and end the process when no more can come, whatever it is doing."""
    try:
        while True:
            queue.put(pickle.load(orders))
    except (EOFError, pickle.UnpicklingError):  # perhaps in the middle of an order
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


class FeaturesOfItems:
    """The features of items, made when they are first wanted, and anew when something else is to be read."""

    def __init__(self, items: Sequence[Item], kept: Encodings | None = None):
        self._items = items
        self._kept = kept or {}
        self._of: tuple[Ontology, str, tuple[LabelText, ...]] | None = None
        self._X: Any = None
        self._fresh = True  # not yet told of
        self.encoder: dict[str, Any] | None = None
        self.new: Encodings = {}
        self.notes: list[str] = []

    def of(self, order: Order) -> tuple[Any, bool]:
        """What is learnt from, and whether that was not told of before."""
        wanted = (
            None
            if order.to_read is None
            else (order.onto, order.to_read.encoder, order.to_read.labels)
        )
        if self._X is None or wanted != self._of:
            self._X = None
            self._fresh = True
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", FeaturesWarning)
                self._X = self._made(order)
            self._of = wanted
            self.notes = [
                str(one.message) for one in caught if issubclass(one.category, FeaturesWarning)
            ]
        return self._X, self._fresh

    def told(self) -> None:
        """Whoever ordered a training has what is new."""
        self._fresh = False
        self.new = {}

    def _made(self, order: Order) -> Any:
        if order.to_read is None:
            self.encoder = None
            return features_of(self._items)
        with one_blas_thread():
            found = read(self._items, order.onto, order.to_read, self._kept)
        self.encoder = found.encoder
        for encoder, vectors in found.new.items():
            self._kept[encoder] = self._kept.get(encoder, {}) | vectors
            self.new[encoder] = self.new.get(encoder, {}) | vectors
        return found.X
