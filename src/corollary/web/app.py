"""The service of one campaign: the page, the API, and the gate before them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.routing import APIRoute

from .. import __version__
from ..campaign.campaign import Campaign
from ..campaign.progress.progress import Figures
from ..logic.errors import CorollaryError
from . import pages
from .access.gate import Gate
from .access.rate_limits import UPLOAD_LIMIT, Buckets, Rate, Turns
from .access.sign_in import ACCESS, LOOPBACK, OPEN, Door, Mode
from .api import (
    conflicts,
    doubtful,
    exports,
    item_list,
    items,
    log,
    ontology,
    people,
    progress,
    questions,
    settings,
    sure,
    witnesses,
)
from .context import Desk
from .errors import add_error_handlers
from .progress_stream import Stream
from .schemas import Error
from .server_metrics import Metrics
from .webhooks.hooks import Webhooks
from .written_ontology import WrittenOntology

ROUTERS = (
    questions.router,
    items.router,
    item_list.router,
    sure.router,
    witnesses.router,
    ontology.router,
    progress.router,
    people.router,
    conflicts.router,
    doubtful.router,
    log.router,
    settings.router,
    exports.router,
    pages.router,
)
ABOUT = """Label things whose labels are tied together by logic: ask one question, get its corollaries for free.

Send `Authorization: Bearer <token>` with the token of a program. Pages use a cookie instead, and send
`X-Corollary: 1` with everything that is not a GET."""


def make_app(
    campaign: Campaign,
    *,
    mode: Mode = "single",
    hosts: Sequence[str] | None = None,
    upload_limit: int = UPLOAD_LIMIT,
    rates: Mapping[str, Rate] | None = None,
    webhooks: Webhooks | None = None,
) -> FastAPI:
    """Return the service as an ASGI app. In single user mode it accepts only names of this machine.

    The caller starts and stops `webhooks`; the app only shows their state.

    `app.state.door.new_link()` gives the token of a link that works once.
    """
    if hosts is None and mode == "single":
        hosts = LOOPBACK
    app = FastAPI(
        title="Corollary",
        version=__version__,
        description=ABOUT,
        openapi_url=None,  # served below, for it must pass the gate's table like everything else
        docs_url=None,  # would load scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,  # an address is right or it is not
        responses={
            "4XX": {"model": Error, "description": "Refused: says why."},
            "5XX": {"model": Error, "description": "Failed: send it again with the same key."},
        },
    )
    routers = (*ROUTERS, _description())
    check_table(routers)
    for router in routers:
        app.include_router(router)
    add_error_handlers(app)
    app.state.campaign = campaign
    app.state.door = Door(campaign, mode)
    app.state.desk = Desk()
    app.state.checkups = ThreadPoolExecutor(max_workers=1, thread_name_prefix="corollary-health")
    app.state.buckets = Buckets(dict(rates or {}))
    app.state.metrics = Metrics()
    app.state.webhooks = webhooks
    app.state.figures = Figures(campaign)
    app.state.ontology = WrittenOntology(campaign)
    app.state.upload_limit = upload_limit
    app.state.exports = Turns("exports", each=2, all=100, wait=5)  # until they are sent
    app.state.making = Turns(
        "exports", each=1, all=2, wait=5
    )  # while the file is made, which takes the processor
    app.state.pages = pages.read_pages()
    app.state.stopping = lambda: False
    app.state.stream = Stream(campaign.progress, lambda: bool(app.state.stopping()))
    app.add_middleware(
        Gate,
        campaign=campaign,
        door=app.state.door,
        buckets=app.state.buckets,
        metrics=app.state.metrics,
        hosts=None if hosts is None else tuple(host.lower() for host in hosts),
        upload_limit=upload_limit,
    )
    return app


def routes_of(routers: Sequence[APIRouter]) -> set[str]:
    """Return all routes in the form of the table of access."""
    return {
        f"{method} {route.path}"
        for router in routers
        for route in router.routes
        if isinstance(route, APIRoute)
        for method in (route.methods or ())
        if method != "HEAD"
    }


def check_table(routers: Sequence[APIRouter]) -> None:
    """Refuse to start with a route that is not in the table of access."""
    if unknown := sorted(routes_of(routers) ^ ACCESS.keys()):
        raise CorollaryError(
            f"routes and the table of who may call them differ: {', '.join(unknown)}"
        )


def describe(app: FastAPI) -> dict[str, Any]:
    """Return the API's description (OpenAPI), with the roles of each route."""
    described = app.openapi()
    described["components"]["securitySchemes"] = {
        "token": {"type": "http", "scheme": "bearer", "description": "The token of a program."},
    }
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            access = _access(method.upper(), path)
            operation["x-access"] = access
            operation["security"] = [] if access == OPEN else [{"token": []}]
    return described


def _access(method: str, path: str) -> str:
    return next(
        access
        for line, access in ACCESS.items()
        if line.replace(":path}", "}") == f"{method} {path}"
    )


def _description() -> APIRouter:
    router = APIRouter(include_in_schema=False)

    @router.get("/api/openapi.json")
    async def openapi(request: Request) -> dict[str, Any]:
        return describe(request.app)

    return router
