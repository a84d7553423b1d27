"""What every route works with: the campaign, who is calling, and the short way for what is called most."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, ParamSpec

from fastapi import Depends, Request
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from ..campaign.campaign import Campaign
from ..campaign.storage.records import Annotator

P = ParamSpec("P")


async def _campaign(request: Request) -> Campaign:
    campaign: Campaign = request.app.state.campaign
    return campaign


async def _caller(request: Request) -> Annotator:
    person: Annotator = request.state.caller  # set by the gate, which lets nobody else through
    return person


Served = Annotated[Campaign, Depends(_campaign)]
Person = Annotated[Annotator, Depends(_caller)]


async def in_thread(work: Callable[P, BaseModel], *args: P.args, **options: P.kwargs) -> Response:
    """Do work that blocks, and write its result, in one thread: FastAPI would take several, and check it again."""

    def written() -> bytes:
        return work(*args, **options).model_dump_json().encode()

    return Response(await run_in_threadpool(written), media_type="application/json")
