"""The gate: rules hold under a prefix, and nobody unknown makes the server read."""

from __future__ import annotations

import asyncio

from corollary.web.access.rate_limits import MEGABYTE
from corollary.web.app import make_app

from ..conftest import Client


def test_a_prefix_of_a_proxy_changes_no_rule(campaign, tokens):
    app = make_app(campaign, mode="team")

    async def under_prefix(scope, receive, send):
        scope = {**scope, "root_path": "/label", "path": "/label" + scope["path"]}
        await app(scope, receive, send)

    assert Client(under_prefix).get("/api/me").status_code == 401
    assert Client(under_prefix, tokens["annotator"]).get("/api/me").json()["name"] == "Ana"
    assert Client(under_prefix, tokens["annotator"]).get("/api/people").status_code == 403


def test_nobody_unknown_makes_the_server_read(app):
    """Whoever may not call a route is refused before its body arrives."""
    asked = []

    async def receive():
        asked.append(1)
        return {"type": "http.request", "body": b"x" * MEGABYTE, "more_body": True}

    sent = []

    async def send_(message):
        sent.append(message)

    path = "/api/items"
    scope = {
        "type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "root_path": "", "scheme": "http",
        "query_string": b"", "headers": [(b"host", b"localhost")], "client": ("127.0.0.1", 1), "server": ("x", 1),
        "http_version": "1.1",
    }  # fmt: skip
    asyncio.run(app(scope, receive, send_))
    assert sent[0]["status"] == 401
    assert not asked
