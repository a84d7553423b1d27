"""The labels as RDF: each assignment of a term to an item, with its provenance in W3C PROV-O."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import NamedTuple
from urllib.parse import quote

from ....logic.formats.rdf import BASE, RDF, RDFS, XSD, term_iri
from ...items import Item
from .provenance import ACCEPTED, ASKED, OPEN, PREDICTED, Cell, Snapshot

PROV = "http://www.w3.org/ns/prov#"
#: What PROV-O and RDF have no words for: `source` and `probability`.
OWN = "urn:corollary:vocabulary#"
ASSIGNMENT = "urn:corollary:assignment:"
ITEM = "urn:corollary:item:"
MODEL = "urn:corollary:model:"
PERSON = "urn:corollary:person:"
IDENTIFIER = "http://purl.org/dc/terms/identifier"


def rdf_lines(snapshot: Snapshot, *, predictions: bool = True) -> Iterator[str]:
    """Yield N-Triples, item by item. A no has lines only if somebody answered it."""
    terms = _Terms(snapshot)
    named: set[str] = set()
    for item, _, cells in snapshot.rows(predictions=predictions, open_cells=False):
        yield "".join(f"{line}\n" for line in _of_item(item, cells, terms, named))


class _Terms:
    """The IRI and the name of each label."""

    def __init__(self, snapshot: Snapshot):
        said: Mapping[str, Mapping[str, str]] = snapshot.settings.labels
        self.called = snapshot.called
        self.iri = {
            label: term_iri(said.get(label, {}).get("id") or label, BASE)
            for label in snapshot.onto.labels
        }


class _Agent(NamedTuple):
    """The person, program or model behind a value."""

    iri: str
    kind: str
    name: str


def _of_item(item: Item, cells: list[Cell], terms: _Terms, named: set[str]) -> Iterator[str]:
    """Yield the item, its terms, and an assignment for each."""
    subject = ITEM + quote(item.id, safe="")
    yield _triple(subject, IDENTIFIER, _literal(item.id))
    if item.text is not None:
        yield _triple(subject, RDFS + "label", _literal(item.text))
    for cell in cells:
        if cell.source == OPEN or not (cell.value or cell.source in (ASKED, ACCEPTED)):
            continue
        term = terms.iri[cell.label]
        if term not in named:
            named.add(term)
            yield _triple(term, RDFS + "label", _literal(terms.called.get(cell.label, cell.label)))
        if cell.value and cell.settled:
            yield _triple(subject, RDF + "type", f"<{term}>")
        yield from _assignment(item, cell, subject, term, named)


def _assignment(item: Item, cell: Cell, subject: str, term: str, named: set[str]) -> Iterator[str]:
    """Yield the statement about an item and a term: its value and provenance."""
    iri = _iri_of(item, cell.label)
    yield _triple(iri, RDF + "type", f"<{RDF}Statement>")
    yield _triple(iri, RDF + "type", f"<{PROV}Entity>")
    yield _triple(iri, RDF + "subject", f"<{subject}>")
    yield _triple(iri, RDF + "predicate", f"<{RDF}type>")
    yield _triple(iri, RDF + "object", f"<{term}>")
    yield _triple(iri, RDF + "value", _literal("true" if cell.value else "false", "boolean"))
    yield _triple(iri, OWN + "source", _literal(cell.source))
    if cell.probability is not None:
        yield _triple(iri, OWN + "probability", _literal(repr(float(cell.probability)), "double"))
    if cell.at is not None:
        yield _triple(iri, PROV + "generatedAtTime", _literal(cell.at, "dateTime"))
    own = [said for said in cell.answers if said.label == cell.label]
    for agent in _agents(cell, [name for said in own for name in said.by]):
        if agent.iri not in named:
            named.add(agent.iri)
            yield _triple(agent.iri, RDF + "type", f"<{PROV}{agent.kind}>")
            yield _triple(agent.iri, RDFS + "label", _literal(agent.name))
        yield _triple(iri, PROV + "wasAttributedTo", f"<{agent.iri}>")
    for said in cell.answers:
        if said.label != cell.label:
            yield _triple(iri, PROV + "wasDerivedFrom", f"<{_iri_of(item, said.label)}>")


def _agents(cell: Cell, people: list[str]) -> Iterator[_Agent]:
    """Return the people behind an answer, or the model behind a prediction."""
    for name in dict.fromkeys(people):
        yield _Agent(PERSON + quote(name, safe=""), "Agent", name)
    if cell.source == PREDICTED and cell.model:
        yield _Agent(f"{MODEL}{cell.model}", "SoftwareAgent", f"model {cell.model}")


def _iri_of(item: Item, label: str) -> str:
    return f"{ASSIGNMENT}{quote(item.id, safe='')}:{quote(label, safe='')}"


def _triple(subject: str, predicate: str, value: str) -> str:
    return f"<{subject}> <{predicate}> {value} ."


def _literal(text: str, kind: str = "") -> str:
    """Return a literal; N-Triples escapes as JSON does."""
    quoted = json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")
    return f"{quoted}^^<{XSD}{kind}>" if kind else quoted
