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
