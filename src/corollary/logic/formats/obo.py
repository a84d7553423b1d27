"""OBO ontologies: terms as labels, and of their tags those that say which things are in which terms."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from itertools import combinations, pairwise
from typing import Any
from urllib.parse import quote

from ..errors import FormatError
from ..language import constraints as c
from ..language import formula as f
from ..language.about import About, Retired
from ..language.notation import Document, document, render_constraint
from . import axioms, meanings
from .files import decode, optional
from .names import choose, code_of

#: Tags of the header and of terms that add meaning which labels and constraints cannot express.
_HEADER_TAGS = ("import", "treat-xrefs-as-", "owl-axioms")
#: An exclusive group is written as pairs, up to this many.
MAX_PAIRS = 1_000_000


def read(data: bytes, *, file: str, names: str | None = None) -> Document:
    """The terms of an ontology, and how they are tied.

    `names` is `name` or `id`: what becomes a label's name. Left out, it is the `name` of a term if
    it has one of its own, else its `id`. Obsolete terms are no labels; they are in `retired`.
    """
    text = decode(data, file=file)
    text = re.sub(
        r"^[^\S\n]*![^\n]*", "", text, flags=re.MULTILINE
    )  # the parser takes no comments, but blank lines
    frames = _frames(text, file)
    lines = _lines(text)
    lost = [str(clause) for clause in frames.header if clause.raw_tag().startswith(_HEADER_TAGS)]
    terms: dict[str, list[Any]] = {}
    retired: dict[str, Retired] = {}
    every: list[c.Hard] = []
    for frame in frames:
        key = str(frame.id)
        if type(frame).__name__ != "TermFrame":
            lost.append(f"{type(frame).__name__.removesuffix('Frame')} {key}")
            continue
        if any(clause.raw_tag() == "is_obsolete" and clause.obsolete for clause in frame):
            retired[key] = _retired(key, frame)
        else:
            terms.setdefault(key, []).append(frame)
        source = c.Source(file, lines.get(key))
        every += [replace(one, source=source) for one in _said(frame, key, lost)]
    said, dropped = axioms.without_retired(every, retired)
    lost += [f"of a retired term: {render_constraint(constraint)}" for constraint in dropped]
    keys = dict.fromkeys([*terms, *(name for constraint in said for name in constraint.labels)])
    if not keys:
        raise FormatError(f"{file} has no terms")
    texts = {key: _name(key, terms.get(key, []), lost) for key in keys}
    name_of = choose({"name": texts, "id": {key: key for key in keys}}, names=names, file=file)
    constraints = dict.fromkeys(
        axioms.renamed(constraint, name_of.__getitem__) for constraint in said
    )
    about = {
        name_of[key]: _about(key, name_of[key], texts[key], terms.get(key, ())) for key in keys
    }
    return document(
        constraints,
        labels=name_of.values(),
        not_expressed=dict.fromkeys(lost),
        about=about,
        retired=retired.values(),
    )


def _frames(text: str, file: str) -> Any:
    fastobo = optional("fastobo")
    try:
        return fastobo.loads(text)
    except SyntaxError as error:
        place = f", line {error.lineno}, column {error.offset}" if error.lineno is not None else ""
        raise FormatError(f"{file} cannot be read as OBO{place}: {error.msg}") from None
    except (ValueError, TypeError) as error:
        raise FormatError(f"{file} cannot be read as OBO: {error}") from None
    except BaseException as error:  # a panic of the parser is none of Python's exceptions
        if type(error).__name__ != "PanicException":
            raise
        raise FormatError(
            f"{file} cannot be read as OBO: the parser gave up; check that each line is a tag"
        ) from None


def _lines(text: str) -> dict[str, int]:
    """The line of each frame's id, which the parser does not tell."""
    found: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("id:"):
            found.setdefault(
                re.sub(r"\\(.)", r"\1", re.split(r"(?<!\\) !", line[3:])[0].strip()), number
            )
    return found


def _name(key: str, frames: list[Any], lost: list[str]) -> str | None:
    """The name of a term; further ones, if it has several frames say, are listed."""
    names = dict.fromkeys(
        clause.name for frame in frames for clause in frame if clause.raw_tag() == "name"
    )
    first, *others = names or [None]
    lost += [f"{key} is {first!r}, and by another name {other!r}" for other in others]
    return first


def _retired(key: str, frame: Any) -> Retired:
    """An obsolete term and the terms that take its place."""

    def terms(tag: str) -> tuple[str, ...]:
        return tuple(str(clause.term) for clause in frame if clause.raw_tag() == tag)

    name = next((clause.name for clause in frame if clause.raw_tag() == "name"), "")
    others = tuple(str(clause.alt_id) for clause in frame if clause.raw_tag() == "alt_id")
    return Retired(key, name, terms("replaced_by"), terms("consider"), others)


def _about(key: str, label: str, name: str | None, frames: Iterable[Any]) -> About:
    """The id, alternative ids, name, synonyms and definition of a term."""
    clauses = [clause for frame in frames for clause in frame]
    return meanings.about(
        label,
        id=key,
        alt_ids=[str(clause.alt_id) for clause in clauses if clause.raw_tag() == "alt_id"],
        names=[name or ""],
        synonyms=[clause.synonym.desc for clause in clauses if clause.raw_tag() == "synonym"],
        definitions=[clause.definition for clause in clauses if clause.raw_tag() == "def"],
    )


def _said(frame: Any, key: str, lost: list[str]) -> list[c.Hard]:
    """What the tags of a term say."""
    found: list[c.Hard] = []
    union = []
    genera = []
    definition = []
    for clause in frame:
        match clause.raw_tag():
            case "is_a":
                found += axioms.subclass(f.Name(key), f.Name(str(clause.term)))
            case "disjoint_from":
                found += axioms.disjoint([f.Name(key), f.Name(str(clause.term))])
            case "equivalent_to":
                found += axioms.same(f.Name(key), f.Name(str(clause.term)))
            case "union_of":
                union.append(f.Name(str(clause.term)))
            case "intersection_of":
                definition.append(clause)
                if clause.typedef is None:
                    genera.append(f.Name(str(clause.term)))
            case "relationship":
                lost.append(f"{key} {clause.raw_value()}")
    if union:
        found += axioms.same(f.Name(key), f.Or(tuple(union)))
    if len(genera) < len(
        definition
    ):  # with a differentia: the genera are implied, not the other way round
        lost.append(f"{key} is {' and '.join(clause.raw_value() for clause in definition)}")
        found += [
            constraint for genus in genera for constraint in axioms.subclass(f.Name(key), genus)
        ]
    elif genera:
        found += axioms.same(f.Name(key), f.And(tuple(genera)))
    return found


def write(document: Document) -> tuple[bytes, list[str]]:
    """Terms with is_a, disjoint_from, equivalent_to, union_of and intersection_of; the rest is not expressed.

    A label's name is given by `name`, by default the label itself; synonyms and definitions by `synonym` and `def`.
    """
    fastobo = optional("fastobo")
    clauses = _Clauses(document)
    frames = []
    for label in document.labels:
        words = _words(label, document.about.get(label, About()))
        ident = clauses.ident[label]
        frames.append(fastobo.term.TermFrame(ident, [*words, *clauses.of[label]]))
    frames += [
        fastobo.term.TermFrame(_ident(retired.id), _end_of_life(retired))
        for retired in document.retired
    ]
    header = fastobo.header.HeaderFrame([fastobo.header.FormatVersionClause("1.4")])
    return str(fastobo.doc.OboDoc(header, frames)).encode(), clauses.lost


def _words(label: str, said: About) -> list[Any]:
    """The tags of a term that are for people: its name, its definition (OBO has one at most), its synonyms."""
    fastobo = optional("fastobo")
    term = fastobo.term
    synonym = fastobo.syn.Synonym
    first, *others = said.names or (label,)
    definition = [term.DefClause(" ".join(said.definitions))] if said.definitions else []
    synonyms = [term.SynonymClause(synonym(text, "EXACT")) for text in (*others, *said.synonyms)]
    others = [term.AltIdClause(_ident(other)) for other in said.alt_ids]
    return [term.NameClause(first), *others, *definition, *synonyms]


def _end_of_life(retired: Retired) -> list[Any]:
    """The tags of an obsolete term."""
    term = optional("fastobo").term
    name = [term.NameClause(retired.name)] if retired.name else []
    replaced_by = [term.ReplacedByClause(_ident(other)) for other in retired.replaced_by]
    consider = [term.ConsiderClause(_ident(other)) for other in retired.consider]
    alt_ids = [term.AltIdClause(_ident(other)) for other in retired.alt_ids]
    return [*name, *alt_ids, term.IsObsoleteClause(True), *replaced_by, *consider]


def _ident(id: str) -> Any:
    """The id of a term: a code such as `GO:0000001`, an IRI, else percent-encoded."""
    identifiers = optional("fastobo").id
    code = code_of(id)
    if found := re.fullmatch(r"([A-Za-z_]+):([A-Za-z0-9_]+)", code):
        return identifiers.PrefixedIdent(found[1], found[2])
    if "://" in code and not re.search(r"[\s\\\"{}!]", code):
        with suppress(ValueError):
            return identifiers.Url(code)
    return identifiers.UnprefixedIdent(quote(code, safe=""))


class _Clauses:
    """The tags of each term, and the constraints that no tag can say."""

    def __init__(self, document: Document):
        self.terms = optional("fastobo").term
        self.ident = {
            label: _ident(document.about.get(label, About()).id or label)
            for label in document.labels
        }
        self.of: dict[str, list[Any]] = {label: [] for label in document.labels}
        self.lost: list[str] = []
        self.defined: set[tuple[str, str]] = set()
        subsumptions = [
            constraint for constraint in document.constraints if isinstance(constraint, c.Subsumes)
        ]
        self.edges = {
            (child, constraint.parent)
            for constraint in subsumptions
            for child in constraint.children
        }
        for constraint in dict.fromkeys(document.constraints):
            self._add(constraint)

    def _add(self, constraint: c.Constraint) -> None:
        match constraint:
            case c.Subsumes(parent, children):
                for child in children:
                    self._tag(child, "IsAClause", parent)
            case c.Exclusive(labels):
                self._disjoint(labels, constraint)
            case c.Equivalent(labels):
                for a, b in pairwise(labels):
                    self._tag(a, "EquivalentToClause", b)
            case c.Covers(parent, children) if self._is_union(parent, children):
                for child in children:
                    self._tag(parent, "UnionOfClause", child)
            case c.ExactlyOne(labels):
                self._disjoint(labels, constraint)
                self.lost.append(render_constraint(c.AtLeastOne(labels)))
            case c.Formula(f.Iff(f.Name(name), f.And(parts))) if self._is_intersection(name, parts):
                for part in f.names(f.And(parts)):
                    self._intersect(name, part)
            case _:
                self.lost.append(render_constraint(constraint))

    def _tag(self, label: str, clause: str, other: str) -> None:
        self.of[label].append(getattr(self.terms, clause)(self.ident[other]))

    def _intersect(self, label: str, genus: str) -> None:
        self.of[label].append(self.terms.IntersectionOfClause(None, self.ident[genus]))

    def _disjoint(self, labels: tuple[str, ...], constraint: c.Constraint) -> None:
        if len(labels) * (len(labels) - 1) // 2 > MAX_PAIRS:
            self.lost.append(render_constraint(constraint))
            return
        for a, b in combinations(labels, 2):
            self._tag(a, "DisjointFromClause", b)

    def _is_union(self, parent: str, children: tuple[str, ...]) -> bool:
        """Whether the term is the union of the others: OBO cannot say that it is covered by some of them."""
        below = all((child, parent) in self.edges for child in children)
        return below and len(children) >= 2 and self._once(parent, "union_of")

    def _is_intersection(self, name: str, parts: tuple[f.Expression, ...]) -> bool:
        genera = {part.name for part in parts if isinstance(part, f.Name)}
        return (
            2 <= len(genera) == len(parts)
            and name not in genera
            and self._once(name, "intersection_of")
        )

    def _once(self, label: str, tag: str) -> bool:
        """A term can be defined once only."""
        first = (label, tag) not in self.defined
        self.defined.add((label, tag))
        return first
