"""A small campaign on a temporary file, and people who call its service in this process."""

from __future__ import annotations

import asyncio
import secrets
import struct
import zlib

import httpx
import pytest

from corollary.campaign.campaign import Campaign
from corollary.campaign.items import Item, Picture
from corollary.logic.ontology import Ontology
from corollary.web.app import make_app

from .kill_loop import Served, make_campaign

ONTO = """
Animal > Bird, Fish
Plant > Tree
exclusive: Bird, Fish
exclusive: Animal, Plant
"""


def png() -> bytes:
    """A picture of one white pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    header = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixels = zlib.compress(b"\0\xff\xff\xff")
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    )


PNG = png()


def some_items(n: int = 12) -> list[Item]:
    items = [Item(f"thing {i}", f"thing number {i}", {"wings": i % 3}) for i in range(n)]
    return [*items, Item("a/b.png", "with a picture", {}, Picture("b.png", "image/png", PNG))]


@pytest.fixture
def campaign(tmp_path):
    with Campaign.create(
        tmp_path / "campaign.sqlite",
        some_items(),
        Ontology.parse(ONTO),
        name="Things",
        lead="Mara",
        settings={"retrain_every": 1000},
    ) as made:
        yield made


class Client:
    """Calls an app in this process, one request at a time, as one person."""

    def __init__(self, app, token=None, *, base="http://localhost:8000", headers=None):
        own = {"Authorization": f"Bearer {token}"} if token else {}
        transport = httpx.ASGITransport(app=app, client=("127.0.0.1", 50000))
        self.http = httpx.AsyncClient(
            transport=transport, base_url=base, headers={**own, **(headers or {})}
        )

    def call(self, method, path, **options):
        return asyncio.run(self.http.request(method, path, **options))

    def get(self, path, **options):
        return self.call("GET", path, **options)

    def post(self, path, **options):
        return self.call("POST", path, **options)


@pytest.fixture
def app(campaign):
    return make_app(campaign, mode="team")


@pytest.fixture
def tokens(campaign):
    return {
        "lead": campaign.invite("Mara", "lead"),
        "annotator": campaign.invite("Ana", "annotator"),
        "reader": campaign.invite("Rui", "reader"),
    }


@pytest.fixture
def lead(app, tokens):
    return Client(app, tokens["lead"])


@pytest.fixture
def ana(app, tokens):
    return Client(app, tokens["annotator"])


@pytest.fixture
def reader(app, tokens):
    return Client(app, tokens["reader"])


@pytest.fixture
def anyone(app):
    return Client(app)


def key() -> str:
    return secrets.token_hex(8)


def answer(client, item, label, value, **more):
    return client.post(
        "/api/answers", json={"key": key(), "item": item, "label": label, "value": value, **more}
    )


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A server in a process of its own; tests of a file share it."""
    url = str(tmp_path_factory.mktemp("served") / "campaign.sqlite")
    make_campaign(url, items=5)
    served = Served(url)
    yield served
    assert served.end() == 0
