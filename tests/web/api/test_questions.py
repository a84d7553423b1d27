"""An annotator's day over HTTP: questions, answers, leases, undo, history."""

from __future__ import annotations

import time
from contextlib import suppress

from corollary.campaign.storage.records import StoreError
from corollary.logic.ontology import Ontology

from ..conftest import answer, key


def test_questions_are_held_answered_and_settle_others(ana, lead):
    told = ana.post("/api/questions", json={"n": 3}).json()
    assert told["state"] == "asking"
    assert len({question["item"]["id"] for question in told["questions"]}) == 3
    again = ana.post("/api/questions", json={"n": 3}).json()
    assert [one["lease"] for one in again["questions"]] == [
        one["lease"] for one in told["questions"]
    ]
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
    assert [(one["seq"], one["stands"], one["text"]) for one in history["events"]] == [
        (seq, False, "thing number 1")
    ]
    assert ana.post("/api/undo", json={"key": key()}).status_code == 400


def test_history_goes_on_where_it_ended(ana):
    for i in range(5):
        answer(ana, f"thing {i}", "Bird", False)
    first = ana.get("/api/history", params={"limit": 3}).json()
    rest = ana.get("/api/history", params={"limit": 3, "before": first["next_before"]}).json()
    assert [one["item"] for one in first["events"] + rest["events"]] == [
        f"thing {i}" for i in (4, 3, 2, 1, 0)
    ]
    assert rest["next_before"] is None


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


def test_consequences_can_be_kept_back(campaign, ana):
    assert ana.post("/api/questions", json={"n": 1}).json()["questions"][0]["if_yes"] == {
        "Plant": False,
        "Tree": False,
    }
    campaign.change_settings("Mara", {"show_consequences": False})
    assert ana.post("/api/questions", json={"n": 1}).json()["questions"][0]["if_yes"] is None


def test_the_keys_of_label_studio_are_not_for_clients(ana):
    body = {"key": "label-studio/1/2/3", "item": "thing 1", "label": "Bird", "value": True}
    refused = ana.post("/api/answers", json=body)
    assert refused.status_code == 422
    assert "such as a UUID" in refused.json()["error"]["message"]
    assert ana.get("/api/history").json()["events"] == []


def test_a_doubt_as_long_as_a_book_is_refused_with_the_bound(ana, campaign):
    seq = answer(ana, "thing 1", "Bird", True).json()["seq"]
    long = ana.post("/api/doubts", json={"key": key(), "seq": seq, "rules": ["x" * 10_000] * 100})
    assert long.status_code == 422
    assert "at most 20,000" in long.json()["error"]["message"]
    assert (
        ana.post(
            "/api/doubts", json={"key": key(), "seq": seq, "rules": ["x" * 10_000]}
        ).status_code
        == 200
    )


def test_only_ones_own_events_are_undone(ana, lead):
    seq = answer(lead, "thing 1", "Bird", True).json()["seq"]
    refused = ana.post("/api/undo", json={"key": key(), "seq": seq})
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "not_allowed")
    assert lead.post("/api/undo", json={"key": key(), "seq": seq}).status_code == 200


def test_what_was_said_itself_has_no_reason_and_what_follows_has(ana, monkeypatch):
    looked_for, real = [], Ontology.explain
    monkeypatch.setattr(
        Ontology,
        "explain",
        lambda self, facts, label: looked_for.append(label) or real(self, facts, label),
    )
    told = answer(ana, "thing 1", None, ["Bird"]).json()
    assert {one["label"] for one in told["settled"]} == {"Animal", "Bird", "Fish", "Plant", "Tree"}
    assert [one["label"] for one in told["settled"] if one["why"] is None] == ["Bird"]
    assert set(looked_for) == {"Animal", "Fish", "Plant", "Tree"}
    told = answer(ana, "thing 2", "Bird", True).json()
    assert told["settled"][0] == {"label": "Bird", "value": True, "why": None, "because": []}
    assert None not in {one["why"] for one in told["settled"][1:]}


def test_an_answer_that_is_not_stored_is_not_told(ana, campaign, monkeypatch):
    writer = campaign._live.store._writer
    transact = writer._transact
    monkeypatch.setattr(
        writer, "_transact", lambda *_, **__: (_ for _ in ()).throw(OSError("the disk is full"))
    )
    failed = ana.post(
        "/api/answers", json={"key": "k1", "item": "thing 1", "label": "Bird", "value": True}
    )
    assert (failed.status_code, failed.json()["error"]["code"]) == (503, "not_stored")
    monkeypatch.setattr(writer, "_transact", transact)
    for _ in range(200):  # while it could not be read either, it rests for a moment
        with suppress(StoreError):
            campaign.progress()
            break
        time.sleep(0.1)
    assert campaign.state.seq == 0  # memory follows the log
    told = ana.post(
        "/api/answers", json={"key": "k1", "item": "thing 1", "label": "Bird", "value": True}
    ).json()
    assert (told["seq"], told["counts"]["asked"]) == (1, 1)
    assert told["counts"]["settled"] > 0


def test_a_suggestion_is_told_and_what_was_only_predicted_is_for_leads(campaign, ana, lead):
    campaign.change_settings(
        "Mara", {"suggest": 0.5, "pick": "never", "learner": "logistic", "by_chance": 0}
    )
    assert (
        ana.post("/api/questions", json={"n": 1}).json()["questions"][0]["suggestion"] is None
    )  # no model yet
    answer(ana, "thing 0", "Bird", True)
    campaign.retrain(wait=True)
    told = {}
    for question in ana.post("/api/questions", json={"n": 10}).json()["questions"][1:]:
        item, label, found = question["item"]["id"], question["label"], question["suggestion"]
        told[item] = found and [found["value"], found["probability"]]
        sent = {"lease": question["lease"], "detail": {"suggested": [True, 0.5]}}
        assert (
            answer(ana, item, label, True, **sent).status_code == 422
        )  # not for the client to say
        assert answer(ana, item, label, True, lease=question["lease"]).status_code == 200
    own = {one["item"]: one["detail"] for one in ana.get("/api/history").json()["events"]}
    all_told = {one["item"]: one["detail"] for one in lead.get("/api/log").json()["events"]}
    assert None in told.values()
    assert any(told.values())
    for item, shown in told.items():
        if shown:
            assert own[item] == {"suggested": shown}
            assert all_told[item]["suggested"] == shown
        else:
            assert own[item] is None
            assert list(all_told[item]) == ["predicted", "expected"]
    compared = lead.get("/api/progress").json()["figures"]["suggestions"]
    assert compared["shown"]["answers"] + compared["not_shown"]["answers"] == len(told)
    assert "suggestions" not in ana.get("/api/progress").json()["figures"]


def test_which_questions_chance_drew_is_for_leads(campaign, ana, lead):
    campaign.change_settings("Mara", {"pick": "never", "learner": "logistic", "by_chance": 1})
    answer(ana, "thing 0", "Bird", True)
    campaign.retrain(wait=True)
    (question,) = ana.post("/api/questions", json={"n": 1}).json()["questions"]
    answer(ana, question["item"]["id"], question["label"], True, lease=question["lease"])
    assert all(one["detail"] is None for one in ana.get("/api/history").json()["events"])
    last = next(
        one
        for one in lead.get("/api/log").json()["events"]
        if one["item"] == question["item"]["id"]
    )
    assert list(last["detail"]) == ["drawn", "expected"]


def test_a_pick_may_come_with_few_options_and_be_answered_briefly(ana, lead):
    assert (
        lead.call(
            "PATCH", "/api/settings", json={"key": key(), "changes": {"pick": "always"}}
        ).status_code
        == 200
    )
    (whole,) = ana.post("/api/questions", json={"n": 1}).json()["questions"]
    assert (whole["label"], whole["one"], whole["names"]) == (None, True, {})
    assert (len(whole["options"]), whole["open"], whole["pickable"]) == (5, 5, 5)
    (brief,) = ana.post("/api/questions", json={"n": 1, "options": 1}).json()["questions"]
    assert brief["ends"] == whole["ends"][:1]
    assert brief["names"].keys() == set(brief["options"])
    assert (brief["open"], brief["pickable"], brief["known"]) == (5, 5, [])
    item = brief["item"]["id"]
    found = ana.get("/api/options", params={"item": item, "query": "tre"}).json()
    assert (found["ends"], found["total"], sorted(found["options"])) == (
        ["Tree"],
        1,
        ["Plant", "Tree"],
    )
    assert ana.get("/api/options", params={"item": item, "under": ""}).json()["wider"] == [
        "Animal",
        "Plant",
    ]
    assert ana.get("/api/options", params={"item": "nothing"}).status_code == 404
    told = answer(ana, item, None, ["Tree"], tell=1).json()
    assert (len(told["settled"]), told["n_settled"]) == (1, 5)
    assert ana.get("/api/history").json()["events"][0]["detail"]["options"]
    assert ana.get("/api/history", params={"offered": False}).json()["events"][0]["detail"] is None
    undone = ana.post("/api/undo", json={"key": key(), "tell": 2}).json()
    assert (len(undone["opened"]), undone["n_opened"], undone["undone"]["detail"]) == (2, 5, None)
