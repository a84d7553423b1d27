"""Sending: the signature, where it may go, and what counts as taken."""

from __future__ import annotations

import hashlib
import hmac
import re
import socket
import time

import pytest

from corollary.logic.errors import CorollaryError
from corollary.web.webhooks import sending
from corollary.web.webhooks.messages import Message
from corollary.web.webhooks.sending import NotTaken, make_target, send

from ...learning.dripping import dripping
from .receiver import SECRET, receiving

MESSAGE = Message("7-answer", "answer", '{"id":"7-answer","label":"Vögel"}'.encode())


def test_a_receiver_can_check_who_sent_it_and_when():
    with receiving() as receiver:
        send(
            make_target(receiver.url, SECRET, private=True), MESSAGE, clock=lambda: 1_700_000_000.9
        )
        ((headers, body, _),) = receiver.got
    at, signature = re.fullmatch(
        r"t=(\d+),v1=([0-9a-f]{64})", headers["Corollary-Signature"]
    ).groups()
    assert at == "1700000000"
    assert body == MESSAGE.body
    assert (
        signature == hmac.new(SECRET.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    )
    assert (headers["Corollary-Event"], headers["Corollary-Delivery"]) == ("answer", "7-answer")
    assert headers["Content-Type"] == "application/json"


@pytest.mark.parametrize("status", [500, 404, 302])
def test_only_a_2xx_is_taken_and_redirects_are_not_followed(status):
    with receiving() as receiver:
        receiver.refuse = [status]
        with pytest.raises(NotTaken, match=f"it answered {status}"):
            send(make_target(receiver.url, SECRET, private=True), MESSAGE)
        assert len(receiver.got) == 1


def test_a_receiver_that_hangs_is_given_up(monkeypatch):
    monkeypatch.setattr(sending, "SECONDS", 0.2)
    with receiving() as receiver:
        receiver.hang.set()
        with pytest.raises(NotTaken, match="no answer within"):
            send(make_target(receiver.url, SECRET, private=True), MESSAGE)


def test_a_receiver_that_drips_has_no_more_time_than_others(monkeypatch):
    monkeypatch.setattr(sending, "SECONDS", 0.3)
    with dripping() as url, pytest.raises(NotTaken, match="no answer within"):
        start = time.monotonic()
        try:
            send(make_target(url, SECRET, private=True), MESSAGE)
        finally:
            assert time.monotonic() - start < 2


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "192.168.0.9",
        "169.254.169.254",
        "::1",
        "fd00::1",
        "::ffff:10.0.0.1",
        "::127.0.0.1",
        "64:ff9b::10.0.0.1",
        "2002:a00:1::1",
        "2001:0:a00:1::f5ff:fffe",
        "fec0::1",
        "0.0.0.0",
        "224.0.0.1",
    ],
)
def test_private_addresses_are_not_called_whatever_name_leads_there(address, monkeypatch):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda *_, **__: [(family, socket.SOCK_STREAM, 6, "", (address, 80))]
    )
    monkeypatch.setattr(socket, "create_connection", lambda *_, **__: pytest.fail("it was called"))
    with pytest.raises(NotTaken, match="private address; --webhook-private allows"):
        send(make_target("http://innocent.example/", SECRET), MESSAGE)


def test_the_address_that_was_looked_at_is_the_one_that_is_called(monkeypatch):
    called = []

    def connect(place, **_):
        called.append(place)
        raise ConnectionRefusedError

    places = [("10.0.0.1", 80), ("93.184.216.34", 80)]
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda *_, **__: [(2, 1, 6, "", place) for place in places]
    )
    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(NotTaken, match="ConnectionRefusedError"):
        send(make_target("http://innocent.example/", SECRET), MESSAGE)
    assert called == [("93.184.216.34", 80)]


def test_nobody_there_is_not_taken():
    with receiving() as receiver:
        url = receiver.url
    with pytest.raises(NotTaken, match="Error"):
        send(make_target(url, SECRET, private=True), MESSAGE)


@pytest.mark.parametrize(
    ("url", "secret", "why"),
    [
        ("ftp://example.org/", SECRET, "is no address for a webhook"),
        ("example.org", SECRET, "is no address for a webhook"),
        ("http://example.org:99999/", SECRET, "is no address for a webhook"),
        ("https://me:word@example.org/", SECRET, "leave the name and password out"),
        ("https://example.org/", "short", "16 characters or more"),
    ],
)
def test_targets_that_are_none(url, secret, why):
    with pytest.raises(CorollaryError, match=why):
        make_target(url, secret)


def test_what_is_shown_has_no_query():
    assert (
        make_target("https://example.org:8443/a?token=1", SECRET).shown
        == "https://example.org:8443/a"
    )
