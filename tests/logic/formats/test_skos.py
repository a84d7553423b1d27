from __future__ import annotations

import pytest
from hypothesis import given, settings

from corollary.logic.errors import FormatError
from corollary.logic.formats import read, skos, write
from corollary.logic.language.constraints import Subsumes
from corollary.logic.language.notation import parse

from .documents import documents

THESAURUS = """\
@prefix : <http://zoo.org/t/> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
:scheme a skos:ConceptScheme ; skos:hasTopConcept :animal .
:animal a skos:Concept ; skos:prefLabel "animal"@en , "Tier"@de ; skos:narrower :bird ; skos:inScheme :scheme .
:bird a skos:Concept ; skos:prefLabel "bird"@en , "Vogel"@de ; skos:broader :animal ; skos:related :nest .
:fish a skos:Concept ; skos:prefLabel "fish"@en ; skos:broader :animal ; skos:altLabel "fishes"@en .
:nest a skos:Concept ; skos:prefLabel "nest"@en ; skos:closeMatch <http://other.org/Nest> .
"""


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "t.ttl"
    path.write_text(THESAURUS)
    return path


def test_broader_is_not_subsumption_unless_asked(path):
    found = read(path, format="skos")
    assert found.labels == ("animal", "bird", "fish", "nest")
    assert found.constraints == ()
    assert set(found.not_expressed) == {
        *(
            "bird broader animal",
            "fish broader animal",
            "bird related nest",
            "nest closeMatch Nest",
        ),
    }


def test_broader_as_subsumption(path):
    found = read(path, format="skos", broader=True)
    assert set(found.constraints) == {Subsumes("animal", ("bird",)), Subsumes("animal", ("fish",))}
    assert len(found.constraints) == 2
    assert set(found.not_expressed) == {"bird related nest", "nest closeMatch Nest"}


def test_names(path):
    assert read(path, format="skos", language="de").labels == ("Tier", "Vogel", "fish", "nest")
    assert read(path, format="skos", names="fragment").labels == ("animal", "bird", "fish", "nest")
    assert read(path, format="skos", names="iri").labels[0] == "http://zoo.org/t/animal"


def test_as_owl_it_has_no_classes(path):
    with pytest.raises(
        FormatError, match="has no OWL classes; for its SKOS concepts pass format='skos'"
    ):
        read(path)


def test_no_concepts(tmp_path):
    (tmp_path / "x.nt").write_text("<a:a> <a:b> <a:c> .\n")
    with pytest.raises(FormatError, match="has no SKOS concepts"):
        read(tmp_path / "x.nt", format="skos")


@given(documents())
@settings(max_examples=25)
@pytest.mark.parametrize("serialisation", ["xml", "turtle", "nt"])
def test_round_trip_of_the_tree(serialisation, given_document):
    tree = [
        constraint for constraint in given_document.constraints if isinstance(constraint, Subsumes)
    ]
    data, lost = skos.write(given_document, serialisation=serialisation)
    assert len(lost) == len(given_document.constraints) - len(tree)
    back = skos.read(data, file="t", serialisation=serialisation, broader=True)
    assert back.labels == given_document.labels
    assert set(back.constraints) == {
        Subsumes(c.parent, (child,)) for c in tree for child in c.children
    }


def test_writing_what_is_not_a_tree(tmp_path):
    with pytest.raises(FormatError, match="skos cannot express 1 .*\n.*exclusive: b, c"):
        write(parse("a > exclusive: b, c"), tmp_path / "x.rdf", format="skos")


def test_a_concept_without_an_iri_is_listed():
    text = """@prefix : <http://zoo.org/> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
    :bird a skos:Concept ; skos:broader [ a skos:Concept ; skos:prefLabel "flyer" ] . [] a skos:Concept ."""
    found = skos.read(text.encode(), file="t", serialisation="turtle", broader=True)
    assert found.labels == ("bird",)
    assert set(found.not_expressed) == {
        "the concept 'flyer' without an IRI",
        "the concept that has no name without an IRI",
        "bird broader 'flyer'",
    }
    with pytest.raises(FormatError, match="none of its 1 SKOS concepts has an IRI"):
        skos.read(
            text[: text.index(":bird")].encode() + b"[] a skos:Concept .",
            file="t",
            serialisation="turtle",
        )
