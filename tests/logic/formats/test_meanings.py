"""What files say that labels mean, from OBO, OWL and SKOS."""

from __future__ import annotations

import warnings

import pytest

import corollary as co
from corollary.logic import formats
from corollary.logic.formats.meanings import DEFINITION, OBO_IN_OWL, about
from corollary.logic.formats.names import iri_of
from corollary.logic.language.about import About, Annotation, Retired
from corollary.logic.language.constraints import Subsumes

XREF = f"{OBO_IN_OWL}hasDbXref"
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
            synonyms=("fowl",),
            definitions=('Has "feathers".',),
            id="X:2",
            alt_ids=("X:7", "X:8"),
            annotations=(
                Annotation(DEFINITION, 'Has "feathers".', qualifiers=(Annotation(XREF, "PMID:1"),)),
                Annotation(f"{OBO_IN_OWL}hasExactSynonym", "bird"),
                Annotation(f"{OBO_IN_OWL}hasExactSynonym", "fowl"),
            ),
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


ANNOTATED = """format-version: 1.4
data-version: 2026

[Term]
id: X:1
name: animal
namespace: zoo
def: "It moves." [PMID:1 "why", http://a.org/c]
comment: Not a plant.
subset: slim
synonym: "beast" RELATED UPPER [FOO:2]
synonym: "fauna" BROAD []
synonym: "creature" EXACT []
xref: MESH:D1 "hello"
property_value: dc:creator "me" xsd:string
property_value: http://q.org/s "3" xsd:integer
property_value: foo X:2
created_by: joe
creation_date: 2010-01-01T00:00:00Z

[Term]
id: X:2
name: bird {source="b"}
is_a: X:1

[Term]
id: X:3
name: beast
def: "Gone." []
synonym: "monster" NARROW []
is_obsolete: true
consider: X:2
"""


@pytest.mark.parametrize(
    ("name", "options"),
    [("out.obo", {}), ("out.ttl", {}), ("out.owl", {}), ("out.ttl", {"format": "skos"})],
)
def test_annotations_go_there_and_back(file, tmp_path, name, options):
    document = formats.read(file("zoo.obo", ANNOTATED))
    assert document.not_kept == ("annotation: data-version of the file: 2026",)
    assert len(document.about["animal"].annotations) == 13
    assert formats.write(document, tmp_path / name, **options) == ()
    again = formats.read(tmp_path / name, **options)
    assert again.not_kept == ()
    formats.write(again, tmp_path / "back.obo", lossy=True)
    back = formats.read(tmp_path / "back.obo")
    for label, said in document.about.items():
        assert back.about[label].annotations == said.annotations
        assert sorted(back.about[label].synonyms) == sorted(said.synonyms)
    assert back.retired == document.retired


LANGUAGES = """
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix : <http://example.org/zoo#> .
: a owl:Ontology ; rdfs:comment "a zoo" .
:a a owl:Class , skos:Concept ; rdfs:label "animal"@en ; skos:prefLabel "animal"@en , "Tier"@de , "eläin"@fi ;
    skos:altLabel "beast"@en , "otus"@fi , "plain" ; rdfs:seeAlso <http://x.org/a> ; skos:notation "A" ;
    rdfs:comment [ :by :me ] .
"""


@pytest.mark.parametrize("options", [{}, {"format": "skos"}])
@pytest.mark.parametrize("language", [None, "fi", "sv"])
def test_languages_are_kept(file, tmp_path, language, options):
    path = file("zoo.ttl", LANGUAGES)
    document = formats.read(path, language=language, **options)
    name = "eläin" if language == "fi" and options else "animal"
    assert document.labels == (name,)
    assert document.not_kept == (
        "annotation: comment of http://example.org/zoo#: a zoo",
        "annotation: comment of http://example.org/zoo#a: something without a name",
        "annotation: by of something without a name: http://example.org/zoo#me",
    )
    formats.write(document, tmp_path / "out.ttl", **options)
    formats.write(document, tmp_path / "out.obo")
    for other, how in (("out.ttl", {"language": language, **options}), ("out.obo", {})):
        about = formats.read(tmp_path / other, **how).about
        said = {(note.value, note.language) for note in about[name].annotations}
        assert said >= {("Tier", "de"), ("eläin", "fi"), ("otus", "fi"), ("beast", "en")}
        assert "plain" in about[name].synonyms or ("plain", "") in said
        assert about[name].id == "http://example.org/zoo#a"


def test_formats_without_annotations_say_what_they_leave_out(file, tmp_path):
    document = formats.read(file("zoo.obo", OBO + RETIRED))
    assert formats.write(document, tmp_path / "zoo.onto") == (
        "annotation: id of animal: X:1",
        "annotation: id of bird: X:2",
        "annotation: alternative id of bird: X:7",
        "annotation: alternative id of bird: X:8",
        "annotation: synonym of bird: fowl",
        'annotation: definition of bird: Has "feathers".',
        'annotation: IAO_0000115 of bird: Has "feathers".',
        "annotation: hasExactSynonym of bird: bird",
        "annotation: retired term of the file: X:3 beast",
        "annotation: retired term of the file: X:4",
    )
