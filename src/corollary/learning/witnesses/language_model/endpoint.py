"""Call an endpoint: one request, within a time, no redirects.

The key is read when needed and never shown.
"""

from __future__ import annotations

import json
import os
import time
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from ipaddress import ip_address
from itertools import groupby
from socket import inet_aton
from typing import Any, NamedTuple
from urllib.parse import SplitResult, urlsplit

from ....logic.errors import CorollaryError
from ...outgoing import addresses_in, set_deadline

PATH = "/chat/completions"
#: Bytes that a reply may have.
LARGEST = 8 << 20
#: This number of characters of the key in a row, or more, are hidden.
PART = 6
#: The number of characters of a server's error message that are shown.
SHOWN = 200


class Fault(Exception):
    """A request that came to nothing; says why."""


class Later(Fault):
    """It may work later: after `wait` seconds, if the server says so."""

    def __init__(self, why: str, wait: float | None = None):
        super().__init__(why)
        self.wait = wait


class Refused(Fault):
    """The server does not want the request as it is."""

    def __init__(self, why: str, status: int):
        super().__init__(why)
        self.status = status


class Endpoint(NamedTuple):
    """Where a model is asked, and the variable of the environment that holds the key, if there is one."""

    url: SplitResult
    key_variable: str | None

    @property
    def shown(self) -> str:
        """The address, for messages."""
        return self.url.geturl()


def make_endpoint(url: str, key_variable: str | None = None) -> Endpoint:
    """An endpoint such as http://localhost:8000/v1, checked as far as it can be without calling."""
    parts = _parts(url)
    if parts is None:
        raise CorollaryError(
            f"{url!r} is no address of a model; write one like http://localhost:8000/v1"
        )
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise CorollaryError(
            "the address of a model has no name, password or query; a key comes from the environment"
        )
    path = parts.path.rstrip("/").removesuffix(PATH)
    endpoint = Endpoint(parts._replace(path=path), key_variable)
    if key_variable is not None:
        _key(endpoint)
        if parts.scheme == "http" and not _is_near(str(parts.hostname)):
            raise CorollaryError(f"the key would go to {parts.hostname} for all to read; use https")
    return endpoint


def _parts(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        return (
            parts
            if parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
            else None
        )
    except (ValueError, TypeError, AttributeError):
        return None


def post(endpoint: Endpoint, body: bytes, *, seconds: float) -> Any:
    """Send a request and give back the JSON of the reply; Later or Refused where there is none."""
    key = _key(endpoint)
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if key is not None:
        headers["Authorization"] = f"Bearer {key}"
    make = HTTPSConnection if endpoint.url.scheme == "https" else HTTPConnection
    connection = make(str(endpoint.url.hostname), endpoint.url.port, timeout=seconds)
    set_deadline(connection, time.monotonic() + seconds)
    try:
        connection.request("POST", endpoint.url.path + PATH, body, headers)
        with connection.getresponse() as response:
            data = _read(response)
    except TimeoutError:
        raise Later(f"no reply within {seconds:g} s") from None
    except (OSError, HTTPException) as error:
        raise Later(f"{type(error).__name__}: {error}") from None
    finally:
        connection.close()
    if response.status == 200:
        try:
            return json.loads(data)
        except (ValueError, RecursionError):
            raise Later("the reply is no JSON") from None
    said = _hidden(data[: 4 * SHOWN].decode(errors="replace"), key)
    why = f"the server answered {response.status}: {' '.join(said.split())[:SHOWN]}"
    if response.status in (408, 409, 425, 429) or response.status >= 500:
        raise Later(why, _wait(response.getheader("Retry-After")))
    raise Refused(why, response.status)


def _read(response: HTTPResponse) -> bytes:
    """The body, if it is not too large."""
    data = bytearray()
    while part := response.read1(1 << 16):
        data += part
        if len(data) > LARGEST:
            raise Later(f"the reply has more than {LARGEST:,} bytes")
    if response.length:  # what should have come still
        raise Later("the reply was cut off")
    return bytes(data)


def _key(endpoint: Endpoint) -> str | None:
    if endpoint.key_variable is None:
        return None
    key = os.environ.get(endpoint.key_variable, "").strip()
    if not key:
        raise CorollaryError(
            f"the variable {endpoint.key_variable} of the environment, with the key, is not set"
        )
    if not key.isascii() or not key.isprintable():
        raise CorollaryError(
            f"the variable {endpoint.key_variable} of the environment holds no key: it has odd signs"
        )
    return key


def _hidden(text: str, key: str | None) -> str:
    """A text without the key, or any part of it: some servers say it back, whole or its ends."""
    if key is None:
        return text
    size = min(PART, len(key))
    parts = {key[i : i + size] for i in range(len(key) - size + 1)}
    hide = bytearray(len(text))
    for i in range(len(text) - size + 1):
        if text[i : i + size] in parts:
            hide[i : i + size] = b"\x01" * size
    runs = groupby(zip(text, hide, strict=True), key=lambda one: one[1])
    text = "".join(
        "***" if hidden else "".join(letter for letter, _ in run) for hidden, run in runs
    )
    return " ".join(
        "***" if "*" in word and word[:4] == key[:4] else word for word in text.split(" ")
    )


def _wait(header: str | None) -> float | None:
    """How long a server asks to wait: a number of seconds, or a date."""
    if not header:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None


def _is_near(host: str) -> bool:
    """Whether a host is on this machine or in a network of one's own, however its address is written."""
    try:
        host = host.encode("idna").decode()  # as it is looked up
        address = ip_address(host) if ":" in host else ip_address(inet_aton(host))
    except UnicodeError:
        return False
    except (OSError, ValueError):
        return "." not in host or host.endswith((".local", ".internal", ".localhost"))
    return all(one.is_private for one in addresses_in(address))
