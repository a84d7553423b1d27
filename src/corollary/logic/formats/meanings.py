"""What a file says its labels mean: their readable names, synonyms and definitions, as one text for each label."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .names import tidy

OBO = "http://purl.obolibrary.org/obo/"
OBO_IN_OWL = "http://www.geneontology.org/formats/oboInOwl#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
#: Where RDF has names, synonyms and definitions of a class or concept.
NAMES = (RDFS + "label", SKOS + "prefLabel")
SYNONYMS = (SKOS + "altLabel", OBO_IN_OWL + "hasExactSynonym", OBO_IN_OWL + "hasRelatedSynonym")
DEFINITIONS = (SKOS + "definition", OBO + "IAO_0000115", RDFS + "comment", SKOS + "scopeNote")


def meaning_of(label: str, *, names: Iterable[str], synonyms: Iterable[str], definitions: Iterable[str]) -> str:
    """One text of all that is said: other names first, then definitions; empty where there is nothing but the label."""
    called = [name for name in _tidied((*names, *synonyms)) if name != label]
    said = ["; ".join(called), *_tidied(definitions)]
    return ": ".join(part for part in said if part)


def of_graph(graph: Any, name_of: Mapping[str, str], *, language: str | None) -> dict[str, str]:
    """What an RDF graph says of its classes or concepts, {label: text}; `name_of` has the label of each IRI."""
    from .files import optional

    reference = optional("rdflib").URIRef
    found = {}
    for iri, label in name_of.items():
        texts = {
            kind: [text for where in places for text in _texts(graph, reference(iri), reference(where), language)]
            for kind, places in (("names", NAMES), ("synonyms", SYNONYMS), ("definitions", DEFINITIONS))
        }
        if text := meaning_of(label, **texts):
            found[label] = text
    return found


def _texts(graph: Any, node: Any, predicate: Any, language: str | None) -> list[str]:
    """The literals of a node in one language: that asked for, else those without one, else English, else any."""
    literals = [value for value in graph.objects(node, predicate) if hasattr(value, "language")]
    by_language: dict[str, list[str]] = {}
    for literal in literals:
        by_language.setdefault((literal.language or "").lower().partition("-")[0], []).append(str(literal))
    wanted = (language or "").lower().partition("-")[0]
    order = [tag for tag in (wanted, "", "en", *sorted(by_language)) if tag in by_language]
    return sorted(by_language[order[0]]) if order else []


def _tidied(texts: Iterable[str]) -> list[str]:
    """Each text once, on one line, in order."""
    return list(dict.fromkeys(text for text in map(tidy, texts) if text))
