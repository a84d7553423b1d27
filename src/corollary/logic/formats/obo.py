"""OBO ontologies: terms as labels, and of their tags those that say which things are in which terms."""

from __future__ import annotations

import re
from itertools import combinations, pairwise
from typing import Any
from urllib.parse import quote

from ..errors import FormatError
from ..language import constraints as c
from ..language import formula as f
from ..language.about import About
from ..language.notation import Document, document, render_constraint
from . import axioms, meanings
from .files import decode, optional
from .names import choose

#: Tags of the header and of terms that add meaning which labels and constraints cannot express.
_HEADER_TAGS = ("import", "treat-xrefs-as-", "owl-axioms")
#: An exclusive group is written as pairs, up to this many.
MAX_PAIRS = 1_000_000


def read(data: bytes, *, file: str, names: str | None = None) -> Document:
    """The terms of an ontology, and how they are tied.

    `names` is `name` or `id`: what becomes a label's name. Left out, it is the `name` of a term if it has one of its
    own, else its `id`. Obsolete terms are left out, and listed.
    """
    text = decode(data, file=file)
    text = re.sub(
        r"^[^\S\n]*![^\n]*", "", text, flags=re.MULTILINE
    )  # the parser takes no comments, but blank lines
    frames = _frames(text, file)
    lines = _lines(text)
    lost = [str(clause) for clause in frames.header if clause.raw_tag().startswith(_HEADER_TAGS)]
    terms: dict[str, list[Any]] = {}
    said: list[tuple[c.Hard, c.Source]] = []
    for frame in frames:
        key = str(frame.id)
        if type(frame).__name__ != "TermFrame":
            lost.append(f"{type(frame).__name__.removesuffix('Frame')} {key}")
        elif any(clause.raw_tag() == "is_obsolete" and clause.obsolete for clause in frame):
            lost.append(f"{key} is obsolete")
        else:
            terms.setdefault(key, []).append(frame)
            source = c.Source(file, lines.get(key))
            said += [(constraint, source) for constraint in _said(frame, key, lost)]
    keys = dict.fromkeys([*terms, *(name for constraint, _ in said for name in constraint.labels)])
    if not keys:
        raise FormatError(f"{file} has no terms")
    texts = {key: _name(key, terms.get(key, []), lost) for key in keys}
    name_of = choose({"name": texts, "id": {key: key for key in keys}}, names=names, file=file)
    constraints = dict.fromkeys(
        axioms.renamed(constraint, name_of.__getitem__, source) for constraint, source in said
    )
    told = {name_of[key]: _about(name_of[key], texts[key], frames) for key, frames in terms.items()}
    about = {label: said for label, said in told.items() if said}
    return document(
        constraints, labels=name_of.values(), not_expressed=dict.fromkeys(lost), about=about
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


def _about(label: str, name: str | None, frames: list[Any]) -> About:
    """What is said of a term in words: its name, synonyms and definition."""
    clauses = [clause for frame in frames for clause in frame]
    return meanings.about(
        label,
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
        frames.append(fastobo.term.TermFrame(_ident(label), [*words, *clauses.of[label]]))
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
    return [term.NameClause(first), *definition, *synonyms]


def _ident(label: str) -> Any:
    """The id of a label: itself if it looks like one (`GO:0000001`), else percent-encoded."""
    identifiers = optional("fastobo").id
    if found := re.fullmatch(r"([A-Za-z_]+):([A-Za-z0-9_]+)", label):
        return identifiers.PrefixedIdent(found[1], found[2])
    return identifiers.UnprefixedIdent(quote(label, safe=""))


class _Clauses:
    """The tags of each term, and the constraints that no tag can say."""

    def __init__(self, document: Document):
        self.terms = optional("fastobo").term
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
        self.of[label].append(getattr(self.terms, clause)(_ident(other)))

    def _intersect(self, label: str, genus: str) -> None:
        self.of[label].append(self.terms.IntersectionOfClause(None, _ident(genus)))

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
