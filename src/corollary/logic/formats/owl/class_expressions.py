"""OWL class expressions as formulas over IRIs, as words, and back as RDF."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any

from ...errors import FormatError
from ...language import formula as f
from ...language.syntax import MAX_DEPTH
from .. import rdf
from ..files import optional

#: A class expression of more parts than this is not written.
MAX_PARTS = 100_000
#: The largest number of parts of all expressions of a file, and as many more for each triple.
SHARED_PARTS = 20_000
PARTS_A_TRIPLE = 10
#: The largest number of parts of an expression that are said in words.
SAID = 50

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


@dataclass(frozen=True, slots=True)
class _Read:
    """A class expression that was read: the formula, whether that is all of it, and its extent written out."""

    formula: f.Expression
    whole: bool
    parts: int = 1
    depth: int = 1


@dataclass(slots=True)
class _Room:
    """How many more parts a line of words may have."""

    parts: int


class Expressions:
    """The class expressions of a graph, read as formulas over IRIs and as words.

    Expressions may share parts, so that a small file can stand for a huge formula. Every node is read once, and all
    that is asked for may not get much longer, written out, than the file is.
    """

    def __init__(self, graph: Any, *, file: str, above: Collection[Any] = ()):
        self.graph = graph
        self.above = above  # the properties of which "under some" is read as "under"
        self.file = file
        self._rdflib = optional("rdflib")
        self._left = SHARED_PARTS + PARTS_A_TRIPLE * len(graph)
        self._known: dict[tuple[Any, f.Constant], _Read] = {}
        self._lists: dict[Any, list[Any]] = {}

    def formula(self, node: Any, *, unknown: f.Constant) -> tuple[f.Expression, bool]:
        """A class expression as a formula over IRIs, and whether it is all of it.

        What a formula cannot say, a restriction for instance, is replaced by `unknown` (by its opposite inside a
        complement). With false for the lower side of an axiom and true for the upper, it gets weaker, never wrong.
        """
        return self._written_out(self._node(node, unknown, 0))

    def compound(
        self, predicate: Any, value: Any, *, unknown: f.Constant
    ) -> tuple[f.Expression, bool]:
        """The expression that a node with this predicate and value stands for, as `formula` gives it."""
        return self._written_out(self._compound(predicate, value, unknown, 0))

    def items(self, head: Any) -> list[Any]:
        """The members of an RDF list."""
        if head not in self._lists:
            self._lists[head] = rdf.items(self.graph, head, file=self.file)
            self._spend(len(self._lists[head]))
        return self._lists[head]

    def _written_out(self, read: _Read) -> tuple[f.Expression, bool]:
        self._spend(read.parts)
        return read.formula, read.whole

    def _spend(self, parts: int) -> None:
        self._left -= parts
        if self._left < 0:
            raise FormatError(
                f"{self.file}: its class expressions share parts, and written out they are far larger than the file; "
                "name the parts that are used again and again"
            )

    def _node(self, node: Any, unknown: f.Constant, depth: int) -> _Read:
        if (node, unknown) not in self._known:
            self._check_depth(depth)
            self._known[node, unknown] = self._read(node, unknown, depth)
        return self._known[node, unknown]

    def _read(self, node: Any, unknown: f.Constant, depth: int) -> _Read:
        owl = self._rdflib.OWL
        if isinstance(node, self._rdflib.URIRef):
            if node in (owl.Thing, owl.Nothing):
                return _Read(f.TRUE if node == owl.Thing else f.FALSE, True)
            return _Read(f.Name(str(node)), True)
        for predicate in (owl.intersectionOf, owl.unionOf, owl.complementOf):
            if (value := self.graph.value(node, predicate)) is not None:
                return self._compound(predicate, value, unknown, depth)
        if unknown.value and self.graph.value(node, owl.onProperty) in self.above:
            value = self.graph.value(node, owl.someValuesFrom)
            if value is not None:
                return self._node(value, unknown, depth + 1)
        return _Read(unknown, False)

    def _compound(self, predicate: Any, value: Any, unknown: f.Constant, depth: int) -> _Read:
        owl = self._rdflib.OWL
        if predicate == owl.complementOf:
            inner = [self._node(value, f.Constant(not unknown.value), depth + 1)]
            formula: f.Expression = f.Not(inner[0].formula)
        elif predicate in (owl.intersectionOf, owl.unionOf):
            inner = [self._node(part, unknown, depth + 1) for part in self.items(value)]
            join = f.And if predicate == owl.intersectionOf else f.Or
            formula = join(tuple(part.formula for part in inner))
        else:
            return _Read(unknown, False)
        deepest = max((part.depth for part in inner), default=0)
        self._check_depth(deepest)
        return _Read(
            formula,
            all(part.whole for part in inner),
            1 + sum(part.parts for part in inner),
            1 + deepest,
        )

    def _check_depth(self, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise FormatError(
                f"{self.file}: a class expression is nested more than {MAX_DEPTH} deep, or contains itself"
            )

    def words(self, node: Any, name_of: Callable[[Any], str]) -> str:
        """A class expression as people say it: `bird and (has_part some wing)`; of a large one only the beginning."""
        return self._words(node, name_of, _Room(SAID), 0)

    def _words(self, node: Any, name_of: Callable[[Any], str], room: _Room, depth: int) -> str:
        rdflib = self._rdflib
        owl = self._rdflib.OWL
        room.parts -= 1
        if isinstance(node, rdflib.Literal):
            return f'"{node}"'
        if isinstance(node, rdflib.URIRef):
            return name_of(node)
        if depth > 5:  # a line to read, not to parse
            return "..."

        def inner(part: Any) -> str:
            said = self._words(part, name_of, room, depth + 1)
            return f"({said})" if isinstance(part, rdflib.BNode) and " " in said else said

        def each(head: Any) -> Iterator[str]:
            members = self.items(head)
            for n, part in enumerate(members):
                if room.parts <= 0:
                    yield f"... ({len(members) - n:,} more)"
                    return
                yield inner(part)

        for predicate, word in (
            (owl.intersectionOf, " and "),
            (owl.unionOf, " or "),
            (owl.oneOf, ", "),
        ):
            if (head := self.graph.value(node, predicate)) is not None:
                said = word.join(each(head))
                return f"{{{said}}}" if predicate == owl.oneOf else said
        for predicate, word in ((owl.complementOf, "not"), (owl.inverseOf, "inverse of")):
            if (part := self.graph.value(node, predicate)) is not None:
                return f"{word} {inner(part)}"
        if (prop := self.graph.value(node, owl.onProperty)) is not None:
            return f"{inner(prop)} {self._restriction(node, inner)}"
        if (node, rdflib.RDF.first, None) in self.graph:
            return ", ".join(each(node))
        return "something without a name"

    def _restriction(self, node: Any, inner: Callable[[Any], str]) -> str:
        owl = self._rdflib.OWL
        for local, word in _RESTRICTIONS.items():
            if (value := self.graph.value(node, owl[local])) is not None:
                of_class = self.graph.value(node, owl.onClass) or self.graph.value(
                    node, owl.onDataRange
                )
                number_of = f" {inner(of_class)}" if of_class is not None else ""
                shown = str(value) if "ardinality" in local else inner(value)
                return f"{word} {shown}{number_of}"
        return "restricted in a way that is not OWL"


def as_rdf(
    graph: Any, expression: f.Expression, iri_of: dict[str, Any], blank: Iterator[Any]
) -> Any:
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
        graph.add(
            (node, predicate, as_list(graph, [add(part) for part in f.parts_of(expression)], blank))
        )
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
    parts = sum(parts for parts, _ in inner)
    depth = max((depth for _, depth in inner), default=0)
    if isinstance(expression, f.Iff):
        return 5 + 2 * parts, 3 + depth
    return (2 + parts, 2 + depth) if isinstance(expression, f.Implies) else (1 + parts, 1 + depth)
