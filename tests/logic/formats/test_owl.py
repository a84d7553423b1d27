from __future__ import annotations

import numpy as np
import pytest
import rdflib
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.logic.constraints import AtLeastOne, Covers, Equivalent, Exclusive, Formula, Subsumes
from corollary.logic.errors import FormatError
from corollary.logic.formats import axioms, owl, read, write
from corollary.logic.notation import Document, document, parse
from corollary.logic.syntax import parse_formula

from ...fuzz.frame import within
from .documents import PLAIN, documents, expressions, worlds

PREFIXES = """\
@prefix : <http://zoo.org/animals#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""

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


def turtle(text, **options):
    return owl.read((PREFIXES + text).encode(), file="t.ttl", serialisation="turtle", **options)


def rule(text):
    return Formula(parse_formula(text))


def in_serialisation(text, serialisation):
    """The graph in another serialisation, by rdflib itself."""
    return rdflib.Graph().parse(data=PREFIXES + text, format="turtle").serialize(format=serialisation, encoding="utf-8")


@pytest.mark.filterwarnings("ignore:Assertions on")  # rdflib of its own pretty XML
@pytest.mark.parametrize("serialisation", ["turtle", "xml", "pretty-xml", "nt"])
def test_a_zoo_in_every_serialisation(serialisation):
    data = in_serialisation(ZOO, serialisation)
    zoo = owl.read(data, file="zoo", serialisation=serialisation.removeprefix("pretty-"), names="fragment")
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
        *("Animal", "Bird", "Fish", "Wing", *fish, "Human", "Person", "Pet", "Dog", "Cat", "Mermaid", "Stone"),
        *("Guppy", "PetFish", "Primary"),
    }
    assert set(zoo.not_expressed) == {
        "imports http://example.org/upper",
        "part of is a ObjectProperty",
        "part of is a TransitiveProperty",
        "part of domain Animal",
        "weight is a DatatypeProperty",
        "Bird subClassOf hasPart some Wing",
        "PetFish equivalentClass Fish and (part of some (Home or Zoo))",
        "Primary equivalentClass {red, green}",
        "Heavy subClassOf weight min 2",
        "Old is deprecated",
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
        (":A owl:disjointWith :B . :B owl:disjointWith :A .", [Exclusive(("A", "B")), Exclusive(("B", "A"))]),
        ("[] a owl:AllDisjointClasses ; owl:members ( :A :B :A ) .", [Exclusive(("A", "B")), rule("~A")]),
        (":A owl:disjointUnionOf ( :B [ owl:complementOf :C ] ) .", [rule("A <-> B | ~C"), rule("~(B & ~C)")]),
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
    assert len(found.not_expressed) == 1
    assert line is None or found.not_expressed == (line,)


def test_annotations_are_not_listed():
    text = ':A a owl:Class ; rdfs:comment "x" ; rdfs:seeAlso :B ; :note "y" ; owl:versionInfo "1" ; :note [ :by :me ] .'
    assert turtle(text, names="fragment") == Document(("A",), ())


NAMED = ':A a owl:Class ; rdfs:label "Ah"@en , "Aah"@de . :B a owl:Class ; rdfs:label " Be\\n  e " .'


def test_names():
    assert turtle(NAMED).labels == ("Ah", "Be e")
    assert turtle(NAMED, language="de").labels == ("Aah", "Be e")
    assert turtle(NAMED, names="fragment").labels == ("A", "B")
    assert turtle(NAMED, names="iri").labels == ("http://zoo.org/animals#A", "http://zoo.org/animals#B")
    assert turtle(NAMED + ":C a owl:Class .").labels == ("A", "B", "C")
    assert turtle(NAMED + ':C a owl:Class ; rdfs:label "Ah" .').labels == ("A", "B", "C")
    two = ":A a owl:Class . <http://zoo.org/plants/A> a owl:Class ."
    assert turtle(two).labels == ("http://zoo.org/animals#A", "http://zoo.org/plants/A")
    assert turtle("<http://zoo.org/a%20b> a owl:Class .").labels == ("a b",)


@pytest.mark.parametrize(
    ("text", "names", "message"),
    [
        (NAMED + ":C a owl:Class .", "label", "animals#C has none"),
        (NAMED + ':C a owl:Class ; rdfs:label "Ah" .', "label", "'Ah' is the name of .*#A and of .*#C"),
        (":A a owl:Class . <http://x.org/A> a owl:Class .", "fragment", "'A' is the name of"),
        (NAMED, "colour", "names must be one of label, fragment, iri; got 'colour'"),
    ],
)
def test_names_that_do_not_serve(text, names, message):
    with pytest.raises(FormatError, match=message):
        turtle(text, names=names)


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


def test_a_formula_that_is_too_large_is_listed(tmp_path):
    made = parse("rule: " + " <-> ".join(f"x{k}" for k in range(60)))
    with pytest.raises(FormatError, match="too large as a class expression"):
        write(made, tmp_path / "x.ttl")
    assert len(write(made, tmp_path / "x.ttl", lossy=True)) == 1


@pytest.mark.parametrize("suffix", [".owl", ".ttl", ".nt"])
def test_a_formula_as_deep_as_it_may_be(tmp_path, suffix):
    made = parse("rule: " + "~" * 45 + "a")
    write(made, tmp_path / f"x{suffix}")
    assert worlds(read(tmp_path / f"x{suffix}")) == worlds(made)


LAUGHS = """<?xml version="1.0"?>
<!DOCTYPE rdf:RDF [ <!ENTITY a "lol"> <!ENTITY b "&a;&a;&a;&a;"> <!ENTITY c "&b;&b;&b;&b;"> ]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><x>&c;</x></rdf:RDF>"""
HIDDEN = LAUGHS.replace('"&a;&a;&a;&a;"', '"&#38;a;&#38;a;"').replace('"&b;&b;&b;&b;"', '"x"')
EXTERNAL = """<!DOCTYPE rdf:RDF [ <!ENTITY secret SYSTEM "file:///etc/passwd"> ]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><x>&secret;</x></rdf:RDF>"""
PUBLIC = EXTERNAL.replace("SYSTEM", 'PUBLIC "x"')
PARAMETER = EXTERNAL.replace("ENTITY secret", "ENTITY % secret")
OUTSIDE = '<!DOCTYPE rdf:RDF SYSTEM "http://example.org/x.dtd"><rdf:RDF/>'
HUGE = f'<!DOCTYPE x [ <!ENTITY a "{"x" * 3_000}"> ]><x>&a;</x>'
QUADRATIC = f'<!DOCTYPE x [ <!ENTITY a "{"x" * 2_000}"> ]><x>{"&a;" * 140_000}</x>'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (LAUGHS, "line 2: the entity &b; is made of other entities"),
        (HIDDEN, "line 2: the entity &b; is made of other entities"),
        (EXTERNAL, "line 1: the entity &secret; is in another place, file:///etc/passwd"),
        (PUBLIC, "the entity &secret; is in another place"),
        (PARAMETER, "%secret; is a parameter entity"),
        (OUTSIDE, "the document type is in another place, http://example.org/x.dtd"),
        (HUGE, "the entity &a; is longer than 2,000 characters"),
        (QUADRATIC, "would grow it to 280,000,000 bytes"),
    ],
)
def test_entity_tricks_are_refused(tmp_path, text, message):
    path = tmp_path / "x.owl"
    path.write_text(text)
    with pytest.raises(FormatError, match=message):
        read(path)


def test_nothing_is_fetched(monkeypatch, tmp_path):
    def no_network(*_arguments, **_options):
        raise AssertionError("the network was used")

    monkeypatch.setattr("socket.socket.connect", no_network)
    monkeypatch.setattr("socket.getaddrinfo", no_network)
    zoo = turtle("<http://zoo.org/> owl:imports <http://example.org/upper.owl> . :A a owl:Class .")
    assert zoo.not_expressed == ("imports http://example.org/upper.owl",)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.owl", "<r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>\n<a", "line 2, column 1: unclosed"),
        ("x.owl", "<a>\n</b>", "line 2, column 3: mismatched tag"),
        ("x.owl", "<a>&b;</a>", "undefined entity"),
        ("x.owl", "@prefix a: <b> .", "does not begin as XML; if it is Turtle"),
        ("x.owl", '<Ontology xmlns="http://www.w3.org/2002/07/owl#"/>', "is OWL/XML, which is not read"),
        ("x.ttl", "@prefix a: <b:> .\n\na:x a:y ; .", "cannot be read as Turtle, line 3"),
        ("x.ttl", 'a:b a:c "x', "cannot be read as Turtle"),
        ("x.ttl", "<a:a> <a:b> " + "[ <a:b> " * 3_000, "nested too deeply"),
        ("x.nt", "<a:a> <a:b> <a:c> .\n<a:b> .\n", "cannot be read as N-Triples, line 2: <a:b> ."),
        ("x.ttl", "<a:a> <a:b> <a:c> .\n", "has no OWL classes"),
        ("x.ttl", "<a:a> a <http://www.w3.org/2004/02/skos/core#Concept> .\n", "pass format='skos'"),
    ],
)  # fmt: skip
def test_broken_files(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(FormatError, match=message):
        read(tmp_path / name)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("_:b owl:unionOf _:l . _:l rdf:first :B ; rdf:rest _:l . :A rdfs:subClassOf _:b .", "it never ends"),
        ("_:b owl:unionOf _:l . _:l rdf:first :B . :A rdfs:subClassOf _:b .", "it just stops"),
        ("_:b owl:unionOf :B . :A rdfs:subClassOf _:b .", "it just stops"),
        ("_:b owl:complementOf _:b . :A rdfs:subClassOf _:b .", "contains itself"),
        (
            "".join(f"_:b{k} owl:unionOf ( _:b{k + 1} _:b{k + 1} ) . " for k in range(40))
            + ":A rdfs:subClassOf _:b0 .",
            "share so many parts",
        ),
    ],
)
def test_broken_expressions(text, message):
    with pytest.raises(FormatError, match=message):
        turtle(text)


def test_latin_1_that_says_so_is_read():
    data = in_serialisation(':A a owl:Class ; rdfs:label "caf\u00e9" .', "xml").decode()
    data = data.replace('encoding="utf-8"', 'encoding="iso-8859-1"').encode("latin-1")
    assert owl.read(data, file="t").labels == ("café",)


def test_utf_16_is_refused():
    with pytest.raises(FormatError, match="is UTF-16; convert it to UTF-8"):
        owl.read("<a/>".encode("utf-16"), file="t")


@pytest.mark.parametrize("encoding", ["undefined", "punycode", "utf-7", "unicode_escape", "raw_unicode_escape", "hex"])
@pytest.mark.parametrize("text", ["a", "\\ud800", "+2AA-"])
def test_encodings_that_are_not_for_files_are_refused(encoding, text):
    data = f'<?xml version="1.0" encoding="{encoding}"?><a>{text}</a>'.encode()
    with pytest.raises(FormatError, match=f"t says that it is {encoding}: .*; convert it to UTF-8"):
        owl.read(data, file="t")


def test_the_place_of_an_n_triples_error_is_told_at_once():
    good = "<a:a> <a:b> <a:c> .\r\n# a comment\r"
    with within(), pytest.raises(FormatError, match="N-Triples, line 3: _:<a>_:"):
        owl.read((good + "_:" + "<a>_:" * 40_000).encode(), file="t", serialisation="nt")


def test_many_disjoint_classes_are_one_constraint_at_once():
    names = tuple(f"c{k}" for k in range(28_000))
    with within(60):  # rdflib alone takes seconds
        data, _ = owl.write(Document(names, (Exclusive(names),)), serialisation="nt")
        assert owl.read(data, file="t", serialisation="nt").constraints == (Exclusive(names),)


def test_many_disjoint_expressions_stay_few():
    members = " ".join(f"[ owl:intersectionOf ( :a{k} :b{k} ) ]" for k in range(300))
    found = turtle(f"[] a owl:AllDisjointClasses ; owl:members ( :x :y {members} ) .")
    assert len(found.constraints) == 301
    assert sum(len(c.labels) for c in found.constraints) < 10_000


@given(st.lists(expressions(st.sampled_from(PLAIN)), max_size=6))
@settings(max_examples=50)
def test_disjoint_by_halves_says_what_pairs_say(parts):
    pairs = axioms.disjoint(parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(axioms, "MAX_PAIRS", -1)
        halves = axioms.disjoint(parts)
    assert worlds(Document(tuple(PLAIN), tuple(halves))) == worlds(Document(tuple(PLAIN), tuple(pairs)))


@pytest.mark.parametrize("joined", ["owl:unionOf", "owl:oneOf"])
def test_what_shared_and_wide_expressions_say_is_told_at_once(joined):
    wide = "".join(f"_:b{k} {joined} ( {f'_:b{k + 1} ' * 40} ) . " for k in range(5))
    restriction = ":A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom _:b0 ] ."
    with within():
        (line,) = turtle(wide + restriction + " :A a owl:Class .").not_expressed
    assert len(line) < 2_000
    assert "more)" in line


def test_lists_that_share_their_ends_are_refused_before_they_are_written_out():
    cells = "".join(f"_:l{k} rdf:first :c{k} ; rdf:rest _:l{k + 1} . :A{k} owl:unionOf _:l{k} . " for k in range(2_000))
    with within(), pytest.raises(FormatError, match="share so many parts"):
        turtle(cells.replace("_:l2000", "rdf:nil"))


@pytest.mark.parametrize("options", [{"language": 3}, {"names": np.ones(2)}, {"names": "x"}])
def test_odd_options(options):
    with pytest.raises(FormatError, match="must be"):
        turtle(":A a owl:Class .", **options)
    for serialisation in ("json", np.ones(2)):
        with pytest.raises(FormatError, match="serialisation must be one of"):
            owl.read(b"<a/>", file="t", serialisation=serialisation)
