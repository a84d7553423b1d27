"""What files say that labels mean, from OBO, OWL and SKOS."""

from __future__ import annotations

import warnings

import pytest

import corollary as co
from corollary.logic import formats
from corollary.logic.formats.meanings import about
from corollary.logic.formats.names import iri_of
from corollary.logic.language.about import About, Retired
from corollary.logic.language.constraints import Subsumes

OBO = """format-version: 1.4

[Term]
id: X:1
name: animal

[Term]
id: X:2
name: bird
def: "Has \\"feathers\\"." [PMID:1]
synonym: "fowl" EXACT []
synonym: "bird" EXACT []
is_a: X:1
"""
RETIRED = """alt_id: X:7
alt_id: X:8

[Term]
id: X:3
name: beast
alt_id: X:9
is_obsolete: true
replaced_by: X:1

[Term]
id: X:4
is_obsolete: true
consider: X:1
consider: X:2
"""
TURTLE = """
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix : <http://example.org/zoo#> .
:a a owl:Class ; rdfs:label "animal"@en , "Tier"@de ; rdfs:comment "It moves."@en , "Es bewegt sich."@de .
:b a owl:Class ; rdfs:label "bird"@en , "Vogel"@de ; skos:altLabel "fowl"@en ; rdfs:subClassOf :a .
:c a owl:Class ; rdfs:label "fish"@en , "Fisch"@de ; rdfs:subClassOf :a .
"""
SKOS = """
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix : <http://example.org/zoo#> .
:a a skos:Concept ; skos:prefLabel "animal" .
:b a skos:Concept ; skos:prefLabel "bird" ; skos:altLabel "fowl" , "birdie" ;
    skos:definition "Has  feathers.\\n" ; skos:broader :a .
"""


@pytest.fixture
def file(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize(
    ("options", "meaning"),
    [
        ({}, {"bird": 'fowl: Has "feathers".'}),
        ({"names": "id"}, {"X:1": "animal", "X:2": 'bird; fowl: Has "feathers".'}),
    ],
)
def test_obo(file, options, meaning):
    path = file("zoo.obo", OBO)
    assert co.read_meaning(path, **options) == meaning
    assert set(meaning) <= set(co.Ontology.load(path, **options).labels)


@pytest.mark.parametrize(
    ("options", "meaning"),
    [
        ({}, {"animal": "It moves.", "bird": "fowl"}),
        ({"language": "de"}, {"Tier": "Es bewegt sich.", "Vogel": "fowl"}),
        ({"names": "fragment"}, {"a": "animal: It moves.", "b": "bird; fowl", "c": "fish"}),
    ],
)
def test_owl(file, options, meaning):
    assert co.read_meaning(file("zoo.ttl", TURTLE), **options) == meaning


def test_skos(file):
    path = file("zoo.ttl", SKOS)
    assert co.read_meaning(path, format="skos", broader=True) == {
        "bird": "birdie; fowl: Has  feathers."
    }


def test_files_that_say_no_more_than_names(file):
    assert co.read_meaning(file("zoo.onto", "animal > bird")) == {}
    with pytest.raises(co.FormatError, match="does not exist"):
        co.read_meaning("nowhere.obo")


def test_meaning_is_kept_with_exclusive_siblings_and_changes_no_ontology(file):
    path = file("zoo.obo", OBO + "\n[Term]\nid: X:3\nname: fish\nis_a: X:1\n")
    assert co.read_meaning(path, siblings_exclusive=True) == co.read_meaning(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert co.Ontology.load(path) == co.Ontology.parse("animal > bird\nanimal > fish")


def test_each_text_once_on_one_line():
    told = about(
        "bird", names=["bird", " fowl\n"], synonyms=["fowl", ""], definitions=["flies", "flies"]
    )
    assert told == About(names=("fowl",), definitions=("flies",))
    assert not about("bird", names=["bird"], synonyms=[], definitions=[])


def test_names_have_their_codes_beside_them(file):
    path = file("zoo.obo", OBO)
    assert co.read_names(path, names="id") == {"X:1": "animal (X:1)", "X:2": "bird (X:2)"}
    assert co.read_names(path) == {"animal": "animal", "bird": "bird"}
    assert co.read_names(file("zoo.onto", "labels: freeze_account")) == {
        "freeze_account": "freeze account"
    }


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("out.obo", {}),
        ("out.ttl", {}),
        ("out.owl", {}),
        ("out.ttl", {"format": "skos"}),
    ],
)
def test_words_ids_and_retired_terms_are_written_back(file, tmp_path, name, options):
    document = formats.read(file("zoo.obo", OBO + RETIRED))
    assert document.about == {
        "animal": About(id="X:1"),
        "bird": About(
            synonyms=("fowl",), definitions=('Has "feathers".',), id="X:2", alt_ids=("X:7", "X:8")
        ),
    }
    assert document.retired == (
        Retired("X:3", "beast", replaced_by=("X:1",), alt_ids=("X:9",)),
        Retired("X:4", consider=("X:1", "X:2")),
    )
    formats.write(document, tmp_path / name, **options)
    broader = {"broader": True} if options else {}
    again = formats.read(tmp_path / name, **options, **broader)
    assert again == document
    assert {label: one.id for label, one in again.about.items()} == {
        label: one.id if name == "out.obo" else iri_of(one.id)
        for label, one in document.about.items()
    }
    formats.write(again, tmp_path / "back.obo")
    back = formats.read(tmp_path / "back.obo")
    assert (back, back.about, back.retired) == (document, document.about, document.retired)


TURTLE_OF_RETIRED = """
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix schema: <https://schema.org/> .
@prefix oio: <http://www.geneontology.org/formats/oboInOwl#> .
@prefix obo: <http://purl.obolibrary.org/obo/> .
obo:X_1 a owl:Class , skos:Concept ; rdfs:label "bird" ; oio:hasAlternativeId "X:9" .
obo:X_2 a owl:Class , skos:Concept ; rdfs:label "old bird" ; rdfs:subClassOf obo:X_1 ;
    owl:deprecated "true" ; obo:IAO_0100001 "X:1" ; oio:consider obo:X_5 , "X:6" .
obo:X_3 a owl:DeprecatedClass , skos:Concept ; dct:isReplacedBy obo:X_1 ; owl:deprecated true .
obo:X_4 a owl:Class , skos:Concept ; schema:supersededBy obo:X_1 .
obo:X_1 dct:replaces obo:X_6 .
obo:X_6 a owl:Class , skos:Concept ; owl:deprecated true .
obo:X_5 a owl:Class , skos:Concept ; rdfs:subClassOf obo:X_2 ; owl:deprecated false .
obo:p a owl:AnnotationProperty ; owl:deprecated true .
"""


@pytest.mark.parametrize("options", [{}, {"format": "skos"}])
def test_deprecated_terms_of_rdf_are_retired(file, options):
    found = formats.read(file("zoo.ttl", TURTLE_OF_RETIRED), names="iri", **options)
    obo = "http://purl.obolibrary.org/obo/X_"
    assert found.labels == (f"{obo}1", f"{obo}5")
    assert found.about[f"{obo}1"].alt_ids == (f"{obo}9",)
    assert {(one.id, one.replaced_by, one.consider) for one in found.retired} == {
        (f"{obo}2", (f"{obo}1",), (f"{obo}5", f"{obo}6")),
        (f"{obo}3", (f"{obo}1",), ()),
        (f"{obo}4", (f"{obo}1",), ()),
        (f"{obo}6", (f"{obo}1",), ()),
    }
    if not options:  # what passes through a retired class still holds
        assert found.constraints == (Subsumes(f"{obo}1", (f"{obo}5",)),)
        assert set(found.not_expressed) >= {
            f"of a retired term: {obo}1 > {obo}2",
            f"of a retired term: {obo}2 > {obo}5",
        }


def test_ids_and_alternative_ids_lead_to_their_label(file):
    onto = co.Ontology.load(file("zoo.obo", OBO + RETIRED))
    obo = "http://purl.obolibrary.org/obo/X_"
    assert dict(onto.ids) == {
        "X:1": "animal",
        f"{obo}1": "animal",
        **{form: "bird" for n in (2, 7, 8) for form in (f"X:{n}", f"{obo}{n}")},
    }
    assert not co.Ontology.parse("animal > bird").ids
