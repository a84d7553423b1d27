"""Training in a process: the same beliefs as here, told errors, restarted when it dies; what it tells of likeness."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import corollary as co
from corollary.campaign.items import Item, features_of
from corollary.campaign.training import training_process
from corollary.campaign.training.machine import machine
from corollary.campaign.training.training_process import Trainer, TrainingError, learn
from corollary.learning.features.neighbours import nearest_items
from corollary.learning.session.training import TrainingInput

#: Elsewhere in the tests trainings are forked (see tests/forked.py); here they start as they really do.
AS_IT_IS = training_process._start
ONTO = co.Ontology.parse("animal > exclusive: bird, fish")
WORDS = ("feather wing", "fin water", "stone hill")
MADE = [Item(f"i{n}", text=f"{WORDS[n % 3]} number {n}") for n in range(30)]


def wanted(learner="logistic", *, seed=0):
    facts = np.full((30, 3), -1, np.int8)
    facts[:12] = [(1, n % 3 == 0, n % 3 == 1) if n % 3 < 2 else (0, 0, 0) for n in range(12)]
    return TrainingInput(onto=ONTO, facts=facts, learner=learner, random_state=seed)


@pytest.fixture(autouse=True)
def started_as_it_is(monkeypatch):
    monkeypatch.setattr(training_process, "_start", AS_IT_IS)


@pytest.fixture
def trainer():
    trainer = Trainer(lambda: MADE)
    yield trainer
    trainer.close()


def test_a_model_is_a_pure_function_of_its_order(trainer):
    here, _ = learn(features_of(MADE), wanted())
    there = trainer.train(wanted()).beliefs
    np.testing.assert_array_equal(here, there)
    trainer.train(wanted(seed=1))
    np.testing.assert_array_equal(
        trainer.train(wanted()).beliefs, here
    )  # nothing is left from the one before
    assert there.dtype == np.float64
    assert trainer.deaths == 0


def test_an_error_is_told_and_the_next_training_works(trainer):
    trainer.train(wanted())  # so that there is a process
    pid = trainer.pid
    with pytest.raises(TrainingError, match="no learner 'guess'"):
        trainer.train(wanted("guess"))
    assert trainer.train(wanted()).beliefs.shape == (30, 3)
    assert trainer.pid == pid


def test_a_process_that_died_is_restarted(trainer):
    expected = trainer.train(wanted()).beliefs
    pid = trainer.pid
    os.kill(pid, signal.SIGKILL)
    np.testing.assert_array_equal(trainer.train(wanted()).beliefs, expected)
    assert trainer.deaths == 1
    assert trainer.pid != pid


def test_the_process_ends_when_its_orders_do(trainer):
    trainer.train(wanted())
    process = trainer._process
    process.stdin.close()  # as it happens when the server is killed
    assert process.wait(timeout=60) == 0
    trainer.close()
    assert trainer.pid is None
    with pytest.raises(TrainingError, match="closed"):
        trainer.train(wanted())


#: A training that takes for ever, in Python, where it has the interpreter to itself for long.
BUSY = """
from corollary.campaign.training import training_process
def busy(X, order):
    print("busy", flush=True)  # goes to the standard error
    while True:
        pass
training_process.learn = busy
training_process.serve()
"""
SERVER = """
import subprocess, sys
from corollary.campaign.training.training_process import _write
process = subprocess.Popen([sys.executable, "-c", sys.argv[1]], stdin=subprocess.PIPE)
for part in pickle.load(sys.stdin.buffer):
    _write(process.stdin, part)
process.wait()
"""


def test_the_process_ends_in_the_middle_of_a_training_when_the_server_is_killed():
    command = [sys.executable, "-c", f"import pickle{SERVER}", BUSY]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    pickle.dump([(MADE, {}), wanted()], server.stdin)
    server.stdin.close()
    assert server.stderr.readline() == b"busy\n"
    server.kill()
    server.wait()
    killed = time.monotonic()
    assert (
        server.stderr.read() == b""
    )  # ends when the training process does, which has the other end
    assert time.monotonic() - killed < 2
    server.stderr.close()


def test_a_result_has_the_neighbours_of_items_and_the_machine(trainer):
    found = nearest_items(features_of(MADE), random_state=0)
    for _ in range(2):
        result = trainer.train(wanted())
        np.testing.assert_array_equal(result.neighbours.items, found.items)
        np.testing.assert_array_equal(result.neighbours.similarity, found.similarity)
        assert result.machine == machine()
        assert result.seconds > 0


def test_nothing_from_the_working_folder_runs_in_the_training(tmp_path, monkeypatch):
    traces = tmp_path / "traces"
    for name in ("uuid", "numpy", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text(
            f"open({str(traces)!r}, 'a').write('{name} ran')\nraise SystemExit(3)\n"
        )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), "", *sys.path])  # as `python -m` has it
    trainer = Trainer(lambda: MADE)
    try:
        assert trainer.train(wanted()).beliefs.shape == (30, 3)
    finally:
        trainer.close()
    assert not traces.exists()
    assert trainer.deaths == 0
