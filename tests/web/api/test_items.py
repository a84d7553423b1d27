"""Files sent to the server: limits before and while they arrive, mistakes told, nothing half-imported."""

from __future__ import annotations

import asyncio
import io
import zipfile

import pytest

from corollary.web.access.rate_limits import MEGABYTE, Buckets, Rate
from corollary.web.app import make_app
from corollary.web.errors import Refusal

from ..conftest import PNG, Client


def send(client, content, name="items.csv", **more):
    return client.post("/api/items", params={"name": name, **more}, content=content)


def test_items_and_labels_are_added(lead):
    added = send(lead, b"id,text,Bird\nrobin,a small bird,yes\ntrout,in the river,no\n")
    assert added.status_code == 201
    assert added.json() == {"items": 2, "facts": 2, "stored": True, "notes": []}
    robin = lead.get("/api/items/robin").json()
    assert {one["label"]: one["value"] for one in robin["values"]}["Animal"] is True


def test_a_file_can_be_checked_first(lead):
    checked = send(lead, b"id,text\nrobin,x\n", check=True).json()
    assert checked == {"items": 1, "facts": 0, "stored": False, "notes": []}
    assert lead.get("/api/items/robin").status_code == 404


def test_json_lines_and_pictures(lead):
    assert send(lead, b'{"id": "robin", "text": "x"}\n', "x.jsonl").json()["items"] == 1
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("birds/wren.png", PNG)
    assert send(lead, packed.getvalue(), "pictures.zip").json()["items"] == 1
    assert lead.get("/api/items", params={"query": "wren"}).json()["items"][0]["image"]


@pytest.mark.parametrize(
    ("content", "name", "told"),
    [
        (b"id,text\nrobin,x\nrobin,y\n", "birds.csv", "robin"),
        (b"id,text\nthing 1,x\n", "birds.csv", "thing 1"),
        (b"id,text\nrobin,\xff\xfe\xfa\n", "birds.csv", "birds.csv"),
        (b"", "birds.csv", "birds.csv"),
        (b"id,Bird,Fish\nrobin,yes,yes\n", "birds.csv", "robin"),
        (b"{", "birds.jsonl", "birds.jsonl"),
        (b"not a zip", "birds.zip", "birds.zip"),
        (b"not parquet", "birds.parquet", "birds.parquet"),
    ],
)
def test_with_one_mistake_nothing_is_added(lead, campaign, content, name, told):
    before = (campaign.state.seq, len(campaign.state.ids))
    refused = send(lead, content, name)
    assert refused.status_code == 400
    assert told in refused.json()["error"]["message"]
    assert "/tmp" not in refused.json()["error"]["message"]
    assert (campaign.state.seq, len(campaign.state.ids)) == before


def test_files_of_the_server_cannot_be_named(lead, tmp_path):
    (tmp_path / "secret.png").write_bytes(PNG)
    for path in (str(tmp_path / "secret.png"), "../secret.png"):
        added = send(lead, f"id,text,image\n{path.replace('/', '_')},x,{path}\n".encode())
        if added.status_code == 201:
            assert lead.get(f"/api/items/{path.replace('/', '_')}").json()["image"] is None
    assert send(lead, b"x", "../../etc/passwd").status_code == 415


def test_a_large_file_is_refused_by_its_length(lead, campaign):
    refused = lead.post("/api/items", content=b"", headers={"Content-Length": str(10**9)})
    assert refused.status_code == 413
    assert "64 MB" in refused.json()["error"]["message"]


def test_a_large_file_is_refused_while_it_arrives(campaign, tokens):
    app = make_app(campaign, mode="team", upload_limit=2 * MEGABYTE)

    async def endless():
        for _ in range(20):
            yield b"x" * MEGABYTE

    refused = Client(app, tokens["lead"]).post("/api/items", content=endless())
    assert refused.status_code == 413
    assert len(campaign.state.ids) == 13
    assert refused.json()["error"]["code"] == "too_large"


def test_other_bodies_are_small(ana):
    body = {"key": "k", "item": "thing 1", "label": "Bird", "value": True, "lease": "x" * MEGABYTE}
    assert ana.post("/api/answers", json=body).status_code == 413


def test_a_body_without_a_length_is_counted(ana):
    async def endless():
        for _ in range(100):
            yield b" " * MEGABYTE

    refused = ana.post("/api/answers", content=endless(), headers={"Content-Type": "application/json"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (413, "too_large")


def test_nobody_unknown_makes_the_server_read(app):
    """Whoever may not call a route is refused before its body arrives."""
    asked = []

    async def receive():
        asked.append(1)
        return {"type": "http.request", "body": b"x" * MEGABYTE, "more_body": True}

    sent = []

    async def send_(message):
        sent.append(message)

    path = "/api/items"
    scope = {
        "type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "root_path": "", "scheme": "http",
        "query_string": b"", "headers": [(b"host", b"localhost")], "client": ("127.0.0.1", 1), "server": ("x", 1),
        "http_version": "1.1",
    }  # fmt: skip
    asyncio.run(app(scope, receive, send_))
    assert sent[0]["status"] == 401
    assert not asked


def test_a_length_that_is_no_number(ana):
    answered = ana.post("/api/questions", content=b"", headers={"Content-Length": "x"})
    assert answered.status_code == 400


def test_a_bucket_fills_again_with_time():
    now = 0.0
    buckets = Buckets({"answer": Rate(2, 0.5)}, clock=lambda: now)

    def allowed(who):
        try:
            buckets.take("answer", who)
        except Refusal as refusal:
            assert refusal.headers["Retry-After"] == "2"
            return False
        return True

    assert [allowed("Ana") for _ in range(3)] == [True, True, False]
    assert allowed("Ben")
    now = 2.0
    assert [allowed("Ana"), allowed("Ana")] == [True, False]
    buckets.give_back("answer", "Ana")
    assert allowed("Ana")
