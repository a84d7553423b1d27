"""The campaign and the people that tests of the service's parts have."""

from __future__ import annotations

from ...web.conftest import ana, anyone, app, campaign, lead, reader, tokens  # noqa: F401 (fixtures)
