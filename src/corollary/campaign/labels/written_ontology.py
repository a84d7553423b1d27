"""An ontology as it is stored: its text, the words of its labels, and where its constraints were in the file."""

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
    """Where each constraint was written, `zoo.onto:3`; nothing where not all of them come from files."""
    sources = [constraint.source for constraint in onto.constraints]
    if not all(source is not None and source.file is not None for source in sources):
        return ()
    return tuple(
        str(Source(PurePath(source.file).name, source.line))
        for source in sources
        if source and source.file
    )


def ontology_of(stored: OntologyVersion) -> Ontology:
    """The ontology of a stored version; its reasons cite the user's own file where that is known, else the text."""
    onto = Ontology.parse(stored.text)
    if len(stored.places) != len(onto.constraints):
        return onto
    cited = [
        replace(constraint, source=Source(place, None))
        for constraint, place in zip(onto.constraints, stored.places, strict=True)
    ]
    return Ontology(onto.labels, (*cited, *onto.pair_constraints))


def said_by(about: Mapping[str, About]) -> Words:
    """What an ontology file says of its labels, as the setting `labels` has it; further names are synonyms."""
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
    """The setting `labels` with the ids that the labels have in their file."""
    ids = {label: said.id for label, said in onto.about.items() if said.id and said.id != label}
    return {
        label: {**({"id": ids[label]} if label in ids else {}), **labels.get(label, {})}
        for label in dict.fromkeys((*labels, *ids))
    }


def about_of(labels: Mapping[str, Mapping[str, str]]) -> dict[str, About]:
    """The names, synonyms and ids of labels, from the setting `labels`."""
    return {
        label: About(
            names=(said["name"],) if said.get("name") else (),
            synonyms=tuple(synonyms_of(said)),
            id=said.get("id", ""),
        )
        for label, said in labels.items()
    }
