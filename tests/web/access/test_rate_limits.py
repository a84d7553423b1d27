"""How often and how much anybody may send."""

from __future__ import annotations

from corollary.web.access.rate_limits import MEGABYTE, Buckets, Rate, network_of
from corollary.web.errors import Refusal

from ..conftest import answer, key


def test_remarks_have_a_rate_of_their_own(ana, app, monkeypatch):
    monkeypatch.setattr(app.state.buckets, "_clock", lambda: 0.0)  # slow machines earn no requests
    seq = answer(ana, "thing 1", "Bird", True).json()["seq"]
    got = [ana.post("/api/doubts", json={"key": key(), "seq": seq}).status_code for _ in range(103)]
    assert (got[0], got[-1]) == (200, 429)
    assert ana.get("/api/me").status_code == 200


def test_other_bodies_are_small(ana):
    body = {"key": "k", "item": "thing 1", "label": "Bird", "value": True, "lease": "x" * MEGABYTE}
    assert ana.post("/api/answers", json=body).status_code == 413


def test_a_body_without_a_length_is_counted(ana):
    async def endless():
        for _ in range(100):
            yield b" " * MEGABYTE

    refused = ana.post(
        "/api/answers", content=endless(), headers={"Content-Type": "application/json"}
    )
    assert (refused.status_code, refused.json()["error"]["code"]) == (413, "too_large")


def test_a_length_that_is_no_number(ana):
    answered = ana.post("/api/questions", content=b"", headers={"Content-Length": "x"})
    assert answered.status_code == 400


def test_a_bucket_fills_again_with_time():
    now = 0.0
    buckets = Buckets({"answer": Rate(2, 0.5)}, clock=lambda: now)

    def allowed(who):
        try:
            buckets.take("answer", who)
        except Refusal as refusal:
            assert refusal.headers["Retry-After"] == "2"
            return False
        return True

    assert [allowed("Ana") for _ in range(3)] == [True, True, False]
    assert allowed("Ben")
    now = 2.0
    assert [allowed("Ana"), allowed("Ana")] == [True, False]
    buckets.give_back("answer", "Ana")
    assert allowed("Ana")


def test_a_subscriber_of_ipv6_is_one_caller():
    assert network_of("192.0.2.7") == network_of("::ffff:192.0.2.7") == "192.0.2.7"
    assert (
        network_of("2001:db8:1:2::1")
        == network_of("2001:db8:1:2:ffff::2%eth0")
        == "2001:db8:1:2::/64"
    )
    assert network_of("2001:db8:1:3::1") != network_of("2001:db8:1:2::1")
    assert network_of("a socket") == "a socket"
