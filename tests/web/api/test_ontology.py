"""The ontology over HTTP: versions, preview and change."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ..conftest import answer, key


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
    assert (above["kind"], above["parent"], above["children"]) == (
        "above",
        "Animal",
        ["Bird", "Fish"],
    )
    assert above["labels"] == ["Animal", "Bird", "Fish"]
    assert (exclusive["kind"], exclusive["parent"], exclusive["labels"]) == (
        "exclusive",
        None,
        ["Bird", "Fish"],
    )
    text = now["text"] + "exclusive: Bird, Animal\n"
    preview = lead.post("/api/ontology/preview", json={"text": text}).json()
    assert preview["settles"] > 0
    assert lead.get("/api/ontology").json()["version"] == 1
    changed = lead.call(
        "PUT", "/api/ontology", json={"key": key(), "text": now["text"] + "Bird > Robin\n"}
    )
    assert changed.json()["version"] == 2
    assert "Robin" in [one["label"] for one in ana.get("/api/ontology").json()["labels"]]
    for wrong in ("", "Bird >", "Bird > Bird2\nexclusive: A"):
        answered = lead.call("PUT", "/api/ontology", json={"key": key(), "text": wrong})
        assert answered.status_code == 400
        assert answered.json()["error"]["message"]


def test_a_soft_constraint_is_told_with_its_weight_and_settles_nothing(lead, ana):
    text = lead.get("/api/ontology").json()["text"] + "rule (weight 3): Bird >> Flies\n"
    assert lead.post("/api/ontology/preview", json={"text": text}).json()["settles"] == 0
    assert (
        lead.call("PUT", "/api/ontology", json={"key": key(), "text": text}).json()["version"] == 2
    )
    *hard, soft = lead.get("/api/ontology").json()["rules"]
    assert (soft["kind"], soft["weight"], soft["labels"]) == ("soft", 3.0, ["Bird", "Flies"])
    assert (soft["text"], soft["words"]) == (
        "rule (weight 3): Bird >> Flies",
        "Bird >> Flies (soft, weight 3)",
    )
    assert {one["weight"] for one in hard} == {None}
    assert "Flies" not in [
        one["label"] for one in answer(ana, "thing 1", "Bird", True).json()["settled"]
    ]


def test_labels_have_the_names_that_people_read(lead, ana):
    about = {"Bird": {"name": "feathered animal", "synonyms": "fowl; birdie"}}
    changes = {"labels": about, "question": "Is {item} an {label}?"}
    assert (
        lead.call("PATCH", "/api/settings", json={"key": key(), "changes": changes}).status_code
        == 200
    )
    told = ana.get("/api/ontology").json()
    bird = next(one for one in told["labels"] if one["label"] == "Bird")
    assert (bird["name"], bird["synonyms"]) == ("feathered animal (Bird)", ["fowl", "birdie"])
    assert bird["asks"] == "Is {item} a feathered animal (Bird)?"
    assert told["rules"][0]["words"] == "each of feathered animal (Bird), Fish implies Animal"
    (question,) = ana.post("/api/questions", json={"n": 1}).json()["questions"]
    assert question["name"] in question["text"]
    said = answer(ana, "thing 1", "Bird", True).json()
    why = next(one for one in said["settled"] if one["label"] == "Animal")
    assert why["why"] == "feathered animal (Bird) implies Animal"
    text = ana.get("/api/explain", params={"item": "thing 1", "label": "Animal"}).json()["text"]
    assert "so Animal is yes: feathered animal (Bird) implies Animal" in text


FIRST = """format-version: 1.4

[Term]
id: Z:1
name: bird

[Term]
id: Z:2
name: finch
is_a: Z:1

[Term]
id: Z:3
name: odd thing
"""
SECOND = """format-version: 1.4

[Term]
id: Z:1
name: feathered animal
alt_id: Z:2

[Term]
id: Z:4
name: stone

[Term]
id: Z:3
name: obsolete odd thing
is_obsolete: true
consider: Z:4
"""


@pytest.fixture
def birds(lead, ana):
    """A campaign under the first release, with three answers."""
    body = {"name": "first.obo", "text": FIRST}
    seen = look(lead, body)
    assert put(lead, body, seen).json()["version"] == 2
    for item, label, value in (
        ("thing 1", "finch", True),
        ("thing 2", "finch", False),
        ("thing 3", "odd thing", True),
    ):
        assert answer(ana, item, label, value).status_code == 200
    return lead


def look(lead, body):
    found = lead.post("/api/ontology/release/preview", json=body)
    assert found.status_code == 200, found.text
    return found.json()


def put(lead, body, seen, **more):
    figures = {"version": seen["version"], "out_of_effect": seen["in_all"]["out_of_effect"]}
    return lead.call("PUT", "/api/ontology/release", json={"key": key(), **body, **figures, **more})


def labels(lead):
    return [one["label"] for one in lead.get("/api/ontology").json()["labels"]]


def test_a_release_is_looked_at_put_in_force_and_undone(birds, campaign):
    before = campaign.state.facts.copy()
    body = {"name": "second.obo", "text": SECOND}
    found = look(birds, body)
    assert found["renamed"] == [{"label": "bird", "to": "feathered animal", "reason": "renamed"}]
    assert [(one["label"], one["to"]) for one in found["merged"]] == [("finch", "feathered animal")]
    (gone,) = found["gone"]
    assert (gone["label"], gone["choices"]) == ("odd thing", ["stone"])
    assert (found["added"], found["follow"]) == (["stone"], 1)
    lost = {(one["item"], one["label"], one["value"]) for one in found["out_of_effect"]}
    assert lost == {("thing 2", "finch", False), ("thing 3", "odd thing", True)}
    assert "finch" in labels(birds)  # nothing changed
    body["follow"] = {"odd thing": "stone"}
    found = look(birds, body)
    assert found["in_all"]["out_of_effect"] == 1
    changed = put(birds, body, found).json()
    assert changed["version"] == 3
    assert labels(birds) == ["feathered animal", "stone"]
    assert campaign.state.event(changed["seq"]).detail["file"] == "second.obo"
    versions = birds.get("/api/progress").json()["figures"]["versions"]
    assert (versions[0]["version"], versions[0]["seq"]) == (3, changed["seq"])
    assert birds.post("/api/undo", json={"key": key(), "seq": changed["seq"]}).status_code == 200
    assert labels(birds) == ["bird", "finch", "odd thing"]
    np.testing.assert_array_equal(campaign.state.facts, before)


def test_a_release_does_no_more_than_its_preview_said(birds, ana):
    body = {"name": "second.obo", "text": SECOND}
    found = look(birds, body)
    assert answer(ana, "thing 4", "odd thing", True).status_code == 200
    refused = put(birds, body, found)
    assert refused.status_code == 400
    assert (
        "3 would go out of effect, and the preview listed 2" in refused.json()["error"]["message"]
    )
    found = look(birds, body)
    other = {"name": "third.obo", "text": f"{FIRST}\n[Term]\nid: Z:9\nname: swan\n"}
    assert put(birds, other, look(birds, other)).json()["version"] == 3
    refused = put(birds, body, found)
    assert "the ontology was changed meanwhile: version 3" in refused.json()["error"]["message"]
    assert "swan" in labels(birds)


def test_the_same_release_sent_twice_counts_once(birds):
    body = {"name": "second.obo", "text": SECOND, "key": key()}
    found = look(birds, {"name": "second.obo", "text": SECOND})
    first = put(birds, body, found)
    assert put(birds, body, found).json() == first.json()
    assert len(birds.get("/api/ontology/versions").json()) == 3


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({"name": "x.exe", "text": "bird > finch"}, 415, "format of 'x.exe' is not known"),
        ({"name": "../../etc/x.obo", "text": "[Term]\nid Z:1"}, 400, "../../etc/x.obo"),
        ({"name": "x.obo", "text": ""}, 400, "x.obo is empty"),
        ({"name": "x.obo", "text": "\ud800"}, 400, "is not UTF-8 text"),
        ({"name": "x.onto", "text": "a > b", "follow": {"bird": "nobody"}}, 400, "nobody"),
        ({"name": "x.onto", "text": "a > b", "broader": True}, 400, "no option 'broader'"),
        ({"name": "x.onto\0", "text": "a > b"}, 415, "is not known"),
        (
            {"name": "x.owl", "text": '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'},
            400,
            "x.owl",
        ),
    ],
)  # fmt: skip
def test_hostile_files_are_refused_with_a_reason(birds, body, status, words):
    refused = birds.call(
        "POST",
        "/api/ontology/release/preview",
        content=json.dumps(body),
        headers={"Content-Type": "application/json"},
    )
    assert refused.status_code == status, refused.text
    assert words in refused.json()["error"]["message"]
    assert "/tmp/" not in refused.text
    assert labels(birds) == ["bird", "finch", "odd thing"]


def test_only_a_lead_looks_at_releases(ana):
    body = {"name": "second.obo", "text": SECOND}
    assert ana.post("/api/ontology/release/preview", json=body).status_code == 403
    assert put(ana, body, {"version": 1, "in_all": {"out_of_effect": 0}}).status_code == 403
