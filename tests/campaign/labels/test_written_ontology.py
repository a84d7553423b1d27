"""Reasons cite the file that the user wrote, not the text that is stored."""

from __future__ import annotations

import pytest

import corollary as co
from corollary.campaign.labels.written_ontology import ontology_of, places_of
from corollary.campaign.storage.records import OntologyVersion

TEXT = """
# what lives

animal > bird,
    fish
exclusive: bird, fish   # never both
"""


@pytest.fixture
def zoo(tmp_path):
    path = tmp_path / "folder" / "zoo.onto"
    path.parent.mkdir()
    path.write_text(TEXT, encoding="utf-8")
    return co.Ontology.load(path)


def test_places_are_kept_by_the_name_of_the_file(zoo):
    assert places_of(zoo) == ("zoo.onto:4", "zoo.onto:6")
    assert places_of(co.Ontology.parse(TEXT)) == ()
    mixed = co.Ontology(zoo.labels, [*zoo.constraints, co.implies("bird", "animal")])
    assert places_of(mixed) == ()


def test_an_ontology_as_stored_is_the_same_and_cites_its_places(zoo):
    stored = OntologyVersion(version=1, text=str(zoo), who="mara", at="", places=places_of(zoo))
    again = ontology_of(stored)
    assert again == zoo
    assert "[zoo.onto:4]" in str(again.explain({"bird": True}, "animal"))
    other = OntologyVersion(
        version=2, text=f"{zoo}animal > cat\n", who="mara", at="", places=places_of(zoo)
    )
    assert "[line 1]" in str(ontology_of(other).explain({"bird": True}, "animal"))


def test_a_campaign_cites_the_file_until_its_ontology_is_changed(zoo, tmp_path):
    place = tmp_path / "zoo.sqlite"
    with co.Campaign.create(place, ["a robin"], zoo, name="zoo") as campaign:
        reply = campaign.answer("lead", "1", "bird", True)
        assert "[zoo.onto:6]" in str(reply.settled[-1].why)
        assert campaign.verify(step_by_step=True) == []
    with co.Campaign.open(place) as campaign:
        assert "[zoo.onto:4]" in str(campaign.explain("1", "animal").explanation)
        campaign.change_ontology("lead", "animal > exclusive: bird, fish")
        assert "[line 1]" in str(campaign.explain("1", "animal").explanation)
        campaign.backup(tmp_path / "copy.sqlite")
    with co.Campaign.open(tmp_path / "copy.sqlite", readonly=True) as copy:
        assert copy.ontology_versions()[0].places == ("zoo.onto:4", "zoo.onto:6")


def test_soft_constraints_are_stored_with_their_weights_and_places(tmp_path):
    path = tmp_path / "zoo.onto"
    path.write_text("rule (weight 2.5): bird >> flies\nanimal > bird\n", encoding="utf-8")
    zoo = co.Ontology.load(path)
    stored = OntologyVersion(version=1, text=str(zoo), who="mara", at="", places=places_of(zoo))
    again = ontology_of(stored)
    assert again == zoo
    assert str(again.constraints[0].source) == "zoo.onto:1"
