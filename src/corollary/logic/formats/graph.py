"""Taxonomies as networkx graphs."""

from __future__ import annotations

from typing import Any, Literal

from ..errors import FormatError, OntologyError
from ..language.constraints import Subsumes, check_name
from ..language.notation import Document, document, render_constraint
from .files import optional

Edges = Literal["child-parent", "parent-child"]


def from_digraph(graph: Any, *, edges: Edges = "child-parent") -> Document:
    """A directed graph whose nodes are label names and whose edges go from child to parent, or the other way."""
    upward = _upward(edges)
    if not all(hasattr(graph, name) for name in ("is_directed", "nodes", "edges")):
        raise FormatError(f"expected a networkx graph, got {type(graph).__name__}")
    if not graph.is_directed():
        raise FormatError(
            "the graph has no directions, so that nobody knows which end of an edge is the parent"
        )
    pairs = dict.fromkeys((a, b) if upward else (b, a) for a, b in graph.edges())
    for node in graph.nodes():
        try:
            check_name(node)
        except OntologyError as error:
            raise FormatError(f"a node of the graph cannot be a label: {error}") from None
    for child, parent in pairs:
        if child == parent:
            raise FormatError(f"the graph has an edge from {child!r} to itself; remove it")
    attributes = dict.fromkeys(key for _, _, data in graph.edges(data=True) for key in data)
    lost = [f"the attribute {key!r} of the edges" for key in attributes]
    return document(
        (Subsumes(parent, (child,)) for child, parent in pairs),
        labels=graph.nodes(),
        not_expressed=lost,
    )


def to_digraph(document: Document, *, edges: Edges = "child-parent", lossy: bool = False) -> Any:
    """A networkx.DiGraph of the labels; what it cannot express is an error, or a list in `graph.graph` if `lossy`."""
    upward = _upward(edges)
    graph = optional("networkx").DiGraph()
    graph.add_nodes_from(document.labels)
    lost = []
    for constraint in document.constraints:
        if isinstance(constraint, Subsumes):
            parent = constraint.parent
            graph.add_edges_from(
                (c, parent) if upward else (parent, c) for c in constraint.children
            )
        else:
            lost.append(render_constraint(constraint))
    if lost and not lossy:
        raise FormatError(
            f"a graph cannot express: {'; '.join(lost[:20])}; pass lossy=True to leave it out"
        )
    graph.graph["not_expressed"] = tuple(lost)
    return graph


def _upward(edges: str) -> bool:
    if not isinstance(edges, str) or edges not in ("child-parent", "parent-child"):
        raise FormatError(f"edges must be 'child-parent' or 'parent-child'; got {edges!r}")
    return edges == "child-parent"
