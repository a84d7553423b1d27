"""The progress of the campaign: figures, a stream of them, and the health of the server."""

from __future__ import annotations

from asyncio import get_running_loop

from fastapi import APIRouter, Request, Response
from starlette.responses import PlainTextResponse, StreamingResponse

from ... import __version__
from ...campaign.storage.records import ANNOTATOR, LEAD
from ...logic.errors import CorollaryError
from .. import schemas, server_metrics
from ..context import HeldStream, Person, Served

router = APIRouter(tags=["progress"])


@router.get("/api/progress")
def progress(request: Request, campaign: Served, person: Person) -> schemas.Progress:
    """Return the figures of the campaign; those of people only for leads, those of labels not for annotators."""
    figures = request.app.state.figures.get()
    if person.role != LEAD:
        del figures["annotators"]
    if (
        person.role == ANNOTATOR
    ):  # they may be asked blind, and changes of the figures would show other people's answers
        del figures["by_label"], figures["predicted"], figures["suggestions"]
    return schemas.Progress(**campaign.progress(), figures=figures)


@router.get("/api/labels")
def labels(request: Request) -> list[schemas.LabelFigures]:
    """Return the figures of each label, in the ontology's order."""
    return [schemas.LabelFigures(**one) for one in request.app.state.figures.get()["by_label"]]


@router.get(
    "/api/events",
    response_class=StreamingResponse,
    responses={
        200: {
            "content": {"text/event-stream": {}},
            "description": "`progress` events with the counts as JSON.",
        }
    },
)
async def events(request: Request, person: Person) -> StreamingResponse:
    """Progress as it happens, as server-sent events; ends when the caller no longer takes part."""
    state = request.app.state
    headers = request.headers
    leave = state.stream.enter(person.name)

    def welcome() -> bool:
        caller = state.door.caller(headers)
        return caller is not None and caller.person.name == person.name

    watching = state.stream.watch(welcome)
    response = HeldStream(
        watching, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"}
    )
    response.release = leave
    return response


@router.get("/health", responses={503: {"model": schemas.Health, "description": "Not ready."}})
async def health(request: Request, response: Response, campaign: Served) -> schemas.Health:
    """Whether the server runs, memory and store agree, and recent writes worked; needs no sign-in."""
    try:  # in a thread of its own, so that it answers even if all others wait
        seq: int | None = await get_running_loop().run_in_executor(
            request.app.state.checkups, campaign.stored
        )
    except CorollaryError:
        seq = None
    ready = seq is not None and not campaign.failing and not request.app.state.stopping()
    response.status_code = 200 if ready else 503
    hooks = request.app.state.webhooks
    failing = 0 if hooks is None else hooks.failing
    return schemas.Health(
        live=True, ready=ready, seq=seq, version=__version__, webhooks_failing=failing
    )


@router.get("/api/webhooks")
def webhooks(request: Request) -> list[schemas.WebhookOut]:
    """Return the state of this server's webhooks; failed messages are sent again."""
    hooks = request.app.state.webhooks
    return [] if hooks is None else [schemas.WebhookOut(**one) for one in hooks.status]


@router.get(
    "/metrics",
    response_class=PlainTextResponse,
    responses={200: {"description": "Prometheus' text format."}},
)
def figures(request: Request, campaign: Served) -> Response:
    """Return the counters of the server, for Prometheus."""
    text = request.app.state.metrics.text(gauges(campaign, request.app.state.stream.watchers))
    return Response(text, media_type=server_metrics.MEDIA_TYPE)


def gauges(campaign: Served, watchers: int) -> dict[str, tuple[str, str, float]]:
    """Return the figures of the campaign by name: kind, description and value."""
    found = campaign.progress()
    with campaign.lock:
        answers = campaign.state.answered.total()
    return {
        "answers_total": ("counter", "Answers in the log.", answers),
        "events_total": ("counter", "Events in the log.", found["seq"]),
        "items": ("gauge", "Things to label.", found["items"]),
        "cells_settled": ("gauge", "Cells that are known.", found["settled"]),
        "cells_implied": ("gauge", "Cells that followed from others.", found["implied"]),
        "cells_open": ("gauge", "Cells that are not known.", found["open"]),
        "conflicts": ("gauge", "Conflicts to settle.", found["conflicts"]),
        "leases": ("gauge", "Questions that someone holds.", found["leases"]),
        "people": ("gauge", "People who take part.", found["people"]),
        "model_version": ("gauge", "The version of the model in use.", found["model"]),
        "ontology_version": ("gauge", "The version of the ontology in force.", found["ontology"]),
        "training": ("gauge", "Whether a training is under way.", found["training"]["training"]),
        "training_deaths_total": (
            "counter",
            "How often the training process died.",
            found["training"]["deaths"],
        ),
        "paused": ("gauge", "Whether nobody is asked for now.", found["paused"]),
        "watchers": ("gauge", "Open progress streams.", watchers),
    }
