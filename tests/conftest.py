"""Settings for every test."""

from __future__ import annotations

from hypothesis import settings

# The first call of a numba kernel compiles it, in a fresh clone for seconds: no deadline per example.
settings.register_profile("corollary", deadline=None)
settings.load_profile("corollary")
