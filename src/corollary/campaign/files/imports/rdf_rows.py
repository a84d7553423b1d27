"""Assignments of terms to items in RDF, as an export writes them, as rows: item, label, value and source."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ....logic.errors import CorollaryError
from ....logic.formats.files import read_bytes
from ....logic.formats.rdf import ENDINGS, RDF, id_of, parse
from ..exports.rdf_lines import IDENTIFIER, OWN
from ..spreadsheet_text import LABEL, SOURCE, VALUE

#: The columns of the rows.
COLUMNS = ("item", LABEL, VALUE, SOURCE)


def rdf_rows(path: Path, *, limit: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """The place of each assignment, and what it says; the label is named by its id or IRI."""
    data = read_bytes(path, max_bytes=limit)
    graph = parse(data, serialisation=ENDINGS[path.suffix.lower()], file=str(path))
    from rdflib import URIRef

    subject, predicate, term, value, kind, statement = (
        URIRef(RDF + name)
        for name in ("subject", "predicate", "object", "value", "type", "Statement")
    )
    found = list(graph.subjects(kind, statement))
    if not found:
        raise CorollaryError(
            f"{path} has no assignments: there is no rdf:Statement, as an export to rdf writes them"
        )
    for one in found:
        place = f"assignment {one}"
        item, label = graph.value(one, subject), graph.value(one, term)
        if item is None or label is None or graph.value(one, predicate) not in (None, kind):
            raise CorollaryError(
                f"{path}, {place}: an assignment needs rdf:subject, the item, rdf:object, the term, and "
                "rdf:predicate rdf:type"
            )
        said = graph.value(one, value)
        source = graph.value(one, URIRef(OWN + "source"))
        yield (
            place,
            {
                "item": str(graph.value(item, URIRef(IDENTIFIER)) or item),
                LABEL: id_of(str(label)),
                VALUE: "true" if said is None else str(said),
                SOURCE: None if source is None else str(source),
            },
        )
