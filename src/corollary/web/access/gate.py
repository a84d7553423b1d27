"""The gate: every request is checked here, logged and counted."""

from __future__ import annotations

import logging
import time

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...campaign.campaign import Campaign
from ...campaign.storage.records import StoreError
from ..errors import Refusal, campaign_response, unexpected
from ..pages import link_refused
from ..server_metrics import Metrics
from .rate_limits import BODY_LIMIT, Buckets, check_length, limited, network_of
from .sign_in import OPEN, Door, Entry, check_host, check_origin, check_role, entry_of

ACCESS_LOG = logging.getLogger("corollary.web.access")
NOWHERE = "-"  # the route of a request that matches none
LARGE = (
    "POST /api/items",
    "POST /api/ontology/preview",
    "PUT /api/ontology",
    "POST /api/ontology/release/preview",
    "PUT /api/ontology/release",
)
STREAM = "/api/events"  # open as long as someone watches
JOIN = "/join/{token}"
KINDS = {"POST /api/answers": "answer", "POST /api/flags": "remark", "POST /api/doubts": "remark"}
SIGN_IN = ("POST /api/login", f"GET {JOIN}")

#: Headers of every answer: no foreign or inline contents, no frames, no referrers.
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; connect-src 'self'; "
        "worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
    "X-Corollary": "1",  # so that the page can recognise answers of proxies
}
#: The same in the form of ASGI; headers of a route come first.
SENT = [
    (name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in HEADERS.items()
]


class Gate:
    """ASGI middleware; a request refused here never reaches a route, and its body is not read."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        campaign: Campaign,
        door: Door,
        buckets: Buckets,
        metrics: Metrics,
        hosts: tuple[str, ...] | None,
        upload_limit: int,
    ):
        self._app = app
        self._campaign = campaign
        self._door = door
        self._buckets = buckets
        self._metrics = metrics
        self._hosts = hosts
        self._upload_limit = upload_limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check the request, pass it on, and log it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        entry = entry_of(scope["method"], route_path(scope))
        route = NOWHERE if entry is None else entry.path
        status = 0
        began = time.perf_counter()

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                there = {name for name, _ in message["headers"]}
                message["headers"] = [
                    *message["headers"],
                    *(one for one in SENT if one[0] not in there),
                ]
            await send(message)

        try:
            if entry is not None and _concerns_people(entry) and not self._campaign.in_step:
                await run_in_threadpool(self._campaign.keep_up)  # people may have changed, too
            limit = self._check(scope, entry)
            await self._app(scope, limited(receive, limit), sending)
        except Refusal as refusal:
            answer = link_refused(Request(scope), refusal) if route == JOIN else refusal.response()
            await _reply(answer, status, scope, receive, sending)
        except StoreError as error:
            await _reply(campaign_response(error), status, scope, receive, sending)
        except Exception as error:  # the client gets an answer without a traceback
            await _reply(
                unexpected(error, method=scope["method"], route=route),
                status,
                scope,
                receive,
                sending,
            )
        finally:
            seconds = time.perf_counter() - began
            self._metrics.note(scope["method"], route, status, None if route == STREAM else seconds)
            if entry is not None and f"{entry.method} {entry.path}" in SIGN_IN and 0 < status < 400:
                self._buckets.give_back("sign-in", _network(scope))
            # The route, not the address, to keep tokens and searches out of the log.
            ACCESS_LOG.info(
                "%s %s %d %.1f ms", _word(scope["method"]), route, status, 1000 * seconds
            )

    def _check(self, scope: Scope, entry: Entry | None) -> int:
        """Run all checks before the body is read; return its largest size."""
        headers = Headers(scope=scope)
        check_host(headers, self._hosts)
        line = "" if entry is None else f"{entry.method} {entry.path}"
        limit = self._upload_limit if line in LARGE else BODY_LIMIT
        if line in SIGN_IN:
            self._buckets.take("sign-in", _network(scope))
        if entry is not None and entry.access != OPEN:
            caller = self._door.caller(headers)
            if caller is None:
                raise self._door.stranger(headers)
            check_role(entry, caller)
            if caller.by_cookie:
                check_origin(scope["method"], headers)
            self._buckets.take(KINDS.get(line, "other"), caller.person.name)
            scope.setdefault("state", {})["caller"] = caller.person
        elif entry is not None and "authorization" not in headers:
            check_origin(scope["method"], headers)
        check_length(headers.get("content-length"), limit)
        return limit


def _concerns_people(entry: Entry) -> bool:
    return entry.access != OPEN or f"{entry.method} {entry.path}" in SIGN_IN


def route_path(scope: Scope) -> str:
    """Return the path without the prefix of a proxy."""
    path = str(scope["path"])
    root = str(scope.get("root_path", ""))
    return path[len(root) :] if root and path.startswith(root + "/") else path


async def _reply(
    response: ASGIApp, status: int, scope: Scope, receive: Receive, send: Send
) -> None:
    """Send an error; if an answer has begun, break it off, so that it does not look complete."""
    if status:
        raise ConnectionResetError("the answer broke off")
    await response(scope, receive, send)


def _network(scope: Scope) -> str:
    return network_of(str((scope.get("client") or ("",))[0]))


def _word(method: str) -> str:
    return method if method.isalpha() and len(method) < 10 else "?"
