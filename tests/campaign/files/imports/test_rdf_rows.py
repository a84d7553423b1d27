"""Assignments in RDF: what an export writes is read back, with terms by their IRIs."""

from __future__ import annotations

import pytest

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.campaign.files.exports.exports import export
from corollary.campaign.files.imports.file_form import Form
from corollary.campaign.files.imports.imports import read_items
from corollary.logic.language.about import About

pytest.importorskip("rdflib")

ONTO = co.Ontology(
    ["cell", "neuron", "a b", "glia"],
    [co.subsumes("cell", "neuron"), co.exclusive("neuron", "glia")],
    about={
        "cell": About(id="CL:0000000"),
        "neuron": About(id="http://example.org/cells#N1", names=("nerve cell",)),
    },
)
ITEMS = [{"id": "x/1 é", "text": 'a "quote"'}, {"id": "2", "text": "b"}, {"id": "3", "text": "c"}]
FACTS = [("x/1 é", "neuron", True), ("x/1 é", "a b", True), ("2", "cell", False)]


@pytest.fixture
def labelled(tmp_path):
    with Campaign.create(tmp_path / "x.sqlite", ITEMS, ONTO, name="x") as made:
        made.add("lead", facts=FACTS)
        yield made


@pytest.mark.parametrize("serialisation", [None, "turtle"])
def test_an_export_is_read_back_as_what_people_said(labelled, tmp_path, serialisation):
    path = tmp_path / "labels.nt"
    export(labelled, path)
    if serialisation:
        import rdflib

        path = tmp_path / "labels.ttl"
        rdflib.Graph().parse(tmp_path / "labels.nt").serialize(path, format=serialisation)
    with Campaign.create(tmp_path / "y.sqlite", ITEMS, ONTO, name="y") as other:
        items, facts = read_items(path, other, form=Form(only_labels=True))
        assert items == []
        assert sorted(facts) == sorted(FACTS)
        other.add("lead", facts=facts)
        for item in ("x/1 é", "2", "3"):
            assert other.state.known_of(item) == labelled.state.known_of(item)


STATEMENT = """
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
<urn:a> a rdf:Statement ; rdf:subject <urn:corollary:item:2> {} .
"""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("<urn:a> <urn:b> <urn:c> .", "has no assignments"),
        (STATEMENT.format(""), "assignment urn:a: an assignment needs rdf:subject"),
        (
            STATEMENT.format("; rdf:predicate <urn:b> ; rdf:object <urn:c>"),
            "rdf:predicate rdf:type",
        ),
        ("<urn:a> <urn:b>", "cannot be read as Turtle"),
        (STATEMENT.format("; rdf:object <urn:c>"), "unknown label 'urn:c'|no item"),
    ],
)
def test_what_is_no_assignment_is_told(labelled, tmp_path, text, told):
    path = tmp_path / "x.ttl"
    path.write_text(text)
    with pytest.raises(co.CorollaryError, match=told):
        read_items(path, labelled, form=Form(only_labels=True))
