"""Someone who signed in on the page."""

from __future__ import annotations

from .conftest import Client

PAGE = {"X-Corollary": "1", "Sec-Fetch-Site": "same-origin"}


def signed_in(app, token, **headers):
    client = Client(app, headers={**PAGE, **headers})
    assert client.get(f"/join/{token}").status_code == 200
    assert client.post("/api/login", json={"token": token}).status_code == 200
    return client
