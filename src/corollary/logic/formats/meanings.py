"""What a file says its labels mean: their readable names, synonyms and definitions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..language.about import About
from .files import optional
from .names import tidy

OBO = "http://purl.obolibrary.org/obo/"
OBO_IN_OWL = "http://www.geneontology.org/formats/oboInOwl#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
#: Where RDF has names, synonyms and definitions of a class or concept.
NAMES = (RDFS + "label", SKOS + "prefLabel")
SYNONYMS = (SKOS + "altLabel", OBO_IN_OWL + "hasExactSynonym", OBO_IN_OWL + "hasRelatedSynonym")
DEFINITIONS = (SKOS + "definition", OBO + "IAO_0000115", RDFS + "comment", SKOS + "scopeNote")


def about(
    label: str, *, names: Iterable[str], synonyms: Iterable[str], definitions: Iterable[str]
) -> About:
    """What is said of a label, each text once and on one line; nothing where there is nothing but the label."""
    others = [name for name in _tidied(names) if name != label]
    further = [name for name in _tidied(synonyms) if name != label and name not in others]
    return About(tuple(others), tuple(further), tuple(_tidied(definitions)))


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
        if said := about(label, **texts):
            found[label] = said
    return found


def to_graph(graph: Any, node: Any, label: str, said: About, *, name: str, definition: str) -> None:
    """Add what is said of a label to an RDF graph; `name` and `definition` are the IRIs that say it there."""
    rdflib = optional("rdflib")
    first, *others = said.names or (label,)
    told = [(name, first), *((SKOS + "altLabel", other) for other in (*others, *said.synonyms))]
    for where, text in [*told, *((definition, text) for text in said.definitions)]:
        graph.add((node, rdflib.URIRef(where), rdflib.Literal(text)))


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
