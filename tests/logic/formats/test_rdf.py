"""RDF in every serialisation: tricks, encodings and broken files are refused, nothing is fetched."""

from __future__ import annotations

import logging

import pytest

import corollary as co
from corollary.logic.errors import FormatError
from corollary.logic.formats import owl, rdf, read

from ...fuzz.frame import within
from .turtles import in_serialisation, turtle

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
        ("x.owl", '<Ontology xmlns="http://www.w3.org/2002/07/owl#"/>', "is in OWL/XML, which is not read"),
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


def test_latin_1_that_says_so_is_read():
    data = in_serialisation(':A a owl:Class ; rdfs:label "caf\u00e9" .', "xml").decode()
    data = data.replace('encoding="utf-8"', 'encoding="iso-8859-1"').encode("latin-1")
    assert owl.read(data, file="t").labels == ("café",)


def test_utf_16_is_refused():
    with pytest.raises(FormatError, match="is UTF-16; convert it to UTF-8"):
        owl.read("<a/>".encode("utf-16"), file="t")


@pytest.mark.parametrize(
    "encoding", ["undefined", "punycode", "utf-7", "unicode_escape", "raw_unicode_escape", "hex"]
)
@pytest.mark.parametrize("text", ["a", "\\ud800", "+2AA-"])
def test_encodings_that_are_not_for_files_are_refused(encoding, text):
    data = f'<?xml version="1.0" encoding="{encoding}"?><a>{text}</a>'.encode()
    with pytest.raises(FormatError, match=f"t says that it is {encoding}: .*; convert it to UTF-8"):
        owl.read(data, file="t")


def test_the_place_of_an_n_triples_error_is_told_at_once():
    good = "<a:a> <a:b> <a:c> .\r\n# a comment\r"
    with within(), pytest.raises(FormatError, match="N-Triples, line 3: _:<a>_:"):
        owl.read((good + "_:" + "<a>_:" * 40_000).encode(), file="t", serialisation="nt")


@pytest.mark.parametrize("serialisation", ["turtle", "nt"])
def test_nothing_that_a_file_says_is_logged(serialisation, caplog):
    text = (
        "<http://x/{evil}> <urn:b> <http://x/c> .\n"
        "<http://x/c> <urn:b> '\x1b[31mx'^^<http://www.w3.org/2001/XMLSchema#integer> .\n"
    )
    text = text.replace("'", '"') if serialisation == "nt" else text
    assert len(rdf.parse(text.encode(), serialisation=serialisation, file="x")) == 2
    assert not caplog.records
    logging.getLogger("rdflib.term").warning("another one")  # others' warnings are theirs again
    assert len(caplog.records) == 1


@pytest.mark.parametrize(
    ("name", "text", "syntax"),
    [
        ("x.owl", "# one\nPrefix(:=<http://x.org/>)\nOntology(<http://x.org/>)", "functional"),
        ("x.ttl", "Ontology (<http://x.org/>\n)", "functional"),
        ("x.owl", "Prefix: x: <http://x.org/>\nOntology: <http://x.org/>", "Manchester"),
        ("x.ofn", "Ontology()", "functional"),
        ("x.omn", "Ontology: <http://x.org/>", "Manchester"),
    ],
)
def test_other_syntaxes_are_refused_with_the_way_to_convert_them(tmp_path, name, text, syntax):
    (tmp_path / name).write_text(text)
    with pytest.raises(co.FormatError, match=f"{syntax} syntax.*robot convert --input {name}"):
        co.Ontology.load(tmp_path / name)


def test_json_ld(tmp_path):
    onto = co.Ontology.parse("animal > exclusive: bird, fish")
    onto.save(tmp_path / "x.jsonld")
    assert co.Ontology.load(tmp_path / "x.jsonld").same_as(onto)
    for context in (
        '"http://x.org/c.jsonld"', '["http://x.org/c.jsonld"]', '{"@import": "http://x.org/c.jsonld"}',
    ):  # fmt: skip
        (tmp_path / "y.jsonld").write_text(f'{{"@graph": [{{"@context": {context}, "@id": "x"}}]}}')
        with pytest.raises(co.FormatError, match="takes its @context from http://x.org/c.jsonld"):
            co.Ontology.load(tmp_path / "y.jsonld")
