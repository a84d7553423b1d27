"""What a file says its labels mean: their readable names, synonyms and definitions."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import replace
from typing import Any

from ..language.about import About, Annotation, Retired
from ..language.notation import Document
from . import rdf
from .files import ANNOTATION, optional
from .names import code_of, fragment, iri_of, tidy

OBO = "http://purl.obolibrary.org/obo/"
OBO_IN_OWL = "http://www.geneontology.org/formats/oboInOwl#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
#: Where RDF has names, synonyms and definitions of a class or concept.
NAMES = (RDFS + "label", SKOS + "prefLabel")
SCOPES = ("Exact", "Narrow", "Broad", "Related")
SYNONYMS = (
    SKOS + "altLabel",
    SKOS + "hiddenLabel",
    *(f"{OBO_IN_OWL}has{scope}Synonym" for scope in SCOPES),
)
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
DEFINITION = OBO + "IAO_0000115"
DEFINITIONS = (SKOS + "definition", DEFINITION, RDFS + "comment", SKOS + "scopeNote")
#: What each format calls names, synonyms and definitions that other formats call otherwise.
OWL_CALLS = {NAMES[1]: NAMES[0]}
SKOS_CALLS = {NAMES[0]: NAMES[1], SYNONYMS[2]: SYNONYMS[0], DEFINITION: DEFINITIONS[0]}
#: What a retired term has fields for.
_OF_RETIRED = (*REPLACED_BY, *CONSIDER, *ALT_IDS)
#: The annotation properties that RDF Schema and OWL bring along.
_NOTES = frozenset(
    [
        *(RDFS + word for word in ("label", "comment", "seeAlso", "isDefinedBy")),
        *(rdf.OWL + word for word in ("versionInfo", "versionIRI", "priorVersion")),
    ]
)
#: Of SKOS, what ties concepts to each other or to their scheme.
SKOS_RELATIONS = frozenset(
    "broader broaderTransitive broaderGeneric narrower narrowerTransitive narrowerGeneric related "
    "semanticRelation mappingRelation broadMatch narrowMatch relatedMatch closeMatch exactMatch "
    "member memberList".split()
)


def about(
    label: str,
    *,
    names: Iterable[str] = (),
    synonyms: Iterable[str] = (),
    definitions: Iterable[str] = (),
    id: str = "",
    alt_ids: Iterable[str] = (),
    annotations: Iterable[Annotation] = (),
    defined: bool = True,
) -> About:
    """What a file says of a label: each text once, on one line, without the label itself."""
    others = [name for name in _tidied(names) if name != label]
    further = [name for name in _tidied(synonyms) if name != label and name not in others]
    alternatives = [other for other in dict.fromkeys(alt_ids) if other != id]
    texts = (tuple(others), tuple(further), tuple(_tidied(definitions)))
    rest = tuple(sorted(set(annotations)))
    return About(*texts, id=id, alt_ids=tuple(alternatives), annotations=rest, defined=defined)


def written_names(label: str, said: About) -> tuple[str, ...]:
    """The names of a label in a file: the label is one of them unless it is just the code of its term."""
    own = (said.id, iri_of(said.id), code_of(said.id), fragment(said.id))
    is_code = said.names and (not said.id or label in own)
    return said.names if is_code else (label, *said.names)


def of_graph(
    graph: Any, name_of: Mapping[str, str], notes: Notes, *, language: str | None
) -> dict[str, About]:
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
        one = about(
            label,
            names=texts["names"],
            synonyms=texts["synonyms"],
            definitions=texts["definitions"],
            id=known,
            alt_ids=_ids(graph, iri, ALT_IDS),
        )
        plain = {
            notes.name: {written_names(label, one)[0]},
            SYNONYMS[0]: {*one.synonyms},
            DEFINITIONS[0]: {*one.definitions},
        }
        annotations = tuple(
            sorted(
                note
                for note in notes.of(reference(iri), without=ALT_IDS)
                if note != Annotation(note.property, note.value)
                or note.value not in plain.get(note.property, ())
            )
        )
        found[label] = replace(one, annotations=annotations)
    return found


class Notes:
    """The annotations in a graph: those of each node, and lines for those that nobody took.

    `name` is the predicate that has the names in this format. `properties` are those that say more than words.
    """

    def __init__(self, graph: Any, *, name: str, properties: Container[Any] = ()):
        self.graph = graph
        self.name = name
        self.properties = properties
        self._rdflib = optional("rdflib")
        self._taken: set[Any] = set()
        self._of_axioms: dict[Any, list[Any]] = {}
        owl = self._rdflib.OWL
        for node, source in graph.subject_objects(owl.annotatedSource):
            triple = (
                source,
                graph.value(node, owl.annotatedProperty),
                graph.value(node, owl.annotatedTarget),
            )
            self._of_axioms.setdefault(triple, []).append(node)

    def of(self, node: Any, *, without: Container[str] = ()) -> list[Annotation]:
        """The annotations of a node with their own annotations."""
        self._taken.add(node)
        found = []
        for predicate, value in self.graph.predicate_objects(node):
            if str(predicate) in without or not self._is_note(predicate):
                continue
            if isinstance(value, self._rdflib.BNode):
                continue  # listed in `left`
            axioms = self._of_axioms.get((node, predicate, value), ())
            self._taken.update(axioms)
            qualifiers = sorted(note for axiom in axioms for note in self.of(axiom))
            found.append(self._annotation(predicate, value, tuple(qualifiers)))
        return found

    def _annotation(
        self, predicate: Any, value: Any, qualifiers: tuple[Annotation, ...]
    ) -> Annotation:
        where = rdf.id_of(str(predicate))
        if isinstance(value, self._rdflib.URIRef):
            return Annotation(where, rdf.id_of(str(value)), datatype="@id", qualifiers=qualifiers)
        datatype = str(value.datatype or "")
        datatype = "" if datatype == rdf.XSD + "string" else datatype
        return Annotation(where, str(value), value.language or "", datatype, qualifiers)

    def _is_note(self, predicate: Any) -> bool:
        """Whether a predicate annotates: the others say what a term is, or how it is tied to others."""
        where = str(predicate)
        if where.startswith((rdf.OWL, rdf.RDF, rdf.RDFS)):
            return where in _NOTES
        if where.startswith(rdf.SKOS) and where.removeprefix(rdf.SKOS) in SKOS_RELATIONS:
            return False
        return predicate not in self.properties

    def left(self) -> list[str]:
        """A line for each annotation left out: it is about no label, or its value has no name."""
        lines = []
        for node, predicate, value in self.graph:
            if self._is_note(predicate) and (
                node not in self._taken or isinstance(value, self._rdflib.BNode)
            ):
                lines.append(left_out(self._said(predicate), self._said(node), self._said(value)))
        return lines

    def _said(self, node: Any) -> str:
        return "something without a name" if isinstance(node, self._rdflib.BNode) else str(node)


def left_out(kind: str, of: str, value: str) -> str:
    """A line for an annotation that is kept nowhere."""
    return f"{ANNOTATION}{fragment(kind)} of {of}: {tidy(value)}"


def all_left_out(document: Document) -> list[str]:
    """A line for each annotation, for formats that have none."""
    lines = []
    for label, said in document.about.items():
        texts = {
            "id": [said.id] if said.id != label else [],
            "alternative id": said.alt_ids,
            "name": said.names,
            "synonym": said.synonyms,
            "definition": said.definitions,
        }
        lines += [
            f"{ANNOTATION}{kind} of {label}: {text}"
            for kind, found in texts.items()
            for text in found
            if text
        ]
        known = {*said.names, *said.synonyms, *said.definitions}
        lines += [
            left_out(note.property, label, note.value)
            for note in said.annotations
            if note.qualifiers or note.language or tidy(note.value) not in known
        ]
    return lines + [
        f"{ANNOTATION}retired term of the file: {one.id} {one.name}".rstrip()
        for one in document.retired
    ]


def retired_of_graph(
    graph: Any, notes: Notes, kinds: Container[str], *, language: str | None
) -> dict[str, Retired]:
    """The deprecated classes or concepts of a graph, {IRI: the term}; `kinds` are the types of terms.

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
            text = (
                tidy(rdf.text_of(graph, node, rdflib.URIRef(notes.name), language=language)) or ""
            )
            is_term = any(str(kind) in kinds for kind in graph.objects(node, rdflib.RDF.type))
            annotations = notes.of(node, without=_OF_RETIRED) if is_term else []
            found[str(node)] = Retired(
                rdf.id_of(str(node)),
                text,
                tuple(dict.fromkeys([*_ids(graph, node, REPLACED_BY), *by_old.get(node, ())])),
                _ids(graph, node, CONSIDER),
                _ids(graph, node, ALT_IDS),
                tuple(sorted(one for one in annotations if one != Annotation(notes.name, text))),
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


def to_graph(
    graph: Any, node: Any, label: str, said: About, base: str, *, calls: Mapping[str, str]
) -> None:
    """Add the texts about a label to an RDF graph.

    `calls` maps predicates to those of this format.
    """
    rdflib = optional("rdflib")
    name = calls.get(NAMES[0], NAMES[0])
    first, *others = written_names(label, said)
    calls = _calls(said.annotations, name, calls)
    notes = [
        replace(note, property=calls.get(note.property, note.property)) for note in said.annotations
    ]
    texts = [
        ((name,), (name, [first])),
        (NAMES, (SYNONYMS[0], others)),
        (SYNONYMS, (SYNONYMS[0], said.synonyms)),
        (DEFINITIONS, (DEFINITIONS[0], said.definitions)),
    ]
    for places, (where, wanted) in texts:
        known = {tidy(note.value) for note in notes if note.property in places}
        for text in wanted:
            if text not in known:
                graph.add((node, rdflib.URIRef(where), rdflib.Literal(text)))
    notes_to_graph(graph, node, said.annotations, base, calls=calls)


def _calls(notes: Iterable[Annotation], name: str, calls: Mapping[str, str]) -> Mapping[str, str]:
    """The same; a term that has names under `name` keeps its others as they are."""
    if any(note.property == name for note in notes):
        return {where: other for where, other in calls.items() if where not in NAMES}
    return calls


def notes_to_graph(
    graph: Any, node: Any, notes: Iterable[Annotation], base: str, *, calls: Mapping[str, str]
) -> None:
    """Add annotations of a node, and those of each annotation as an axiom of its own."""
    rdflib = optional("rdflib")
    owl = rdflib.OWL
    for note in notes:
        where = calls.get(note.property, note.property)
        if where == NAMES[1] and _has_one(graph, node, where, note.language):
            where = SYNONYMS[0]  # SKOS has one prefLabel in each language
        predicate = rdf.reference(where, base, own=True)
        if note.datatype == "@id":
            value = rdf.reference(note.value, base, own=True)
        else:
            kind = rdflib.URIRef(note.datatype) if note.datatype else None
            value = rdflib.Literal(
                note.value, lang=note.language or None, datatype=kind, normalize=False
            )
        graph.add((node, predicate, value))
        if note.qualifiers:
            axiom = rdflib.BNode(f"n{len(graph)}")
            graph.add((axiom, rdflib.RDF.type, owl.Axiom))
            graph.add((axiom, owl.annotatedSource, node))
            graph.add((axiom, owl.annotatedProperty, predicate))
            graph.add((axiom, owl.annotatedTarget, value))
            notes_to_graph(graph, axiom, note.qualifiers, base, calls={})


def _has_one(graph: Any, node: Any, predicate: str, language: str) -> bool:
    values = graph.objects(node, optional("rdflib").URIRef(predicate))
    return any((value.language or "") == language for value in values)


def ids_to_graph(graph: Any, node: Any, predicate: str, ids: Iterable[str], base: str) -> None:
    """Add the terms that a predicate names."""
    for other in ids:
        graph.add((node, optional("rdflib").URIRef(predicate), rdf.reference(other, base)))


def retired_to_graph(
    graph: Any, node: Any, retired: Retired, base: str, *, calls: Mapping[str, str]
) -> None:
    """Add that a term is deprecated, and what takes its place."""
    rdflib = optional("rdflib")
    graph.add((node, rdflib.OWL.deprecated, rdflib.Literal(True)))
    name = calls.get(NAMES[0], NAMES[0])
    calls = _calls(retired.annotations, name, calls)
    known = {
        tidy(note.value)
        for note in retired.annotations
        if calls.get(note.property, note.property) == name
    }
    if retired.name and retired.name not in known:
        graph.add((node, rdflib.URIRef(name), rdflib.Literal(retired.name)))
    notes_to_graph(graph, node, retired.annotations, base, calls=calls)
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
