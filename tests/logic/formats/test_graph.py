from __future__ import annotations

import sys

import networkx
import pytest
from hypothesis import given

from corollary.logic.errors import FormatError
from corollary.logic.formats import from_digraph, to_digraph
from corollary.logic.language.constraints import Soft, Subsumes
from corollary.logic.language.notation import Document, document, parse

from .documents import documents


def test_from_digraph_either_way():
    graph = networkx.DiGraph([("bird", "animal"), ("fish", "animal")])
    expected = Document(
        ("bird", "animal", "fish"), (Subsumes("animal", ("bird",)), Subsumes("animal", ("fish",)))
    )
    assert from_digraph(graph) == expected
    assert from_digraph(graph.reverse(), edges="parent-child").constraints == expected.constraints


def test_attributes_of_edges_are_listed():
    graph = networkx.MultiDiGraph()
    graph.add_edge("a", "b", weight=2)
    graph.add_edge("a", "b", kind="x")
    found = from_digraph(graph)
    assert found.constraints == (Subsumes("b", ("a",)),)
    assert found.not_expressed == (
        "the attribute 'weight' of the edges",
        "the attribute 'kind' of the edges",
    )


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (networkx.Graph([("a", "b")]), "no directions"),
        (networkx.DiGraph([(1, 2)]), "must be text, got int 1"),
        (networkx.DiGraph([("a", "a")]), "from 'a' to itself"),
    ],
)
def test_errors(graph, message):
    with pytest.raises(FormatError, match=message):
        from_digraph(graph)


def test_unknown_direction():
    with pytest.raises(FormatError, match="must be 'child-parent' or 'parent-child'; got 'up'"):
        from_digraph(networkx.DiGraph(), edges="up")
    with pytest.raises(FormatError, match="must be 'child-parent' or 'parent-child'; got 'up'"):
        to_digraph(parse("a > b"), edges="up")


def test_soft_constraints_are_no_edges():
    document = Document(("a", "b"), (Soft(Subsumes("a", ("b",)), 3.0),))
    with pytest.raises(FormatError, match=r"a graph cannot express: a \(weight 3\) > b"):
        to_digraph(document)
    assert not to_digraph(document, lossy=True).edges


@given(documents())
def test_round_trip_of_the_tree(given_document):
    tree = [
        constraint for constraint in given_document.constraints if isinstance(constraint, Subsumes)
    ]
    graph = to_digraph(given_document, lossy=True)
    assert len(graph.graph["not_expressed"]) == len(given_document.constraints) - len(tree)
    back = from_digraph(graph)
    edges = {Subsumes(c.parent, (child,)) for c in tree for child in c.children}
    assert back.labels == document((), labels=given_document.labels).labels
    assert set(back.constraints) == edges
    assert set(to_digraph(given_document, edges="parent-child", lossy=True).reverse().edges) == set(
        graph.edges
    )


def test_what_a_graph_cannot_express_is_an_error():
    with pytest.raises(FormatError, match="cannot express: exclusive: b, c; pass lossy=True"):
        to_digraph(parse("a > exclusive: b, c"))


def test_networkx_is_not_required_to_read_a_graph(monkeypatch):
    graph = networkx.DiGraph([("a", "b")])
    monkeypatch.setitem(sys.modules, "networkx", None)
    assert from_digraph(graph).labels == ("a", "b")
    with pytest.raises(FormatError, match=r"networkx: pip install corollary\[formats\]"):
        to_digraph(parse("a > b"))


@pytest.mark.parametrize("graph", [None, "a > b", 3, {"a": "b"}, [("a", "b")]])
def test_what_is_no_graph_is_refused(graph):
    with pytest.raises(FormatError, match="expected a networkx graph, got"):
        from_digraph(graph)
