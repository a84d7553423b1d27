"""The label that a text means: a label, the code of a term, a name or a synonym."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from .errors import OntologyError, nearest
from .formats.names import code_of, fragment, iri_of
from .language.about import About


def find_label(text: str, labels: Collection[str], about: Mapping[str, About]) -> str:
    """Find the label that a text means.

    The text may be a label, an id, an alternative id, a name or a synonym. The first kind that fits counts.
    Names and synonyms are compared without regard to case.

    Parameters
    ----------
    text
        What someone typed.
    labels
        All labels.
    about
        The ids, names and synonyms of labels.

    Raises
    ------
    OntologyError
        If the text means no label, or several.
    """
    if not isinstance(text, str):
        raise OntologyError(f"unknown label {text!r}: a label is a text")
    if text in labels:
        return text
    for found in _fits(text, about):
        if len(found) > 1:
            few = ", ".join(map(repr, found[:5])) + (", ..." if len(found) > 5 else "")
            raise OntologyError(f"{text!r} can mean {len(found):,} labels: {few}; type the label")
        if found:
            return found[0]
    names = [name for said in about.values() for name in (*said.names, *said.synonyms)]
    raise OntologyError(f"unknown label {text!r}{nearest(text, [*labels, *names])}")


def _fits(text: str, about: Mapping[str, About]) -> Iterator[list[str]]:
    """The labels that fit, for each kind of text."""
    wanted = " ".join(text.split()).casefold()
    yield [label for label, said in about.items() if text in _codes(said.id)]
    yield [
        label
        for label, said in about.items()
        if any(text in _codes(other) for other in said.alt_ids)
    ]
    yield [label for label, said in about.items() if wanted in map(str.casefold, said.names)]
    yield [label for label, said in about.items() if wanted in map(str.casefold, said.synonyms)]
    yield [label for label in about if wanted == label.casefold()]


def _codes(key: str) -> tuple[str | None, ...]:
    """An id as it may be typed: itself, the OBO id, the IRI, the end of the IRI."""
    return (key, code_of(key), iri_of(key), fragment(iri_of(key))) if key else ()
