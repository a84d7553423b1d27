"""An ontology as it is stored: its text, and where its constraints stood in the file that it was made of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePath

from ...logic.language.constraints import Source
from ...logic.ontology import Ontology
from ..storage.records import OntologyVersion


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
