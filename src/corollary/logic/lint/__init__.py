"""Find errors in an ontology, and constraints that it does not need."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, connected_components

from ..errors import bare
from ..language import formula as f
from ..language.constraints import (
    AtLeastOne,
    Constraint,
    Covers,
    Equivalent,
    ExactlyOne,
    Exclusive,
    Formula,
    Hard,
    Soft,
    Subsumes,
    hard_ones,
    soft_ones,
)
from ..language.expressions import expression_of
from ..language.relations import Said
from ..readable import AS_WRITTEN
from ..reasoning.explanation import Trace
from ..solving.clauses import PAIRS_UP_TO, Clauses, no, to_clauses, yes
from ..solving.deduction import Search
from ..wording import in_words, listed
from .similar_names import similar_names

SEVERITIES = ("error", "warning", "info")


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault of an ontology, with its labels and constraints.

    Attributes
    ----------
    kind : str
        An error: `unsatisfiable`. A warning: `never true`, `never false`, `cycle`, `undefined`,
        and for soft constraints `never kept` or `always kept` (the weight changes nothing).
        Harmless: `redundant`, `duplicate`, `unused`, `alike` (two names that may be one,
        misspelt), and `repeated` (the weights of a repeated soft constraint add up).
    severity : {"error", "warning", "info"}
        How bad it is.
    message : str
        The fault in words.
    labels : tuple of str
        The labels that have it.
    constraints : tuple
        The constraints that cause it.
    """

    kind: str
    severity: str
    message: str
    labels: tuple[str, ...]
    constraints: tuple[Said, ...]

    def __str__(self) -> str:
        return f"{self.severity}: {self.kind}: {self.message}"


def lint(
    labels: Sequence[str],
    constraints: Sequence[Constraint],
    clauses: Clauses,
    pairs: Sequence[Said] = (),
    undefined: Container[str] = (),
) -> list[Finding]:
    """Return every finding, the severe ones first, then by kind and position.

    Complete for any constraints.

    The constraints of all `redundant` and `duplicate` findings may be removed together: from the
    last to the first, each follows from the remaining ones. If the constraints contradict one
    another, everything would be redundant. So only that is reported, with duplicates, unused labels
    and similar names. `clauses` are those of the constraints that always hold, `pairs` the
    constraints about pairs of items. `undefined` are labels without a definition in their file.
    """
    every = constraints
    soft = soft_ones(constraints)
    constraints = hard_ones(every)
    trace = Trace(labels, constraints, clauses)
    repeats = _duplicates(constraints)
    found: list[Finding] = []
    if trace.world is None:
        contradiction = trace.clash({})
        found.append(
            Finding("unsatisfiable", "error", str(contradiction), (), contradiction.constraints)
        )
    else:
        found += _forced(trace, labels, constraints)
        found += _cycles(labels, constraints, clauses)
        for owner in _redundant(trace, clauses, len(constraints), set(repeats)):
            message = f"follows from the other constraints: {_written(constraints[owner])}"
            found.append(_about("redundant", message, constraints[owner]))
        found += _weightless(labels, constraints, soft)
    for stated in (constraints, pairs):
        for owner, first in (repeats if stated is constraints else _duplicates(pairs)).items():
            source = stated[first].source
            message = f"stated before{f' [{source}]' if source else ''}: {_written(stated[owner])}"
            found.append(_about("duplicate", message, stated[owner]))
    found += _repeated(soft)
    used = {label for constraint in (*every, *pairs) for label in constraint.labels}
    found += [
        Finding("unused", "info", f"no constraint mentions {label}", (label,), ())
        for label in labels
        if label not in used
    ]
    found += [
        Finding(
            "undefined",
            "warning",
            f"the file mentions {label}, but does not define it",
            (label,),
            tuple(one for one in (*every, *pairs) if label in one.labels),
        )
        for label in labels
        if label in undefined
    ]
    found += [
        Finding(
            "alike",
            "info",
            f"{one} and {other} {_difference(one, other)}: is one of them a slip?",
            (one, other),
            (),
        )
        for one, other in similar_names(labels, every)
    ]
    return sorted(found, key=lambda finding: SEVERITIES.index(finding.severity))


def _difference(one: str, other: str) -> str:
    return (
        "differ in capitals or separators only"
        if bare(one) == bare(other)
        else "are almost the same name"
    )


def _about(kind: str, message: str, constraint: Said) -> Finding:
    return Finding(kind, "info", message, constraint.labels, (constraint,))


def _duplicates(constraints: Sequence[Said]) -> dict[int, int]:
    """Constraints that say the same as an earlier one in the same form, whatever the order of labels: which one."""
    first: dict[Hashable, int] = {}
    repeats = {}
    for owner, constraint in enumerate(constraints):
        match constraint:
            case Subsumes(parent, children) | Covers(parent, children):
                said: Hashable = (type(constraint), parent, frozenset(children))
            case Exclusive() | ExactlyOne() | AtLeastOne() | Equivalent():
                said = (type(constraint), frozenset(constraint.labels))
            case _:
                said = constraint
        if first.setdefault(said, owner) != owner:
            repeats[owner] = first[said]
    return repeats


def _repeated(soft: Sequence[Soft]) -> Iterator[Finding]:
    """Soft constraints that are there before, with whatever weight."""
    for owner, first in _duplicates([one.constraint for one in soft]).items():
        before = f"stated before{f' [{source}]' if (source := soft[first].source) else ''}"
        yield _about(
            "repeated",
            f"{before}, so that both weights count: {_written(soft[owner])}",
            soft[owner],
        )


def _weightless(
    labels: Sequence[str], hard: Sequence[Hard], soft: Sequence[Soft]
) -> Iterator[Finding]:
    """Soft constraints that hold, or do not, in all worlds that are legal without them."""
    if not soft:
        return
    helpers = [
        f"\n{n}" for n in range(len(soft))
    ]  # a label for each, true where it is kept; no other has such a name
    says = (expression_of(one.constraint) for one in soft)
    kept = [Formula(f.Iff(f.Name(name), part)) for name, part in zip(helpers, says, strict=True)]
    names = (*labels, *helpers)
    trace = Trace(names, (*hard, *kept), to_clauses(names, (*hard, *kept)))
    for place, one in enumerate(soft, len(labels)):
        if not trace.possible([yes(place)]):
            kind = "never kept"
            message = "constraints without a weight break it, so that its own changes nothing"
        elif not trace.possible([no(place)]):
            kind = "always kept"
            message = "constraints without a weight give it, so that its own changes nothing"
        else:
            continue
        yield Finding(kind, "warning", f"{message}: {_written(one)}", one.labels, (one,))


def _written(constraint: Said) -> str:
    return in_words(constraint, names=AS_WRITTEN)


def _forced(
    trace: Trace, labels: Sequence[str], constraints: Sequence[Constraint]
) -> list[Finding]:
    """Labels that have the same value in every legal world."""
    assert trace.world is not None
    # In the world at hand each label has one value; the other one is the question.
    others = 2 * np.arange(len(labels)) + trace.world[: len(labels)]
    answers = Search(trace.index, trace.world).possible_each(others, np.arange(len(labels) + 1))
    found: list[Finding] = []
    for literal, answer in zip(others.tolist(), answers.tolist(), strict=True):
        if answer == Search.POSSIBLE or (
            answer == Search.UNKNOWN and trace.solver.satisfiable([literal])
        ):
            continue
        minimal = trace.minimal([literal])
        assert minimal is not None
        label = labels[literal >> 1]
        value = "no" if literal & 1 else "yes"
        message = f"{label} can never be {value}: {trace.reason(*minimal, AS_WRITTEN)}"
        kind = "never false" if literal & 1 else "never true"
        found.append(
            Finding(
                kind,
                "warning",
                message,
                (label,),
                tuple(constraints[owner] for owner in minimal[1]),
            )
        )
    return sorted(found, key=lambda finding: finding.kind == "never false")


def _cycles(
    labels: Sequence[str], constraints: Sequence[Constraint], clauses: Clauses
) -> Iterator[Finding]:
    """Labels that imply one another, unless one constraint or several equivalences say that they are the same."""
    n = clauses.n_labels
    arrows: dict[tuple[int, int], int] = {}  # from, to: the first constraint that says so
    said: set[tuple[int, int, int]] = set()
    equal = []
    for literals, owner in clauses.clauses:
        if len(literals) == 2 and max(literals) < 2 * n and literals[0] & 1 != literals[1] & 1:
            a, b = (l >> 1 for l in sorted(literals, key=lambda l: l & 1, reverse=True))
            arrows.setdefault((a, b), owner)
            said.add((a, b, owner))
            if (b, a, owner) in said or isinstance(constraints[owner], Equivalent):
                equal.append((a, b))
    declared = _classes(equal, n, connection="weak")
    for members in _groups(_classes(list(arrows), n, connection="strong")):
        if len(set(declared[members].tolist())) > 1:
            owners = _connecting(members, arrows)
            near = [labels[k] for k in members]
            reasons = "; ".join(
                in_words(constraints[owner], about=near, names=AS_WRITTEN) for owner in owners
            )
            names = tuple(labels[k] for k in members)
            message = (
                f"{listed(names, noun='labels', last=' and ')} imply one another, so they always have the same value; "
                f"declare them equivalent if that is meant: {reasons}"
            )
            yield Finding(
                "cycle", "warning", message, names, tuple(constraints[owner] for owner in owners)
            )


def _classes(arrows: list[tuple[int, int]], n: int, *, connection: str) -> np.ndarray:
    """The number of each label's connected component."""
    graph = _graph(arrows, n)
    return np.asarray(connected_components(graph, directed=True, connection=connection)[1])


def _graph(arrows: list[tuple[int, int]], n: int) -> csr_array:
    start, end = np.array(arrows, np.int64).reshape(-1, 2).T
    return csr_array((np.ones(len(start), np.int8), (start, end)), shape=(n, n))


def _groups(classes: np.ndarray) -> list[list[int]]:
    """Labels of the same class, in order, where there is more than one."""
    members = defaultdict(list)
    for k, number in enumerate(classes.tolist()):
        members[number].append(k)
    return [group for group in members.values() if len(group) > 1]


def _connecting(members: list[int], arrows: dict[tuple[int, int], int]) -> list[int]:
    """Constraints by which every member implies the first one, and the first one every member."""
    number = {k: i for i, k in enumerate(members)}
    inside = {
        (number[a], number[b]): owner
        for (a, b), owner in arrows.items()
        if a in number and b in number
    }
    owners = set()
    for back in (False, True):
        graph = _graph([(b, a) if back else (a, b) for a, b in inside], len(members))
        _, before = breadth_first_order(graph, 0)
        tree = [(int(before[i]), i) for i in range(1, len(members))]
        owners |= {inside[(b, a) if back else (a, b)] for a, b in tree}
    return sorted(owners)


def _redundant(trace: Trace, clauses: Clauses, n_constraints: int, repeats: set[int]) -> list[int]:
    """Constraints that follow from the others, without those found redundant after them and without repeats."""
    assert trace.world is not None
    search = Search(trace.index, trace.world)
    removed = set(repeats)
    for owner in removed:
        search.off[trace.index.clauses_of(owner)] = True
    plain = defaultdict(list)
    for literals, owner in clauses.clauses:
        if all(literal < 2 * clauses.n_labels for literal in literals):
            plain[owner].append([literal ^ 1 for literal in literals])
    groups = {owner: group for group, owner in clauses.groups if len(group) > PAIRS_UP_TO}
    circuits = {owner for _, owner in clauses.circuits}

    def violations(owner: int) -> Iterator[Sequence[int]]:
        """Yield sets of literals that break the constraint.

        Each world that breaks it has one such set.
        """
        yield from plain[owner]
        yield from combinations(map(yes, groups.get(owner, ())), 2)
        if owner in circuits:
            (whole,) = trace.index.clauses_of(owner)
            yield [literal ^ 1 for literal in trace.index.clause(whole)]

    def possible(case: Sequence[int]) -> bool:
        answer = search.possible(case)
        return trace.solver.satisfiable(case, without=removed) if answer is None else answer

    for owner in reversed(range(n_constraints)):
        if owner not in repeats:
            own = trace.index.clauses_of(owner)
            search.off[own] = True
            removed.add(owner)
            if any(map(possible, violations(owner))):
                search.off[own] = False
                removed.discard(owner)
    return sorted(removed - repeats)
