"""Answers that are probably wrong, over HTTP: told to leads with what speaks against each, blamed, decided, gone."""

from __future__ import annotations

import pytest

from corollary.campaign.campaign import Campaign
from corollary.logic.ontology import Ontology

from ..conftest import ONTO, answer, key, some_items


@pytest.fixture
def campaign(tmp_path):
    """The same, where people can be wrong; Ben and Chen take part too."""
    settings = {"retrain_every": 1000, "fallible": True, "learner": "logistic"}
    path = tmp_path / "campaign.sqlite"
    with Campaign.create(
        path, some_items(), Ontology.parse(ONTO), name="Things", lead="Mara", settings=settings
    ) as made:  # fmt: skip
        for name in ("Ana", "Ben", "Chen"):
            made.invite(name, "annotator")
        yield made


@pytest.fixture
def slip(campaign, ana):
    """Ana takes one thing for a fish, which Ben and Chen hold for a bird."""
    told = answer(ana, "thing 1", "Fish", True).json()
    for name in ("Ben", "Chen"):
        campaign.answer(name, "thing 1", "Bird", True)
        for n in range(2, 6):
            campaign.answer(name, f"thing {n}", "Bird", True)
    return told["seq"]


def decide(lead, item, label, value):
    return lead.post(
        "/api/decisions", json={"key": key(), "item": item, "label": label, "value": value}
    )


def test_the_worst_comes_first_and_what_is_decided_is_gone(lead, slip):
    first, *rest = lead.get("/api/doubtful", params={"at_least": 0, "n": 50}).json()
    assert (first["item"]["id"], first["item"]["text"], first["name"]) == (
        "thing 1",
        "thing number 1",
        "Fish",
    )
    assert {name: first["answer"][name] for name in ("who", "label", "value", "seq")} == {
        "who": "Ana", "label": "Fish", "value": True, "seq": slip,
    }  # fmt: skip
    assert first["probability"] > 0.5 > first["without"]
    assert not first["in_effect"]
    assert {(one["who"], one["label"], one["value"]) for one in first["against"]} == {
        ("Ben", "Bird", True),
        ("Chen", "Bird", True),
    }
    others = "Against it: Ben said yes to Bird; Chen said yes to Bird."
    assert first["why"].startswith(f"{others} Without this answer, yes to Fish would be ")
    assert [one["probability"] for one in rest] == sorted(
        (one["probability"] for one in rest), reverse=True
    )
    assert all(one["in_effect"] for one in rest)
    assert lead.get("/api/progress").json()["improbable"] == 1
    assert len(lead.get("/api/doubtful").json()) == 1  # the others are more probably right
    seq = decide(lead, "thing 1", "Fish", False).json()["seq"]
    assert lead.get("/api/doubtful").json() == []
    assert lead.get("/api/progress").json()["improbable"] == 0
    lead.post("/api/undo", json={"key": key(), "seq": seq})
    assert lead.get("/api/doubtful").json() == [first]
    decide(lead, "thing 1", "Bird", True)  # settles it as well
    assert lead.get("/api/doubtful").json() == []
    assert lead.get("/api/progress").json()["improbable"] == 0


def test_of_what_clashes_the_answer_is_named_that_is_most_probably_wrong(lead, slip):
    (told,) = lead.get("/api/conflicts").json()
    assert told["waiting"] == 0  # it holds nothing up
    blamed = told["conflict"]["blamed"]
    assert (blamed["seq"], blamed["label"]) == (slip, "Fish")
    assert blamed["probability"] > 0.5
    assert "Ben said yes to Bird" in blamed["why"]
    assert lead.get("/api/items/thing 1").json()["conflicts"] == [told["conflict"]]


def test_what_was_brought_along_speaks_against_an_answer(campaign, lead, ana):
    campaign.add("Mara", facts=[("thing 7", "Bird", True)])
    answer(ana, "thing 7", "Fish", True)
    (told,) = lead.get("/api/conflicts").json()
    assert told["conflict"]["blamed"]["why"].startswith("Against it: the import said yes to Bird.")
    assert told["conflict"]["blamed"]["probability"] == 1.0


def test_where_nobody_else_spoke_the_model_does(campaign, lead):
    for n in range(10):
        campaign.answer("Ben", f"thing {n}", "Bird", True)
        campaign.answer("Chen", f"thing {n}", "Bird", True)
    campaign.retrain(wait=True)
    campaign.answer("Ana", "thing 11", "Bird", False)
    told = lead.get("/api/doubtful", params={"at_least": 0, "n": 50}).json()
    found = next(one for one in told if one["answer"]["who"] == "Ana")
    assert (found["against"], found["answer"]["value"]) == ([], False)
    model = "No other answer contradicts it, but the model does. Without this answer, no to Bird would be "
    assert found["why"].startswith(model)


def test_how_far_people_can_be_trusted(lead, slip):
    told = lead.get("/api/trust").json()
    assert (told["fallible"], told["known"]) == (True, lead.get("/api/progress").json()["settled"])
    assert 0 < told["wrong"] < told["known"]
    by = {one["name"]: one for one in told["people"]}
    assert list(by) == ["Ana", "Ben", "Chen"]
    assert by["Ana"]["wrong"] > by["Ben"]["wrong"]
    assert (by["Ana"]["answers"], by["Ben"]["answers"]) == (1, 5)
    for one in by.values():
        for name in ("right_if_yes", "right_if_no"):
            low, high = one[f"{name}_interval"]
            assert 0 <= low <= one[name] <= high <= 1


def test_annotators_are_not_told_what_is_doubted(campaign, ana, lead, slip):
    assert any("doubted" in (event.detail or {}) for event in campaign.state.events)
    answer(ana, "thing 1", "Animal", True)
    logged = lead.get("/api/log", params={"item": "thing 1"}).json()["events"]
    assert any("doubted" in (event["detail"] or {}) for event in logged)
    for event in (
        ana.get("/api/history").json()["events"] + ana.get("/api/items/thing 1").json()["events"]
    ):
        assert "doubted" not in (event["detail"] or {})
    assert slip in {event["seq"] for event in ana.get("/api/history").json()["events"]}


def test_others_may_not_and_odd_wishes_are_refused(ana, reader, lead):
    for path in ("/api/doubtful", "/api/trust"):
        assert (ana.get(path).status_code, reader.get(path).status_code) == (403, 403)
    for odd in ({"n": 0}, {"n": 501}, {"at_least": 1.1}, {"at_least": "many"}):
        assert lead.get("/api/doubtful", params=odd).status_code == 422
    assert lead.get("/api/doubtful").json() == []  # nothing was said


def test_where_answers_are_facts_it_says_so(campaign, lead, slip):
    campaign.change_settings("Mara", {"fallible": False})
    assert lead.get("/api/trust").json() == {
        "fallible": False,
        "people": [],
        "known": None,
        "wrong": None,
    }
    refused = lead.get("/api/doubtful")
    assert (refused.status_code, "'fallible'" in refused.text) == (400, True)
    assert lead.get("/api/conflicts").json()[0]["conflict"]["blamed"] is None
    assert lead.get("/api/progress").json()["improbable"] == 0
