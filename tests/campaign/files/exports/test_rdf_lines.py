"""Assignments as RDF: what rdflib reads is what the campaign knows, with who said it and when."""

from __future__ import annotations

import pytest

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.campaign.files.exports.exports import export, text_of
from corollary.campaign.files.exports.provenance import take_snapshot
from corollary.campaign.files.exports.rdf_lines import OWN, PROV
from corollary.logic.formats.rdf import BASE
from corollary.logic.language.about import About

rdflib = pytest.importorskip("rdflib")
RDF = rdflib.RDF
SOURCE, PROBABILITY = rdflib.URIRef(OWN + "source"), rdflib.URIRef(OWN + "probability")


def graph_of(campaign, **options):
    text = "".join(text_of(take_snapshot(campaign), "rdf", **options))
    return rdflib.Graph().parse(data=text, format="nt")


def types(graph):
    return {
        (str(item).rpartition(":")[2], str(term).removeprefix(BASE))
        for item, term in graph.subject_objects(RDF.type)
        if str(item).startswith("urn:corollary:item:")
    }


def assignment(item, label):
    return rdflib.URIRef(f"urn:corollary:assignment:{item}:{label}")


def test_what_is_yes_is_a_type_of_the_item(campaign):
    assert types(graph_of(campaign)) == {
        ("i0", "bird"),
        ("i0", "animal"),
        ("i2", "mammal"),
        ("i2", "animal"),
    }


def test_each_assignment_has_its_provenance(campaign):
    graph = graph_of(campaign)
    bird, animal = assignment("i0", "bird"), assignment("i0", "animal")
    people = {str(one) for one in graph.objects(bird, rdflib.URIRef(PROV + "wasAttributedTo"))}
    assert people == {"urn:corollary:person:ann", "urn:corollary:person:mara"}
    assert str(graph.value(bird, SOURCE)) == "asked"
    time = graph.value(bird, rdflib.URIRef(PROV + "generatedAtTime"))
    assert time.datatype == rdflib.XSD.dateTime
    assert str(time) == campaign.state.event(1).at
    assert str(graph.value(animal, SOURCE)) == "implied"
    assert graph.value(animal, rdflib.URIRef(PROV + "wasDerivedFrom")) == bird
    no = assignment("i1", "animal")
    assert graph.value(no, RDF.value).toPython() is False
    assert (assignment("i1", "bird"), None, None) not in graph  # it follows, and is no


def test_predictions_have_a_probability_and_a_model(trained):
    graph = graph_of(trained)
    predicted = list(graph.subjects(SOURCE, rdflib.Literal("predicted")))
    snapshot = take_snapshot(trained)
    likely = snapshot.onto.most_probable(snapshot.beliefs, snapshot.facts)
    assert len(predicted) == int(((likely == 1) & (snapshot.facts < 0)).sum()) > 0
    for one in predicted:
        assert 0 <= graph.value(one, PROBABILITY).toPython() <= 1
        assert "model" in str(graph.value(one, rdflib.URIRef(PROV + "wasAttributedTo")))
    assert types(graph) == types(graph_of(trained, predictions=False))


def test_terms_keep_their_iris_and_odd_texts_come_back(tmp_path):
    text = 'a "quote", a \\ and\na line\tend \x7f ü'
    onto = co.Ontology(["cell", "a b"], about={"cell": About(id="CL:0000000")})
    things = [{"id": "x/1 é", "text": text}]
    with Campaign.create(tmp_path / "x.sqlite", things, onto, name="x") as made:
        made.add("lead", facts=[("x/1 é", "cell", True), ("x/1 é", "a b", True)])
        assert export(made, tmp_path / "x.nt") == 1
    graph = rdflib.Graph().parse(tmp_path / "x.nt")
    item = next(graph.subjects(RDF.type, rdflib.URIRef(BASE + "a%20b")))
    assert (
        item,
        RDF.type,
        rdflib.URIRef("http://purl.obolibrary.org/obo/CL_0000000"),
    ) in graph
    assert str(graph.value(item, rdflib.DCTERMS.identifier)) == "x/1 é"
    assert str(graph.value(item, rdflib.RDFS.label)) == text
