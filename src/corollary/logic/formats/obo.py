"""OBO ontologies: terms as labels, and of their tags those that say which things are in which terms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from ..errors import FormatError
from ..language import constraints as c
from ..language import formula as f
from ..language.about import About, Annotation, Retired
from ..language.notation import Document, document, render_constraint
from . import meanings, rdf
from .files import ANNOTATION, beside, decode, optional, read_bytes
from .names import choose, code_of, iri_of, one_or_many, tidy
from .owl import axioms

#: Tags of the header and of terms that add meaning which labels and constraints cannot express.
_HEADER_TAGS = ("import", "treat-xrefs-as-", "owl-axioms")
#: Tags of terms that tie them to others, or without which there is no term; the other known ones annotate.
_TIES = frozenset(
    "id name is_a intersection_of union_of equivalent_to disjoint_from relationship is_obsolete".split()
)
_NOTES = frozenset(
    "namespace alt_id def comment subset synonym xref builtin property_value created_by "
    "creation_date replaced_by consider is_anonymous".split()
)
#: Tags whose text is the value of an annotation as it is.
_TEXTS = {
    "comment": meanings.RDFS + "comment",
    "namespace": meanings.OBO_IN_OWL + "hasOBONamespace",
    "created_by": meanings.OBO_IN_OWL + "created_by",
    "creation_date": meanings.OBO_IN_OWL + "creation_date",
    "builtin": meanings.OBO_IN_OWL + "builtin",
    "is_anonymous": meanings.OBO_IN_OWL + "is_anonymous",
}
_XREF = meanings.OBO_IN_OWL + "hasDbXref"
_SUBSET = meanings.OBO_IN_OWL + "inSubset"
_SYNONYM_TYPE = meanings.OBO_IN_OWL + "hasSynonymType"
_LINKS = {"replaced_by": meanings.REPLACED_BY[0], "consider": meanings.CONSIDER[0]}
#: The modifier that has the language of a text.
_LANGUAGE = "language"
#: An exclusive group is written as pairs, up to this many.
MAX_PAIRS = 1_000_000


def read(
    data: bytes,
    *,
    file: str,
    names: str | None = None,
    hierarchy: str | Iterable[str] = (),
    imports: bool = False,
) -> Document:
    """The terms of an ontology, and how they are tied.

    `names` is `name` or `id`: what becomes a label's name. Left out, it is the `name` of a term if
    it has one of its own, else its `id`. Obsolete terms are no labels; they are in `retired`. `hierarchy` has the
    relations that are read like is_a, such as `part_of`, by id or name. With `imports`, files that it imports are read
    too, if they are in its folder.
    """
    parts = _parts(data, file, imports=imports)
    lost = [line for part in parts for line in part.lost]
    not_kept = [line for part in parts for line in part.not_kept]
    terms: dict[str, list[Any]] = {}
    retired: dict[str, Retired] = {}
    every: list[c.Hard] = []
    placed = [(frame, part) for part in parts for frame in part.frames]
    above = _relations([frame for frame, _ in placed], one_or_many(hierarchy))
    for frame, part in placed:
        key = str(frame.id)
        if type(frame).__name__ != "TermFrame":
            lost.append(f"{type(frame).__name__.removesuffix('Frame')} {key}")
            continue
        if any(clause.raw_tag() == "is_obsolete" and clause.obsolete for clause in frame):
            retired[key] = _retired(key, frame)
        else:
            terms.setdefault(key, []).append(frame)
        source = c.Source(part.file, part.lines.get(key))
        every += [replace(one, source=source) for one in _said(frame, key, lost, above)]
        not_kept += [
            f"{ANNOTATION}{clause.raw_tag()} of {key}: {clause.raw_value()} {clause.qualifiers}"
            for clause in frame
            if clause.raw_tag() in _TIES and clause.qualifiers and clause.raw_tag() != "name"
        ]
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
        not_kept=not_kept,
    )


class _Part(NamedTuple):
    """A file: its frames, the line of each, and what of it is not expressed or not kept."""

    file: str
    frames: Any
    lines: dict[str, int]
    lost: list[str]
    not_kept: list[str]


def _parts(data: bytes, file: str, *, imports: bool) -> list[_Part]:
    """A file, and those beside it that it imports; an import without such a file is listed."""
    waiting = {Path(file): data}
    parts: dict[Path, _Part] = {}
    while waiting:
        path, data = waiting.popitem()
        text = decode(data, file=str(path))
        text = re.sub(
            r"^[^\S\n]*![^\n]*", "", text, flags=re.MULTILINE
        )  # the parser takes no comments, but blank lines
        text, lost = _without_other_stanzas(text)
        frames, not_kept = _frames(text, str(path))
        parts[path] = _Part(str(path), frames, _lines(text), lost, not_kept)
        for clause in frames.header:
            tag = clause.raw_tag()
            place = (
                beside(path, clause.raw_value(), (".obo",)) if tag == "import" and imports else None
            )
            if place is not None:
                if place not in parts:
                    waiting[place] = read_bytes(place)
            elif tag.startswith(_HEADER_TAGS):
                lost.append(str(clause))
            elif tag != "format-version":
                not_kept.append(f"{ANNOTATION}{tag} of the file: {clause.raw_value()}")
    return list(parts.values())


def _without_other_stanzas(text: str) -> tuple[str, list[str]]:
    """The text with only its terms and properties, line by line as before, and a line for each other stanza."""
    kept = []
    lost = []
    kind = "Term"
    for line in text.split("\n"):
        if (found := re.match(r"\[(\w+)\]", line)) is not None:
            kind = found[1]
        other = kind not in ("Term", "Typedef")
        if other and line.startswith("id:"):
            lost.append(f"{kind} {line[3:].strip()}")
        kept.append("" if other else line)
    return "\n".join(kept), lost


def _frames(text: str, file: str) -> tuple[Any, list[str]]:
    """The frames of a file, and a line for each annotation that cannot be read."""
    fastobo = optional("fastobo")
    try:
        with suppress(SyntaxError):
            return fastobo.loads(text), []
        text, not_kept = _without_odd_annotations(text)
        return fastobo.loads(text), not_kept
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


def _without_odd_annotations(text: str) -> tuple[str, list[str]]:
    """The text without the annotations that the parser refuses, found stanza by stanza, and a line for each."""
    loads = optional("fastobo").loads
    lines = text.split("\n")
    starts = [n for n, line in enumerate(lines) if line.startswith("[")]
    not_kept = []
    for start, end in pairwise([*starts, len(lines)]):
        for _ in range(start, end):
            try:
                loads("\n".join([*lines[start:end], ""]))
                break
            except SyntaxError as error:
                at = start + (error.lineno or 0) - 1
            tag, mark, value = lines[at].partition(":")
            if not mark or tag not in _NOTES:
                break  # the whole file is refused, with the place
            not_kept.append(f"{ANNOTATION}{tag} of line {at + 1}: {value.strip()}")
            lines[at] = ""
    return "\n".join(lines), not_kept


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
        clause.name.strip() for frame in frames for clause in frame if clause.raw_tag() == "name"
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
    notes = [_note(clause) for clause in frame if clause.raw_tag() not in _LINKS]
    annotations = tuple(sorted({note for note in notes if note is not None}))
    return Retired(key, name.strip(), terms("replaced_by"), terms("consider"), others, annotations)


def _about(key: str, label: str, name: str | None, frames: Sequence[Any]) -> About:
    """The id, alternative ids, name, synonyms, definition and annotations of a term."""
    clauses = [clause for frame in frames for clause in frame]
    notes = [note for clause in clauses if (note := _note(clause)) is not None]
    comments = [note.value for note in notes if note.property == _TEXTS["comment"]]
    return meanings.about(
        label,
        id=key,
        alt_ids=[str(clause.alt_id) for clause in clauses if clause.raw_tag() == "alt_id"],
        names=[name or ""],
        synonyms=[clause.synonym.desc for clause in clauses if clause.raw_tag() == "synonym"],
        definitions=[clause.definition for clause in clauses if clause.raw_tag() == "def"]
        or comments,
        annotations=notes,
        defined=bool(frames),
    )


def _note(clause: Any) -> Annotation | None:
    """The annotation that a tag is; None for the tags that are something else."""
    tag = clause.raw_tag()
    modifiers = {str(one.key): one.value for one in clause.qualifiers or ()}
    language = modifiers.pop(_LANGUAGE, "")
    further = [Annotation(iri_of(key), value) for key, value in modifiers.items()]
    where, value, datatype = "", "", ""
    match tag:
        case "name" if modifiers or language:
            where, value = meanings.NAMES[0], clause.name.strip()
        case "def":
            where, value = meanings.DEFINITION, clause.definition
            further += map(_xref, clause.xrefs)
        case "synonym":
            synonym = clause.synonym
            where = f"{meanings.OBO_IN_OWL}has{synonym.scope.title()}Synonym"
            value = synonym.desc
            further += map(_xref, synonym.xrefs)
            if synonym.type is not None:
                further.append(Annotation(_SYNONYM_TYPE, str(synonym.type), datatype="@id"))
        case "xref":
            found = _xref(clause.xref)
            where, value = found.property, found.value
            further += found.qualifiers
        case "subset":
            where, value, datatype = _SUBSET, str(clause.subset), "@id"
        case "replaced_by" | "consider":
            where, value, datatype = _LINKS[tag], str(clause.term), "@id"
        case "property_value":
            said = clause.property_value
            where = iri_of(str(said.relation))
            value, datatype = str(said.value), "@id"
            if hasattr(said, "datatype"):
                datatype = re.sub("^xsd:", rdf.XSD, str(said.datatype))
                datatype = "" if datatype == rdf.XSD + "string" else datatype
        case "comment":
            where, value = (
                _TEXTS[tag],
                clause.comment.strip(),
            )  # the parser keeps the space before {
        case _ if tag in _TEXTS:
            where, value = _TEXTS[tag], clause.raw_value()
    if not where:
        return None
    return Annotation(where, value, language, datatype, tuple(sorted(set(further))))


def _xref(xref: Any) -> Annotation:
    description = [Annotation(meanings.NAMES[0], xref.desc)] if xref.desc else []
    return Annotation(_XREF, str(xref.id), qualifiers=tuple(description))


def _relations(frames: Any, names: Iterable[str]) -> frozenset[str]:
    """The ids of the relations that are called so."""
    wanted = set(names)
    found = set(wanted)
    for frame in frames:
        if type(frame).__name__ == "TypedefFrame":
            called = {clause.name for clause in frame if clause.raw_tag() == "name"}
            called |= {str(clause.xref.id) for clause in frame if clause.raw_tag() == "xref"}
            called |= {name.replace(" ", "_") for name in called}
            if wanted & called:
                found.add(str(frame.id))
    return frozenset(found)


def _said(frame: Any, key: str, lost: list[str], above: frozenset[str]) -> list[c.Hard]:
    """What the tags of a term say; the relations in `above` say what is_a says."""
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
                elif str(clause.typedef) in above:
                    found += axioms.subclass(f.Name(key), f.Name(str(clause.term)))
            case "relationship" if str(clause.typedef) in above:
                found += axioms.subclass(f.Name(key), f.Name(str(clause.term)))
            case "relationship":
                lost.append(f"{key} {clause.raw_value()}")
    if union:
        found += axioms.same(f.Name(key), f.Or(tuple(union)))
    if len(genera) < len(
        definition
    ):  # with a differentia: the genera are implied, not the other way round
        whole = f"{key} is {' and '.join(clause.raw_value() for clause in definition)}"
        lost.append(f"in part: {whole}" if genera else whole)
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
        words, left_out = _words(label, document.about.get(label, About()))
        clauses.lost += left_out
        ident = clauses.ident[label]
        frames.append(fastobo.term.TermFrame(ident, [*words, *clauses.of[label]]))
    for retired in document.retired:
        words, left_out = _end_of_life(retired)
        clauses.lost += left_out
        frames.append(fastobo.term.TermFrame(_ident(retired.id), words))
    header = fastobo.header.HeaderFrame([fastobo.header.FormatVersionClause("1.4")])
    return str(fastobo.doc.OboDoc(header, frames)).encode(), clauses.lost


def _words(label: str, said: About) -> tuple[list[Any], list[str]]:
    """The tags of a term that are for people, and a line for each annotation that no tag can say."""
    term = optional("fastobo").term
    synonym = optional("fastobo").syn.Synonym
    first, *others = meanings.written_names(label, said)
    clauses, left_out = _note_clauses(said.annotations, first, said.id or label)

    def further(texts: Iterable[str], *places: str) -> list[str]:
        known = {tidy(note.value) for note in said.annotations if note.property in places}
        return [text for text in texts if text not in known]

    definitions = further(said.definitions, *meanings.DEFINITIONS)
    synonyms = [
        *further(others, *meanings.NAMES),
        *further(said.synonyms, *meanings.SYNONYMS),
    ]
    if definitions and not any(clause.raw_tag() == "def" for clause in clauses):
        clauses.append(term.DefClause(" ".join(definitions)))
    clauses += [term.SynonymClause(synonym(text, "EXACT")) for text in synonyms]
    place = {text: n for n, text in enumerate((*others, *said.synonyms))}
    clauses.sort(
        key=lambda one: place.get(one.synonym.desc, 0) if one.raw_tag() == "synonym" else 0
    )
    clauses += [term.AltIdClause(_ident(other)) for other in said.alt_ids]
    return _in_order(clauses), left_out


def _end_of_life(retired: Retired) -> tuple[list[Any], list[str]]:
    """The tags of an obsolete term, and a line for each annotation that no tag can say."""
    term = optional("fastobo").term
    clauses, left_out = _note_clauses(retired.annotations, retired.name, retired.id)
    clauses += [term.AltIdClause(_ident(other)) for other in retired.alt_ids]
    clauses += [term.ReplacedByClause(_ident(other)) for other in retired.replaced_by]
    clauses += [term.ConsiderClause(_ident(other)) for other in retired.consider]
    return _in_order([*clauses, term.IsObsoleteClause(True)]), left_out


#: The order of tags in a term, as OBO files have it; ties to other terms stand after `xref`.
_ORDER = (
    "name namespace alt_id is_anonymous builtin def comment subset synonym xref property_value "
    "created_by creation_date is_obsolete replaced_by consider"
).split()


def _in_order(clauses: list[Any]) -> list[Any]:
    return sorted(clauses, key=lambda clause: _ORDER.index(clause.raw_tag()))


def _note_clauses(notes: Iterable[Annotation], name: str, key: str) -> tuple[list[Any], list[str]]:
    """The name of a term and its annotations as tags, and a line for each that no tag can say."""
    fastobo = optional("fastobo")
    clauses = []
    left_out = []
    once: set[str] = set()
    named = not name
    for note in notes:
        try:
            if not named and note.property in meanings.NAMES and tidy(note.value) == name:
                clause = fastobo.term.NameClause(name)
                named = True
            else:
                clause = _clause(note, once)
            clause.qualifiers = _modifiers(note, clause.raw_tag())
            clauses.append(clause)
        except (ValueError, TypeError, SyntaxError):
            left_out.append(meanings.left_out(note.property, key, note.value))
    return clauses if named else [fastobo.term.NameClause(name), *clauses], left_out


def _clause(note: Annotation, once: set[str]) -> Any:
    """An annotation as a tag; `once` has the tags that a term may have once and has already."""
    fastobo = optional("fastobo")
    term = fastobo.term
    found: Any = None
    scopes = {f"{meanings.OBO_IN_OWL}has{one}Synonym": one.upper() for one in meanings.SCOPES}
    scopes |= {meanings.SYNONYMS[0]: "EXACT"}
    plain = not note.datatype
    xrefs = fastobo.xref.XrefList(
        [
            fastobo.xref.Xref(_any_ident(one.value), *(inner.value for inner in one.qualifiers))
            for one in note.qualifiers
            if one.property == _XREF
        ]
    )
    tag = next((tag for tag, where in _TEXTS.items() if where == note.property), "")
    if plain and note.property in scopes:
        kinds = [one.value for one in note.qualifiers if one.property == _SYNONYM_TYPE]
        kind = _any_ident(kinds[0]) if kinds else None
        scope = scopes[note.property]
        found = term.SynonymClause(fastobo.syn.Synonym(note.value, scope, kind, xrefs))
    elif plain and note.property in (meanings.DEFINITION, meanings.DEFINITIONS[0]):
        found = term.DefClause(note.value, xrefs)
    elif plain and note.property == _XREF:
        found = term.XrefClause(
            fastobo.xref.Xref(_any_ident(note.value), *(one.value for one in note.qualifiers[:1]))
        )
    elif note.property == _SUBSET and note.datatype == "@id":
        found = term.SubsetClause(_any_ident(note.value))
    elif plain and tag == "comment":
        found = term.CommentClause(note.value)
    elif plain and tag == "namespace":
        found = term.NamespaceClause(_any_ident(note.value))
    elif plain and tag == "created_by":
        found = term.CreatedByClause(note.value)
    elif plain and tag in ("creation_date", "builtin", "is_anonymous"):
        with suppress(SyntaxError):
            text = f"[Term]\nid: X:1\n{tag}: {note.value}\n"
            found = fastobo.loads(text)[0][0]
    single = found is not None and found.raw_tag() not in ("synonym", "xref", "subset")
    if found is not None and not (single and found.raw_tag() in once):
        once |= {found.raw_tag()} if single else set()
        return found
    relation = _any_ident(code_of(note.property))
    if note.datatype == "@id":
        value = fastobo.pv.ResourcePropertyValue(relation, _ident(note.value))
    else:
        kind = note.datatype or rdf.XSD + "string"
        ident = (
            fastobo.id.PrefixedIdent("xsd", kind.removeprefix(rdf.XSD))
            if kind.startswith(rdf.XSD)
            else _any_ident(kind)
        )
        value = fastobo.pv.LiteralPropertyValue(relation, note.value, ident)
    return term.PropertyValueClause(value)


def _modifiers(note: Annotation, tag: str) -> Any:
    """What else is said of an annotation, in braces after its tag."""
    fastobo = optional("fastobo")
    said = {
        "def": (_XREF,),
        "synonym": (_XREF, _SYNONYM_TYPE),
        "xref": (meanings.NAMES[0],),
    }.get(tag, ())
    pairs = [(_LANGUAGE, note.language)] if note.language else []
    pairs += [
        (code_of(one.property), one.value) for one in note.qualifiers if one.property not in said
    ]
    if not pairs:
        return None
    return fastobo.qual.QualifierList(
        [fastobo.qual.Qualifier(_any_ident(key), value) for key, value in pairs]
    )


def _any_ident(text: str) -> Any:
    """An id of any kind, as the parser reads it."""
    parse = optional("fastobo").id.parse
    try:
        return parse(text)
    except (SyntaxError, ValueError):
        return _ident(text)


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
