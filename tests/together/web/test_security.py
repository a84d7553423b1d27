"""Who may what: every role on every route, sign-in, foreign pages, revocation, and nothing secret in the log."""

from __future__ import annotations

import logging
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from corollary.web.access.rate_limits import Rate
from corollary.web.access.sign_in import ACCESS, MAY
from corollary.web.app import make_app

from ...web.conftest import Client, key
from ...web.signing_in import signed_in

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
    "POST /api/ontology/release/preview": {"name": "a.onto", "text": "Animal > Bird"},
    "PUT /api/ontology/release": {
        "key": "k",
        "name": "a.onto",
        "text": "Animal > Bird",
        "version": 1,
        "out_of_effect": 0,
    },
    "POST /api/people": {"name": "Ben"},
    "PATCH /api/people/{name:path}": {"paused": False},
    "POST /api/decisions": {"key": "k", "item": "thing 1", "label": "Bird", "value": True},
    "POST /api/gold": {"key": "k", "item": "thing 1", "label": "Bird", "value": True},
    "POST /api/flags/{seq}/settle": {"key": "k"},
    "PATCH /api/settings": {"key": "k", "changes": {"target": 0.9}},
    "POST /api/pause": {"paused": False},
    "POST /api/group-answers": {"key": "k", "items": ["thing 1"], "label": "Bird", "value": True},
    "POST /api/group-undo": {"key": "k", "group": "k"},
}
NOT_CALLED = ("GET /api/events", "POST /api/train")  # without end; starts a process


def path_of(line: str) -> str:
    path = line.split(" ")[1]
    for part, value in (
        ("{id:path}", "thing 1"),
        ("{name:path}", "Ana"),
        ("{seq}", "1"),
        ("{path:path}", "x"),
    ):
        path = path.replace(part, value)
    return path.replace("{token}", "nobody")


@pytest.mark.parametrize("role", ["nobody", "reader", "annotator", "lead"])
def test_each_role_on_each_route(app, tokens, role):
    client = Client(
        app, tokens.get(role), headers={"X-Corollary": "1", "Sec-Fetch-Site": "same-origin"}
    )
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


def test_a_wrong_token_is_nobodys(app):
    for header in ("Bearer nonsense", "Bearer ", "Basic YTpi", "Bearer " + "x" * 1000):
        answer = Client(app, headers={"Authorization": header}).get("/api/me")
        assert answer.status_code == 401
        assert answer.json()["error"]["code"] == "not_signed_in"


# -- links, cookies, passwords ----------------------------------------------------------------------------------


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
    assert (
        signed_in(app, changed["link"].removeprefix("join/")).get("/api/me").json()["role"]
        == "reader"
    )


def test_the_only_lead_stays(lead):
    for change in ({"revoked": True}, {"role": "annotator"}):
        refused = lead.call("PATCH", "/api/people/Mara", json=change)
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "only_lead")
        assert "'Mara' is the only lead" in refused.json()["error"]["message"]
    assert lead.get("/api/me").json()["role"] == "lead"


def test_of_two_leads_who_demote_each_other_at_once_one_stays(app, campaign, lead, monkeypatch):
    other, both = Client(app, campaign.invite("Noor", "lead")), threading.Barrier(2)
    invite = campaign.invite_by_link

    def at_once(*args, **options):
        both.wait(20)
        return invite(*args, **options)

    monkeypatch.setattr(campaign, "invite_by_link", at_once)
    with ThreadPoolExecutor(2) as pool:
        calls = [(lead, "/api/people/Noor"), (other, "/api/people/Mara")]
        told = list(
            pool.map(
                lambda one: one[0].call("PATCH", one[1], json={"role": "annotator"}).status_code,
                calls,
            )
        )
    assert sorted(told) == [200, 409]
    assert [one.role for one in campaign.annotators()].count("lead") == 1


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
        (
            {"X-Corollary": "1", "Sec-Fetch-Site": "cross-site", "Origin": "http://localhost:8000"},
            403,
        ),
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
    for headers in (
        {},
        {"X-Corollary": "1", "Origin": "http://evil.example"},
        {"Origin": "http://localhost:8000"},
    ):
        answer = Client(app, headers=headers).post(
            "/api/login", json={"token": tokens["annotator"]}
        )
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
    secrets = [
        tokens["lead"],
        tokens["annotator"],
        "hunter2-hunter2",
        "searched-for",
        "no-such-page",
    ]
    ana = Client(
        app, tokens["annotator"], headers={"X-Corollary": "1", "Sec-Fetch-Site": "same-origin"}
    )
    Client(app).get(f"/join/{tokens['lead']}")
    ana.get(f"/no-such-page/{tokens['lead']}?token={tokens['lead']}")
    ana.get("/api/items", params={"query": "searched-for"})
    ana.post("/api/login", json={"name": "Ana", "password": "hunter2-hunter2"})
    ana.post("/api/login", json={"name": ["Ana"], "password": "hunter2-hunter2"})
    ours = [
        one.getMessage() for one in caplog.records if one.name.startswith(("corollary", "uvicorn"))
    ]
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
