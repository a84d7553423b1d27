from __future__ import annotations

import threading
import time
from email.utils import formatdate

import pytest

import corollary as co
from corollary.learning.witnesses.language_model import endpoint as endpoint_module
from corollary.learning.witnesses.language_model.endpoint import Later, Refused, make_endpoint, post

from ...dripping import dripping
from .server import Answer, completion, serving

KEY = "sk-very-secret-0123456789"


def call(url, *, seconds=5.0, key_variable=None):
    return post(make_endpoint(url, key_variable), b"{}", seconds=seconds)


def test_a_good_answer_and_the_key(monkeypatch):
    monkeypatch.setenv("SOME_KEY", f" {KEY}\n")
    with serving(lambda _: completion("{}")) as (url, calls):
        assert call(url)["choices"]
        call(f"{url}/chat/completions", key_variable="SOME_KEY")
    assert "Authorization" not in calls[0].headers
    assert calls[1].headers["Authorization"] == f"Bearer {KEY}"
    assert KEY not in repr(make_endpoint(url, "SOME_KEY"))


@pytest.mark.parametrize(
    ("answer", "fault", "why"),
    [
        (
            Answer(429, b"slow down", {"Retry-After": "7"}),
            Later,
            "the server answered 429: slow down",
        ),
        (Answer(500, b"oops"), Later, "the server answered 500: oops"),
        (Answer(401, b"who?"), Refused, "the server answered 401: who?"),
        (Answer(400, b"x" * 10_000), Refused, "the server answered 400: " + "x" * 200),
        (Answer(302, b"", {"Location": "http://example.org"}), Refused, "the server answered 302"),
        (Answer(200, b"rubbish"), Later, "the reply is no JSON"),
        (Answer(200, b"[" * 200_000), Later, "the reply is no JSON"),
        (Answer(200, b"{}", length=100), Later, "the reply was cut off"),
        (Answer(0), Later, "RemoteDisconnected"),
    ],
)
def test_answers_that_are_none(answer, fault, why):
    with serving(lambda _: answer) as (url, calls), pytest.raises(fault) as caught:
        call(url)
    assert str(caught.value).startswith(why)
    assert len(str(caught.value)) < 250
    assert len(calls) == 1


def test_how_long_a_server_asks_to_wait():
    for header, expected in (
        ("7", 7),
        ("0.5", 0.5),
        ("-3", 0),
        ("soon", None),
        (formatdate(time.time() + 30), 30),
    ):
        answer = Answer(503, b"", {"Retry-After": header})
        with serving(lambda _, answer=answer: answer) as (url, _), pytest.raises(Later) as caught:
            call(url)
        assert caught.value.wait == (None if expected is None else pytest.approx(expected, abs=2))


def test_a_server_that_never_answers_and_one_that_is_not_there():
    over = threading.Event()
    with serving(lambda _: Answer(200, b"{}", wait=lambda: over.wait(20))) as (url, _):
        with pytest.raises(Later, match="no reply within 0.2 s"):
            call(url, seconds=0.2)
        over.set()
    with pytest.raises(Later, match="ConnectionRefusedError"):
        call(url)


def test_a_reply_that_comes_byte_by_byte_has_no_more_time_than_others():
    dripping = Answer(200, b" " * 100, drip=0.05)
    with (
        serving(lambda _: dripping) as (url, _),
        pytest.raises(Later, match="no reply within 0.3 s"),
    ):
        call(url, seconds=0.3)


def test_headers_that_drip_have_no_more_time_than_others():
    with dripping() as url, pytest.raises(Later, match="no reply within 0.3 s"):
        call(url, seconds=0.3)


@pytest.mark.parametrize(
    "host",
    [
        "134744072",
        "0x08080808",
        "[::ffff:8.8.8.8]",
        "[64:ff9b::808:808]",
        "１３４７４４０７２",
        "8．8．8．8",
    ],
)
def test_a_key_goes_in_the_clear_to_no_public_address_however_it_is_written(host, monkeypatch):
    monkeypatch.setenv("SOME_KEY", KEY)
    with pytest.raises(co.CorollaryError, match="for all to read; use https"):
        make_endpoint(f"http://{host}/v1", "SOME_KEY")


@pytest.mark.parametrize(
    "part", [KEY[:6], KEY[:-1], KEY[-6:], KEY[3:12], f"{KEY[:6]}...{KEY[-6:]}"]
)
def test_no_part_of_the_key_is_told(part, monkeypatch):
    monkeypatch.setenv("SOME_KEY", KEY)
    with (
        serving(lambda _: Answer(401, f"wrong key '{part}'".encode())) as (url, _),
        pytest.raises(Refused) as caught,
    ):
        call(url, key_variable="SOME_KEY")
    assert str(caught.value) in (
        "the server answered 401: wrong key '***'",
        "the server answered 401: wrong key '***...***'",
    )


def test_a_reply_without_an_end(monkeypatch):
    monkeypatch.setattr(endpoint_module, "LARGEST", 1000)
    with (
        serving(lambda _: Answer(200, b" " * 2000)) as (url, _),
        pytest.raises(Later, match="more than 1,000 bytes"),
    ):
        call(url)


def test_the_key_is_never_told(monkeypatch):
    monkeypatch.setenv("SOME_KEY", KEY)
    said = f"Incorrect API key provided: {KEY} or sk-v*********6789.".encode()
    with serving(lambda _: Answer(401, said)) as (url, _), pytest.raises(Refused) as caught:
        call(url, key_variable="SOME_KEY")
    assert str(caught.value) == "the server answered 401: Incorrect API key provided: *** or ***"


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("localhost:8000", "is no address of a model; write one like http://localhost:8000/v1"),
        ("ftp://localhost", "is no address of a model"),
        ("http://", "is no address of a model"),
        ("http://host:99999/v1", "is no address of a model"),
        (3, "is no address of a model"),
        ("https://me:pass@host/v1", "a key comes from the environment"),
        ("https://host/v1?key=3", "a key comes from the environment"),
    ],
)
def test_addresses_that_are_none(url, message):
    with pytest.raises(co.CorollaryError, match=message) as caught:
        make_endpoint(url)
    assert "pass" not in str(caught.value).replace("password", "")


def test_keys_that_cannot_be_used(monkeypatch):
    monkeypatch.delenv("SOME_KEY", raising=False)
    with pytest.raises(
        co.CorollaryError,
        match="the variable SOME_KEY of the environment, with the key, is not set",
    ):
        make_endpoint("https://host/v1", "SOME_KEY")
    monkeypatch.setenv("SOME_KEY", "sk-\nX")
    with pytest.raises(co.CorollaryError, match="holds no key: it has odd signs"):
        make_endpoint("https://host/v1", "SOME_KEY")
    monkeypatch.setenv("SOME_KEY", KEY)
    with pytest.raises(
        co.CorollaryError, match="the key would go to example.org for all to read; use https"
    ):
        make_endpoint("http://example.org/v1", "SOME_KEY")
    for near in (
        "http://localhost/v1",
        "http://gpu:8000/v1",
        "http://10.0.0.7/v1",
        "https://example.org/v1",
    ):
        assert make_endpoint(near, "SOME_KEY").key_variable == "SOME_KEY"
