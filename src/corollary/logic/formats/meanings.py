"""What a file says its labels mean: their readable names, synonyms and definitions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..language.about import About, Retired
from . import rdf
from .files import optional
from .names import iri_of, tidy

OBO = "http://purl.obolibrary.org/obo/"
OBO_IN_OWL = "http://www.geneontology.org/formats/oboInOwl#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
#: Where RDF has names, synonyms and definitions of a class or concept.
NAMES = (RDFS + "label", SKOS + "prefLabel")
SYNONYMS = (SKOS + "altLabel", OBO_IN_OWL + "hasExactSynonym", OBO_IN_OWL + "hasRelatedSynonym")
#: Where RDF has ids of terms that were merged, and of terms that take the place of another.
ALT_IDS = (OBO_IN_OWL + "hasAlternativeId",)
SUPERSEDED = ("http://schema.org/supersededBy", "https://schema.org/supersededBy")
REPLACED_BY = (
    OBO + "IAO_0100001",
    "http://purl.org/dc/terms/isReplacedBy",
    OBO_IN_OWL + "replacedBy",
    *SUPERSEDED,
)
#: The same said the other way round: the new term replaces the old one.
REPLACES = ("http://purl.org/dc/terms/replaces",)
CONSIDER = (OBO_IN_OWL + "consider",)
#: Classes of deprecated terms, beside `owl:deprecated true`.
DEPRECATED = (
    "http://www.w3.org/2002/07/owl#DeprecatedClass",
    "http://purl.org/finnonto/schema/skosext#DeprecatedConcept",
)
DEFINITIONS = (SKOS + "definition", OBO + "IAO_0000115", RDFS + "comment", SKOS + "scopeNote")


def about(
    label: str,
    *,
    names: Iterable[str] = (),
    synonyms: Iterable[str] = (),
    definitions: Iterable[str] = (),
    id: str = "",
    alt_ids: Iterable[str] = (),
) -> About:
    """What a file says of a label: each text once, on one line, without the label itself."""
    others = [name for name in _tidied(names) if name != label]
    further = [name for name in _tidied(synonyms) if name != label and name not in others]
    alternatives = [other for other in dict.fromkeys(alt_ids) if other != id]
    texts = (tuple(others), tuple(further), tuple(_tidied(definitions)))
    return About(*texts, id=id, alt_ids=tuple(alternatives))


def of_graph(graph: Any, name_of: Mapping[str, str], *, language: str | None) -> dict[str, About]:
    """What an RDF graph says of its classes or concepts; `name_of` has the label of each IRI."""
    reference = optional("rdflib").URIRef
    found = {}
    for iri, label in name_of.items():
        texts = {
            kind: [
                text
                for where in places
                for text in _texts(graph, reference(iri), reference(where), language)
            ]
            for kind, places in (
                ("names", NAMES),
                ("synonyms", SYNONYMS),
                ("definitions", DEFINITIONS),
            )
        }
        identity = rdf.id_of(iri)
        known = "" if identity == label and identity != iri else identity
        found[label] = about(label, id=known, alt_ids=_ids(graph, iri, ALT_IDS), **texts)
    return found


def retired_of_graph(graph: Any, *, name: Any, language: str | None) -> dict[str, Retired]:
    """The deprecated classes or concepts of a graph, {IRI: the term}; `name` says how it is called.

    A term is deprecated if the graph says so, or if it says what supersedes it.
    """
    rdflib = optional("rdflib")
    nodes = [
        node
        for node, _, value in graph.triples((None, rdflib.OWL.deprecated, None))
        if str(value).lower() in ("true", "1")
    ]
    for kind in DEPRECATED:
        nodes += graph.subjects(rdflib.RDF.type, rdflib.URIRef(kind))
    for predicate in SUPERSEDED:
        nodes += graph.subjects(rdflib.URIRef(predicate), None)
    by_old: dict[Any, list[str]] = {}
    for predicate in REPLACES:
        for new, old in graph.subject_objects(rdflib.URIRef(predicate)):
            by_old.setdefault(old, []).append(rdf.id_of(str(new)))
    found = {}
    for node in dict.fromkeys(nodes):
        if isinstance(node, rdflib.URIRef):
            text = rdf.text_of(graph, node, name, language=language)
            found[str(node)] = Retired(
                rdf.id_of(str(node)),
                tidy(text) or "",
                tuple(dict.fromkeys([*_ids(graph, node, REPLACED_BY), *by_old.get(node, ())])),
                _ids(graph, node, CONSIDER),
                _ids(graph, node, ALT_IDS),
            )
    return found


def _ids(graph: Any, iri: str, predicates: Iterable[str]) -> tuple[str, ...]:
    """The terms that these predicates name, as IRIs; in literals, codes such as GO:0008150."""
    reference = optional("rdflib").URIRef
    values = [
        rdf.id_of(iri_of(str(value)))
        for predicate in predicates
        for value in graph.objects(reference(iri), reference(predicate))
        if not isinstance(value, optional("rdflib").BNode)
    ]
    return tuple(dict.fromkeys(values))


def to_graph(graph: Any, node: Any, label: str, said: About, *, name: str, definition: str) -> None:
    """Add what is said of a label to an RDF graph; `name` and `definition` are the IRIs that say it there."""
    rdflib = optional("rdflib")
    first, *others = said.names or (label,)
    told = [(name, first), *((SKOS + "altLabel", other) for other in (*others, *said.synonyms))]
    for where, text in [*told, *((definition, text) for text in said.definitions)]:
        graph.add((node, rdflib.URIRef(where), rdflib.Literal(text)))


def ids_to_graph(graph: Any, node: Any, predicate: str, ids: Iterable[str], base: str) -> None:
    """Add the terms that a predicate names."""
    for other in ids:
        graph.add((node, optional("rdflib").URIRef(predicate), rdf.reference(other, base)))


def retired_to_graph(graph: Any, node: Any, retired: Retired, base: str, *, name: str) -> None:
    """Add that a term is deprecated, and what takes its place."""
    rdflib = optional("rdflib")
    graph.add((node, rdflib.OWL.deprecated, rdflib.Literal(True)))
    if retired.name:
        graph.add((node, rdflib.URIRef(name), rdflib.Literal(retired.name)))
    ids_to_graph(graph, node, REPLACED_BY[0], retired.replaced_by, base)
    ids_to_graph(graph, node, CONSIDER[0], retired.consider, base)
    ids_to_graph(graph, node, ALT_IDS[0], retired.alt_ids, base)


def _texts(graph: Any, node: Any, predicate: Any, language: str | None) -> list[str]:
    """The literals of a node in one language: that asked for, else those without one, else English, else any."""
    literals = [value for value in graph.objects(node, predicate) if hasattr(value, "language")]
    by_language: dict[str, list[str]] = {}
    for literal in literals:
        by_language.setdefault((literal.language or "").lower().partition("-")[0], []).append(
            str(literal)
        )
    wanted = (language or "").lower().partition("-")[0]
    order = [tag for tag in (wanted, "", "en", *sorted(by_language)) if tag in by_language]
    return sorted(by_language[order[0]]) if order else []


def _tidied(texts: Iterable[str]) -> list[str]:
    """Each text once, on one line, in order."""
    return list(dict.fromkeys(text for text in map(tidy, texts) if text))
