"""OWL class expressions as formulas over IRIs, as words, and back as RDF."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .. import formula as f
from ..errors import FormatError
from ..syntax import MAX_DEPTH
from . import rdf
from .files import optional

#: A class expression of more parts than this is refused.
MAX_PARTS = 100_000

#: How OWL's restrictions are said, after the property.
_RESTRICTIONS = {
    "someValuesFrom": "some",
    "allValuesFrom": "only",
    "hasValue": "value",
    "hasSelf": "self",
    "minCardinality": "min",
    "maxCardinality": "max",
    "cardinality": "exactly",
    "minQualifiedCardinality": "min",
    "maxQualifiedCardinality": "max",
    "qualifiedCardinality": "exactly",
}


class Expressions:
    """The class expressions of a graph, read as formulas over IRIs and as words."""

    def __init__(self, graph: Any, *, file: str):
        self.graph = graph
        self.file = file
        self._rdflib = optional("rdflib")
        self._parts = 0

    def formula(self, node: Any, *, unknown: f.Constant) -> tuple[f.Expression, bool]:
        """A class expression as a formula over IRIs, and whether it is all of it.

        What a formula cannot say, a restriction for instance, is replaced by `unknown` (by its opposite inside a
        complement). With false for the lower side of an axiom and true for the upper, it gets weaker, never wrong.
        """
        self._parts = 0
        return self._formula(node, unknown, 0)

    def _formula(self, node: Any, unknown: f.Constant, depth: int) -> tuple[f.Expression, bool]:
        owl = self._rdflib.OWL
        self._parts += 1  # nodes may be shared, so a small file can stand for a huge expression
        if depth > MAX_DEPTH or self._parts > MAX_PARTS:
            limit = f"nested more than {MAX_DEPTH} deep" if depth > MAX_DEPTH else f"of more than {MAX_PARTS:,} parts"
            raise FormatError(f"{self.file}: a class expression is {limit}, or contains itself")
        if isinstance(node, self._rdflib.URIRef):
            return f.TRUE if node == owl.Thing else f.FALSE if node == owl.Nothing else f.Name(str(node)), True
        for predicate in (owl.intersectionOf, owl.unionOf, owl.complementOf):
            if (value := self.graph.value(node, predicate)) is not None:
                return self._compound(predicate, value, unknown, depth)
        return unknown, False

    def compound(self, predicate: Any, value: Any, *, unknown: f.Constant) -> tuple[f.Expression, bool]:
        """The expression that a node with this predicate and value stands for, as `formula` gives it."""
        self._parts = 0
        return self._compound(predicate, value, unknown, 0)

    def _compound(self, predicate: Any, value: Any, unknown: f.Constant, depth: int) -> tuple[f.Expression, bool]:
        owl = self._rdflib.OWL
        if predicate == owl.complementOf:
            inner, whole = self._formula(value, f.Constant(not unknown.value), depth + 1)
            return f.Not(inner), whole
        if predicate not in (owl.intersectionOf, owl.unionOf):
            return unknown, False
        parts = [self._formula(part, unknown, depth + 1) for part in self.items(value)]
        join = f.And if predicate == owl.intersectionOf else f.Or
        return join(tuple(part for part, _ in parts)), all(whole for _, whole in parts)

    def items(self, head: Any) -> list[Any]:
        """The members of an RDF list."""
        return rdf.items(self.graph, head, file=self.file)

    def words(self, node: Any, name_of: Callable[[Any], str], *, depth: int = 0) -> str:
        """A class expression as people say it: `bird and (has_part some wing)`."""
        rdflib, owl = self._rdflib, self._rdflib.OWL
        if isinstance(node, rdflib.Literal):
            return f'"{node}"'
        if isinstance(node, rdflib.URIRef):
            return name_of(node)
        if depth > 5:  # a line to read, not to parse
            return "..."

        def inner(part: Any) -> str:
            said = self.words(part, name_of, depth=depth + 1)
            return f"({said})" if isinstance(part, rdflib.BNode) and " " in said else said

        for predicate, word in ((owl.intersectionOf, " and "), (owl.unionOf, " or "), (owl.oneOf, ", ")):
            if (head := self.graph.value(node, predicate)) is not None:
                said = word.join(map(inner, self.items(head)))
                return f"{{{said}}}" if predicate == owl.oneOf else said
        for predicate, word in ((owl.complementOf, "not"), (owl.inverseOf, "inverse of")):
            if (part := self.graph.value(node, predicate)) is not None:
                return f"{word} {inner(part)}"
        if (prop := self.graph.value(node, owl.onProperty)) is not None:
            return f"{inner(prop)} {self._restriction(node, inner)}"
        if (node, rdflib.RDF.first, None) in self.graph:
            return ", ".join(map(inner, self.items(node)))
        return "something without a name"

    def _restriction(self, node: Any, inner: Callable[[Any], str]) -> str:
        owl = self._rdflib.OWL
        for local, word in _RESTRICTIONS.items():
            if (value := self.graph.value(node, owl[local])) is not None:
                of_class = self.graph.value(node, owl.onClass) or self.graph.value(node, owl.onDataRange)
                number_of = f" {inner(of_class)}" if of_class is not None else ""
                shown = str(value) if "ardinality" in local else inner(value)
                return f"{word} {shown}{number_of}"
        return "restricted in a way that is not OWL"


def as_rdf(graph: Any, expression: f.Expression, iri_of: dict[str, Any], blank: Iterator[Any]) -> Any:
    """Add the expression to the graph; the node that stands for it."""
    rdflib = optional("rdflib")
    owl = rdflib.OWL

    def add(part: f.Expression) -> Any:
        return as_rdf(graph, part, iri_of, blank)

    match expression:
        case f.Name(name):
            return iri_of[name]
        case f.Constant(value):
            return owl.Thing if value else owl.Nothing
        case f.And((part,)) | f.Or((part,)):
            return add(part)
        case f.And(()) | f.Or(()):
            return owl.Thing if isinstance(expression, f.And) else owl.Nothing
        case f.Implies(a, b):
            return add(f.Or((f.Not(a), b)))
        case f.Iff(a, b):
            return add(f.And((f.Implies(a, b), f.Implies(b, a))))
    node = next(blank)
    graph.add((node, rdflib.RDF.type, owl.Class))
    if isinstance(expression, f.Not):
        graph.add((node, owl.complementOf, add(expression.part)))
    else:
        predicate = owl.intersectionOf if isinstance(expression, f.And) else owl.unionOf
        graph.add((node, predicate, as_list(graph, [add(part) for part in f.parts_of(expression)], blank)))
    return node


def as_list(graph: Any, nodes: list[Any], blank: Iterator[Any]) -> Any:
    """Add an RDF list to the graph; its head."""
    terms = optional("rdflib").RDF
    head = terms.nil
    for node in reversed(nodes):
        cell = next(blank)
        graph.add((cell, terms.first, node))
        graph.add((cell, terms.rest, head))
        head = cell
    return head


def fits(expression: f.Expression) -> bool:
    """Whether the expression is of a size that RDF tools, most of which are recursive, can read back."""
    parts, depth = _extent(expression)
    return parts <= MAX_PARTS and depth <= MAX_DEPTH // 2


def _extent(expression: f.Expression) -> tuple[int, int]:
    """Parts and depth as RDF, where "if" takes a complement and "if and only if" says its parts twice."""
    inner = [_extent(part) for part in f.parts_of(expression)]
    parts, depth = sum(parts for parts, _ in inner), max((depth for _, depth in inner), default=0)
    if isinstance(expression, f.Iff):
        return 5 + 2 * parts, 3 + depth
    return (2 + parts, 2 + depth) if isinstance(expression, f.Implies) else (1 + parts, 1 + depth)
