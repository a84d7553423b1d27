"""OWL in every serialisation: axioms read and written, what cannot be said told, names kept."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corollary as co
from corollary.logic.errors import FormatError
from corollary.logic.formats import owl, read
from corollary.logic.language.constraints import (
    AtLeastOne,
    Covers,
    Equivalent,
    Exclusive,
    Formula,
    Subsumes,
)
from corollary.logic.language.notation import Document, document
from corollary.logic.language.syntax import parse_formula

from ..documents import PLAIN, documents, expressions, worlds
from ..turtles import in_serialisation, turtle

ZOO = """\
<http://zoo.org/animals> a owl:Ontology ; owl:imports <http://example.org/upper> ; rdfs:comment "a zoo" .
:partOf a owl:ObjectProperty, owl:TransitiveProperty ; rdfs:domain :Animal ; rdfs:label "part of" .
:weight a owl:DatatypeProperty .
:source a owl:AnnotationProperty .
:Animal a owl:Class ; rdfs:label "animal"@en ; rdfs:subClassOf owl:Thing ; :source "a book" .
:Bird a owl:Class ; rdfs:subClassOf :Animal ,
    [ a owl:Restriction ; owl:onProperty :hasPart ; owl:someValuesFrom :Wing ] .
:Fish a owl:Class ; rdfs:subClassOf :Animal ; owl:disjointWith :Bird .
:Wing a owl:Class .
:Cod a owl:Class . :Eel a owl:Class . :Tuna a owl:Class .
[] a owl:AllDisjointClasses ; owl:members ( :Cod :Eel :Tuna ) .
:Fish owl:disjointUnionOf ( :Cod :Eel :Tuna ) .
:Human a owl:Class ; owl:equivalentClass :Person .
:Pet a owl:Class ; owl:equivalentClass [ a owl:Class ; owl:unionOf ( :Dog :Cat ) ] .
:Mermaid a owl:Class ; owl:intersectionOf ( :Human :Fish ) .
:Stone a owl:Class ; owl:complementOf :Animal .
:Guppy a owl:Class ; rdfs:subClassOf [ owl:unionOf ( :Pet [ owl:complementOf :Animal ] ) ] .
[ owl:intersectionOf ( :Fish :Bird ) ] rdfs:subClassOf owl:Nothing .
:PetFish owl:equivalentClass [ owl:intersectionOf ( :Fish [ a owl:Restriction ; owl:onProperty :partOf ;
    owl:someValuesFrom [ owl:unionOf ( :Home :Zoo ) ] ] ) ] .
:Primary a owl:Class ; owl:equivalentClass [ a owl:Class ; owl:oneOf ( :red :green ) ] .
:Heavy rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :weight ; owl:minCardinality "2"^^xsd:integer ] .
:Old a owl:Class ; owl:deprecated true .
:rex a :Dog , owl:NamedIndividual ; :partOf :pack .
[] a owl:Axiom ; owl:annotatedSource :Bird ; owl:annotatedProperty rdfs:subClassOf ; owl:annotatedTarget :Animal ;
    rdfs:comment "well known" .
"""


def rule(text):
    return Formula(parse_formula(text))


@pytest.mark.filterwarnings("ignore:Assertions on")  # rdflib of its own pretty XML
@pytest.mark.parametrize("serialisation", ["turtle", "xml", "pretty-xml", "nt"])
def test_a_zoo_in_every_serialisation(serialisation):
    data = in_serialisation(ZOO, serialisation)
    zoo = owl.read(
        data, file="zoo", serialisation=serialisation.removeprefix("pretty-"), names="fragment"
    )
    fish = ("Cod", "Eel", "Tuna")
    assert set(zoo.constraints) == {
        Subsumes("Animal", ("Bird",)),
        Subsumes("Animal", ("Fish",)),
        Exclusive(("Fish", "Bird")),
        Exclusive(fish),
        Subsumes("Fish", fish),
        Covers("Fish", fish),
        Equivalent(("Human", "Person")),
        Subsumes("Pet", ("Dog", "Cat")),
        Covers("Pet", ("Dog", "Cat")),
        rule("Mermaid <-> Human & Fish"),
        rule("Stone <-> ~Animal"),
        rule("Guppy >> Pet | ~Animal"),
        rule("~(Fish & Bird)"),
        Subsumes("Fish", ("PetFish",)),
    }
    assert set(zoo.labels) == {
        *(
            "Animal",
            "Bird",
            "Fish",
            "Wing",
            *fish,
            "Human",
            "Person",
            "Pet",
            "Dog",
            "Cat",
            "Mermaid",
            "Stone",
        ),
        *("Guppy", "PetFish", "Primary"),
    }
    assert [said.name for said in zoo.pairs] == ["part of"]
    assert set(zoo.not_expressed) == {
        "imports http://example.org/upper",
        "part of is a TransitiveProperty",
        "weight is a DatatypeProperty",
        "Bird subClassOf hasPart some Wing",
        "in part: PetFish equivalentClass Fish and (part of some (Home or Zoo))",
        "Primary equivalentClass {red, green}",
        "Heavy subClassOf weight min 2",
        "rex is a Dog",
        "rex partOf pack",
    }
    assert all(str(constraint.source) == "zoo" for constraint in zoo.constraints)


def test_a_file_as_protege_writes_it(tmp_path):
    path = tmp_path / "zoo.owl"
    path.write_text(
        """<?xml version="1.0"?>
<!DOCTYPE rdf:RDF [
    <!ENTITY owl "http://www.w3.org/2002/07/owl#" >
    <!ENTITY zoo "http://zoo.org/animals#" >
]>
<rdf:RDF xmlns:owl="&owl;" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
         xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xml:base="http://zoo.org/animals">
    <owl:Class rdf:about="&zoo;Animal"/>
    <owl:Class rdf:about="#Bird"><rdfs:subClassOf rdf:resource="&zoo;Animal"/></owl:Class>
    <owl:Class rdf:ID="Fish"><rdfs:subClassOf rdf:resource="&zoo;Animal"/></owl:Class>
    <rdf:Description>
        <rdf:type rdf:resource="&owl;AllDisjointClasses"/>
        <owl:members rdf:parseType="Collection">
            <rdf:Description rdf:about="&zoo;Bird"/><rdf:Description rdf:about="&zoo;Fish"/>
        </owl:members>
    </rdf:Description>
</rdf:RDF>
"""
    )
    assert read(path) == Document(
        ("Animal", "Bird", "Fish"),
        (Subsumes("Animal", ("Bird",)), Subsumes("Animal", ("Fish",)), Exclusive(("Bird", "Fish"))),
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (":A rdfs:subClassOf owl:Thing .", []),
        (":A rdfs:subClassOf :A .", []),
        ("owl:Nothing rdfs:subClassOf :A .", []),
        (":A rdfs:subClassOf owl:Nothing .", [rule("~A")]),
        (":A owl:equivalentClass owl:Nothing .", [rule("~A")]),
        (":A owl:equivalentClass owl:Thing .", [AtLeastOne(("A",))]),
        ("owl:Thing rdfs:subClassOf :A .", [AtLeastOne(("A",))]),
        ("owl:Thing rdfs:subClassOf [ owl:unionOf ( :A :B ) ] .", [AtLeastOne(("A", "B"))]),
        ("[ owl:unionOf ( :A :B ) ] rdfs:subClassOf :C .", [Subsumes("C", ("A", "B"))]),
        (":A rdfs:subClassOf [ owl:unionOf ( :B :C ) ] .", [Covers("A", ("B", "C"))]),
        (":A rdfs:subClassOf [ owl:unionOf ( :B :A ) ] .", []),
        (":A rdfs:subClassOf [ owl:unionOf ( :B owl:Nothing ) ] .", [Subsumes("B", ("A",))]),
        (":A rdfs:subClassOf [ owl:intersectionOf ( :B :C ) ] .", [rule("A >> B & C")]),
        (":A owl:disjointWith [ owl:complementOf :B ] .", [rule("~(A & ~B)")]),
        (":A owl:disjointWith :A .", [rule("~A")]),
        (
            ":A owl:disjointWith :B . :B owl:disjointWith :A .",
            [Exclusive(("A", "B")), Exclusive(("B", "A"))],
        ),
        (
            "[] a owl:AllDisjointClasses ; owl:members ( :A :B :A ) .",
            [Exclusive(("A", "B")), rule("~A")],
        ),
        (
            ":A owl:disjointUnionOf ( :B [ owl:complementOf :C ] ) .",
            [rule("A <-> B | ~C"), rule("~(B & ~C)")],
        ),
        (":A owl:equivalentClass [ owl:unionOf ( :B ) ] .", [Equivalent(("A", "B"))]),
        (":A owl:equivalentClass [ owl:intersectionOf () ] .", [AtLeastOne(("A",))]),
    ],
)
def test_axioms(text, expected):
    found = turtle(text + ":A a owl:Class .", names="fragment")
    assert list(found.constraints) == expected
    assert found.not_expressed == ()


SOME = "[ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :X ]"


@pytest.mark.parametrize(
    ("text", "expected", "line"),
    [
        (f":A rdfs:subClassOf {SOME} .", [], "A subClassOf p some X"),
        (f":A rdfs:subClassOf [ owl:intersectionOf ( :B {SOME} ) ] .", [Subsumes("B", ("A",))], None),
        (f":A rdfs:subClassOf [ owl:unionOf ( :B {SOME} ) ] .", [], None),
        (f"[ owl:unionOf ( :B {SOME} ) ] rdfs:subClassOf :A .", [Subsumes("A", ("B",))], None),
        (f"[ owl:intersectionOf ( :B {SOME} ) ] rdfs:subClassOf :A .", [], None),
        (f":A rdfs:subClassOf [ owl:complementOf [ owl:unionOf ( :B {SOME} ) ] ] .", [rule("A >> ~B")], None),
        (f":A rdfs:subClassOf [ owl:complementOf [ owl:intersectionOf ( :B {SOME} ) ] ] .", [], None),
        (f":A owl:equivalentClass [ owl:unionOf ( :B {SOME} ) ] .", [Subsumes("A", ("B",))], None),
        (f":A owl:disjointWith {SOME} .", [], "A disjointWith p some X"),
        (
            f":A owl:disjointUnionOf ( :B :C {SOME} ) .",
            [Subsumes("A", ("B",)), Subsumes("A", ("C",)), Exclusive(("B", "C"))],
            "A disjointUnionOf B, C, (p some X)",
        ),
        (f":A owl:intersectionOf ( :B {SOME} ) .", [Subsumes("B", ("A",))], "A intersectionOf B, (p some X)"),
        (f"[] a owl:AllDisjointClasses ; owl:members ( :A :B {SOME} ) .", [Exclusive(("A", "B"))], None),
        (":A owl:hasKey ( :p ) .", [], "A hasKey p"),
        (":p rdfs:range :A .", [], "p range A"),
        (":p owl:inverseOf :q .", [], "p inverseOf q"),
        (":A rdfs:subClassOf [ owl:onProperty [ owl:inverseOf :p ] ; owl:allValuesFrom :B ] .", [],
         "A subClassOf (inverse of p) only B"),
        (":A rdfs:subClassOf [ owl:onProperty :p ; owl:qualifiedCardinality 2 ; owl:onClass :B ] .", [],
         "A subClassOf p exactly 2 B"),
        (':A rdfs:subClassOf [ owl:onProperty :p ; owl:hasValue "x" ] .', [], 'A subClassOf p value "x"'),
    ],
)  # fmt: skip
def test_what_cannot_be_expressed_is_listed_and_the_rest_is_sound(text, expected, line):
    found = turtle(text + ":A a owl:Class .", names="fragment")
    assert list(found.constraints) == expected
    (said,) = found.not_expressed
    assert said.startswith("in part: ") == bool(expected)
    assert line is None or said.removeprefix("in part: ") == line


def test_annotations_are_not_listed():
    text = ':A a owl:Class ; rdfs:comment "x" ; rdfs:seeAlso :B ; :note "y" ; owl:versionInfo "1" ; :note [ :by :me ] .'
    assert turtle(text, names="fragment") == Document(("A",), ())


def test_the_version_of_an_ontology_is_counted_as_left_out():
    text = "<http://e> a owl:Ontology ; owl:versionIRI <http://e/2> . :A a owl:Class ."
    assert turtle(text, names="fragment").not_kept == (
        "annotation: versionIRI of http://e: http://e/2",
    )


@given(documents())
@settings(max_examples=40)
@pytest.mark.parametrize("serialisation", ["xml", "turtle", "nt"])
def test_round_trip_keeps_names_and_worlds(serialisation, given_document):
    data, lost = owl.write(given_document, serialisation=serialisation)
    assert lost == []
    back = owl.read(data, file="t", serialisation=serialisation)
    assert back.labels == given_document.labels
    assert back.not_expressed == ()
    assert worlds(back) == worlds(given_document)


@given(st.lists(expressions(st.sampled_from(PLAIN)), max_size=3))
@settings(max_examples=60)
def test_round_trip_of_any_formula(parts):
    made = document(map(Formula, parts), labels=PLAIN)
    data, lost = owl.write(made, serialisation="turtle")
    assert lost == []
    assert worlds(owl.read(data, file="t", serialisation="turtle")) == worlds(made)


def test_the_base_of_new_iris():
    made = Document(("big bird", "http://x.org/y"), (Exclusive(("big bird", "http://x.org/y")),))
    data, _ = owl.write(made, serialisation="turtle", base="http://zoo.org/z#")
    assert owl.read(data, file="t", serialisation="turtle", names="iri").labels == (
        *("http://zoo.org/z#big%20bird", "http://x.org/y"),
    )
    clash = Document(("y", "http://x.org/y"), ())
    with pytest.raises(FormatError, match="two labels get the same IRI"):
        owl.write(clash, base="http://x.org/")


@pytest.mark.parametrize("options", [{"language": 3}, {"names": np.ones(2)}, {"names": "x"}])
def test_odd_options(options):
    with pytest.raises(FormatError, match="must be"):
        turtle(":A a owl:Class .", **options)
    for serialisation in ("json", np.ones(2)):
        with pytest.raises(FormatError, match="serialisation must be one of"):
            owl.read(b"<a/>", file="t", serialisation=serialisation)


PARTS = """@prefix : <http://x.org/z#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
<http://purl.obolibrary.org/obo/BFO_0000050> a owl:ObjectProperty ; rdfs:label "part of" .
:hand a owl:Class . :nail a owl:Class . :near a owl:ObjectProperty .
:finger a owl:Class ; rdfs:subClassOf
  [ a owl:Restriction ; owl:onProperty <http://purl.obolibrary.org/obo/BFO_0000050> ; owl:someValuesFrom :hand ] ,
  [ a owl:Restriction ; owl:onProperty :near ; owl:someValuesFrom :nail ] .
"""


@pytest.mark.parametrize("name", ["part_of", "part of", "BFO:0000050", "BFO_0000050"])
def test_a_relation_may_be_read_like_is_a(name):
    plain = owl.read(PARTS.encode(), file="x.ttl", serialisation="turtle")
    found = owl.read(PARTS.encode(), file="x.ttl", serialisation="turtle", hierarchy=name)
    assert plain.constraints == ()
    assert set(plain.not_expressed) - set(found.not_expressed) == {
        "finger subClassOf part of some hand"
    }
    assert [(one.parent, one.children) for one in found.constraints] == [("hand", ("finger",))]


def test_imports_come_from_files_beside_it(tmp_path):
    prefixes = "@prefix : <http://x.org/z#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
    prefixes += "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
    (tmp_path / "a.ttl").write_text(
        f"{prefixes}<http://x.org/a> a owl:Ontology ; owl:imports <http://x.org/lib/b.ttl> , <http://x.org/none> .\n"
        ":cat a owl:Class ; rdfs:subClassOf :animal ."
    )
    (tmp_path / "b.ttl").write_text(
        f"{prefixes}<http://x.org/b> a owl:Ontology ; owl:imports <http://x.org/c> , <http://x.org/a.ttl> .\n"
        ":animal a owl:Class ; rdfs:subClassOf :thing ."
    )
    (tmp_path / "c.owl").write_text(
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
        'xmlns:owl="http://www.w3.org/2002/07/owl#"><owl:Class rdf:about="http://x.org/z#plant"/></rdf:RDF>'
    )
    with pytest.warns(co.NotExpressedWarning):
        alone = co.Ontology.load(tmp_path / "a.ttl")
    assert set(alone.labels) == {"cat", "animal"}
    assert len(alone.not_expressed) == 2
    with pytest.warns(co.NotExpressedWarning):
        onto = co.Ontology.load(tmp_path / "a.ttl", imports=True)
    assert set(onto.labels) == {"cat", "animal", "thing", "plant"}
    assert onto.propagate({"cat": True}) == {"cat": True, "animal": True, "thing": True}
    assert onto.not_expressed == ("imports http://x.org/none",)
