"""The server of a campaign: one process, one socket, an orderly end."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from ipaddress import ip_address
from signal import SIGINT
from threading import Thread
from types import FrameType

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from ..campaign.campaign import Campaign
from ..campaign.progress.progress import Figures
from ..logic.errors import CorollaryError
from .access.gate import route_path
from .access.header_limits import BoundedProtocol
from .access.rate_limits import UPLOAD_LIMIT
from .access.sign_in import LOOPBACK, Mode
from .app import make_app
from .garbage import short_collections
from .new_models import taking_up_models
from .webhooks.hooks import Webhooks

EVERYWHERE = ("0.0.0.0", "::")  # addresses to listen on, but not to call
GRACE_SECONDS = 10  # for running requests when the server stops


class _Server(uvicorn.Server):
    """A server that reports when it is ready, and returns when it is stopped."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]):
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then report it."""
        await super().startup(sockets=sockets)
        if self.started:
            self._ready()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002 (uvicorn's signature)
        """Stop; after a second Ctrl-C, stop at once."""
        self.force_exit = self.should_exit and sig == SIGINT
        self.should_exit = True


def serve(
    campaign: Campaign,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    mode: Mode = "single",
    root_path: str = "",
    hosts: Sequence[str] | None = None,
    upload_limit: int = UPLOAD_LIMIT,
    trusted_proxies: Sequence[str] = (),
    beside: Mapping[str, ASGIApp] | None = None,
    webhooks: Webhooks | None = None,
    ready: Callable[[str], None] = lambda _: None,
) -> None:
    """Serve a campaign until the process is stopped (Ctrl-C, SIGTERM).

    The caller closes the campaign.

    `ready` gets the address once the page can be opened: in single user mode a link that works
    once. Port 0 takes a free one. `root_path` is the prefix of the page behind a proxy that takes
    the prefix away. `hosts` are the names of the server; single user mode knows only those of this
    machine. Only headers from `trusted_proxies` (addresses) say who called and how. `beside` are
    other apps, by the prefix of their addresses; they check their callers themselves. `webhooks`
    are sent while it serves.
    """
    if mode == "single" and host not in LOOPBACK:
        raise CorollaryError(
            f"single user mode is for one's own machine and cannot be served at {host!r}; "
            "use 127.0.0.1, or team mode, where everybody has an invitation"
        )
    app = make_app(campaign, mode=mode, hosts=hosts, upload_limit=upload_limit, webhooks=webhooks)
    with _listen(host, port) as listening:
        # asyncio does not set it for every socket; without it each request may wait 40 ms
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        taken = listening.getsockname()[1]
        shown = (*(hosts or ()), socket.gethostname())[0] if host in EVERYWHERE else host
        shown = f"[{shown}]" if ":" in shown else shown
        address = f"http://{shown}:{taken}{root_path}/"
        config = uvicorn.Config(
            Beside(app, beside) if beside else app,
            root_path=root_path,
            log_config=None,
            access_log=False,  # the gate writes its own, without addresses
            server_header=False,
            proxy_headers=bool(trusted_proxies),
            forwarded_allow_ips=check_proxies(trusted_proxies),
            http=BoundedProtocol,
            ws="none",
            timeout_graceful_shutdown=GRACE_SECONDS,
            timeout_keep_alive=65,  # longer than proxies keep theirs, so that none is closed under a request
        )

        def tell() -> None:
            link = f"join/{app.state.door.new_link()}" if mode == "single" else ""
            ready(address + link)
            Thread(
                target=_look_ahead, args=(app.state.figures,), name="corollary-figures", daemon=True
            ).start()

        server = _Server(config, tell)
        app.state.stopping = lambda: server.should_exit
        logging.getLogger("corollary.web").info("serving %s at %s", campaign.name, address)
        with telling(webhooks), taking_up_models(campaign), short_collections():
            server.run(sockets=[listening])


def _look_ahead(figures: Figures) -> None:
    """Compute the lead's figures at the start, because a long log takes a while."""
    with suppress(Exception):  # /api/health reports the error
        figures.get()


@contextmanager
def telling(webhooks: Webhooks | None) -> Iterator[None]:
    """Run webhooks meanwhile."""
    if webhooks is None:
        yield
        return
    webhooks.start()
    try:
        yield
    finally:
        webhooks.stop()


def check_proxies(proxies: Sequence[str]) -> list[str]:
    """Return the addresses of proxies; raise an error for names, which are not looked up."""
    for one in proxies:
        try:
            ip_address(one)
        except ValueError:
            raise CorollaryError(
                f"a proxy is trusted by its address, such as 127.0.0.1, not by {one!r}"
            ) from None
    return list(proxies)


class Beside:
    """An app with further apps, each under a prefix."""

    def __init__(self, app: ASGIApp, others: Mapping[str, ASGIApp]):
        self._app = app
        self._others = dict(others)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to its app."""
        if scope["type"] == "http":
            path = route_path(scope)
            for prefix, other in self._others.items():
                if path == prefix or path.startswith(prefix + "/"):
                    root = str(scope.get("root_path", ""))
                    path = root + path + ("/" if path == prefix else "")
                    await other({**scope, "root_path": root + prefix, "path": path}, receive, send)
                    return
        await self._app(scope, receive, send)


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=512)
    except OSError as error:
        raise CorollaryError(
            f"cannot listen at {host}:{port}: {error.strerror or error}; is another server running there? "
            "Choose another port, or 0 for any that is free"
        ) from None
