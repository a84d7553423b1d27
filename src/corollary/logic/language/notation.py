"""The notation: labels and constraints as text that people write, read and keep under version control."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ..errors import NotationError, OntologyError, nearest
from . import constraints as c
from . import formula as f
from . import relations as r
from .about import About, Retired
from .grammar import BARE, FORMULA_WORDS, STATEMENT_WORDS
from .syntax import Mention, Statement, check_expression, parse_statements
from .syntax_errors import error_at

#: Lists of labels are wrapped after the comma that would pass this column.
WIDTH = 100

_BARE = re.compile(BARE)
_LOOKS_LIKE_A_STATEMENT = re.compile(rf"(?:{'|'.join(STATEMENT_WORDS)}):")
_WORDS = frozenset((*FORMULA_WORDS, *STATEMENT_WORDS))


@dataclass(frozen=True, slots=True)
class Document:
    """What a file says: labels in order, constraints in order, and a line for each thing they cannot express.

    `about` has what it says of some labels beyond logic: identity, other names, synonyms, definitions, annotations.
    `retired` has its obsolete terms, which are no labels. `pairs` has everything about pairs of items. `not_kept` has a
    line for each annotation that is kept nowhere.
    """

    labels: tuple[str, ...]
    constraints: tuple[c.Constraint, ...]
    not_expressed: tuple[str, ...] = ()
    about: Mapping[str, About] = field(default_factory=dict, compare=False)
    retired: tuple[Retired, ...] = field(default=(), compare=False)
    pairs: tuple[r.Said, ...] = ()
    not_kept: tuple[str, ...] = field(default=(), compare=False)

    @property
    def meaning(self) -> dict[str, str]:
        """The same as one text for each label."""
        return {label: said.text for label, said in self.about.items() if said.text}

    @property
    def names(self) -> dict[str, str]:
        """The first name of each label that has one which is not the label itself."""
        return {label: said.names[0] for label, said in self.about.items() if said.names}


def document(
    constraints: Iterable[c.Constraint],
    *,
    labels: Iterable[str] = (),
    not_expressed: Iterable[str] = (),
    about: Mapping[str, About] | None = None,
    retired: Iterable[Retired] = (),
    not_kept: Iterable[str] = (),
    pairs: Iterable[r.Said] = (),
) -> Document:
    """A Document whose labels are the given ones and then every other one, in order of first mention."""
    constraints = tuple(constraints)
    names = tuple(dict.fromkeys([*labels, *_mentions(constraints)]))
    return Document(
        names,
        constraints,
        tuple(not_expressed),
        about or {},
        tuple(retired),
        pairs=tuple(pairs),
        not_kept=tuple(dict.fromkeys(not_kept)),
    )


def parse(text: str, *, file: str | None = None) -> Document:
    """Read text in the notation; labels come in order of first mention."""
    if not isinstance(text, str):
        raise NotationError(f"the notation is text, got {type(text).__name__}")
    text = text.removeprefix("\ufeff")
    statements = parse_statements(text, file=file)
    try:
        said = [made for statement in statements for made in _constraints(statement, file)]
        declared = [str(n) for one in statements if one.keyword == "labels" for n in one.labels]
        constraints, pairs, relations = r.divided(said, declared)
        _check_declared(statements, relations)
        names = dict.fromkeys(str(name) for statement in statements for name in _names(statement))
    except _Misplaced as slip:
        raise error_at(text, slip.line, slip.column, str(slip), file=file) from None
    labels = tuple(name for name in names if name not in set(relations))
    return Document(labels, constraints, pairs=pairs)


class _Misplaced(NotationError):
    """A slip whose place is known but whose text is not at hand."""

    line: int
    column: int


def _names(statement: Statement) -> Iterator[Mention]:
    if statement.parent is not None:
        yield statement.parent
    yield from statement.labels
    if statement.expression is not None:
        yield from f.names(statement.expression)  # type: ignore[misc]  # as parsed, the names are Mentions
    for end in statement.ends:
        yield from f.names(end)  # type: ignore[misc]
    yield from (name for _, name in statement.properties if name is not None)


def _check_declared(statements: list[Statement], relations: Iterable[str]) -> None:
    """If there is a `labels:` statement, every label must be in one, and once only; relations are none."""
    declared: dict[str, int] = {}
    for statement in statements:
        if statement.keyword == "labels":
            for name in statement.labels:
                if name in declared:
                    message = f"the label {str(name)!r} is declared twice, first in line {declared[name]}; remove one"
                    raise _Misplaced(message, line=name.line, column=name.column)
                declared[name] = name.line
    known = {*declared, *relations}
    for statement in statements if declared else ():
        for name in _names(statement):
            if name not in known:
                message = (
                    f"the label {str(name)!r} is not declared in 'labels:'{nearest(name, declared)}"
                )
                raise _Misplaced(message, line=name.line, column=name.column)


def _constraints(statement: Statement, file: str | None) -> list[r.Said]:
    """What the statement says, or the place of a slip."""
    weight = _weight_of(statement)
    try:
        source = c.Source(file, statement.line)
        if statement.keyword == "relation":
            return _related(statement, source)
        return [r.check_said(one) for one in _said(statement, source, weight)]
    except OntologyError as error:
        place = _place(list(_names(statement)))
        raise _Misplaced(str(error), line=place.line, column=place.column) from None


def _place(mentions: list[Mention]) -> Mention:
    """The label that is wrong in itself or is there again; else the first."""
    seen: set[str] = set()
    for name in mentions:
        try:
            c.check_name(name)
        except OntologyError:
            return name
    for name in mentions:
        if name in seen:
            return name
        seen.add(name)
    return mentions[0]


def _weight_of(statement: Statement) -> float | None:
    if (written := statement.weight) is None:
        return None
    if statement.parent is not None and statement.keyword not in ("", "covered by"):
        message = "this statement says several things at once; write each in a line of its own, with its weight"
        raise _Misplaced(message, line=written.line, column=written.column)
    try:
        return c.check_weight(float(written))
    except OntologyError as error:
        raise _Misplaced(str(error), line=written.line, column=written.column) from None
    except ValueError:
        message = f"a weight is a number, as in '(weight 3)'; got {str(written)!r}"
        raise _Misplaced(message, line=written.line, column=written.column) from None


def _related(statement: Statement, source: c.Source) -> list[r.Said]:
    """What a statement says of a relation: its ends, then its properties."""
    name = str(statement.parent)
    found: list[r.Said] = []
    if statement.ends:
        ends = [f.rename(end, str) for end in statement.ends]
        found.append(r.relation(name, ends[0], ends[1], source=source))
    for word, other in statement.properties:
        if other is not None:
            found.append(r.inverse(name, str(other), source=source))
        elif word == "symmetric":
            found.append(r.symmetric(name, source=source))
        else:
            found.append(r.functional(name, inverse=word != "functional", source=source))
    return found


def _said(statement: Statement, source: c.Source, weight: float | None) -> list[c.Constraint]:
    labels = [str(name) for name in statement.labels]
    if statement.expression is not None:
        expression = f.rename(statement.expression, lambda name: c.check_name(str(name)))
        return [c.formula(expression, weight=weight, source=source)]
    if statement.parent is None:
        match statement.keyword:
            case "exclusive":
                return [c.exclusive(*labels, weight=weight, source=source)]
            case "exactly one":
                return [c.exactly_one(*labels, weight=weight, source=source)]
            case "at least one":
                return [c.at_least_one(*labels, weight=weight, source=source)]
            case "equivalent":
                return [c.equivalent(*labels, weight=weight, source=source)]
        for label in labels:  # of a `labels:` statement
            c.check_name(label)
        return []
    parent = str(statement.parent)
    found: list[c.Constraint] = []
    if statement.keyword != "covered by":
        found.append(c.subsumes(parent, *labels, weight=weight, source=source))
    if statement.keyword in ("exclusive", "exactly one"):
        found.append(c.exclusive(*labels, source=source))
    if statement.keyword in ("covered by", "exactly one", "at least one"):
        found.append(c.covers(parent, *labels, weight=weight, source=source))
    return found


def render(document: Document) -> str:
    """The document as text in the notation; parsing it gives the same labels and constraints in the same order."""
    known = set(document.labels)
    relations = set(r.divided(document.pairs)[2])
    every = (*document.constraints, *document.pairs)
    mentioned = dict.fromkeys(name for name in _mentions(every) if name not in relations)
    if twice := c.first_repeated(document.labels):
        raise OntologyError(f"the label {twice!r} is there twice; remove one")
    for label in document.labels:
        c.check_name(label)
    for label in mentioned:
        if label not in known:
            raise OntologyError(
                f"a constraint names {label!r}, which is not one of the labels{nearest(label, known)}"
            )
    lines = [*_statements(document.constraints), *_pair_statements(document.pairs)]
    if document.labels != tuple(mentioned):
        lines.insert(0, _wrapped("labels:", document.labels))
    return "".join(line + "\n" for line in lines)


def render_short(constraint: r.Said) -> str:
    """A constraint as it would be written, cut for a message."""
    text = render_constraint(constraint)
    return text if len(text) <= 80 else text[:77] + "..."


def render_constraint(constraint: r.Said) -> str:
    """One constraint as one statement."""
    r.check_said(constraint)
    weight = ""
    if isinstance(constraint, c.Soft):
        weight = f" (weight {render_weight(constraint.weight)})"
        constraint = constraint.constraint
    match constraint:
        case c.Subsumes(parent, children):
            return _wrapped(f"{quote(parent)}{weight} >", children)
        case c.Covers(parent, children):
            return _wrapped(f"{quote(parent)}{weight} covered by", children)
        case c.Exclusive(labels):
            return _wrapped(f"exclusive{weight}:", labels)
        case c.ExactlyOne(labels):
            return _wrapped(f"exactly one{weight}:", labels)
        case c.AtLeastOne(labels):
            return _wrapped(f"at least one{weight}:", labels)
        case c.Equivalent(labels):
            return _wrapped(f"equivalent{weight}:", labels)
        case c.Formula(expression):
            return f"rule{weight}: {render_expression(expression)}"
        case r.Relation(name, head, tail):
            ends = f"{render_expression(head)}, {render_expression(tail)}"
            return f"relation {quote(name)}({ends})"
        case r.Symmetric(name) | r.Inverse(name) | r.Functional(name):
            return f"relation {quote(name)}{_property(constraint, of=name)}"
    raise OntologyError(f"{constraint!r} is not a constraint")


def _property(said: r.Said, *, of: str) -> str:
    """The words behind a relation's name; empty if it says something else."""
    match said:
        case r.Symmetric(name) if name == of:
            return " symmetric"
        case r.Inverse(name, other) if name == of:
            return " inverse " + (f'"{other}"' if other == "functional" else quote(other))
        case r.Functional(name, inverse) if name == of:
            return " inverse functional" if inverse else " functional"
    return ""


def _pair_statements(pairs: Sequence[r.Said]) -> Iterator[str]:
    """A statement for each, the properties of a relation behind its ends where they come next."""
    at = 0
    while at < len(pairs):
        line = render_constraint(first := pairs[at])
        at += 1
        if not isinstance(first, r.Declared):
            yield line
            continue
        while at < len(pairs) and (said := _property(pairs[at], of=first.name)):
            line += said
            at += 1
        yield line


def render_weight(weight: float) -> str:
    """As few digits as give back the same number."""
    return repr(weight).removesuffix(".0")


def render_expression(expression: f.Expression) -> str:
    """A formula with as few parentheses as give back the same tree.

    A conjunction or disjunction of fewer than two parts has no notation of its own: what it means is written.
    """
    check_expression(expression)
    return _rendered(expression, 0)


def quote(name: str) -> str:
    """The name as it is written in the notation: bare if it can be, else in double quotes."""
    c.check_name(name)
    if _BARE.fullmatch(name) and name not in _WORDS and not _LOOKS_LIKE_A_STATEMENT.match(name):
        return name
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _mentions(constraints: Iterable[r.Said]) -> Iterator[str]:
    for constraint in constraints:
        yield from constraint.labels


def _statements(constraints: Sequence[c.Constraint]) -> Iterator[str]:
    """Statements for all constraints, neighbours that make one statement together as that one."""
    at = 0
    while at < len(constraints):
        match constraints[at : at + 3]:
            case [c.Subsumes(p, a), c.Exclusive(b), c.Covers(q, d)] if a == b == d and p == q:
                keyword = "exactly one:"
                used = 3
            case [c.Subsumes(_, a), c.Exclusive(b), *_] if a == b:
                keyword = "exclusive:"
                used = 2
            case [c.Subsumes(p, a), c.Covers(q, d), *_] if a == d and p == q:
                keyword = "at least one:"
                used = 2
            case _:
                keyword = ""
                used = 1
        statement = render_constraint(constraints[at])
        if isinstance(first := constraints[at], c.Subsumes) and used > 1:
            statement = _wrapped(f"{quote(first.parent)} > {keyword}", first.children)
        yield statement
        at += used


def _wrapped(head: str, labels: Iterable[str]) -> str:
    """`head a, b, c`, going on in a new line after a comma where the line gets long."""
    lines = []
    line = head
    for label in map(quote, labels):
        if len(line) + len(label) + 2 > WIDTH and line is not head:
            lines.append(line)
            line = "   "
        line += f" {label},"
    return "\n".join([*lines, line[:-1]])


#: How tightly an operator binds; a part that binds less than its place asks for goes in parentheses.
_IFF, _IMPLIES, _OR, _AND, _NOT = range(5)


def _rendered(expression: f.Expression, place: int) -> str:
    match expression:
        case f.Name(name, of):
            return quote(name) + (f"({', '.join(map(quote, of))})" if of else "")
        case f.Constant(value):
            return "true" if value else "false"
        case f.And(()) | f.Or(()):
            return "true" if isinstance(expression, f.And) else "false"
        case f.And((part,)) | f.Or((part,)):
            return _rendered(part, place)
    text, binds = _joined(expression)
    return text if binds >= place else f"({text})"


def _joined(expression: f.Expression) -> tuple[str, int]:
    """An operator with its parts, and how tightly it binds."""
    match expression:
        case f.Not(part):
            return f"~{_rendered(part, _NOT)}", _NOT
        case f.And(parts):
            return " & ".join(_rendered(part, _NOT) for part in parts), _AND
        case f.Or(parts):
            return " | ".join(_rendered(part, _AND) for part in parts), _OR
        case f.Implies(a, b):
            return f"{_rendered(a, _OR)} >> {_rendered(b, _IMPLIES)}", _IMPLIES
        case f.Iff(a, b):
            return f"{_rendered(a, _IFF)} <-> {_rendered(b, _IMPLIES)}", _IFF
    raise OntologyError(f"{expression!r} is not an expression")
