"""Requests to other machines: a time limit for the whole reply, and the IPv4 address inside an address."""

from __future__ import annotations

import time
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from io import BufferedReader, RawIOBase
from ipaddress import IPv4Address, IPv6Address, IPv6Network
from socket import socket
from typing import Any

#: Networks whose addresses end with an IPv4 address: a gateway, or the system itself, calls that one.
NAT64 = IPv6Network("64:ff9b::/96")
COMPATIBLE = IPv6Network("::/96")


def set_deadline(connection: HTTPConnection, deadline: float) -> None:
    """Let reading a reply end with TimeoutError at `deadline` (of time.monotonic), however slowly bytes come."""

    def response(sock: socket, *args: Any, **how: Any) -> HTTPResponse:
        made = HTTPResponse(sock, *args, **how)
        made.fp.close()
        made.fp = BufferedReader(_Timed(sock, deadline))
        return made

    connection.response_class = response  # type: ignore[assignment]


class _Timed(RawIOBase):
    """What comes from a socket until a deadline: its own time limit is for each read."""

    def __init__(self, sock: socket, deadline: float):
        self._sock = sock
        self._deadline = deadline
        self._raw = sock.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._sock.settimeout(left)
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


def addresses_in(address: IPv4Address | IPv6Address) -> Iterator[IPv4Address | IPv6Address]:
    """The addresses that a call to an address may reach: the IPv4 address inside one, else itself."""
    if isinstance(address, IPv4Address):
        yield address
        return
    inside = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address in NAT64 or (address in COMPATIBLE and int(address) > 1):
        inside.append(IPv4Address(int(address) & 0xFFFFFFFF))
    found = [one for one in inside if one is not None]
    yield from found or [address]
