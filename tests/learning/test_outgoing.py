"""Requests to other machines: a reply has one time limit, and an address may hold another."""

from __future__ import annotations

import time
from http.client import HTTPConnection
from ipaddress import ip_address
from urllib.parse import urlsplit

import pytest

from corollary.learning.outgoing import addresses_in, set_deadline

from .dripping import dripping


def test_headers_that_never_end_are_given_up_in_time():
    with dripping() as url:
        connection = HTTPConnection(urlsplit(url).netloc, timeout=5)
        set_deadline(connection, time.monotonic() + 0.3)
        start = time.monotonic()
        connection.request("GET", "/")
        with pytest.raises(TimeoutError):
            connection.getresponse()
        assert 0.2 < time.monotonic() - start < 2
        connection.close()


@pytest.mark.parametrize(
    ("address", "inside"),
    [
        ("10.0.0.1", ["10.0.0.1"]),
        ("::1", ["::1"]),
        ("::", ["::"]),
        ("2606:4700::1111", ["2606:4700::1111"]),
        ("::ffff:10.0.0.1", ["10.0.0.1"]),
        ("::10.0.0.1", ["10.0.0.1"]),
        ("64:ff9b::10.0.0.1", ["10.0.0.1"]),
        ("2002:a00:1::5", ["10.0.0.1"]),
        ("2001:0:808:808::f5ff:fffe", ["8.8.8.8", "10.0.0.1"]),
    ],
)
def test_the_ipv4_address_inside_an_address(address, inside):
    assert [str(one) for one in addresses_in(ip_address(address))] == inside
