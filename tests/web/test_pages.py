"""The page's files, the headers that guard it, and the stream of progress."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from importlib.resources import files
from urllib.parse import urljoin

import pytest

from corollary.web.pages import _informed, read_pages
from corollary.web.progress_stream import EACH, WATCHERS, Stream


def test_every_file_of_the_page_is_served_with_its_type(anyone):
    pages = read_pages()
    assert "index.html" in pages
    kinds = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml", "html": "text/html"}
    for path in pages:
        got = anyone.get(f"/static/{path}")
        assert got.status_code == 200
        kind = kinds.get(path.rpartition(".")[2])
        assert kind is None or got.headers["content-type"].startswith(kind)
        assert got.headers["x-content-type-options"] == "nosniff"


def test_a_file_that_is_known_is_not_sent_again(anyone):
    first = anyone.get("/")
    assert first.headers["content-type"] == "text/html; charset=utf-8"
    again = anyone.get("/", headers={"If-None-Match": f'"other", W/{first.headers["etag"]}'})
    assert (again.status_code, again.content) == (304, b"")
    assert anyone.call("HEAD", "/").headers["etag"] == first.headers["etag"]


def test_the_worker_knows_every_file_and_may_serve_the_page(anyone):
    got = anyone.get("/static/worker.js")
    assert got.headers["service-worker-allowed"] == "../"
    assert "worker-src 'self'" in got.headers["content-security-policy"]
    shell = json.loads(got.text.splitlines()[0].removeprefix("const SHELL = ").removesuffix(";"))
    assert {*shell["files"], "index.html", "worker.js"} == set(read_pages())
    assert "service-worker-allowed" not in anyone.get("/static/js/main.js").headers


@pytest.mark.parametrize("path", ["index.html", "js/main.js", "worker.js"])
def test_any_change_of_a_file_is_another_worker(path):
    pages = read_pages()
    changed = {**pages, path: pages[path]._replace(content=b"//", etag='"another"')}
    assert _informed(pages).content.splitlines()[0] != _informed(changed).content.splitlines()[0]


@pytest.mark.parametrize(
    "path",
    ["../app.py", "%2e%2e/app.py", "..%2fapp.py", "/etc/passwd", "js/../../app.py", "", ".", "nothing.js", "a\\b"],
)
def test_no_other_file_is_reached(anyone, path):
    assert anyone.get(f"/static/{path}").status_code == 404


@pytest.mark.parametrize("path", ["/", "/join/nonsense"])
def test_nothing_from_elsewhere_and_nothing_inline(anyone, path):
    page = anyone.get(path, headers={"Accept": "text/html"})
    policy = page.headers["content-security-policy"]
    for part in ("default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"):
        assert part in policy
    assert "unsafe" not in policy
    assert page.headers["referrer-policy"] == "no-referrer"
    assert page.headers["x-frame-options"] == "DENY"
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon[a-z]+=|https?://", page.text)


@pytest.mark.parametrize("path", ["/", "/join/nonsense"])
def test_addresses_in_the_page_are_relative_and_there(anyone, path):
    page = anyone.get(path, headers={"Accept": "text/html"})
    found = re.findall(r'(?:src|href)="([^"#]+)"', page.text)
    assert found
    for address in found:
        assert not address.startswith(("/", "http"))
        assert anyone.get(urljoin(path, address)).status_code == 200, address


def test_the_files_are_part_of_the_package():
    assert (files("corollary.web") / "static" / "index.html").is_file()


# -- the stream ------------------------------------------------------------------------------------------------------


def test_progress_is_told_at_once_and_after_every_change():
    async def story():
        now, welcome = {"asked": 0}, True
        stream = Stream(lambda: dict(now), lambda: False)
        watching = stream.watch(lambda: welcome)
        first = await anext(watching)
        now["asked"] = 1
        second = await anext(watching)
        welcome = False
        with pytest.raises(StopAsyncIteration):
            await anext(watching)
        return [json.loads(one.split("data: ")[1]) for one in (first, second)]

    assert asyncio.run(story()) == [{"asked": 0}, {"asked": 1}]


def test_all_watchers_share_one_look():
    looks = []

    async def story():
        stream = Stream(lambda: {"n": looks.append(1)}, lambda: False)
        watching = [stream.watch(lambda: True) for _ in range(20)]
        for one in watching:
            await anext(one)
        for one in watching:
            await one.aclose()

    asyncio.run(story())
    assert len(looks) <= 3


def test_a_server_that_stops_ends_the_stream():
    async def story():
        return [one async for one in Stream(dict, lambda: True).watch(lambda: True)]

    assert asyncio.run(story()) == []


def test_one_person_cannot_hold_all_streams(app, ana, reader):
    stream = app.state.stream
    leave = [stream.enter("Ana") for _ in range(EACH)]
    refused = ana.get("/api/events")
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "60")
    stream.enter("Rui")()
    assert stream.watchers == EACH
    for _ in range(2):
        leave[0]()  # once is enough
    assert stream.watchers == EACH - 1
    stream.enter("Ana")


def test_too_many_watchers_are_refused(app, reader):
    for n in range(WATCHERS):
        app.state.stream.enter(f"person {n}")
    assert reader.get("/api/events").status_code == 429


def test_the_stream_ends_for_someone_who_is_revoked(app, campaign, ana):
    """A client in this process gets the answer when it has ended: that it comes at all is the test."""
    timer = threading.Timer(0.7, campaign.revoke, ["Ana"])
    timer.start()
    told = ana.get("/api/events")
    timer.join()
    assert app.state.stream.watchers == 0
    assert told.headers["content-type"].startswith("text/event-stream")
    assert told.text.startswith("event: progress\ndata: {")
    assert ana.get("/api/events").status_code == 401
