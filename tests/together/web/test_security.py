"""Who may what: every role on every route, sign-in, foreign pages, revocation, and nothing secret in the log."""

from __future__ import annotations

import logging
import time

import httpx
import pytest

from corollary.campaign.campaign import Campaign
from corollary.logic.errors import CorollaryError
from corollary.web.access import sign_in as security
from corollary.web.access.rate_limits import Rate
from corollary.web.access.sign_in import ACCESS, MAY
from corollary.web.app import ROUTERS, make_app, routes_of

from ...web.conftest import Client, key

#: A request for each route that passes its checks of form, so that only the role decides.
BODIES = {
    "POST /api/questions": {"n": 1},
    "POST /api/answers": {"key": "k", "item": "thing 1", "label": "Bird", "value": True},
    "POST /api/undo": {"key": "k"},
    "POST /api/flags": {"key": "k", "item": "thing 1", "reason": "text"},
    "POST /api/doubts": {"key": "k", "seq": 1},
    "POST /api/leases/renew": {"leases": []},
    "POST /api/leases/release": {"leases": []},
    "POST /api/ontology/preview": {"text": "Animal > Bird"},
    "PUT /api/ontology": {"key": "k", "text": "Animal > Bird"},
    "POST /api/people": {"name": "Ben"},
    "PATCH /api/people/{name:path}": {"paused": False},
    "POST /api/decisions": {"key": "k", "item": "thing 1", "label": "Bird", "value": True},
    "POST /api/flags/{seq}/settle": {"key": "k"},
    "PATCH /api/settings": {"key": "k", "changes": {"target": 0.9}},
    "POST /api/pause": {"paused": False},
}
NOT_CALLED = ("GET /api/events", "POST /api/train")  # without end; starts a process


def path_of(line: str) -> str:
    path = line.split(" ")[1]
    for part, value in (("{id:path}", "thing 1"), ("{name:path}", "Ana"), ("{seq}", "1"), ("{path:path}", "x")):
        path = path.replace(part, value)
    return path.replace("{token}", "nobody")


@pytest.mark.parametrize("role", ["nobody", "reader", "annotator", "lead"])
def test_each_role_on_each_route(app, tokens, role):
    client = Client(app, tokens.get(role), headers={"X-Corollary": "1", "Sec-Fetch-Site": "same-origin"})
    wrong = []
    for line, access in ACCESS.items():
        if line in NOT_CALLED:
            continue
        got = client.call(line.split(" ")[0], path_of(line), json=BODIES.get(line)).status_code
        if (role if role in tokens else "") not in MAY[access]:
            fine = got == (401 if role == "nobody" else 403)
        else:
            fine = got != 403 and got < 500 and (got != 401 or line == "GET /join/{token}")
        wrong += [] if fine else [(line, got)]
    assert not wrong


@pytest.mark.parametrize("line", NOT_CALLED)
def test_the_others_are_refused_too(anyone, line):
    assert anyone.call(*line.split(" ")).status_code == 401


def test_a_reader_cannot_train(reader):
    assert reader.post("/api/train").status_code == 403


def test_every_route_is_in_the_table():
    assert routes_of(ROUTERS) | {"GET /api/openapi.json"} == set(ACCESS)


def test_a_route_without_a_line_is_not_served(monkeypatch, campaign):
    monkeypatch.delitem(security.ACCESS, "POST /api/answers")
    with pytest.raises(CorollaryError, match="POST /api/answers"):
        make_app(campaign)


def test_a_wrong_token_is_nobodys(app):
    for header in ("Bearer nonsense", "Bearer ", "Basic YTpi", "Bearer " + "x" * 1000):
        answer = Client(app, headers={"Authorization": header}).get("/api/me")
        assert answer.status_code == 401
        assert answer.json()["error"]["code"] == "not_signed_in"


# -- links, cookies, passwords ----------------------------------------------------------------------------------


PAGE = {"X-Corollary": "1", "Sec-Fetch-Site": "same-origin"}


def signed_in(app, token, **headers):
    client = Client(app, headers={**PAGE, **headers})
    assert client.get(f"/join/{token}").status_code == 200
    assert client.post("/api/login", json={"token": token}).status_code == 200
    return client


def cookie_of(app, token, base="http://localhost:8000"):
    return Client(app, headers=PAGE, base=base).post("/api/login", json={"token": token}).headers["set-cookie"]


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


def test_a_link_works_once_and_is_no_token(app, campaign):
    link = campaign.invite_by_link("Ana")
    assert Client(app, link).get("/api/me").status_code == 401
    client = signed_in(app, link)
    assert client.get("/api/me").json()["name"] == "Ana"
    assert link not in str(client.http.cookies)
    again = Client(app, headers=PAGE).post("/api/login", json={"token": link})
    assert (again.status_code, again.json()["error"]["message"]) == (401, "This link was used already.")
    assert client.get("/api/me").status_code == 200


def test_a_link_ends_and_its_end_cannot_be_moved(app, campaign, monkeypatch):
    link = campaign.invite_by_link("Ana", seconds=3600)
    kind, ends, secret = link.split(".")
    for other in (f"{kind}.{int(ends) + 10**6}.{secret}", f"{kind}.x.{secret}", f"{kind}.{ends}", f"{link}.", "link."):
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
    with Campaign.create(tmp_path / "other.sqlite", ["x"], campaign.state.onto, name="Things", lead="Mara") as other:
        names = set()
        for one in (campaign, other):
            app = make_app(one, mode="team")
            names.add(cookie_of(app, one.invite("Mara", "lead"), "https://label.example").partition("=")[0])
        assert len(names) == 2


def test_the_cookie_stays_under_the_prefix_of_the_page(app, tokens):
    client = Client(app, headers=PAGE)
    transport = httpx.ASGITransport(app=app, root_path="/birds")
    client.http = httpx.AsyncClient(transport=transport, base_url="https://label.example", headers=PAGE)
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


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example:8000", "", "127.0.0.1.nip.io", "[::1"])
def test_single_user_mode_goes_by_local_names_only(campaign, host):
    app = make_app(campaign, mode="single")
    answer = Client(app, campaign.invite("Mara", "lead"), headers={"Host": host}).get("/api/me")
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "wrong_host"
    for name in ("localhost", "127.0.0.1:9999", "[::1]:80", "LOCALHOST"):
        assert Client(app, headers={"Host": name}).get("/health").status_code == 200


def test_a_password_signs_in_until_it_changes(app, lead, ana):
    assert lead.call("PATCH", "/api/people/Ana", json={"password": "correct horse battery"}).status_code == 200
    page = {"X-Corollary": "1", "Sec-Fetch-Site": "same-origin"}
    browser = Client(app, headers=page)
    wrong = browser.post("/api/login", json={"name": "Ana", "password": "wrong"})
    nobody = browser.post("/api/login", json={"name": "Nobody", "password": "wrong"})
    assert wrong.status_code == nobody.status_code == 401
    assert wrong.json() == nobody.json()
    assert browser.post("/api/login", json={"name": "Ana", "password": "correct horse battery"}).status_code == 200
    assert browser.get("/api/me").json()["name"] == "Ana"
    assert ana.get("/api/me").status_code == 200  # the invitation still works beside it
    lead.call("PATCH", "/api/people/Ana", json={"password": "another long password"})
    assert browser.get("/api/me").status_code == 401


def test_signing_out_ends_a_session(app, lead):
    lead.call("PATCH", "/api/people/Ana", json={"password": "correct horse battery"})
    browser = Client(app, headers={"X-Corollary": "1", "Sec-Fetch-Site": "same-origin"})
    assert browser.post("/api/login", json={"name": "Ana", "password": "correct horse battery"}).status_code == 200
    kept = dict(browser.http.cookies)
    assert browser.post("/api/logout").status_code == 200
    assert not dict(browser.http.cookies)
    browser.http.cookies.update(kept)
    assert browser.get("/api/me").status_code == 401


def test_signing_in_needs_one_of_two_ways(app):
    browser = Client(app, headers={"X-Corollary": "1", "Sec-Fetch-Site": "same-origin"})
    for body in ({}, {"name": "Ana"}, {"token": "x", "name": "Ana", "password": "y"}):
        assert browser.post("/api/login", json=body).status_code == 400


def test_only_hashes_are_kept(campaign, lead, tokens, tmp_path):
    lead.call("PATCH", "/api/people/Ana", json={"password": "correct horse battery"})
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir() if "lock" not in path.name)
    assert b"Ana" in stored
    for secret in (*tokens.values(), "correct horse battery"):
        assert secret.encode() not in stored


def test_revocation_holds_at_once(app, lead, ana, tokens):
    browser = signed_in(app, tokens["annotator"])
    assert ana.get("/api/me").status_code == browser.get("/api/me").status_code == 200
    assert lead.call("PATCH", "/api/people/Ana", json={"revoked": True}).status_code == 200
    assert ana.get("/api/me").status_code == browser.get("/api/me").status_code == 401


def test_a_new_invitation_ends_the_one_before(app, lead, ana):
    changed = lead.call("PATCH", "/api/people/Ana", json={"role": "reader"}).json()
    assert ana.get("/api/me").status_code == 401
    assert signed_in(app, changed["link"].removeprefix("join/")).get("/api/me").json()["role"] == "reader"


def test_the_only_lead_stays(lead):
    for change in ({"revoked": True}, {"role": "annotator"}):
        assert lead.call("PATCH", "/api/people/Mara", json=change).status_code in (400, 409)
    assert lead.get("/api/me").json()["role"] == "lead"


# -- foreign pages ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"X-Corollary": "1", "Sec-Fetch-Site": "same-origin"}, 200),
        ({"X-Corollary": "1", "Origin": "http://localhost:8000"}, 200),
        ({"Sec-Fetch-Site": "same-origin"}, 403),
        ({"X-Corollary": "1"}, 403),
        ({"X-Corollary": "1", "Sec-Fetch-Site": "cross-site"}, 403),
        ({"X-Corollary": "1", "Sec-Fetch-Site": "same-site"}, 403),
        ({"X-Corollary": "1", "Sec-Fetch-Site": "none"}, 403),
        ({"X-Corollary": "1", "Sec-Fetch-Site": "cross-site", "Origin": "http://localhost:8000"}, 403),
        ({"X-Corollary": "1", "Origin": "http://evil.example"}, 403),
        ({"X-Corollary": "1", "Origin": "null"}, 403),
        ({"X-Corollary": "1", "Origin": "http://localhost:9000"}, 403),
    ],
)
def test_a_cookie_alone_changes_nothing(app, tokens, headers, status):
    browser = signed_in(app, tokens["annotator"])
    for name in ("X-Corollary", "Sec-Fetch-Site"):
        del browser.http.headers[name]
    assert browser.post("/api/questions", json={"n": 1}, headers=headers).status_code == status
    assert browser.get("/api/me").status_code == 200


def test_nobody_is_signed_in_by_a_foreign_page(app, tokens):
    for headers in ({}, {"X-Corollary": "1", "Origin": "http://evil.example"}, {"Origin": "http://localhost:8000"}):
        answer = Client(app, headers=headers).post("/api/login", json={"token": tokens["annotator"]})
        assert answer.status_code == 403
        assert "set-cookie" not in answer.headers


# -- limits and the log ----------------------------------------------------------------------------------


def test_guessing_is_slow(anyone):
    answers = [anyone.get("/join/guess") for _ in range(12)]
    assert [one.status_code for one in answers[:10]] == [401] * 10
    assert answers[-1].status_code == 429
    assert int(answers[-1].headers["retry-after"]) >= 1
    assert answers[-1].json()["error"]["code"] == "too_many_requests"


def test_a_class_of_thirty_joins_at_once(app, tokens):
    for _ in range(30):
        signed_in(app, tokens["annotator"])


def test_each_annotator_has_a_rate_of_their_own(campaign, tokens):
    app = make_app(campaign, mode="team", rates={"answer": Rate(2, 0.001)})
    ana, mara = Client(app, tokens["annotator"]), Client(app, tokens["lead"])

    def answer(client):
        body = {"key": key(), "item": "thing 1", "label": "Bird", "value": True}
        return client.post("/api/answers", json=body).status_code

    assert [answer(ana) for _ in range(3)] == [200, 200, 429]
    assert answer(mara) == 200
    assert ana.get("/api/me").status_code == 200


def test_no_secret_reaches_the_log(app, campaign, tokens, caplog):
    caplog.set_level(logging.DEBUG)
    secrets = [tokens["lead"], tokens["annotator"], "hunter2-hunter2", "searched-for", "no-such-page"]
    ana = Client(app, tokens["annotator"], headers={"X-Corollary": "1", "Sec-Fetch-Site": "same-origin"})
    Client(app).get(f"/join/{tokens['lead']}")
    ana.get(f"/no-such-page/{tokens['lead']}?token={tokens['lead']}")
    ana.get("/api/items", params={"query": "searched-for"})
    ana.post("/api/login", json={"name": "Ana", "password": "hunter2-hunter2"})
    ana.post("/api/login", json={"name": ["Ana"], "password": "hunter2-hunter2"})
    ours = [one.getMessage() for one in caplog.records if one.name.startswith(("corollary", "uvicorn"))]
    assert any("GET /join/{token} 200" in line for line in ours)
    assert any("GET - 404" in line for line in ours)
    assert not [(secret, line) for secret in secrets for line in ours if secret in line]


def test_an_error_of_ours_is_told_by_a_number_only(app, ana, campaign, monkeypatch, caplog):
    def broken(who, n):
        raise RuntimeError("a secret of the inside")

    monkeypatch.setattr(campaign, "next", broken)
    answer = ana.post("/api/questions", json={"n": 1})
    assert answer.status_code == 500
    assert "secret" not in answer.text
    number = answer.json()["error"]["hint"].split("look for ")[1].split()[0]
    assert any(number in one.getMessage() and one.exc_info for one in caplog.records)
