"""What files say that labels mean, from OBO, OWL and SKOS."""

from __future__ import annotations

import warnings

import pytest

import corollary as co
from corollary.logic import formats
from corollary.logic.formats.meanings import about
from corollary.logic.language.about import About

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
    ("name", "writing", "reading"),
    [
        ("out.obo", {}, {"names": "id"}),
        ("out.ttl", {}, {"names": "fragment"}),
        ("out.owl", {}, {"names": "fragment"}),
        ("out.ttl", {"format": "skos"}, {"format": "skos", "broader": True, "names": "fragment"}),
    ],
)
def test_names_synonyms_and_definitions_are_written_back(file, tmp_path, name, writing, reading):
    document = formats.read(file("zoo.obo", OBO), names="id")
    formats.write(document, tmp_path / name, **writing)
    again = formats.read(tmp_path / name, **reading)
    assert again == document
    assert again.about == document.about == {
        "X:1": About(names=("animal",)),
        "X:2": About(names=("bird",), synonyms=("fowl",), definitions=('Has "feathers".',)),
    }  # fmt: skip
