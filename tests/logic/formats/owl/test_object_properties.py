"""Relations in OWL, both ways."""

from __future__ import annotations

import pytest

import corollary as co

NOTATION = """\
thing > exclusive: animal, food, place
relation eats(animal, food) inverse eaten_by
eats > hunts
relation lives_in(animal | food, place) functional
exclusive: eats, lives_in
relation next_to(place, place) symmetric
relation feeds(true, true) inverse functional
"""
OWL = """\
@prefix : <http://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Person a owl:Class . :City a owl:Class . :Country a owl:Class .
:livesIn a owl:ObjectProperty ; rdfs:label "lives in" ; rdfs:domain :Person .
:livesIn rdfs:range [ a owl:Class ; owl:unionOf (:City :Country) ] .
:bornIn a owl:ObjectProperty ; rdfs:subPropertyOf :livesIn .
:homeOf a owl:ObjectProperty ; owl:inverseOf :livesIn .
:capitalOf a owl:ObjectProperty, owl:FunctionalProperty, owl:InverseFunctionalProperty ; rdfs:domain :City .
:ancestor a owl:ObjectProperty, owl:TransitiveProperty ; rdfs:domain :Person .
:hasPart a owl:ObjectProperty .
:Person owl:disjointWith :City .
"""


@pytest.mark.parametrize("suffix", ["owl", "ttl"])
def test_relations_go_to_owl_and_come_back(tmp_path, suffix):
    path = tmp_path / f"animals.{suffix}"
    onto = co.Ontology.parse(NOTATION)
    assert onto.save(path) == ()
    again = co.Ontology.load(path)
    assert set(again.relations) == set(onto.relations)
    assert again.not_expressed == ()
    linked = [one.linked(co.Pairs([0, 1, 0], [1, 0, 2])) for one in (onto, again)]
    for name in onto.relations:
        for value in (True, False):
            found = []
            for one in linked:
                labels, relations = one.propagate(None, [{name: value}, {}, {}])
                found.append(
                    (
                        [dict(zip(one.onto.labels, row, strict=True)) for row in labels.tolist()],
                        [dict(zip(one.onto.relations, row, strict=True)) for row in relations.tolist()],
                    )
                )  # fmt: skip
            assert found[0] == found[1]


def test_properties_of_a_file_are_relations(tmp_path):
    path = tmp_path / "cities.ttl"
    path.write_text(OWL)
    with pytest.warns(co.NotExpressedWarning):
        onto = co.Ontology.load(path)
    assert set(onto.relations) == {"lives in", "bornIn", "homeOf", "capitalOf", "ancestor"}
    assert set(onto.labels) == {"Person", "City", "Country"}
    assert sorted(onto.not_expressed) == [
        "ancestor is a TransitiveProperty",
        "hasPart is a ObjectProperty",
    ]
    known, related = onto.linked(co.Pairs([0, 1], [1, 0])).propagate(None, [{"bornIn": True}, {}])
    assert known[0, onto.labels.index("Person")] == 1
    assert known[0, onto.labels.index("City")] == 0
    assert related[0, onto.relations.index("lives in")] == 1
    assert related[1, onto.relations.index("homeOf")] == 1


def test_rules_are_listed_as_not_expressed(tmp_path):
    onto = co.Ontology.parse("relation r(a, b)\nrule: r(x, y) & c(x) >> d(y)\n")
    with pytest.raises(co.FormatError, match="owl cannot express 1 of the constraints"):
        onto.save(tmp_path / "rule.owl")
    (line,) = onto.save(tmp_path / "rule.owl", lossy=True)
    assert "r(x, y)" in line
    assert co.Ontology.load(tmp_path / "rule.owl").relations == ("r",)


def test_a_property_with_a_label_s_name_gets_another(tmp_path):
    path = tmp_path / "same.ttl"
    path.write_text(OWL.replace('"lives in"', '"Person"'))
    with pytest.warns(co.NotExpressedWarning):
        assert "livesIn" in co.Ontology.load(path).relations
