"""A real server in a process of its own: an orderly end, a prefix, and nothing lost when it is killed."""

from __future__ import annotations

import os
import signal
import socket
import threading

import httpx
import pytest

from corollary.campaign.campaign import Campaign
from corollary.campaign.progress.progress import Figures
from corollary.logic.errors import CorollaryError
from corollary.web.server import serve

from ..campaign.conftest import new_sqlite, new_url, postgres  # noqa: F401 (fixtures)
from .kill_loop import Served, make_campaign, run

pytestmark = pytest.mark.slow

ROUNDS = int(os.environ.get("COROLLARY_KILL_ROUNDS", "2"))


def test_nothing_acknowledged_is_lost_when_the_server_is_killed(new_url):  # noqa: F811
    outcome = run(new_url(), rounds=ROUNDS)
    assert outcome.told


def test_a_server_told_to_stop_ends_in_order_also_while_someone_watches(tmp_path):
    url = str(tmp_path / "campaign.sqlite")
    tokens = make_campaign(url, items=5)
    served = Served(url)
    headers = {"Authorization": f"Bearer {tokens['Ana']}"}
    lines: list[str] = []
    watching = threading.Event()

    def watch():
        with httpx.stream(
            "GET", served.address + "api/events", headers=headers, timeout=30
        ) as stream:
            for line in stream.iter_lines():
                lines.append(line)
                watching.set()

    watcher = threading.Thread(target=watch)
    watcher.start()
    assert watching.wait(20)
    assert served.end(signal.SIGTERM) == 0
    watcher.join(10)
    assert not watcher.is_alive()
    assert lines[0] == "event: progress"
    with Campaign.open(url) as campaign:  # let go of in order
        assert campaign.verify() == []
    assert not any(tokens["Ana"] in line for line in served.log)


def test_single_user_mode_tells_a_link_and_works_under_a_prefix(tmp_path):
    url = str(tmp_path / "campaign.sqlite")
    make_campaign(url, items=5)
    served = Served(url, "0", "single", "/label")
    try:
        base, _, token = served.address.partition("/join/")
        assert base.endswith("/label")
        direct = base.removesuffix("/label")  # what a proxy calls, with the prefix taken away
        with httpx.Client(base_url=direct) as browser:
            assert browser.get(f"/join/{token}").status_code == 200
            own = {"X-Corollary": "1", "Origin": direct}
            signed = browser.post("/api/login", json={"token": token}, headers=own)
            assert (
                "Path=/label/;" in signed.headers["set-cookie"]
            )  # as the browser sees it, with the prefix
            cookie = signed.headers["set-cookie"].partition(";")[0]
            assert browser.get("/api/me", headers={"Cookie": cookie}).json()["role"] == "lead"
            assert httpx.get(f"{direct}/join/{token}").status_code == 401
        assert not any(token in line for line in served.log)
    finally:
        assert served.end() == 0


def test_nobody_is_believed_about_where_they_come_from(served):
    """Without a trusted proxy the header says nothing: else each guess would come from a new address."""
    got = [
        httpx.get(
            f"{served.address}join/guess", headers={"X-Forwarded-For": f"192.0.2.{n}"}
        ).status_code
        for n in range(12)
    ]
    assert got[-1] == 429


def test_a_trusted_proxy_tells_who_calls_and_how(tmp_path):
    url = str(tmp_path / "campaign.sqlite")
    tokens = make_campaign(url, items=5)
    served = Served(url, "0", "team", "", "127.0.0.1")
    try:
        for n in range(12):
            headers = {
                "X-Forwarded-For": f"198.51.100.1, 192.0.2.{n}"
            }  # the last is the proxy's word
            assert httpx.get(f"{served.address}join/guess", headers=headers).status_code == 401
        headers = {"X-Forwarded-For": "192.0.2.1", "X-Forwarded-Proto": "https", "X-Corollary": "1"}
        headers["Sec-Fetch-Site"] = "same-origin"
        signed = httpx.post(
            f"{served.address}api/login", json={"token": tokens["Ana"]}, headers=headers
        )
        assert "Secure" in signed.headers["set-cookie"]
    finally:
        assert served.end() == 0


def test_single_user_mode_stays_on_this_machine(campaign):
    with pytest.raises(CorollaryError, match="single user mode"):
        serve(campaign, host="0.0.0.0")


def test_a_port_that_is_taken_is_told(campaign):
    with (
        socket.create_server(("127.0.0.1", 0)) as other,
        pytest.raises(CorollaryError, match="cannot listen at 127.0.0.1"),
    ):
        serve(campaign, port=other.getsockname()[1])


def test_the_figures_are_worked_out_before_anybody_looks(campaign, monkeypatch):
    looked = threading.Event()

    def stop():
        os.kill(os.getpid(), signal.SIGTERM)

    def get(_):
        looked.set()
        stop()

    monkeypatch.setattr(Figures, "get", get)
    late = threading.Timer(30, stop)
    late.start()
    serve(campaign, port=0)
    late.cancel()
    assert looked.is_set()
