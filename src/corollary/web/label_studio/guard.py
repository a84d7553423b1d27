"""Access to the backend: for programs with the password, or on this machine; never for pages."""

from __future__ import annotations

import base64
import binascii
import secrets
from ipaddress import ip_address

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from ..access.rate_limits import Buckets, check_length, limited
from ..access.sign_in import LOOPBACK, check_host
from ..errors import Refusal

#: Tasks come by the hundred.
BODY_LIMIT = 32 << 20


class Guard:
    """ASGI middleware. Without a password only programs on one's own machine are served.

    Whatever a browser sends on behalf of a page is refused, password or not: Label Studio calls from its server. A page
    can send plain texts to any address, and what calls itself JSON only where the media type is just that.
    """

    def __init__(self, app: ASGIApp, *, basic_auth: tuple[str, str] | None = None):
        self._app = app
        self._basic_auth = basic_auth
        self._buckets = Buckets()
        self._proven: set[str] = set()  # addresses that sent the right password

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check the request, then pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            headers = Headers(scope=scope)
            check_program(headers)
            self._check(headers, str((scope.get("client") or ("",))[0]))
            if scope["method"] == "POST" and media_type(headers) != "application/json":
                raise Refusal(415, "Send JSON, with the header Content-Type: application/json.")
            check_length(headers.get("content-length"), BODY_LIMIT)
            await self._app(scope, limited(receive, BODY_LIMIT), send)
        except Refusal as refusal:
            await refusal.response()(scope, receive, send)

    def _check(self, headers: Headers, address: str) -> None:
        if self._basic_auth is None:
            check_host(headers, LOOPBACK)
            if not _is_here(address):
                raise Refusal(403, "Without a password only programs on this machine are served.")
            return
        proven = address in self._proven
        if not proven:
            self._buckets.take("sign-in", address)  # wrong guesses have to wait
        name, password = credentials(headers.get("authorization", ""))
        # Both are compared in constant time, so that the duration reveals nothing.
        right = [
            secrets.compare_digest(given.encode("utf-8", "surrogatepass"), wanted.encode())
            for given, wanted in zip((name, password), self._basic_auth, strict=True)
        ]
        if not all(right):
            if proven:  # wrong guesses behind the same proxy must not block Label Studio
                self._buckets.take("sign-in", address)
            raise Refusal(
                401,
                "The name or the password is not right.",
                hint="Set them where the backend is connected; in the address of a webhook: http://name:password@...",
                headers={"WWW-Authenticate": 'Basic realm="corollary"'},
            )
        if not proven:
            self._proven.add(address)
            self._buckets.give_back("sign-in", address)


def check_program(headers: Headers) -> None:
    """Refuse requests that a page had a browser send; typed addresses are allowed."""
    if "origin" in headers or headers.get("sec-fetch-site", "none") != "none":
        hint = "Label Studio calls this address from its server; nothing else has to."
        raise Refusal(403, "Pages may not call this.", code="foreign", hint=hint)


def media_type(headers: Headers) -> str:
    """Return the media type of a body, without parameters."""
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def _is_here(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False


def credentials(header: str) -> tuple[str, str]:
    """Return name and password of an HTTP Basic header; empty if there is none."""
    scheme, _, coded = header.partition(" ")
    if scheme.lower() != "basic":
        return "", ""
    try:
        text = base64.b64decode(coded.strip(), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return "", ""
    name, _, password = text.partition(":")
    return name, password
