"""Who may call the backend: programs of this machine, or with the password; never a page."""

from __future__ import annotations

import base64

import httpx
import pytest

from corollary.web.label_studio.backend import make_backend

from ..conftest import Client


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "http://localhost:8000"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "same-origin"},
    ],
)
def test_a_page_cannot_send_anything_also_with_the_password(campaign, studio, headers):
    told = base64.b64encode(b"me:secret").decode()
    guarded = Client(
        make_backend(campaign, basic_auth=("me", "secret")),
        headers={"Authorization": f"Basic {told}"},
    )
    for client in (studio, guarded):
        assert client.get("/health").status_code == 200
        assert client.post("/webhook", json={}, headers=headers).status_code == 403
    assert studio.post("/webhook", json={}, headers={"Host": "evil.example"}).status_code == 400


def test_without_a_password_only_this_machine_is_served_whatever_name_it_calls(campaign):
    app = make_backend(campaign)
    for address, status in (("127.0.0.1", 200), ("::1", 200), ("192.0.2.7", 403), ("", 403)):
        client = Client(app)
        transport = httpx.ASGITransport(app=app, client=(address, 50000))
        client.http = httpx.AsyncClient(transport=transport, base_url="http://localhost:8000")
        assert client.get("/health").status_code == status


def test_a_body_is_not_read_beyond_its_limit(studio):
    assert (
        studio.post("/predict", json={}, headers={"Content-Length": str(1 << 30)}).status_code
        == 413
    )


def test_with_a_password_nobody_else_is_served(campaign):
    studio = Client(
        make_backend(campaign, basic_auth=("me", "geheim:ß")), base="http://studio.example"
    )

    def status(text, scheme="Basic"):
        coded = base64.b64encode(text.encode()).decode()
        return studio.get("/health", headers={"Authorization": f"{scheme} {coded}"}).status_code

    assert studio.get("/health").status_code == 401
    assert studio.post("/webhook", json={}).status_code == 401
    assert status("me:geheim:ß") == 200
    assert (
        status("me:geheim")
        == status("you:geheim:ß")
        == status("me")
        == status("me:geheim:ß", "Bearer")
        == 401
    )
    assert studio.get("/health", headers={"Authorization": "Basic ???"}).status_code == 401
    guesses = [status(f"me:{n}") for n in range(20)]
    assert guesses[-1] == 429  # who guesses waits


@pytest.mark.parametrize(("proven", "status"), [(True, 200), (False, 429)])
def test_wrong_passwords_keep_label_studio_out_only_of_where_it_never_was(campaign, proven, status):
    def header(password):
        return {"Authorization": f"Basic {base64.b64encode(f'me:{password}'.encode()).decode()}"}

    studio = Client(
        make_backend(campaign, basic_auth=("me", "secret")), base="http://studio.example"
    )
    if proven:
        assert studio.get("/health", headers=header("secret")).status_code == 200
    told = [studio.get("/health", headers=header(f"guess {n}")).status_code for n in range(15)]
    assert (told[0], told[-1]) == (401, 429)
    assert studio.get("/health", headers=header("secret")).status_code == status
