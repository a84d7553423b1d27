"""What a file says of a term beyond its logic: identity, names, synonyms, definitions and other annotations."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Annotation:
    """One annotation of a term, as a format-neutral property IRI with its value.

    `language` is a language tag. `datatype` is the IRI of a literal's type, or "@id" if the value is an IRI or an id.
    `qualifiers` are annotations of the annotation itself, such as the cross-references of a synonym.
    """

    property: str
    value: str
    language: str = ""
    datatype: str = ""
    qualifiers: tuple[Annotation, ...] = ()


@dataclass(frozen=True, slots=True)
class About:
    """The texts about one label, each on one line.

    `names` are its names other than the label itself.

    `id` is the IRI or code that identifies the term in its file; it stays the same when the term is
    renamed. `alt_ids` are the ids of terms that were merged into this one. `annotations` has
    everything else, and texts with a language, a scope or cross-references. A term without a
    definition in its file is not `defined`.
    """

    names: tuple[str, ...] = ()
    synonyms: tuple[str, ...] = ()
    definitions: tuple[str, ...] = ()
    id: str = ""
    alt_ids: tuple[str, ...] = ()
    annotations: tuple[Annotation, ...] = ()
    defined: bool = True

    def __bool__(self) -> bool:
        return self != About()

    @property
    def text(self) -> str:
        """Other names, synonyms and definitions as one text; empty if there are none."""
        called = "; ".join(dict.fromkeys((*self.names, *self.synonyms)))
        return ": ".join(part for part in (called, *self.definitions) if part)


@dataclass(frozen=True, slots=True)
class Retired:
    """A term that is obsolete or deprecated: not a label, but still known by its id.

    The ids in `replaced_by` take its place by themselves. The ids in `consider` are proposals for a person to choose.
    `alt_ids` are the ids of terms that were merged into it. `annotations` are all others, also its synonyms.
    """

    id: str
    name: str = ""
    replaced_by: tuple[str, ...] = ()
    consider: tuple[str, ...] = ()
    alt_ids: tuple[str, ...] = ()
    annotations: tuple[Annotation, ...] = ()
