"""Verification: facts to the bit; a model is the one in the log, and what another machine rounds is no damage."""

from __future__ import annotations

import json
import os
import platform
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.campaign.items import Item
from corollary.campaign.reading import verification
from corollary.campaign.storage.records import Model, StoreWarning, hash_of
from corollary.campaign.training import machine
from corollary.campaign.training.training_process import Trainer

ROOT = Path(__file__).parents[3]
TRUTH = ("bird", "fish", "stone")
#: How this process begins, before any test: trainings of others that overlap can leave the BLAS with one thread.
HERE = machine.machine()
THREADS = max(one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas")


@pytest.fixture(autouse=True)
def threads_of_the_beginning():
    with threadpool_limits(limits=THREADS, user_api="blas"):
        yield


def create(path, *, learner="logistic"):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(60, 12)) + 2.0 * np.eye(3, 12)[np.arange(60) % 3]
    items = [
        Item(f"i{n}", fields={f"f{k}": value for k, value in enumerate(row.tolist())})
        for n, row in enumerate(rows)
    ]
    onto = co.Ontology.parse("animal > exclusive: bird, fish\nexclusive: animal, stone")
    campaign = Campaign.create(
        path, items, onto, name="zoo", settings={"learner": learner}, lead="mara"
    )
    for n in range(0, 60, 2):
        campaign.answer("mara", f"i{n}", TRUTH[n % 3], True)
    campaign.retrain(wait=True)
    return campaign


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A campaign with a model, made once."""
    path = tmp_path_factory.mktemp("made") / "zoo.sqlite"
    create(path).close()
    return path


@pytest.fixture
def path(made, tmp_path):
    return shutil.copy(made, tmp_path / "zoo.sqlite")


@pytest.fixture
def campaign(path):
    with Campaign.open(path) as campaign:
        yield campaign


def found_and_told(campaign):
    told = []
    return campaign.verify(tell=told.append), told


def off_by(monkeypatch, size):
    """A training that comes out a little different."""
    honest = verification.learn
    monkeypatch.setattr(verification, "learn", lambda X, wanted: (honest(X, wanted)[0] + size, {}))


def another_machine(monkeypatch):
    monkeypatch.setattr(machine, "machine", lambda: HERE | {"blas": "openblas 0.3 Z80 1 threads"})


def test_the_kind_of_machine_is_in_the_log(campaign):
    recorded = campaign.state.model.detail["machine"]
    assert set(recorded) == {
        "processor",
        "blas",
        "arithmetic",
        "numpy",
        "scipy",
        "scikit-learn",
        "numba",
    }
    assert recorded == machine.machine()
    assert recorded["numpy"] == np.__version__
    assert found_and_told(campaign) == ([], [])


def test_on_another_machine_rounding_is_told_with_its_size_and_is_no_difference(
    campaign, monkeypatch
):
    off_by(monkeypatch, 3e-9)
    another_machine(monkeypatch)
    found, (told,) = found_and_told(campaign)
    assert found == []
    assert "model 1, trained again on another kind of machine (blas " in told
    assert (
        "openblas 0.3 Z80 1 threads here), differs from the one in the log by at most 3e-09: within rounding"
        in told
    )


def test_on_the_same_machine_not_a_bit_may_differ(campaign, monkeypatch):
    off_by(monkeypatch, 3e-9)
    (found,), told = found_and_told(campaign)
    assert "trained again on such a machine, differs" in found
    assert "by at most 3e-09, and must not differ at all" in found
    assert told == []


def test_more_than_rounding_is_a_difference_on_any_machine(campaign, monkeypatch):
    off_by(monkeypatch, 0.2)
    another_machine(monkeypatch)
    (found,), told = found_and_told(campaign)
    assert "by at most 0.2: more than rounding explains" in found
    assert told == []


def test_a_model_from_before_machines_were_recorded(path, monkeypatch):
    with closing(sqlite3.connect(path)) as file, file:
        assert file.execute(
            "UPDATE events SET detail = json_remove(detail, '$.machine') WHERE kind = 'model'"
        ).rowcount
    with Campaign.open(path) as campaign:
        assert "machine" not in campaign.state.model.detail
        assert found_and_told(campaign) == ([], [])
        off_by(monkeypatch, 3e-9)
        found, (told,) = found_and_told(campaign)
        assert found == []
        assert "on what may be another kind of machine (none is recorded)" in told


def test_kept_beliefs_that_are_not_those_of_the_log_are_a_difference(campaign, monkeypatch):
    model = campaign._live.store.model()
    assert model.sha256 == campaign.state.model.detail["sha256"]
    campaign._live.store.put_model(
        Model(version=model.version, upto=model.upto, beliefs=model.beliefs + 1e-12)
    )
    another_machine(monkeypatch)
    found, told = found_and_told(campaign)
    assert found == ["the kept beliefs of model 1 are not those in the log"]
    assert told == []


def test_beliefs_in_use_must_be_the_kept_ones(campaign):
    campaign.state.session.beliefs[0, 0] += 1e-12
    assert found_and_told(campaign) == (["the beliefs in use are not those of model 1"], [])


def test_without_kept_beliefs_those_in_use_tell_the_size(campaign, monkeypatch):
    campaign._live.store.forget_models()
    assert found_and_told(campaign) == ([], [])
    off_by(monkeypatch, 3e-9)
    assert "by at most 3e-09, and must not differ at all" in found_and_told(campaign)[0][0]


def test_trained_again_to_open_it_the_size_is_not_known(path, monkeypatch):
    with Campaign.open(path) as campaign:
        campaign._live.store.forget_models()
    off_by(monkeypatch, 3e-9)
    another_machine(monkeypatch)
    train = Trainer.train

    def otherwise(self, wanted):
        result = train(self, wanted)
        beliefs = result.beliefs + 3e-9
        return replace(result, beliefs=beliefs, sha256=hash_of(beliefs))

    monkeypatch.setattr(Trainer, "train", otherwise)
    with pytest.warns(StoreWarning, match="trained again and differs"):
        campaign = Campaign.open(path)
    with campaign:
        found, (told,) = found_and_told(campaign)
        assert found == []
        assert told.endswith(
            "differs from the one in the log; by how much is not known: its beliefs were not kept"
        )


# -- from one machine to another -------------------------------------------------------------------------------------

MAKE = """
from pathlib import Path
from tests.campaign.reading.test_verification import create
create(Path({path!r}), learner="crf").close()
"""
GO_ON = """
import json, warnings
from corollary.campaign.campaign import Campaign
warnings.simplefilter("error")
with Campaign.open({path!r}) as campaign:
    kept = campaign._live.store.model()
    told = []
    found = campaign.verify(step_by_step=True, tell=told.append)
    print(json.dumps({{
        "model": campaign.state.model.value,
        "stored": bool((campaign.state.session.beliefs == kept.beliefs).all()),
        "trained": campaign._live.models.trainer.pid is not None or campaign.progress()["training"]["training"],
        "asks": campaign.next("mara")[0].label,
        "blas": campaign.state.model.detail["machine"]["blas"],
        "found": found,
        "told": told,
    }}))
"""


def run(program, path, kernels):
    env = {
        **os.environ,
        "OPENBLAS_CORETYPE": kernels,
        "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]),
    }
    command = [sys.executable, "-c", program.format(path=str(path))]
    done = subprocess.run(
        command, env=env, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64"), reason="kernels of other processors than x86"
)
def test_a_campaign_that_moves_to_another_processor_goes_on_with_its_model(tmp_path):
    path = tmp_path / "moved.sqlite"
    run(MAKE, path, "Sandybridge")
    here, there = (json.loads(run(GO_ON, path, kernels)) for kernels in ("Sandybridge", "Haswell"))
    assert "Sandybridge" in here["blas"]
    assert (here["found"], here["told"]) == ([], [])
    for one in (here, there):
        assert (one["model"], one["stored"], one["trained"]) == (1, True, False)
    assert there["asks"] == here["asks"]
    assert there["found"] == []
    (told,) = there["told"]  # the last digits are others, or this would test nothing
    assert "Sandybridge" in told
    assert "within rounding" in told


def test_without_training_the_kept_beliefs_are_compared_with_the_log(campaign, monkeypatch):
    monkeypatch.setattr(verification, "learn", None)  # whoever trains fails
    told, far = [], []
    options = {"train": False, "step_by_step": True}
    assert campaign.verify(tell=told.append, progress=lambda *one: far.append(one), **options) == []
    assert told == [
        "model 1: its beliefs were kept and are those in the log; it was not trained again"
    ]
    assert far[0] == (0, campaign.state.seq)
    assert far[-1] == (campaign.state.seq, campaign.state.seq)
    campaign.state.session.beliefs[0, 0] += 1e-9
    assert campaign.verify(**options) == ["the beliefs in use are not those of model 1"]


def test_beliefs_that_were_not_kept_are_trained_again_all_the_same(path, monkeypatch):
    with Campaign.open(path) as campaign:
        campaign._live.store.forget_models()
        campaign.state.session.beliefs[0, 0] += 1e-9
        trained = []
        honest = verification.learn
        monkeypatch.setattr(verification, "learn", lambda *one: trained.append(one) or honest(*one))
        assert campaign.verify(train=False) == ["the beliefs in use are not those of model 1"]
        assert len(trained) == 1
