"""Items over HTTP: looked up, shown, withdrawn; files of them checked as they arrive, and nothing half-imported."""

from __future__ import annotations

import io
import zipfile

import pytest

from corollary.web.access.rate_limits import MEGABYTE
from corollary.web.app import make_app

from ..conftest import PNG, Client, answer, key


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
        assert added.status_code == 201, added.text
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


def test_why_a_label_is_what_it_is(ana):
    answer(ana, "thing 1", "Bird", True)
    why = ana.get("/api/explain", params={"item": "thing 1", "label": "Plant"}).json()
    assert why["value"] is False
    assert [(one["label"], one["own"]) for one in why["answers"]] == [("Bird", True)]
    assert len(why["steps"]) == 2
    assert ana.get("/api/explain", params={"item": "nothing", "label": "Plant"}).status_code == 404
    assert ana.get("/api/explain", params={"item": "thing 1", "label": "Plan"}).status_code == 400


def test_items_are_looked_up_and_shown(lead, ana):
    found = lead.get("/api/items", params={"query": "number 1", "limit": 2}).json()
    assert [one["id"] for one in found["items"]] == ["thing 1", "thing 10"]
    rest = lead.get("/api/items", params={"query": "number 1", "after": found["next_after"]}).json()
    assert [one["id"] for one in rest["items"]] == ["thing 11"]
    assert lead.get("/api/items", params={"after": "nothing"}).status_code == 404
    with_picture = ana.get("/api/items/a%2Fb.png").json()
    picture = ana.get(f"/{with_picture['image']}")
    assert (picture.content, picture.headers["content-type"]) == (PNG, "image/png")
    assert "sandbox" in picture.headers["content-security-policy"]
    assert ana.get("/api/items/thing 1/image").status_code == 404
    assert ana.get("/api/items/nothing").status_code == 404


def test_of_very_many_labels_some_are_told_those_first_that_one_looks_for(lead, ana, monkeypatch):
    answer(ana, "thing 1", "Bird", True)  # so Animal, and neither Fish nor Plant nor Tree
    answer(ana, "thing 2", "Bird", False)
    beliefs = {"Animal": 0.2, "Fish": 0.6, "Plant": 0.1, "Tree": 0.7}
    monkeypatch.setattr("corollary.campaign.campaign.Campaign.probable", lambda self, item: beliefs)
    everything = {name: lead.get(f"/api/items/{name}").json() for name in ("thing 1", "thing 2")}
    for name, order in (
        ("thing 1", ["Animal", "Bird", "Tree", "Fish", "Plant"]),
        ("thing 2", ["Tree", "Fish", "Animal", "Plant", "Bird"]),
    ):
        told = everything[name]
        assert [one["label"] for one in told["values"]] == [
            "Animal",
            "Bird",
            "Fish",
            "Plant",
            "Tree",
        ]
        assert (told["labels"], told["open"]) == (
            5,
            sum(one["value"] is None for one in told["values"]),
        )
        for most in (0, 1, 3, 5, 100):
            some = lead.get(f"/api/items/{name}", params={"values": most}).json()
            assert [one["label"] for one in some["values"]] == order[:most]
            assert all(one in told["values"] for one in some["values"])
            assert (some["labels"], some["open"]) == (told["labels"], told["open"])


def test_with_some_labels_what_was_said_comes_without_what_was_open(lead, ana):
    answer(ana, "thing 1", None, ["Bird"])
    (whole,) = lead.get("/api/items/thing 1").json()["events"]
    (brief,) = lead.get("/api/items/thing 1", params={"values": 3}).json()["events"]
    assert whole["detail"] == {"options": ["Animal", "Bird", "Fish", "Plant", "Tree"]}
    assert brief == {**whole, "detail": None}


def test_a_lead_withdraws_items_and_answers_in_flight_are_refused(campaign, ana, lead):
    asked = ana.post("/api/questions", json={"n": 1}).json()["questions"][0]
    item = asked["item"]["id"]
    wanted = {"items": [item, "a/b.png"], "reason": "there twice"}
    assert ana.post("/api/withdrawals", json=wanted).status_code == 403
    done = lead.post("/api/withdrawals", json=wanted).json()
    assert (len(done["seqs"]), done["counts"]["items"]) == (2, 11)
    assert lead.post("/api/withdrawals", json=wanted).json()["seqs"] == []
    late = answer(ana, item, asked["label"], True)
    assert (late.status_code, late.json()["error"]["code"]) == (409, "withdrawn")
    assert "withdrawn by a lead (there twice)" in late.json()["error"]["message"]
    assert "Mara" not in late.text
    assert lead.get(f"/api/items/{item}").json()["withdrawn"] == done["seqs"][0]
    assert lead.get("/api/progress").json()["withdrawn"] == 2
    told = lead.get("/api/log", params={"kind": "withdraw"}).json()["events"]
    assert [(one["item"], one["stands"], one["detail"]) for one in told] == [
        ("a/b.png", True, {"reason": "there twice"}),
        (item, True, {"reason": "there twice"}),
    ]
    assert item not in lead.get("/api/export").text
    undone = lead.post("/api/undo", json={"key": key(), "seq": done["seqs"][0]}).json()
    assert undone["counts"]["items"] == 12
    assert answer(ana, item, asked["label"], True).status_code == 200
    assert lead.post("/api/withdrawals", json={"items": ["nothing"]}).status_code == 400
    assert lead.post("/api/withdrawals", json={"items": []}).status_code == 422
    assert campaign.verify() == []
