"""Those who read a campaign while another process has it know that it trains."""

from __future__ import annotations

import threading
from contextlib import closing
from sqlite3 import connect

import pytest

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.campaign.storage import holding
from corollary.campaign.training.training_notice import TRAINING, tell_begun
from corollary.campaign.training.training_process import Trainer


@pytest.fixture
def training(tmp_path, monkeypatch):
    """A campaign whose first training lasts until one lets it go on."""
    go_on, honest = threading.Event(), Trainer.train

    def slow(self, order):
        assert go_on.wait(60)
        return honest(self, order)

    monkeypatch.setattr(Trainer, "train", slow)
    settings = {"learner": "logistic", "retrain_every": 10**6}
    path = tmp_path / "x.sqlite"
    with Campaign.create(
        path, ["a", "b"], co.Ontology(["x", "y"]), name="x", settings=settings
    ) as made:
        made.answer("lead", "1", "x", True)
        made.retrain()
        yield path, made, go_on
        go_on.set()


def told(path):
    with Campaign.open(path, readonly=True) as other:
        return other.progress()["training"]


def wait_until(path, value):
    for _ in range(600):
        if (found := told(path))["training"] is value:
            return found
        threading.Event().wait(0.1)
    raise AssertionError(found)


def test_a_training_is_told_while_it_lasts(training):
    path, made, go_on = training
    found = wait_until(path, True)
    assert found["seconds"] >= 0
    assert found["took"] is None
    go_on.set()
    made.retrain(wait=True)
    assert made.state.model.value
    assert wait_until(path, False)["took"] >= 0
    assert made.leases() == []


def test_nothing_is_believed_of_a_process_that_is_gone(training, monkeypatch):
    path, _, _ = training
    wait_until(path, True)
    monkeypatch.setattr(
        holding.os, "kill", lambda pid, _: (_ for _ in ()).throw(ProcessLookupError)
    )
    assert told(path)["training"] is False


def test_what_a_killed_process_told_is_taken_back_by_the_next(tmp_path):
    path = tmp_path / "x.sqlite"
    with Campaign.create(path, ["a", "b"], co.Ontology(["x", "y"]), name="x") as made:
        tell_begun(made._live.store)
    with closing(connect(path)) as stored:
        assert stored.execute("SELECT id FROM leases").fetchall() == [(TRAINING,)]
    with Campaign.open(path) as again:
        assert again.leases() == []
    with closing(connect(path)) as stored:
        assert stored.execute("SELECT id FROM leases").fetchall() == []
