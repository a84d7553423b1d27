"""OWL ontologies in RDF: class axioms as constraints, everything else that has meaning listed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

from ...errors import FormatError
from ...language import constraints as c
from ...language import formula as f
from ...language import relations as r
from ...language.about import About
from ...language.notation import Document, document, render_constraint, render_short
from .. import meanings, rdf
from ..files import optional
from ..names import code_of, fragment, one_or_many, tidy
from . import axioms
from .class_expressions import Expressions, as_list, as_rdf, fits
from .object_properties import read_relations, write_relations


def _terms(namespace: str, words: str) -> frozenset[str]:
    return frozenset(namespace + word for word in words.split())


#: Predicates that do not affect class membership, or that are read with the expression they are
#: part of.
_WITHOUT_MEANING = (
    _terms(rdf.RDFS, "label comment seeAlso isDefinedBy")
    | _terms(rdf.RDF, "first rest subject predicate object value")
    | _terms(
        rdf.OWL,
        "versionInfo versionIRI priorVersion backwardCompatibleWith incompatibleWith deprecated",
    )
    | _terms(
        rdf.OWL,
        "annotatedSource annotatedProperty annotatedTarget members distinctMembers onProperty onProperties",
    )
    | _terms(
        rdf.OWL,
        "onClass onDataRange someValuesFrom allValuesFrom hasValue hasSelf onDatatype withRestrictions",
    )
    | _terms(
        rdf.OWL,
        "minCardinality maxCardinality cardinality sourceIndividual assertionProperty targetIndividual",
    )
    | _terms(
        rdf.OWL, "minQualifiedCardinality maxQualifiedCardinality qualifiedCardinality targetValue"
    )
)
_TYPES_WITHOUT_MEANING = (
    _terms(
        rdf.OWL,
        "Class Ontology Restriction Axiom Annotation AnnotationProperty DeprecatedClass NamedIndividual",
    )
    | _terms(rdf.OWL, "AllDisjointClasses DataRange")
    | _terms(rdf.RDFS, "Class Datatype")
    | _terms(rdf.RDF, "List")
)
#: How a line begins of which a part is expressed.
IN_PART = "in part: "
_CLASS_TYPES = _terms(rdf.OWL, "Class DeprecatedClass") | _terms(rdf.RDFS, "Class")
_PROPERTY_TYPES = _terms(rdf.OWL, "ObjectProperty DatatypeProperty")
_BUILT_IN = (rdf.OWL, rdf.RDF, rdf.RDFS, rdf.XSD)

Triple = tuple[Any, Any, Any]


def read(
    data: bytes,
    *,
    file: str,
    serialisation: str = "xml",
    names: str | None = None,
    language: str | None = None,
    hierarchy: str | Iterable[str] = (),
    imports: bool = False,
) -> Document:
    """The classes and class axioms of an ontology.

    `names` decides the names of labels: `label`, `fragment` or `iri`. By default, a class gets the
    first unique one. `language` is the preferred language. `hierarchy` names properties such as
    `part_of`: "part of some hand" is read as "hand". With `imports`, imports are read from files
    beside this one.
    """
    rdflib = optional("rdflib")
    graph = rdf.parse(data, serialisation=serialisation, file=file)
    if imports:
        rdf.add_imports(graph, file)
    properties = {
        s for kind in _PROPERTY_TYPES for s in graph.subjects(rdflib.RDF.type, rdflib.URIRef(kind))
    }
    notes = meanings.Notes(graph, name=rdf.RDFS + "label", properties=properties)
    retired = meanings.retired_of_graph(graph, notes, _CLASS_TYPES, language=language)
    every, lost = _said(graph, file, properties, one_or_many(hierarchy))
    said, dropped = axioms.without_retired(every, retired)
    classes = _classes(graph, said, retired)
    _check_some(graph, classes, file)
    name_of = rdf.choose_names(
        graph, classes, rdflib.RDFS.label, kind=names, language=language, file=file
    )
    source = c.Source(file, None)
    constraints = dict.fromkeys(
        replace(axioms.renamed(constraint, name_of.__getitem__), source=source)
        for constraint in said
    )
    expressions = Expressions(graph, file=file)
    related, read_of_pairs = read_relations(expressions, name_of, language=language, source=source)
    words = _Words(expressions, name_of, language)
    about = meanings.of_graph(graph, name_of, notes, language=language)
    lines = [
        *(
            f"{IN_PART * in_part}{words.line(triple)}"
            for triple, in_part in lost
            if triple not in read_of_pairs
        ),
        *(f"of a retired term: {render_constraint(constraint)}" for constraint in dropped),
    ]
    return document(
        constraints,
        labels=name_of.values(),
        not_expressed=dict.fromkeys(lines),
        about=about,
        retired=[one for iri, one in retired.items() if _is_class(graph, iri)],
        not_kept=notes.left(),
        pairs=related,
    )


def _said(
    graph: Any, file: str, properties: Collection[Any], hierarchy: Collection[str]
) -> tuple[list[c.Hard], list[tuple[Triple, bool]]]:
    """What the triples say as constraints over IRIs, and the triples that are not said, or only in part."""
    above = [one for one in properties if not _forms(graph, one).isdisjoint(hierarchy)]
    reading = _Axioms(Expressions(graph, file=file, above=above))
    said: list[c.Hard] = []
    lost: list[tuple[Triple, bool]] = []
    for triple in graph:
        found = reading.constraints(triple)
        if found is not None:
            said += found[0]
            whole = found[1]
        else:
            whole = not _has_meaning(triple, properties)
        if not whole:
            lost.append((triple, bool(found and found[0])))
    return said, lost


def _forms(graph: Any, node: Any) -> set[str]:
    """What a property may be called."""
    words = {str(text) for text in graph.objects(node, optional("rdflib").RDFS.label)}
    words |= {text.replace(" ", "_") for text in words}
    return words | {str(node), code_of(str(node)), fragment(str(node)) or ""}


class _Axioms:
    """Reads one triple at a time, following it into the expressions it points at."""

    def __init__(self, expressions: Expressions):
        self.expressions = expressions
        rdflib = optional("rdflib")
        owl = rdflib.OWL
        self._reference = rdflib.URIRef
        self._by_predicate: dict[Any, Callable[[Any, Any], tuple[list[c.Hard], bool]]] = {
            rdflib.RDFS.subClassOf: self._subclass,
            owl.equivalentClass: self._same,
            owl.disjointWith: lambda a, b: self._disjoint([a, b]),
            owl.disjointUnionOf: lambda whole, head: self._union(whole, expressions.items(head)),
            owl.members: lambda node, head: self._members(node, expressions.items(head)),
        }
        # Said of a named class rather than of a blank node, an expression defines the class.
        self._definitions = {owl.intersectionOf, owl.unionOf, owl.complementOf, owl.oneOf}

    def constraints(self, triple: Triple) -> tuple[list[c.Hard], bool] | None:
        """Return the constraints of a class axiom, and whether they are all of it.

        None if it is no class axiom.
        """
        subject, predicate, value = triple
        if predicate in self._by_predicate:
            return self._by_predicate[predicate](subject, value)
        if predicate in self._definitions:
            if not isinstance(subject, self._reference) or not self._is_class(subject):
                return [], True  # part of an expression, or a data type
            return self._definition(subject, predicate, value)
        return None

    def _is_class(self, node: Any) -> bool:
        rdflib = optional("rdflib")
        return (node, rdflib.RDF.type, rdflib.RDFS.Datatype) not in self.expressions.graph

    def _low(self, node: Any) -> tuple[f.Expression, bool]:
        return self.expressions.formula(node, unknown=f.FALSE)

    def _high(self, node: Any) -> tuple[f.Expression, bool]:
        return self.expressions.formula(node, unknown=f.TRUE)

    def _subclass(self, low: Any, high: Any) -> tuple[list[c.Hard], bool]:
        (a, all_a) = self._low(low)
        (b, all_b) = self._high(high)
        return axioms.subclass(a, b), all_a and all_b

    def _same(self, one: Any, other: Any) -> tuple[list[c.Hard], bool]:
        (a, all_a) = self._low(one)
        (b, all_b) = self._low(other)
        if all_a and all_b:
            return axioms.same(a, b), True
        return [*self._subclass(one, other)[0], *self._subclass(other, one)[0]], False

    def _definition(self, subject: Any, predicate: Any, value: Any) -> tuple[list[c.Hard], bool]:
        name = f.Name(str(subject))
        low, whole = self.expressions.compound(predicate, value, unknown=f.FALSE)
        if whole:
            return axioms.same(name, low), True
        high, _ = self.expressions.compound(predicate, value, unknown=f.TRUE)
        return [*axioms.subclass(name, high), *axioms.subclass(low, name)], False

    def _disjoint(self, nodes: list[Any]) -> tuple[list[c.Hard], bool]:
        parts = [self._low(node) for node in nodes]
        return axioms.disjoint(part for part, _ in parts), all(whole for _, whole in parts)

    def _members(self, node: Any, nodes: list[Any]) -> tuple[list[c.Hard], bool]:
        rdflib = optional("rdflib")
        if (node, rdflib.RDF.type, rdflib.OWL.AllDisjointClasses) in self.expressions.graph:
            return self._disjoint(nodes)
        return [], True  # of properties or individuals: listed for their type

    def _union(self, whole: Any, nodes: list[Any]) -> tuple[list[c.Hard], bool]:
        (name, _) = self._low(whole)
        parts = [self._low(node) for node in nodes]
        if all(complete for _, complete in parts):
            return axioms.disjoint_union(name, [part for part, _ in parts]), True
        below = [constraint for part, _ in parts for constraint in axioms.subclass(part, name)]
        above = axioms.subclass(name, f.Or(tuple(self._high(node)[0] for node in nodes)))
        return [*below, *self._disjoint(nodes)[0], *above], False


def _has_meaning(triple: Triple, properties: Container[Any]) -> bool:
    """Whether a triple that is no class axiom affects class membership."""
    rdflib = optional("rdflib")
    subject, predicate, value = triple
    if predicate == rdflib.RDF.type:
        return str(value) not in _TYPES_WITHOUT_MEANING
    if predicate == rdflib.OWL.inverseOf and isinstance(subject, rdflib.BNode):
        return False  # inside a restriction
    if str(predicate) in _WITHOUT_MEANING:
        return False
    return (
        str(predicate).startswith(_BUILT_IN) or predicate in properties
    )  # else it is an annotation


def _classes(graph: Any, said: list[c.Hard], retired: Container[str]) -> list[Any]:
    """The classes that become labels: all but the retired ones."""
    rdflib = optional("rdflib")
    mentioned = dict.fromkeys(
        rdflib.URIRef(iri) for constraint in said for iri in constraint.labels
    )
    declared = dict.fromkeys(
        node
        for kind in (rdflib.OWL.Class, rdflib.RDFS.Class)
        for node in graph.subjects(rdflib.RDF.type, kind)
        if isinstance(node, rdflib.URIRef)
        and not str(node).startswith(_BUILT_IN)
        and str(node) not in retired
    )
    return [*declared, *(node for node in mentioned if node not in declared)]


def _is_class(graph: Any, iri: str) -> bool:
    """Whether the graph uses an IRI as a class, not as a property or an individual."""
    rdflib = optional("rdflib")
    kinds = graph.objects(rdflib.URIRef(iri), rdflib.RDF.type)
    return any(str(kind) in _CLASS_TYPES for kind in kinds)


def _check_some(graph: Any, classes: list[Any], file: str) -> None:
    rdflib = optional("rdflib")
    if not classes:
        concepts = (None, rdflib.RDF.type, rdflib.SKOS.Concept) in graph
        raise FormatError(
            f"{file} has no OWL classes" + ("; for its SKOS concepts pass format='skos'" * concepts)
        )


class _Words:
    """Says in words what could not be expressed."""

    def __init__(self, expressions: Expressions, name_of: dict[str, str], language: str | None):
        self.expressions = expressions
        self.name_of = name_of
        self.language = language

    def line(self, triple: Triple) -> str:
        """One readable line for a triple."""
        rdflib = optional("rdflib")
        subject, predicate, value = triple
        if predicate == rdflib.OWL.imports:
            return f"imports {value}"
        if predicate == rdflib.OWL.members:
            return f"disjoint classes: {self._say(value)}"
        if predicate == rdflib.RDF.type:
            return f"{self._say(subject)} is a {self._say(value)}"
        return f"{self._say(subject)} {fragment(str(predicate))} {self._say(value)}"

    def _say(self, node: Any) -> str:
        return self.expressions.words(node, self._name)

    def _name(self, node: Any) -> str:
        if (name := self.name_of.get(str(node))) is not None:
            return name
        label = optional("rdflib").RDFS.label
        text = rdf.text_of(self.expressions.graph, node, label, language=self.language)
        return tidy(text) or fragment(str(node)) or str(node)


def write(
    document: Document, *, serialisation: str = "xml", base: str = rdf.BASE
) -> tuple[bytes, list[str]]:
    """The document as class axioms, and what they cannot express.

    A label's name is its rdfs:label, by default the label itself. Synonyms are skos:altLabel, definitions
    skos:definition, unless annotations say more.
    """
    rdflib = optional("rdflib")
    graph = rdf.new_graph()
    known = (("owl", rdf.OWL), ("rdf", rdf.RDF), ("rdfs", rdf.RDFS), ("skos", rdf.SKOS), ("", base))
    for prefix, namespace in known:
        graph.bind(prefix, namespace)
    relations = r.divided(document.pairs, document.labels)[2]
    iri_of = rdf.iris((*document.labels, *relations), document.about, base=base)
    graph.add((rdflib.URIRef(base.rstrip("#/")), rdflib.RDF.type, rdflib.OWL.Ontology))
    for label in document.labels:
        iri = iri_of[label]
        graph.add((iri, rdflib.RDF.type, rdflib.OWL.Class))
        said = document.about.get(label, About())
        meanings.to_graph(graph, iri, label, said, base, calls=meanings.OWL_CALLS)
        meanings.ids_to_graph(graph, iri, meanings.ALT_IDS[0], said.alt_ids, base)
    for retired in document.retired:
        iri = rdf.reference(retired.id, base)
        graph.add((iri, rdflib.RDF.type, rdflib.OWL.Class))
        meanings.retired_to_graph(graph, iri, retired, base, calls=meanings.OWL_CALLS)
    lost = []
    blank = rdf.blank_nodes()
    for constraint in document.constraints:
        if isinstance(constraint, c.Soft):
            lost.append(render_constraint(constraint))
        elif isinstance(constraint, c.Formula) and not fits(constraint.expression):
            lost.append(f"{render_constraint(constraint)} (too large as a class expression)")
        else:
            _add(graph, constraint, iri_of, blank)
    of_pairs = write_relations(graph, document.pairs, iri_of, relations, blank)
    lost += [render_short(said) for said in of_pairs]
    return rdf.serialise(graph, serialisation), lost


def _add(graph: Any, constraint: c.Hard, iri_of: dict[str, Any], blank: Iterator[Any]) -> None:
    """Add a constraint to the graph as axioms."""
    rdflib = optional("rdflib")
    owl = rdflib.OWL
    subclass_of = rdflib.RDFS.subClassOf

    def node(expression: f.Expression) -> Any:
        return as_rdf(graph, expression, iri_of, blank)

    def any_of(labels: tuple[str, ...]) -> Any:
        return node(f.Or(tuple(map(f.Name, labels))))

    match constraint:
        case c.Subsumes(parent, children):
            for child in children:
                graph.add((iri_of[child], subclass_of, iri_of[parent]))
        case c.Covers(parent, children):
            graph.add((iri_of[parent], subclass_of, any_of(children)))
        case c.AtLeastOne(labels):
            graph.add((owl.Thing, subclass_of, any_of(labels)))
        case c.Exclusive(labels):
            _add_disjoint(graph, [iri_of[label] for label in labels], blank)
        case c.ExactlyOne(labels):
            graph.add((owl.Thing, subclass_of, any_of(labels)))
            _add_disjoint(graph, [iri_of[label] for label in labels], blank)
        case c.Equivalent(labels):
            for a, b in pairwise(labels):
                graph.add((iri_of[a], owl.equivalentClass, iri_of[b]))
        case c.Formula(f.Implies(a, b)):
            graph.add((node(a), subclass_of, node(b)))
        case c.Formula(f.Iff(a, b)):
            graph.add((node(a), owl.equivalentClass, node(b)))
        case c.Formula(expression):
            graph.add((owl.Thing, subclass_of, node(expression)))


def _add_disjoint(graph: Any, nodes: list[Any], blank: Iterator[Any]) -> None:
    rdflib = optional("rdflib")
    if len(nodes) == 2:
        graph.add((nodes[0], rdflib.OWL.disjointWith, nodes[1]))
    elif len(nodes) > 2:
        axiom = next(blank)
        graph.add((axiom, rdflib.RDF.type, rdflib.OWL.AllDisjointClasses))
        graph.add((axiom, rdflib.OWL.members, as_list(graph, nodes, blank)))
