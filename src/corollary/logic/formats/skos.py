"""SKOS thesauri: concepts as labels, and `broader` as subsumption where the caller says that it means that."""

from __future__ import annotations

from typing import Any

from ..errors import FormatError
from ..language.about import About
from ..language.constraints import Constraint, Source, Subsumes
from ..language.notation import Document, document, render_constraint
from . import meanings, rdf
from .files import optional
from .names import fragment

#: Relations between concepts; the first two groups are subsumption on request, the rest never is.
_UP = ("broader", "broaderTransitive", "broaderGeneric")
_DOWN = ("narrower", "narrowerTransitive", "narrowerGeneric")
_OTHER = (
    "related",
    "semanticRelation",
    "mappingRelation",
    "broadMatch",
    "narrowMatch",
    "relatedMatch",
    "closeMatch",
)
_RELATIONS = (*_UP, *_DOWN, *_OTHER, "exactMatch", "member", "memberList")


def read(
    data: bytes,
    *,
    file: str,
    serialisation: str = "xml",
    broader: bool = False,
    names: str | None = None,
    language: str | None = None,
) -> Document:
    """The concepts of a thesaurus.

    In SKOS, `broader` need not mean that every instance of the one is an instance of the other; `broader=True` says
    that in this file it does. `names` is `label`, `fragment` or `iri`; `language` the language of labels to prefer.
    """
    rdflib = optional("rdflib")
    graph = rdf.parse(data, serialisation=serialisation, file=file)
    links, others = _relations(graph)
    notes = meanings.Notes(graph, name=rdf.SKOS + "prefLabel")
    concept = (str(rdflib.SKOS.Concept), *meanings.DEPRECATED)
    retired = meanings.retired_of_graph(graph, notes, concept, language=language)
    concepts = dict.fromkeys(graph.subjects(rdflib.RDF.type, rdflib.SKOS.Concept))
    concepts |= dict.fromkeys(node for link in links for node in link)
    if not concepts:
        raise FormatError(f"{file} has no SKOS concepts")
    named = [node for node in concepts if isinstance(node, rdflib.URIRef)]
    nodes = [node for node in named if str(node) not in retired]
    if not named:
        raise FormatError(
            f"{file}: none of its {len(concepts):,} SKOS concepts has an IRI, so that none can be a label"
        )
    name_of = rdf.choose_names(
        graph, nodes, rdflib.SKOS.prefLabel, kind=names, language=language, file=file
    )

    def say(node: Any) -> str:
        if (name := name_of.get(str(node))) is not None:
            return name
        text = rdf.text_of(graph, node, rdflib.SKOS.prefLabel, language=language)
        if isinstance(node, rdflib.BNode):
            return repr(text) if text else "that has no name"
        return text or fragment(str(node)) or str(node)

    source = Source(file, None)
    constraints: list[Constraint] = []
    lost = [
        f"the concept {say(node)} without an IRI"
        for node in concepts
        if isinstance(node, rdflib.BNode)
    ]
    for low, high in links:
        if broader and str(low) in name_of and str(high) in name_of and low != high:
            constraints.append(Subsumes(say(high), (say(low),), source=source))
        else:
            lost.append(f"{say(low)} broader {say(high)}")
    lost += [
        f"{say(subject)} {fragment(str(predicate))} {say(value)}"
        for subject, predicate, value in others
    ]
    about = meanings.of_graph(graph, name_of, notes, language=language)
    return document(
        constraints,
        labels=name_of.values(),
        not_expressed=dict.fromkeys(lost),
        about=about,
        retired=[one for iri, one in retired.items() if rdflib.URIRef(iri) in concepts],
        not_kept=notes.left(),
    )


def _relations(graph: Any) -> tuple[dict[tuple[Any, Any], None], list[tuple[Any, Any, Any]]]:
    """The pairs (narrower, broader), said from either side, and the triples of other relations."""
    links: dict[tuple[Any, Any], None] = {}
    others = []
    for subject, predicate, value in graph:
        local = predicate.removeprefix(rdf.SKOS)
        if not predicate.startswith(rdf.SKOS) or local not in _RELATIONS:
            continue
        if local in _UP:
            links[subject, value] = None
        elif local in _DOWN:
            links[value, subject] = None
        else:
            others.append((subject, predicate, value))
    return links, others


def write(
    document: Document, *, serialisation: str = "xml", base: str = rdf.BASE
) -> tuple[bytes, list[str]]:
    """The labels as concepts and subsumption as `broader`; every other constraint is not expressed.

    A label's name is its prefLabel, by default the label itself; synonyms are altLabel, definitions definition.
    """
    rdflib = optional("rdflib")
    graph = rdf.new_graph()
    for prefix, namespace in (("skos", rdf.SKOS), ("rdf", rdf.RDF), ("", base)):
        graph.bind(prefix, namespace)
    iri_of = rdf.iris(document.labels, document.about, base=base)
    for label, iri in iri_of.items():
        graph.add((iri, rdflib.RDF.type, rdflib.SKOS.Concept))
        said = document.about.get(label, About())
        meanings.to_graph(graph, iri, label, said, base, calls=meanings.SKOS_CALLS)
        meanings.ids_to_graph(graph, iri, meanings.ALT_IDS[0], said.alt_ids, base)
    for retired in document.retired:
        iri = rdf.reference(retired.id, base)
        graph.add((iri, rdflib.RDF.type, rdflib.SKOS.Concept))
        meanings.retired_to_graph(graph, iri, retired, base, calls=meanings.SKOS_CALLS)
    lost = []
    for constraint in document.constraints:
        if isinstance(constraint, Subsumes):
            for child in constraint.children:
                graph.add((iri_of[child], rdflib.SKOS.broader, iri_of[constraint.parent]))
        else:
            lost.append(render_constraint(constraint))
    return rdf.serialise(graph, serialisation), lost
