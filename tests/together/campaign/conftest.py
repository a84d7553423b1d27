"""The places for campaigns that tests of its parts have."""

from __future__ import annotations

from ...campaign.conftest import new_sqlite, new_url, postgres, store, url  # noqa: F401 (fixtures)
