"""Sending of a message: signed, with a time limit, without redirects, to public addresses only."""

from __future__ import annotations

import hmac
import socket
import ssl
import time
from collections.abc import Callable
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

from ... import __version__
from ...learning.outgoing import addresses_in, set_deadline
from ...logic.errors import CorollaryError
from .messages import Message

#: For a receiver to take the connection and to answer.
SECONDS = 10.0
PORTS = {"http": 80, "https": 443}
SHORTEST_SECRET = 16  # characters
SIGNATURE = "Corollary-Signature"


class Target(NamedTuple):
    """The address of a webhook, its secret and its limits."""

    url: SplitResult
    secret: bytes
    private: bool

    @property
    def shown(self) -> str:
        """The address without its secret parts."""
        port = "" if self.url.port is None else f":{self.url.port}"
        return f"{self.url.scheme}://{self.url.hostname}{port}{self.url.path}"


class NotTaken(Exception):
    """The receiver did not take a message, with the reason."""


def make_target(url: str, secret: str, *, private: bool = False) -> Target:
    """Return the target, checked without a request."""
    parts = _parts(url)
    if parts is None:
        raise CorollaryError(
            f"{url!r} is no address for a webhook; write one like https://example.org/labels"
        )
    if parts.username is not None or parts.password is not None:
        raise CorollaryError("a webhook is signed; leave the name and password out of its address")
    if len(secret) < SHORTEST_SECRET:
        raise CorollaryError(
            f"the secret of a webhook needs {SHORTEST_SECRET} characters or more; "
            "make one with: python -c 'import secrets; print(secrets.token_urlsafe(32))'"
        )
    return Target(parts, secret.encode(), private)


def _parts(url: str) -> SplitResult | None:
    """Return the parts of an address; None if it cannot be called."""
    try:
        parts = urlsplit(url)
        return parts if parts.scheme in PORTS and parts.hostname and parts.port != 0 else None
    except ValueError:
        return None


def sign(secret: bytes, body: bytes, at: int) -> str:
    """Return the header: the time, and HMAC-SHA256 of the time, a full stop and the body."""
    return f"t={at},v1={hmac.digest(secret, f'{at}.'.encode() + body, 'sha256').hex()}"


def send(target: Target, message: Message, *, clock: Callable[[], float] = time.time) -> None:
    """Send a message once; raise NotTaken unless the receiver answers with a 2xx."""
    host = str(target.url.hostname)
    port = target.url.port or PORTS[target.url.scheme]
    path = (target.url.path or "/") + (f"?{target.url.query}" if target.url.query else "")
    headers = {
        "Content-Type": "application/json",
        "User-Agent": f"corollary/{__version__}",
        "Corollary-Event": message.event,
        "Corollary-Delivery": message.id.encode("ascii", "backslashreplace").decode(),
        SIGNATURE: sign(target.secret, message.body, int(clock())),
    }
    connection = (
        HTTPSConnection(host, port) if target.url.scheme == "https" else HTTPConnection(host, port)
    )
    deadline = time.monotonic() + SECONDS
    set_deadline(connection, deadline)
    try:
        connection.sock = _connected(host, port, target, deadline)
        connection.request("POST", path, message.body, headers)
        status = connection.getresponse().status
    except TimeoutError:
        raise NotTaken(f"no answer within {SECONDS:.0f} s") from None
    except (OSError, HTTPException) as error:
        raise NotTaken(f"{type(error).__name__}: {error}") from None
    finally:
        connection.close()
    if not 200 <= status < 300:
        raise NotTaken(
            f"it answered {status}"
            + (", and redirects are not followed" if 300 <= status < 400 else "")
        )


def _connected(host: str, port: int, target: Target, deadline: float) -> socket.socket:
    """Return a socket to a checked address, because a name may resolve differently next time."""
    found = [info[4][:2] for info in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    allowed = [
        place
        for place in found
        if target.private or _is_public(ip_address(str(place[0]).partition("%")[0]))
    ]
    if not allowed:
        raise NotTaken(f"{host} is a private address; --webhook-private allows these")
    plain = socket.create_connection((str(allowed[0][0]), int(allowed[0][1])), timeout=SECONDS)
    plain.settimeout(max(deadline - time.monotonic(), 0.001))
    if target.url.scheme == "http":
        return plain
    try:
        return ssl.create_default_context().wrap_socket(plain, server_hostname=host)
    except BaseException:
        plain.close()
        raise


def _is_public(address: IPv4Address | IPv6Address) -> bool:
    if isinstance(address, IPv6Address) and address.is_site_local:
        return False
    return all(one.is_global and not one.is_multicast for one in addresses_in(address))
