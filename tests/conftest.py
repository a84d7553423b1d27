"""Settings for every test."""

from __future__ import annotations

import pytest
from hypothesis import settings

# The first call of a numba kernel compiles it, in a fresh clone for seconds: no deadline per example.
settings.register_profile("corollary", deadline=None)
settings.load_profile("corollary")


@pytest.fixture(autouse=True, scope="session")
def nothing_told_of_waiting():
    """On a busy machine anything may last over a second: what commands print must not depend on it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("corollary.cli.progress.AFTER", 3600.0)
        yield
