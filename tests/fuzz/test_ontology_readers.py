"""Broken ontology files: every reader gives an ontology or an error of ours, soon, and what it read can be written."""

from __future__ import annotations

import warnings
from pathlib import Path

import networkx
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import corollary as co
from corollary import Ontology
from corollary.logic import formats
from corollary.logic.errors import CorollaryError, FormatError
from corollary.logic.language.notation import parse, render_expression

from .frame import broken, examples, within

pytestmark = pytest.mark.slow

NOTATION = """\
labels: animal, bird, "big fish", human, person, flies, bat, insect   # who is who
animal > exactly one: bird, "big fish",
    human
animal covered by bird, human
exclusive: bird, bat
at least one: animal, insect
equivalent: human, person
rule: flies & ~bird >> (insect | bat)
"""
#: Statements that tables, graphs and thesauri can say.
TAXONOMY = "labels: animal, bird, owl, stone\nanimal > bird, owl\nbird > owl\n"
OWL = """\
@prefix : <http://zoo.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:bird a owl:Class ; rdfs:label "bird"@en , "Vogel"@de ; rdfs:subClassOf :animal ,
    [ a owl:Restriction ; owl:onProperty :has ; owl:someValuesFrom [ owl:oneOf ( :wing "1"^^:x ) ] ] .
:fish owl:disjointWith :bird ; owl:equivalentClass [ owl:intersectionOf ( :animal [ owl:complementOf :bird ] ) ] .
:animal owl:disjointUnionOf ( :bird :fish [ owl:unionOf ( :stone :tree ) ] ) .
[] a owl:AllDisjointClasses ; owl:members ( :stone :tree :bird :bird ) .
:old a owl:Class ; owl:deprecated true .
"""
OBO = """\
format-version: 1.4
! a comment
import: other.obo

[Term]
id: ZOO:1
name: animal ! with a remark
union_of: ZOO:2
union_of: ZOO:3

[Term]
id: ZOO:2
name: bird
! a comment
is_a: ZOO:1 {source="x"} ! animal
disjoint_from: ZOO:3
relationship: part_of ZOO:4
intersection_of: ZOO:1
intersection_of: has_part ZOO:9

[Term]
id: ZOO:3
is_obsolete: true

[Typedef]
id: part_of
"""
SKOS = """\
@prefix : <http://zoo.org/> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
:animal a skos:Concept ; skos:prefLabel "animal"@en , "Tier"@de ; skos:narrower :bird .
:bird a skos:Concept ; skos:broader :animal , [ a skos:Concept ; skos:prefLabel "flyer" ] ; skos:related :nest .
"""
CNF = "c label 1 bird\nc label 2 owl\np cnf 4 5\n-2 1 0\n1 2 3 0 -1 -2 0\n-1 -2 -3 0\n-3 1\n 2 0\n"


def written(text: str, suffix: str, folder: Path, **options: object) -> bytes:
    path = folder / f"written{suffix}"
    formats.write(parse(text), path, lossy=True, **options)
    return path.read_bytes()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("readers")


@pytest.fixture(scope="module")
def good(folder):
    """Good files of each kind: {suffix: (documents, options)}."""
    said = {
        suffix: written(NOTATION, suffix, folder)
        for suffix in (".owl", ".ttl", ".nt", ".obo", ".cnf")
    }
    table = written(TAXONOMY, ".csv", folder)
    thesaurus = written(TAXONOMY, ".rdf", folder, format="skos")
    return {
        ".onto": ([NOTATION.encode(), TAXONOMY.encode()], {}),
        ".owl": ([said[".owl"], said[".owl"].replace(b'"utf-8"', b'"latin-1"')], {}),
        ".ttl": ([OWL.encode(), said[".ttl"]], {}),
        ".nt": ([said[".nt"]], {}),
        ".obo": ([OBO.encode(), said[".obo"]], {}),
        ".cnf": ([CNF.encode(), said[".cnf"]], {}),
        ".csv": ([table, table.replace(b"\n", b",more\n")], {}),
        ".rdf": ([thesaurus], {"format": "skos", "broader": True}),
        ".skos.ttl": ([SKOS.encode()], {"format": "skos", "broader": True}),
    }


TOKENS = {
    ".onto": [b"exclusive:", b"exactly one:", b"rule:", b">", b",", b'"', b"\\", b"(", b"~" * 990, b"#", b"a:a." * 999],
    ".owl": [
        *(b"<owl:Class>", b"</owl:Class>", b'"undefined"', b'"utf-7"', b'"punycode"', b'"unicode_escape"', b"&x;"),
        *(b"\\ud800", b"<!DOCTYPE x [<!ENTITY x 'y'>]>", b"<!--", b"<rdf:li/>", b'rdf:nodeID="a"', b"<a>" * 990),
    ],
    ".ttl": [
        *(b"[", b"]", b"( ", b")", b"owl:members", b"owl:unionOf", b"_:a", b"_:b", b'"""', b"@prefix", b"\\u00", b"."),
        *(b"[ owl:complementOf " * 990, b"owl:Thing", b"owl:Nothing", b"owl:complementOf", b"9" * 5000),
    ],
    ".nt": [b"_:b1", b"_:b2", b"<urn:", b"> ", b'"', b"\\", b" .\n", b"\r", b"_:<a>" * 999, b"#"],
    ".obo": [
        *(b"[Term]\n", b"id:", b"\n!x\n", b"is_a:", b"name:", b"\\", b'"', b"{", b"}", b"union_of:", b"ZOO:1", b"\n\n"),
    ],
    ".cnf": [b"0", b"-1", b"p cnf", b"c label", b"%", b"9" * 5000, b" " * 5000, b"-", "\u0663".encode(), "²".encode()],
    ".csv": [b",", b'"', b"child,parent", b"\r", b"\n\n", b";", b"a" * 200_000],
    ".rdf": [b"<skos:Concept/>", b"rdf:about", b"skos:broader", b"</", b"&", b'"idna"'],
    ".skos.ttl": [b"[]", b"a skos:Concept", b"skos:broader", b"_:a", b'"x"', b"<>", b"skos:member"],
}  # fmt: skip


def check(path: Path, **options: object) -> None:
    """Read a file: an ontology that its own notation gives back, or an error of ours."""
    with within(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            onto = Ontology.load(path, **options)
        except CorollaryError as error:
            assert str(error)
            return
    again = Ontology.parse(str(onto))
    assert again == onto


@pytest.mark.parametrize("suffix", list(TOKENS))
@examples(60)
@given(data=st.data())
def test_a_broken_file_is_read_or_refused(suffix, data, good, folder):
    documents, options = good[suffix]
    path = folder / f"broken{suffix}"
    path.write_bytes(data.draw(broken(documents, TOKENS[suffix])))
    check(path, **options)


@pytest.mark.parametrize("suffix", list(TOKENS))
def test_the_good_files_are_read(suffix, good, folder):
    documents, options = good[suffix]
    path = folder / f"good{suffix}"
    for document in documents:
        path.write_bytes(document)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert len(Ontology.load(path, **options)) >= 2
        check(path, **options)


@examples(60)
@given(st.binary(max_size=200), st.sampled_from([*formats.SUFFIXES, ".obo.gz", ".txt", ""]))
def test_bytes_are_read_or_refused(folder, data, suffix):
    path = folder / f"bytes{suffix}"
    path.write_bytes(data)
    check(path)


@examples(100)
@given(
    broken(
        [b"flies & ~bird >> insect | (bat <-> true)"],
        [b"(", b")", b"~" * 990, b"iff", b'"', b"<->", b"&" * 999],
    )
)
@example(b"a:" * 25_000 + b"a b")
@example(b'""')
def test_a_broken_formula_is_read_or_refused(text):
    with within():
        try:
            formula = co.formula(text.decode(errors="surrogateescape"))
        except CorollaryError as error:
            assert str(error)
            return
        assert co.formula(render_expression(formula.expression)) == formula


nodes = st.one_of(
    st.sampled_from(["a", "b", "c", "rule", "a > b", "", " a", "a\nb", "\ud800"]),
    st.none()
    | st.integers()
    | st.floats()
    | st.binary(max_size=2)
    | st.tuples(st.text(max_size=1)),
)


@examples(60)
@given(
    st.lists(st.tuples(nodes, nodes), max_size=4),
    st.sampled_from(["DiGraph", "Graph", "MultiDiGraph"]),
)
def test_a_graph_is_read_or_refused(edges, kind):
    graph = getattr(networkx, kind)()
    try:
        graph.add_edges_from(edges)
    except ValueError:  # networkx itself has no node None
        return
    try:
        onto = Ontology.from_digraph(graph)
    except FormatError as error:
        assert str(error)
        return
    assert Ontology.parse(str(onto)) == onto
    assert set(onto.to_digraph().edges()) == set(graph.edges())
