"""Signing in: links that work once, cookies, passwords, signing out."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter

import httpx
import pytest

from corollary.campaign.campaign import Campaign
from corollary.web.access import sign_in
from corollary.web.app import make_app

from ..conftest import Client
from ..signing_in import PAGE, signed_in


def cookie_of(app, token, base="http://localhost:8000"):
    return (
        Client(app, headers=PAGE, base=base)
        .post("/api/login", json={"token": token})
        .headers["set-cookie"]
    )


def test_an_invite_link_sets_a_cookie_that_scripts_and_other_sites_cannot_use(app, tokens):
    cookie = cookie_of(app, tokens["annotator"])
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert "Path=/;" in cookie
    assert "Secure" not in cookie
    assert signed_in(app, tokens["annotator"]).get("/api/me").json()["name"] == "Ana"


def test_the_cookie_is_secure_behind_https(app, tokens):
    assert "Secure" in cookie_of(app, tokens["annotator"], "https://label.example")


def test_to_open_a_link_signs_nobody_in_and_uses_nothing_up(app, campaign):
    """Else a page could sign its visitors in as somebody else, and a messenger that looks ahead would use the link."""
    link = campaign.invite_by_link("Ana")
    for headers in ({}, {"Sec-Fetch-Site": "cross-site"}, PAGE):
        answer = Client(app, headers=headers).get(f"/join/{link}")
        assert answer.status_code == 200
        assert "set-cookie" not in answer.headers
        assert "This link is for <b>Ana</b>" in answer.text
        assert link not in answer.text
    assert campaign.linked(link).name == "Ana"


def test_only_the_link_of_ones_own_terminal_goes_on_without_a_press_and_to_open_it_uses_nothing_up(
    campaign,
):
    app = make_app(campaign, mode="single")
    own, invited = app.state.door.new_link(), campaign.invite_by_link("Ana")
    for link, by_itself in ((own, True), (invited, False), (own, True)):
        answer = Client(app).get(f"/join/{link}")
        assert answer.status_code == 200
        assert "set-cookie" not in answer.headers
        assert ("data-by-itself" in answer.text) == by_itself
        assert link not in answer.text
    assert signed_in(app, own).get("/api/me").json()["role"] == "lead"


def test_a_link_works_once_and_is_no_token(app, campaign):
    link = campaign.invite_by_link("Ana")
    assert Client(app, link).get("/api/me").status_code == 401
    client = signed_in(app, link)
    assert client.get("/api/me").json()["name"] == "Ana"
    assert link not in str(client.http.cookies)
    again = Client(app, headers=PAGE).post("/api/login", json={"token": link})
    assert (again.status_code, again.json()["error"]["message"]) == (
        401,
        "This link was used already.",
    )
    assert client.get("/api/me").status_code == 200


def test_a_link_ends_and_its_end_cannot_be_moved(app, campaign, monkeypatch):
    link = campaign.invite_by_link("Ana", seconds=3600)
    kind, ends, secret = link.split(".")
    for other in (
        f"{kind}.{int(ends) + 10**6}.{secret}",
        f"{kind}.x.{secret}",
        f"{kind}.{ends}",
        f"{link}.",
        "link.",
    ):
        assert campaign.join(other) is None
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 3601)
    assert Client(app, headers=PAGE).post("/api/login", json={"token": link}).status_code == 401
    monkeypatch.undo()
    assert campaign.join(link) is not None


def test_the_lead_sets_how_long_a_link_works_or_asks_for_a_token(app, campaign, lead):
    made = lead.post("/api/people", json={"name": "Ben", "hours": 1}).json()
    assert made["token"] is None
    ends = int(made["link"].split(".")[1])
    assert 3500 < ends - time.time() <= 3600
    program = lead.post("/api/people", json={"name": "robot", "program": True}).json()
    assert program["link"] is None
    assert Client(app, program["token"]).get("/api/me").json()["name"] == "robot"


def test_campaigns_of_one_host_do_not_share_a_cookie(tmp_path, campaign):
    with Campaign.create(
        tmp_path / "other.sqlite", ["x"], campaign.state.onto, name="Things", lead="Mara"
    ) as other:
        names = set()
        for one in (campaign, other):
            app = make_app(one, mode="team")
            names.add(
                cookie_of(app, one.invite("Mara", "lead"), "https://label.example").partition("=")[
                    0
                ]
            )
        assert len(names) == 2


def test_the_cookie_stays_under_the_prefix_of_the_page(app, tokens):
    client = Client(app, headers=PAGE)
    transport = httpx.ASGITransport(app=app, root_path="/birds")
    client.http = httpx.AsyncClient(
        transport=transport, base_url="https://label.example", headers=PAGE
    )
    answer = client.post("/birds/api/login", json={"token": tokens["annotator"]})
    assert "Path=/birds/;" in answer.headers["set-cookie"]


def test_a_wrong_link_says_so(anyone):
    answer = anyone.get("/join/nonsense")
    assert answer.status_code == 401
    assert "set-cookie" not in answer.headers
    assert answer.json()["error"]["code"] == "not_signed_in"
    assert "Ask your lead" in answer.json()["error"]["hint"]


BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}


def test_a_browser_gets_a_page_for_a_link_that_does_not_work(app, campaign, lead, tokens):
    browser = Client(app, headers=BROWSER)
    lead.call("PATCH", "/api/people/Ana", json={"revoked": True})
    for token in ("nonsense", tokens["annotator"], "x" * 1000):
        answer = browser.get(f"/join/{token}")
        assert answer.status_code == 401
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert answer.headers["cache-control"] == "no-store"
        assert "set-cookie" not in answer.headers
        assert "This link does not work, or no longer" in answer.text
        assert "Ask your lead for another invite link." in answer.text
        assert not [word for word in (token, "Mara", campaign.name, "$") if word in answer.text]
    while answer.status_code == 401:
        answer = browser.get("/join/guess")
    assert answer.status_code == 429
    assert f"Try again in {answer.headers['retry-after']} s." in answer.text
    assert answer.headers["content-type"].startswith("text/html")


def test_a_link_that_was_used_says_where_the_next_one_comes_from(campaign):
    app = make_app(campaign, mode="single")
    link = app.state.door.new_link()
    signed_in(app, link)
    told = Client(app).get(f"/join/{link}").json()["error"]
    assert (told["code"], told["message"]) == ("not_signed_in", "This link was used already.")
    assert "the terminal prints it" in told["hint"]
    page = Client(app, headers=BROWSER).get(f"/join/{link}")
    assert page.status_code == 401
    assert "This link was used already" in page.text
    assert told["hint"] in page.text
    assert "does not work" in Client(app, headers=BROWSER).get("/join/nonsense").text


def test_a_stranger_is_told_the_mode_and_nothing_else(campaign):
    for mode, code in (("single", "link_needed"), ("team", "not_signed_in")):
        answer = Client(make_app(campaign, mode=mode)).get("/api/me")
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"
        assert answer.json()["error"]["code"] == code
        assert ("terminal printed" in answer.text) == (mode == "single")
        assert not [word for word in ("Mara", campaign.name) if word in answer.text]


def test_single_user_mode_has_one_link_that_works_once(campaign):
    app = make_app(campaign, mode="single")
    link = app.state.door.new_link()
    client = signed_in(app, link)
    assert client.get("/api/me").json()["role"] == "lead"
    assert client.get("/api/me").json()["mode"] == "single"
    assert Client(app).get(f"/join/{link}").status_code == 401
    assert link not in str(client.http.cookies)


def test_a_restart_signs_nobody_out(campaign):
    app = make_app(campaign, mode="single")
    client = signed_in(app, app.state.door.new_link())
    again = make_app(campaign, mode="single")
    again.state.door.new_link()
    other = Client(again)
    other.http.cookies = client.http.cookies
    assert other.get("/api/me").status_code == 200


def test_two_servers_on_one_machine_do_not_share_a_cookie(campaign):
    app = make_app(campaign, mode="single")
    assert "_8123=" in cookie_of(app, app.state.door.new_link(), "http://127.0.0.1:8123")


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example:8000", "", "127.0.0.1.nip.io", "[::1"]
)
def test_single_user_mode_goes_by_local_names_only(campaign, host):
    app = make_app(campaign, mode="single")
    answer = Client(app, campaign.invite("Mara", "lead"), headers={"Host": host}).get("/api/me")
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "wrong_host"
    for name in ("localhost", "127.0.0.1:9999", "[::1]:80", "LOCALHOST"):
        assert Client(app, headers={"Host": name}).get("/health").status_code == 200


def test_a_password_signs_in_until_it_changes(app, lead, ana):
    assert (
        lead.call(
            "PATCH", "/api/people/Ana", json={"password": "correct horse battery"}
        ).status_code
        == 200
    )
    page = {"X-Corollary": "1", "Sec-Fetch-Site": "same-origin"}
    browser = Client(app, headers=page)
    wrong = browser.post("/api/login", json={"name": "Ana", "password": "wrong"})
    nobody = browser.post("/api/login", json={"name": "Nobody", "password": "wrong"})
    assert wrong.status_code == nobody.status_code == 401
    assert wrong.json() == nobody.json()
    assert (
        browser.post(
            "/api/login", json={"name": "Ana", "password": "correct horse battery"}
        ).status_code
        == 200
    )
    assert browser.get("/api/me").json()["name"] == "Ana"
    assert ana.get("/api/me").status_code == 200  # the invitation still works beside it
    lead.call("PATCH", "/api/people/Ana", json={"password": "another long password"})
    assert browser.get("/api/me").status_code == 401


async def from_many_networks(app, names):
    """Sign-ins at once, each from a network of its own; their statuses."""

    async def one(n, name):
        transport = httpx.ASGITransport(app=app, client=(f"10.{n // 250}.{n % 250}.1", 50000))
        async with httpx.AsyncClient(
            transport=transport, base_url="http://localhost:8000", headers=PAGE
        ) as http:
            return (
                await http.post("/api/login", json={"name": name, "password": "guess"})
            ).status_code

    return await asyncio.gather(*(one(n, name) for n, name in enumerate(names)))


def test_sign_ins_that_wait_hold_nobody_else_up(app, tokens, monkeypatch):
    """The attack: 400 sign-ins from 200 addresses, and /health took over 60 s."""
    go_on, waiting = threading.Event(), threading.Semaphore(0)

    def slow(kept, password):
        waiting.release()
        assert go_on.wait(60)
        return False

    monkeypatch.setattr(sign_in, "verify", slow)
    told = []
    attack = threading.Thread(
        target=lambda: told.extend(asyncio.run(from_many_networks(app, map(str, range(400)))))
    )
    attack.start()
    for _ in range(2):
        assert waiting.acquire(timeout=60)
    assert Client(app).get("/health").status_code == 200
    assert Client(app, tokens["annotator"]).get("/api/me").json()["name"] == "Ana"
    go_on.set()
    attack.join()
    assert Counter(told) == {401: 60, 429: 340}


def test_guesses_at_one_password_are_few_from_however_many_networks(app, monkeypatch):
    monkeypatch.setattr(sign_in, "verify", lambda kept, password: False)
    told = [
        status for _ in range(10) for status in asyncio.run(from_many_networks(app, ["Ana"] * 4))
    ]
    assert told == [401] * 30 + [429] * 10
    assert asyncio.run(from_many_networks(app, [*["Ana"] * 4, "Ben"]))[-1] == 401


def test_signing_out_ends_a_session(app, lead):
    lead.call("PATCH", "/api/people/Ana", json={"password": "correct horse battery"})
    browser = Client(app, headers={"X-Corollary": "1", "Sec-Fetch-Site": "same-origin"})
    assert (
        browser.post(
            "/api/login", json={"name": "Ana", "password": "correct horse battery"}
        ).status_code
        == 200
    )
    kept = dict(browser.http.cookies)
    assert browser.post("/api/logout").status_code == 200
    assert not dict(browser.http.cookies)
    browser.http.cookies.update(kept)
    assert browser.get("/api/me").status_code == 401


@pytest.mark.parametrize("mode", ["single", "team"])
def test_signing_out_ends_what_a_link_gave(campaign, mode):
    app = make_app(campaign, mode=mode)
    browser = signed_in(
        app, app.state.door.new_link() if mode == "single" else campaign.invite_by_link("Ana")
    )
    kept = dict(browser.http.cookies)
    assert browser.post("/api/logout").status_code == 200
    for serving in (app, make_app(campaign, mode=mode)):  # also after the server starts again
        thief = Client(serving, headers=PAGE)
        thief.http.cookies.update(kept)
        assert thief.get("/api/me").status_code == 401
        assert Client(serving, *kept.values()).get("/api/me").status_code == 401


def test_signing_out_of_a_browser_leaves_a_programs_token(app, tokens):
    browser = signed_in(app, tokens["annotator"])
    assert browser.post("/api/logout").status_code == 200
    assert Client(app, tokens["annotator"]).get("/api/me").status_code == 200


def test_what_a_link_gave_ends_after_90_days(app, campaign, monkeypatch):
    browser = signed_in(app, campaign.invite_by_link("Ana"))
    now = time.time()
    for days, status in ((89, 200), (91, 401)):
        monkeypatch.setattr(time, "time", lambda days=days: now + days * 24 * 3600)
        assert browser.get("/api/me").status_code == status


def test_signing_in_needs_one_of_two_ways(app):
    browser = Client(app, headers={"X-Corollary": "1", "Sec-Fetch-Site": "same-origin"})
    for body in ({}, {"name": "Ana"}, {"token": "x", "name": "Ana", "password": "y"}):
        assert browser.post("/api/login", json=body).status_code == 400


@pytest.mark.parametrize("mode", ["single", "team"])
def test_a_link_sent_as_a_token_is_told_for_what_it_is(campaign, mode):
    app = make_app(campaign, mode=mode)
    link = app.state.door.new_link() if mode == "single" else campaign.invite_by_link("Ana")
    told = Client(app, link).get("/api/me")
    assert told.status_code == 401
    assert told.json()["error"]["code"] == "link_as_token"
    assert "Programs need a token" in told.text
    assert "program" in told.json()["error"]["hint"]
    assert "used already" not in told.text
    signed_in(app, link)  # it was not used up
    assert "and it was used already" in Client(app, link).get("/api/me").text
    assert Client(app, "nonsense").get("/api/me").json()["error"]["code"] != "link_as_token"


def test_a_request_that_does_not_say_where_it_comes_from_is_told_so(campaign):
    app = make_app(campaign, mode="team")
    token = campaign.invite("Ana")
    own = {"X-Corollary": "1"}
    told = Client(app, headers=own).post("/api/login", json={"token": token}).json()["error"]
    assert told["message"] == "Neither Origin nor Sec-Fetch-Site says where this comes from."
    assert "Authorization: Bearer" in told["hint"]
    assert "proxy" not in told["hint"]
    foreign = Client(app, headers={**own, "Origin": "http://elsewhere"}).post(
        "/api/login", json={"token": token}
    )
    assert "proxy" in foreign.json()["error"]["hint"]
