"""Settings for every test."""

from __future__ import annotations

import sys

import pytest
from hypothesis import Phase, settings

from .forked import start_training

# The first call of a numba kernel compiles it, in a fresh clone for seconds: no deadline per example.
settings.register_profile("corollary", deadline=None)
# For make test: a fifth of the examples, of properties that name no number of their own.
settings.register_profile("quick", deadline=None, max_examples=20)
# For mutants: a test that fails says enough, which no smaller example betters; and the same ones survive each time.
settings.register_profile(
    "mutants",
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
)
settings.load_profile("corollary")


@pytest.fixture(autouse=True, scope="session")
def nothing_told_of_waiting():
    """On a busy machine anything may last over a second: what commands print must not depend on it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("corollary.cli.progress.AFTER", 3600.0)
        patch.setattr("corollary.logic.compiling.AFTER", 3600.0)
        yield


def pytest_collection_finish():
    """Where a test that was found may train in a process, that one is forked: to start it anew takes seconds."""
    training = sys.modules.get("corollary.campaign.training.training_process")
    if training is not None:
        training._start = start_training
