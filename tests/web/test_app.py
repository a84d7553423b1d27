"""Every route has its line in the table of access."""

from __future__ import annotations

import pytest

from corollary.logic.errors import CorollaryError
from corollary.web.access import sign_in as security
from corollary.web.access.sign_in import ACCESS
from corollary.web.app import ROUTERS, make_app, routes_of


def test_every_route_is_in_the_table():
    assert routes_of(ROUTERS) | {"GET /api/openapi.json"} == set(ACCESS)


def test_a_route_without_a_line_is_not_served(monkeypatch, campaign):
    monkeypatch.delitem(security.ACCESS, "POST /api/answers")
    with pytest.raises(CorollaryError, match="POST /api/answers"):
        make_app(campaign)
