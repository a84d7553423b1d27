"""An ontology as it is stored: text, words of labels, and the places of constraints in its file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePath

from ...logic.language.about import About
from ...logic.language.constraints import Source
from ...logic.ontology import Ontology
from ..settings import synonyms_of
from ..storage.records import OntologyVersion

Words = dict[str, dict[str, str]]


def places_of(onto: Ontology) -> tuple[str, ...]:
    """Return the place of each constraint, `zoo.onto:3`; empty if not all come from files."""
    sources = [constraint.source for constraint in onto.constraints]
    if not all(source is not None and source.file is not None for source in sources):
        return ()
    return tuple(
        str(Source(PurePath(source.file).name, source.line))
        for source in sources
        if source and source.file
    )


def ontology_of(stored: OntologyVersion) -> Ontology:
    """Return the ontology of a stored version; its reasons cite the user's file if it is known."""
    onto = Ontology.parse(stored.text)
    if len(stored.places) != len(onto.constraints):
        return onto
    cited = [
        replace(constraint, source=Source(place, None))
        for constraint, place in zip(onto.constraints, stored.places, strict=True)
    ]
    return Ontology(onto.labels, (*cited, *onto.pair_constraints))


def said_by(about: Mapping[str, About]) -> Words:
    """Return names and definitions from an ontology file as the setting `labels`."""
    found = {}
    for label, said in about.items():
        parts = {
            "name": "".join(said.names[:1]),
            "definition": " ".join(said.definitions),
            "synonyms": "; ".join((*said.names[1:], *said.synonyms)),
            "id": said.id if said.id != label else "",
        }
        found[label] = {part: text for part, text in parts.items() if text}
    return found


def with_ids(labels: Mapping[str, Mapping[str, str]], onto: Ontology) -> Words:
    """Return the setting `labels` with the ids of labels in their file."""
    ids = {label: said.id for label, said in onto.about.items() if said.id and said.id != label}
    return {
        label: {**({"id": ids[label]} if label in ids else {}), **labels.get(label, {})}
        for label in dict.fromkeys((*labels, *ids))
    }


def about_of(labels: Mapping[str, Mapping[str, str]]) -> dict[str, About]:
    """Return the names, synonyms and ids of labels, from the setting `labels`."""
    return {
        label: About(
            names=(said["name"],) if said.get("name") else (),
            synonyms=tuple(synonyms_of(said)),
            id=said.get("id", ""),
        )
        for label, said in labels.items()
    }
