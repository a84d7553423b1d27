"""The label that a text means: a label, the code of a term, a name or a synonym."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from .errors import OntologyError, nearest
from .formats.names import code_of, fragment, iri_of
from .language.about import About
from .readable import spelled_out


class LabelSearch:
    """Finds labels by what people type.

    Parameters
    ----------
    labels
        All labels.
    about
        The ids, names and synonyms of labels.
    """

    def __init__(self, labels: Collection[str], about: Mapping[str, About]):
        self._labels = labels
        self._names = [name for said in about.values() for name in (*said.names, *said.synonyms)]
        #: The labels of each text, a part for each kind of text. Ids are compared as they are, names in lower case.
        self._by_id = (
            _by_text((label, _codes(said.id)) for label, said in about.items()),
            _by_text(
                (label, [code for other in said.alt_ids for code in _codes(other)])
                for label, said in about.items()
            ),
        )
        self._by_name = (
            _by_text((label, map(_plain, said.names)) for label, said in about.items()),
            _by_text((label, map(_plain, said.synonyms)) for label, said in about.items()),
            _by_text((label, map(_plain, _shown(label, about.get(label)))) for label in labels),
        )

    def find(self, text: str) -> str:
        """Find the label that a text means.

        The text may be a label, an id, an alternative id, a name, a synonym, or what people read in place of a
        label. The first kind that fits counts. Names and synonyms are compared without regard to case.

        Parameters
        ----------
        text
            What someone typed.

        Raises
        ------
        OntologyError
            If the text means no label, or several.
        """
        if not isinstance(text, str):
            raise OntologyError(f"unknown label {text!r}: a label is a text")
        if text in self._labels:
            return text
        plain = _plain(text)
        for kind, wanted in (
            *((one, text) for one in self._by_id),
            *((one, plain) for one in self._by_name),
        ):
            found = kind.get(wanted, ())
            if len(found) > 1:
                few = ", ".join(map(repr, found[:5])) + (", ..." if len(found) > 5 else "")
                raise OntologyError(
                    f"{text!r} can mean {len(found):,} labels: {few}; type the label"
                )
            if found:
                return found[0]
        raise OntologyError(f"unknown label {text!r}{nearest(text, [*self._labels, *self._names])}")


def _by_text(texts: Iterable[tuple[str, Iterable[str]]]) -> dict[str, list[str]]:
    """The labels of each text."""
    found: dict[str, list[str]] = {}
    for label, of_label in texts:
        for text in dict.fromkeys(of_label):
            found.setdefault(text, []).append(label)
    return found


def _shown(label: str, said: About | None) -> tuple[str, ...]:
    """What people read in place of a label: the label, spelled out, or a name with the label beside it."""
    spelled = spelled_out(label)
    names = (said.names if said else ()) or (spelled,)
    return (label, spelled, *(f"{name} ({label})" for name in names))


def _plain(name: str) -> str:
    """A name as it is compared: in lower case, with single spaces."""
    return " ".join(name.split()).casefold()


def _codes(key: str) -> list[str]:
    """An id as it may be typed: itself, the OBO id, the IRI, the end of the IRI."""
    found = (key, code_of(key), iri_of(key), fragment(iri_of(key))) if key else ()
    return [code for code in found if code]
