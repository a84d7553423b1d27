"""The context of every route.

The campaign, the caller, and a thread for the most frequent calls.
"""

from __future__ import annotations

from asyncio import get_running_loop, wrap_future
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, ParamSpec, TypeVar

from fastapi import Depends, Request
from pydantic import BaseModel
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from ..campaign.campaign import Campaign
from ..campaign.live.ledger import Pending
from ..campaign.storage.records import Annotator

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


async def _campaign(request: Request) -> Campaign:
    campaign: Campaign = request.app.state.campaign
    return campaign


async def _caller(request: Request) -> Annotator:
    person: Annotator = request.state.caller  # set by the gate
    return person


Served = Annotated[Campaign, Depends(_campaign)]
Person = Annotated[Annotator, Depends(_caller)]


class Releasing:
    """A mixin of responses that releases something after sending, also after a failure."""

    release: Callable[[], None]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        try:
            await super().__call__(scope, receive, send)  # type: ignore[misc]
        finally:
            self.release()


class HeldFile(Releasing, FileResponse):
    """A file that is deleted once it is sent."""


class HeldStream(Releasing, StreamingResponse):
    """A stream; each person may have a few of them."""


class Desk:
    """One thread for the most frequent calls: questions and answers.

    They take the campaign's lock in turn anyway, and many waiting threads cost more than the work.
    """

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="corollary-desk")

    async def do(
        self, work: Callable[P, BaseModel], *args: P.args, **options: P.kwargs
    ) -> Response:
        """Do blocking work and write its result, with fewer threads and checks than FastAPI."""
        return _json(await self._run(lambda: _written(work(*args, **options))))

    async def once_safe(
        self,
        work: Callable[P, Pending[T]],
        answer: Callable[[T], BaseModel],
        *args: P.args,
        **options: P.kwargs,
    ) -> Response:
        """Do work that writes an event, and reply when it is on disk; the thread is free meanwhile."""

        def begin() -> tuple[Pending[T], bytes]:
            pending = work(*args, **options)
            return pending, _written(answer(pending.reply))

        pending, body = await self._run(begin)
        if pending.receipt is not None:
            await wrap_future(pending.receipt.future)
        return _json(body)

    async def _run(self, work: Callable[[], R]) -> R:
        return await get_running_loop().run_in_executor(self._thread, work)


def _written(result: BaseModel) -> bytes:
    return result.model_dump_json().encode()


def _json(body: bytes) -> Response:
    return Response(body, media_type="application/json")
