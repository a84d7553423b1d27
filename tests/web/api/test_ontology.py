"""The ontology over HTTP: versions, preview and change."""

from __future__ import annotations

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
