"""An annotator's and a lead's day over HTTP."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from corollary.campaign.storage.errors import StoreError
from corollary.web.api import exports
from corollary.web.app import make_app

from ..conftest import PNG, Client, key


def answer(client, item, label, value, **more):
    return client.post("/api/answers", json={"key": key(), "item": item, "label": label, "value": value, **more})


def test_questions_are_held_answered_and_settle_others(ana, lead):
    told = ana.post("/api/questions", json={"n": 3}).json()
    assert told["state"] == "asking"
    assert len({question["item"]["id"] for question in told["questions"]}) == 3
    again = ana.post("/api/questions", json={"n": 3}).json()
    assert [one["lease"] for one in again["questions"]] == [one["lease"] for one in told["questions"]]
    assert {one["who"] for one in lead.get("/api/leases").json()} == {"Ana"}
    reply = answer(ana, "thing 5", "Bird", True, seconds=1.5).json()
    settled = {one["label"]: one for one in reply["settled"]}
    assert {label: one["value"] for label, one in settled.items()} == {
        "Bird": True, "Animal": True, "Fish": False, "Plant": False, "Tree": False
    }  # fmt: skip
    assert reply["settled"][0] == {"label": "Bird", "value": True, "why": None, "because": []}
    assert settled["Animal"]["why"] == "Bird implies Animal"
    assert settled["Animal"]["because"] == [{"label": "Bird", "value": True}]
    assert reply["item_done"]
    assert reply["counts"]["implied"] == 4


def test_the_same_key_counts_once(ana):
    body = {"key": "once", "item": "thing 1", "label": "Bird", "value": True}
    first, second = ana.post("/api/answers", json=body), ana.post("/api/answers", json=body)
    assert first.json() == second.json()
    assert ana.get("/api/me").json()["counts"]["asked"] == 1


def test_leases_are_renewed_and_given_back(ana, lead):
    leases = [one["lease"] for one in ana.post("/api/questions", json={"n": 2}).json()["questions"]]
    renewed = ana.post("/api/leases/renew", json={"leases": [*leases, "gone"]}).json()["leases"]
    assert [one["id"] for one in renewed] == leases
    assert lead.post("/api/leases/release", json={"leases": leases}).json() == {"released": 0}
    assert ana.post("/api/leases/release", json={"leases": leases}).json() == {"released": 2}
    assert lead.get("/api/leases").json() == []


def test_undo_takes_back_what_followed(ana):
    seq = answer(ana, "thing 1", "Bird", True).json()["seq"]
    undone = ana.post("/api/undo", json={"key": key()}).json()
    assert undone["undone"]["seq"] == seq
    assert {one["label"] for one in undone["opened"]} == {"Animal", "Bird", "Fish", "Plant", "Tree"}
    assert undone["counts"]["settled"] == 0
    history = ana.get("/api/history").json()
    assert [(one["seq"], one["stands"], one["text"]) for one in history["events"]] == [(seq, False, "thing number 1")]
    assert ana.post("/api/undo", json={"key": key()}).status_code == 400


def test_history_goes_on_where_it_ended(ana):
    for i in range(5):
        answer(ana, f"thing {i}", "Bird", False)
    first = ana.get("/api/history", params={"limit": 3}).json()
    rest = ana.get("/api/history", params={"limit": 3, "before": first["next_before"]}).json()
    assert [one["item"] for one in first["events"] + rest["events"]] == [f"thing {i}" for i in (4, 3, 2, 1, 0)]
    assert rest["next_before"] is None


def test_a_contradiction_is_told_doubted_and_decided(ana, lead):
    answer(lead, "thing 1", "Bird", True)
    told = answer(ana, "thing 1", "Fish", True).json()
    conflict = told["conflict"]
    assert conflict["kind"] == "clash"
    assert [(one["who"], one["own"]) for one in conflict["opinions"]] == [("another annotator", False), ("Ana", True)]
    assert [rule["text"] for rule in conflict["rules"]] == ["exclusive: Bird, Fish"]
    doubt = {"key": key(), "seq": told["seq"], "rules": ["exclusive: Bird, Fish"], "note": "a flying fish"}
    assert ana.post("/api/doubts", json=doubt).status_code == 200
    waiting = lead.get("/api/conflicts").json()
    assert [one["item"]["id"] for one in waiting] == ["thing 1"]
    assert {one["who"] for one in waiting[0]["conflict"]["opinions"]} == {"Mara", "Ana"}
    assert waiting[0]["doubts"][0]["detail"]["note"] == "a flying fish"
    body = {"key": key(), "item": "thing 1", "label": "Bird", "value": True, "reject": [told["seq"]]}
    assert lead.post("/api/decisions", json=body).json()["conflict"] is None
    assert lead.get("/api/conflicts").json() == []


def test_flags_wait_for_the_lead(ana, lead):
    body = {"key": key(), "item": "thing 1", "label": "Bird", "reason": "text", "note": "cut off"}
    seq = ana.post("/api/flags", json=body).json()["seq"]
    assert [(one["seq"], one["detail"]["note"]) for one in lead.get("/api/flags").json()] == [(seq, "cut off")]
    assert lead.post(f"/api/flags/{seq}/settle", json={"key": key()}).status_code == 200
    assert lead.get("/api/flags").json() == []


def test_why_a_label_is_what_it_is(ana):
    answer(ana, "thing 1", "Bird", True)
    why = ana.get("/api/explain", params={"item": "thing 1", "label": "Plant"}).json()
    assert why["value"] is False
    assert [(one["label"], one["own"]) for one in why["answers"]] == [("Bird", True)]
    assert len(why["steps"]) == 2
    assert ana.get("/api/explain", params={"item": "nothing", "label": "Plant"}).status_code == 404
    assert ana.get("/api/explain", params={"item": "thing 1", "label": "Plan"}).status_code == 400


def test_an_annotator_asked_blind_sees_nothing_of_what_others_said(campaign, app, lead, ana):
    campaign.change_settings("Mara", {"overlap": 1.0})
    answer(lead, "thing 1", "Bird", True)
    asked = ana.post("/api/questions", json={"n": 1}).json()["questions"][0]
    assert (asked["item"]["id"], asked["label"]) == ("thing 1", "Bird")
    assert asked["place"]["path"] == [{"label": "Animal", "value": None}]
    seen = ana.get("/api/items/thing 1").json()
    assert {one["value"] for one in seen["values"]} == {None}
    assert seen["events"] == []
    why = ana.get("/api/explain", params={"item": "thing 1", "label": "Animal"}).json()
    assert (why["value"], why["answers"], why["rules"]) == (None, [], [])
    assert any(one["value"] for one in lead.get("/api/items/thing 1").json()["values"])


def test_names_are_for_leads_unless_the_campaign_shows_them(campaign, ana, lead, reader):
    answer(lead, "thing 1", "Bird", True)

    def told():
        return ana.get("/api/explain", params={"item": "thing 1", "label": "Bird"}).json()["answers"][0]["who"]

    assert told() == "another annotator"
    assert ana.get("/api/me").json()["lead"] is None
    campaign.change_settings("Mara", {"show_names": True})
    assert told() == "Mara"
    assert ana.get("/api/me").json()["lead"] == "Mara"
    for path in ("/api/progress", "/api/labels"):
        assert "Mara" not in reader.get(path).text


def test_consequences_can_be_kept_back(campaign, ana):
    assert ana.post("/api/questions", json={"n": 1}).json()["questions"][0]["if_yes"] == {"Plant": False, "Tree": False}
    campaign.change_settings("Mara", {"show_consequences": False})
    assert ana.post("/api/questions", json={"n": 1}).json()["questions"][0]["if_yes"] is None


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


def test_every_version_of_the_ontology_is_kept(lead, ana):
    (first,) = lead.get("/api/ontology/versions").json()
    assert (first["version"], first["who"]) == (1, "Mara")
    lead.call("PUT", "/api/ontology", json={"key": key(), "text": first["text"] + "\nBird > Robin"})
    again, second = lead.get("/api/ontology/versions").json()
    assert again == first
    assert (second["version"], second["who"], "Robin" in second["text"]) == (2, "Mara", True)
    assert second["at"] > first["at"]
    back = lead.call("PUT", "/api/ontology", json={"key": key(), "text": first["text"]})
    assert back.json()["version"] == 3
    assert "Robin" not in [one["label"] for one in ana.get("/api/ontology").json()["labels"]]
    assert ana.get("/api/ontology/versions").status_code == 403


def test_the_ontology_is_previewed_then_changed(lead, ana):
    answer(ana, "thing 1", "Bird", True)
    now = lead.get("/api/ontology").json()
    assert now["labels"][1]["parents"] == ["Animal"]
    assert now["rules"][0]["words"] == "each of Bird, Fish implies Animal"
    above, _, exclusive, _ = now["rules"]
    assert (above["kind"], above["parent"], above["children"]) == ("above", "Animal", ["Bird", "Fish"])
    assert above["labels"] == ["Animal", "Bird", "Fish"]
    assert (exclusive["kind"], exclusive["parent"], exclusive["labels"]) == ("exclusive", None, ["Bird", "Fish"])
    text = now["text"] + "exclusive: Bird, Animal\n"
    preview = lead.post("/api/ontology/preview", json={"text": text}).json()
    assert preview["settles"] > 0
    assert lead.get("/api/ontology").json()["version"] == 1
    changed = lead.call("PUT", "/api/ontology", json={"key": key(), "text": now["text"] + "Bird > Robin\n"})
    assert changed.json()["version"] == 2
    assert "Robin" in [one["label"] for one in ana.get("/api/ontology").json()["labels"]]
    for wrong in ("", "Bird >", "Bird > Bird2\nexclusive: A"):
        answered = lead.call("PUT", "/api/ontology", json={"key": key(), "text": wrong})
        assert answered.status_code == 400
        assert answered.json()["error"]["message"]


def test_people_are_invited_once_and_changed(app, lead, campaign):
    invited = lead.post("/api/people", json={"name": "Ben/Bo", "role": "annotator"})
    assert invited.status_code == 201
    ben = Client(app, campaign.join(invited.json()["link"].removeprefix("join/")))
    assert ben.get("/api/me").json()["name"] == "Ben/Bo"
    assert lead.post("/api/people", json={"name": "Ben/Bo"}).status_code == 409
    assert lead.post("/api/people", json={"name": "system"}).status_code == 400
    assert lead.call("PATCH", "/api/people/Ben%2FBo", json={"paused": True}).json()["paused"] is True
    assert ben.post("/api/questions", json={"n": 1}).json()["state"] == "paused"
    assert lead.call("PATCH", "/api/people/Ben%2FBo", json={"paused": False}).json()["paused"] is False
    assert ben.post("/api/questions", json={"n": 1}).json()["state"] == "asking"
    assert lead.call("PATCH", "/api/people/Nobody", json={"paused": True}).status_code == 404
    assert [one["name"] for one in lead.get("/api/people").json()] == ["Ana", "Ben/Bo", "Mara", "Rui"]


def test_everybody_is_paused(ana, lead):
    assert lead.post("/api/pause", json={"paused": True}).json() == {"paused": True}
    assert ana.post("/api/questions", json={"n": 1}).json()["state"] == "paused"
    assert lead.post("/api/pause", json={"paused": False}).json() == {"paused": False}


def test_the_keys_of_label_studio_are_not_for_clients(ana):
    body = {"key": "label-studio/1/2/3", "item": "thing 1", "label": "Bird", "value": True}
    refused = ana.post("/api/answers", json=body)
    assert refused.status_code == 422
    assert "such as a UUID" in refused.json()["error"]["message"]
    assert ana.get("/api/history").json()["events"] == []


def test_a_lease_without_end_is_refused(ana, lead):
    wrong = lead.call("PATCH", "/api/settings", json={"key": key(), "changes": {"lease_seconds": 1e12}})
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (400, "refused")
    assert "from 1 to 86,400" in wrong.json()["error"]["message"]
    assert ana.post("/api/questions", json={"n": 1}).status_code == 200


def test_settings_are_changed_one_by_one(lead):
    changed = lead.call("PATCH", "/api/settings", json={"key": key(), "changes": {"overlap": 0.25}}).json()
    assert (changed["overlap"], changed["opinions"]) == (0.25, 2)
    wrong = lead.call("PATCH", "/api/settings", json={"key": key(), "changes": {"overlapp": 0.25}})
    assert wrong.status_code == 400
    assert "did you mean 'overlap'" in wrong.json()["error"]["message"]


def test_the_lead_looks_through_the_log(ana, lead):
    answer(ana, "thing 1", "Bird", True)
    answer(lead, "thing 2", "Bird", False)
    assert [one["who"] for one in lead.get("/api/log").json()["events"]] == ["Mara", "Ana"]
    assert [one["item"] for one in lead.get("/api/log", params={"kind": "yes"}).json()["events"]] == ["thing 1"]


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


def test_figures_and_metrics(ana, lead, reader):
    answer(ana, "thing 1", "Bird", True)
    progress = lead.get("/api/progress").json()
    assert (progress["asked"], progress["settled"], progress["saved"]) == (1, 5, 4)
    assert [one["name"] for one in progress["figures"]["annotators"]] == ["Ana", "Mara", "Rui"]
    labels = {one["label"]: one for one in reader.get("/api/labels").json()}
    assert (labels["Bird"]["yes"], labels["Bird"]["asked_yes"], labels["Animal"]["asked_yes"]) == (1, 1, 0)
    text = reader.get("/metrics").text
    assert "corollary_answers_total 1\n" in text
    assert 'corollary_http_requests_total{method="POST",route="/api/answers",status="200"} 1' in text
    assert 'corollary_http_request_seconds_bucket{method="POST",route="/api/answers",le="+Inf"} 1' in text
    assert "Ana" not in text


@pytest.mark.parametrize("form", ["csv", "csv-wide", "jsonl", "parquet"])
def test_export(ana, lead, form):
    answer(ana, "thing 1", "Bird", True)
    got = lead.get("/api/export", params={"format": form})
    assert got.status_code == 200
    assert "attachment" in got.headers["content-disposition"]
    assert got.content
    assert lead.get("/api/export", params={"format": "xls"}).status_code == 422


def test_exports_at_once_are_few_and_the_others_are_told_when_to_come_back(app, lead, reader, monkeypatch):
    """The attack: sixty at once by a reader, and everybody else waits for the processor."""
    begun, go_on, made = threading.Semaphore(0), threading.Event(), exports.write

    def slow(*args, **options):
        begun.release()
        assert go_on.wait(20)
        made(*args, **options)

    monkeypatch.setattr(exports, "write", slow)
    with ThreadPoolExecutor(4) as pool:
        first = [pool.submit(client.get, "/api/export") for client in (reader, lead)]
        assert begun.acquire(timeout=20)
        assert begun.acquire(timeout=20)
        again = [Client(app, reader.http.headers["Authorization"].split()[1]).get("/api/export") for _ in range(20)]
        go_on.set()
        assert [one.result().status_code for one in first] == [200, 200]
    assert {(one.status_code, one.headers["retry-after"]) for one in again} == {(429, "5")}
    assert "too many exports at once" in again[0].json()["error"]["message"]
    assert [reader.get("/api/export").status_code for _ in range(4)] == [200] * 4  # all turns were given back
    assert len(app.state.exports) == len(app.state.making) == 0


def test_an_export_that_fails_gives_its_turn_back(app, reader, monkeypatch):
    monkeypatch.setattr(exports, "write", lambda *_, **__: 1 / 0)
    assert [reader.get("/api/export").status_code for _ in range(3)] == [500] * 3
    assert len(app.state.exports) == len(app.state.making) == 0


def test_a_doubt_as_long_as_a_book_is_refused_with_the_bound(ana, campaign):
    seq = answer(ana, "thing 1", "Bird", True).json()["seq"]
    long = ana.post("/api/doubts", json={"key": key(), "seq": seq, "rules": ["x" * 10_000] * 100})
    assert long.status_code == 422
    assert "at most 20,000" in long.json()["error"]["message"]
    assert ana.post("/api/doubts", json={"key": key(), "seq": seq, "rules": ["x" * 10_000]}).status_code == 200


def test_remarks_have_a_rate_of_their_own(ana):
    seq = answer(ana, "thing 1", "Bird", True).json()["seq"]
    got = [ana.post("/api/doubts", json={"key": key(), "seq": seq}).status_code for _ in range(103)]
    assert (got[0], got[-1]) == (200, 429)
    assert ana.get("/api/me").status_code == 200


def test_a_failing_store_is_told_without_its_place(ana, campaign, monkeypatch, caplog):
    def broken(*_, **__):
        raise StoreError("connection to server at db.internal (10.0.0.5), user corollary, failed")

    monkeypatch.setattr(campaign, "undo", broken)
    told = ana.post("/api/undo", json={"key": key()})
    assert told.status_code == 503
    assert "db.internal" not in told.text
    assert "db.internal" in caplog.text


def test_an_export_has_names_for_leads_only(ana, lead, reader):
    answer(ana, "thing 1", "Bird", True)
    assert "Ana" in lead.get("/api/export").text
    text = reader.get("/api/export").text
    assert "thing 1" in text
    assert "Ana" not in text
    assert ana.get("/api/export").status_code == 403  # they may be asked what it tells


def test_health_needs_no_sign_in(app, anyone):
    told = anyone.get("/health").json()
    assert (told["live"], told["ready"], told["seq"]) == (True, True, 0)
    app.state.stopping = lambda: True
    answered = anyone.get("/health")
    assert (answered.status_code, answered.json()["ready"]) == (503, False)


def test_health_tells_of_a_store_that_cannot_be_read(campaign, anyone, monkeypatch):
    def lost():
        raise StoreError("the disk is gone")

    monkeypatch.setattr(campaign._live.store, "summary", lost)
    answered = anyone.get("/health")
    assert (answered.status_code, answered.json()["live"], answered.json()["ready"]) == (503, True, False)


@pytest.mark.parametrize(
    ("method", "path", "options", "status", "code"),
    [
        ("GET", "/api/nothing", {}, 404, "not_found"),
        ("DELETE", "/api/answers", {}, 405, "wrong_method"),
        ("POST", "/api/answers", {"json": {"key": "k"}}, 422, "invalid"),
        ("POST", "/api/answers", {"content": b"{", "headers": {"Content-Type": "application/json"}}, 422, "invalid"),
        ("POST", "/api/answers", {"content": b'{"key": "\\ud800"}'}, 422, "invalid"),
        ("POST", "/api/answers", {"json": {"key": "k", "item": "?", "label": "Bird", "value": True}}, 400, "refused"),
        ("POST", "/api/answers", {"json": {"key": "k", "item": "x", "label": "Bird", "value": "yes"}}, 422, "invalid"),
        ("POST", "/api/answers", {"json": {"key": "k", "item": "thing 1", "value": ["Bird", "Fish"]}}, 409,
         "contradiction"),
        ("POST", "/api/undo", {"json": {"key": "k", "seq": 99}}, 400, "refused"),
        ("GET", "/api/history?limit=0", {}, 422, "invalid"),
    ],
)  # fmt: skip
def test_every_error_has_one_shape(ana, method, path, options, status, code):
    answered = ana.call(method, path, **options)
    assert answered.status_code == status
    error = answered.json()["error"]
    assert error.keys() == {"code", "message", "hint"}
    assert error["code"] == code
    assert error["message"]
    assert "default-src 'none'" in answered.headers["content-security-policy"]


def test_only_ones_own_events_are_undone(ana, lead):
    seq = answer(lead, "thing 1", "Bird", True).json()["seq"]
    refused = ana.post("/api/undo", json={"key": key(), "seq": seq})
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "not_allowed")
    assert lead.post("/api/undo", json={"key": key(), "seq": seq}).status_code == 200


def test_training_is_begun_and_not_waited_for(campaign, lead, ana):
    answer(ana, "thing 1", "Bird", True)
    answer(ana, "thing 2", "Bird", False)
    begun = lead.post("/api/train")
    assert begun.status_code == 202
    assert begun.json()["training"] is True
    campaign.retrain(wait=True)
    assert lead.get("/api/progress").json()["model"] >= 1


def test_a_prefix_of_a_proxy_changes_no_rule(campaign, tokens):
    app = make_app(campaign, mode="team")

    async def under_prefix(scope, receive, send):
        scope = {**scope, "root_path": "/label", "path": "/label" + scope["path"]}
        await app(scope, receive, send)

    assert Client(under_prefix).get("/api/me").status_code == 401
    assert Client(under_prefix, tokens["annotator"]).get("/api/me").json()["name"] == "Ana"
    assert Client(under_prefix, tokens["annotator"]).get("/api/people").status_code == 403


def test_an_answer_that_is_not_stored_is_not_told(ana, campaign, monkeypatch):
    writer = campaign._live.store._writer
    transact = writer._transact
    monkeypatch.setattr(writer, "_transact", lambda *_, **__: (_ for _ in ()).throw(OSError("the disk is full")))
    failed = ana.post("/api/answers", json={"key": "k1", "item": "thing 1", "label": "Bird", "value": True})
    assert (failed.status_code, failed.json()["error"]["code"]) == (503, "not_stored")
    monkeypatch.setattr(writer, "_transact", transact)
    assert campaign.state.seq == 0  # memory follows the log
    told = ana.post("/api/answers", json={"key": "k1", "item": "thing 1", "label": "Bird", "value": True}).json()
    assert (told["seq"], told["counts"]["asked"]) == (1, 1)
    assert told["counts"]["saved_today"] == told["counts"]["saved"] > 0
