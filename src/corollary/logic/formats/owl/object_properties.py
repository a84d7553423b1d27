"""Object properties of OWL as relations, both ways: signatures, hierarchy, inverses and characteristics."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import combinations, pairwise
from typing import Any

from ...language import constraints as c
from ...language import formula as f
from ...language import relations as r
from .. import rdf
from ..files import optional
from ..names import fragment, tidy
from .class_expressions import Expressions, as_rdf, fits

Triple = tuple[Any, Any, Any]


def read_relations(
    expressions: Expressions, name_of: Mapping[str, str], *, language: str | None, source: c.Source
) -> tuple[list[r.Said], set[Triple]]:
    """What a graph says of relations, and the triples that say it.

    Object properties are relations if they have a domain or a range that is expressible, or are tied to one that has.
    """
    reading = _Properties(expressions, name_of, source)
    found = reading.relations()
    if not found:
        return [], set()
    names = _names(expressions.graph, found, set(name_of.values()), language)
    return reading.said(names), reading.read


class _Properties:
    """Reads the object properties of a graph; `read` has the triples that were understood."""

    def __init__(self, expressions: Expressions, name_of: Mapping[str, str], source: c.Source):
        rdflib = optional("rdflib")
        self._owl, self._rdfs, self._type = rdflib.OWL, rdflib.RDFS, rdflib.RDF.type
        self._graph = expressions.graph
        self._expressions = expressions
        self._name_of = name_of
        self._source = source
        self._properties = [
            node
            for node in dict.fromkeys(self._graph.subjects(self._type, self._owl.ObjectProperty))
            if isinstance(node, rdflib.URIRef)
        ]
        self.read: set[Triple] = set()

    def relations(self) -> list[Any]:
        """The properties that are relations, in the order of their IRIs."""
        known = {
            node for node in self._properties if any(any(self._ends(node, end)) for end in (0, 1))
        }
        ties = [
            (a, b)
            for predicate in self._predicates()
            for a, b in self._graph.subject_objects(predicate)
            if a in self._properties and b in self._properties
        ]
        while more := {x for a, b in ties for x in (a, b) if (a in known) != (b in known)} - known:
            known |= more
        return sorted(known)

    def _predicates(self) -> list[Any]:
        owl, rdfs = self._owl, self._rdfs
        return [rdfs.subPropertyOf, owl.inverseOf, owl.propertyDisjointWith, owl.equivalentProperty]

    def _ends(self, node: Any, end: int) -> Iterator[tuple[f.Expression, Triple]]:
        """What a domain or a range says, as formulas over names of labels."""
        predicate = (self._rdfs.domain, self._rdfs.range)[end]
        for value in sorted(self._graph.objects(node, predicate)):
            expression, whole = self._expressions.formula(value, unknown=f.TRUE)
            if whole and all(name in self._name_of for name in f.names(expression)):
                named = f.rename(expression, self._name_of.__getitem__)
                yield named, (node, predicate, value)

    def said(self, names: Mapping[Any, str]) -> list[r.Said]:
        """All that is said of the relations."""
        found: list[r.Said] = []
        for node, name in names.items():
            ends = []
            for end in (0, 1):
                parts = list(self._ends(node, end))
                self.read |= {triple for _, triple in parts}
                ends.append(_all_of([part for part, _ in parts]))
            found.append(r.relation(name, ends[0], ends[1], source=self._source))
            self.read.add((node, self._type, self._owl.ObjectProperty))
            found += self._characteristics(node, name)
        for predicate, made in zip(self._predicates(), _MAKERS, strict=True):
            for a, b in sorted(self._graph.subject_objects(predicate)):
                if a in names and b in names and (a != b):
                    self.read.add((a, predicate, b))
                    found.append(made(names[a], names[b], self._source))
        return list(dict.fromkeys(found))

    def _characteristics(self, node: Any, name: str) -> Iterator[r.Said]:
        owl = self._owl
        for kind, made in (
            (owl.SymmetricProperty, r.symmetric(name, source=self._source)),
            (owl.FunctionalProperty, r.functional(name, source=self._source)),
            (owl.InverseFunctionalProperty, r.functional(name, inverse=True, source=self._source)),
        ):
            if (node, self._type, kind) in self._graph:
                self.read.add((node, self._type, kind))
                yield made


#: What axioms between two properties say, in the order of `_predicates`.
_MAKERS: tuple[Callable[[str, str, c.Source], r.Said], ...] = (
    lambda a, b, source: c.subsumes(b, a, source=source),
    lambda a, b, source: r.inverse(a, b, source=source),
    lambda a, b, source: c.exclusive(a, b, source=source),
    lambda a, b, source: c.equivalent(a, b, source=source),
)


def _all_of(parts: list[f.Expression]) -> f.Expression:
    kept = [part for part in parts if part != f.TRUE]
    return f.TRUE if not kept else kept[0] if len(kept) == 1 else f.And(tuple(kept))


def _names(graph: Any, nodes: list[Any], taken: set[str], language: str | None) -> dict[Any, str]:
    """A name for each relation that no label has: its text, else the end of its IRI, else the IRI."""
    label = optional("rdflib").RDFS.label
    found: dict[Any, str] = {}
    for node in nodes:
        text = tidy(rdf.text_of(graph, node, label, language=language))
        every = (text, fragment(str(node)), str(node))
        found[node] = next(name for name in every if name and name not in taken)
        taken = taken | {found[node]}
    return found


def write_relations(
    graph: Any,
    said: Collection[r.Said],
    iri_of: Mapping[str, Any],
    relations: Collection[str],
    blank: Iterator[Any],
) -> list[r.Said]:
    """Add relations to a graph as object properties; what it cannot say is returned."""
    rdflib = optional("rdflib")
    owl, rdfs, kind = rdflib.OWL, rdflib.RDFS, rdflib.RDF.type
    for name in relations:
        graph.add((iri_of[name], kind, owl.ObjectProperty))
        graph.add((iri_of[name], rdfs.label, rdflib.Literal(name)))
    lost: list[r.Said] = []
    for one in said:
        match one:
            case r.Relation(name, head, tail) if fits(head) and fits(tail):
                for predicate, end in ((rdfs.domain, head), (rdfs.range, tail)):
                    graph.add((iri_of[name], predicate, as_rdf(graph, end, dict(iri_of), blank)))
            case r.Symmetric(name):
                graph.add((iri_of[name], kind, owl.SymmetricProperty))
            case r.Functional(name, inverse):
                way = owl.InverseFunctionalProperty if inverse else owl.FunctionalProperty
                graph.add((iri_of[name], kind, way))
            case r.Inverse(name, other):
                graph.add((iri_of[name], owl.inverseOf, iri_of[other]))
            case c.Subsumes(parent, children):
                for child in children:
                    graph.add((iri_of[child], rdfs.subPropertyOf, iri_of[parent]))
            case c.Exclusive(names):
                for a, b in combinations(names, 2):
                    graph.add((iri_of[a], owl.propertyDisjointWith, iri_of[b]))
            case c.Equivalent(names):
                for a, b in pairwise(names):
                    graph.add((iri_of[a], owl.equivalentProperty, iri_of[b]))
            case _:
                lost.append(one)
    return lost
