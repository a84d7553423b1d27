"""The stream of progress."""

from __future__ import annotations

import asyncio
import json
import threading

import pytest

from corollary.web.progress_stream import EACH, WATCHERS, Stream


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
