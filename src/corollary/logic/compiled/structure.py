"""What the clauses amount to: labels that are forced, labels that are equivalent, and independent components."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from ..engines import Component
from ..language import formula as f
from ..solving.clauses import Clauses
from .implication import Implications

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Part:
    """A component and the labels behind it: `members[j]` are the equivalent labels that variable j stands for."""

    component: Component
    members: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Structure:
    """Labels with a value in every legal world (-1: none), and the parts that the other labels form."""

    forced: npt.NDArray[np.int8]
    parts: tuple[Part, ...]


def analyse(clauses: Clauses) -> tuple[Structure, Implications] | None:
    """Take the clauses apart, with the implications that make unit propagation see all that was found on the way.

    None when this alone already shows that they cannot all hold. Forced and equivalent labels shorten clauses, and
    shorter clauses may force more: repeat until nothing changes.
    """
    shorter: set[tuple[int, ...]] = set()
    while True:
        implications = Implications(clauses, shorter)
        forced = implications.forced()
        if forced is None:
            return None
        pieces = _simplify(clauses, forced)
        if f.FALSE in pieces.circuits:
            return None
        variable, members = _merge_equivalent(clauses.n_labels, pieces, forced)
        found = {
            short
            for clause in pieces.clauses
            if (short := _shortened(clause, variable, members)) is not None
        }
        found |= {clause for clause in pieces.from_long if len(clause) == 2}
        if found <= shorter:
            return Structure(
                forced, tuple(_split(pieces, variable, members))
            ), implications.given_also(forced)
        shorter |= found


def _shortened(
    clause: tuple[int, ...], variable: Ints, members: list[tuple[int, ...]]
) -> tuple[int, ...] | None:
    """The clause over one label of each set of equivalent ones; None where that is not shorter, or always true."""
    literals = {2 * members[variable[x >> 1]][0] + (x & 1) for x in clause}
    if len(literals) == len(clause) or any(x ^ 1 in literals for x in literals):
        return None
    return tuple(sorted(literals))


@dataclass(slots=True)
class _Pieces:
    """The rest of the constraints once forced labels are gone, over labels."""

    edges: list[tuple[int, int]]  # (child, parent)
    groups: list[tuple[int, ...]]
    clauses: list[tuple[int, ...]]
    circuits: list[f.Expression]
    from_long: list[tuple[int, ...]] = field(
        default_factory=list
    )  # the rest of clauses that lost literals


def _simplify(clauses: Clauses, forced: npt.NDArray[np.int8]) -> _Pieces:
    pieces = _Pieces([], [], [], [])
    n = clauses.n_labels
    values = forced.tolist()
    in_group = {owner for _, owner in clauses.groups}
    for literals, owner in clauses.clauses:
        if max(literals) >= 2 * n:
            continue  # a helper variable: its group says it
        if owner in in_group and len(literals) == 2 and literals[0] & literals[1] & 1:
            continue  # a pair of a small group
        if any(values[x >> 1] == 1 - (x & 1) for x in literals):
            continue
        rest = tuple(x for x in literals if values[x >> 1] < 0)
        if len(rest) < len(literals):
            pieces.from_long.append(rest)
        if len(rest) == 2 and (rest[0] ^ rest[1]) & 1:
            child, parent = sorted(rest, key=lambda x: -(x & 1))
            pieces.edges.append((child >> 1, parent >> 1))
        elif len(rest) == 2 and rest[0] & 1:
            pieces.groups.append((rest[0] >> 1, rest[1] >> 1))
        else:
            pieces.clauses.append(rest)
    for group, _ in clauses.groups:
        alive = tuple(k for k in group if values[k] < 0)
        if len(alive) > 1:
            pieces.groups.append(alive)
    settled = {str(k): bool(v) for k, v in enumerate(values) if v >= 0}
    for circuit, _ in clauses.circuits:
        left = f.simplify(circuit, settled)
        if left != f.TRUE:
            pieces.circuits.append(left)
    return pieces


def _merge_equivalent(
    n_labels: int, pieces: _Pieces, forced: npt.NDArray[np.int8]
) -> tuple[Ints, list[tuple[int, ...]]]:
    """Number the variables: one for each set of labels that imply one another, none (-1) for forced labels."""
    _, cycle = connected_components(
        _graph(pieces.edges, n_labels), directed=True, connection="strong"
    )
    together: dict[int, list[int]] = defaultdict(list)
    for k in np.flatnonzero(forced < 0).tolist():
        together[int(cycle[k])].append(k)
    members = [tuple(labels) for labels in together.values()]
    variable = np.full(n_labels, -1, np.int64)
    for v, labels in enumerate(members):
        variable[list(labels)] = v
    return variable, members


def _graph(edges: Sequence[tuple[int, int]], n: int) -> csr_array:
    rows, columns = zip(*edges, strict=True) if edges else ((), ())
    return csr_array((np.ones(len(edges), np.int8), (rows, columns)), shape=(n, n))


def _split(pieces: _Pieces, variable: Ints, members: list[tuple[int, ...]]) -> Iterator[Part]:
    """Connected components over the variables, each renumbered from 0."""
    of = variable.tolist()
    n = len(members)
    edges = {(of[a], of[b]) for a, b in pieces.edges if of[a] != of[b]}
    groups = [tuple(dict.fromkeys(of[k] for k in group)) for group in pieces.groups]
    clauses = {c for raw in pieces.clauses if (c := _renumber(raw, of)) is not None}
    circuits = [f.rename(e, lambda name: str(of[int(name)])) for e in pieces.circuits]
    scopes: list[Sequence[int]] = [*edges, *groups, *([x >> 1 for x in c] for c in clauses)]
    scopes += [sorted({int(name) for name in f.names(e)}) for e in circuits]
    links = [(scope[0], other) for scope in scopes for other in scope[1:]]
    count, home = connected_components(_graph(links, n), directed=False)
    parts = [_Pieces([], [], [], []) for _ in range(count)]
    inside = [0] * n
    labels: list[list[int]] = [[] for _ in range(count)]
    for v in range(n):
        inside[v] = len(labels[home[v]])
        labels[home[v]].append(v)
    for a, b in sorted(edges):
        parts[home[a]].edges.append((inside[a], inside[b]))
    for group in sorted(set(groups)):
        parts[home[group[0]]].groups.append(tuple(inside[v] for v in group))
    for clause in sorted(clauses):
        parts[home[clause[0] >> 1]].clauses.append(
            tuple(2 * inside[x >> 1] + (x & 1) for x in clause)
        )
    for circuit in circuits:
        first = int(next(f.names(circuit)))
        parts[home[first]].circuits.append(f.rename(circuit, lambda name: str(inside[int(name)])))
    for part, own in zip(parts, labels, strict=True):
        yield Part(_component(part, len(own)), tuple(members[v] for v in own))


def _renumber(clause: Iterable[int], of: list[int]) -> tuple[int, ...] | None:
    """The clause over variables; None when equivalent labels make it always true."""
    literals = {2 * of[x >> 1] + (x & 1) for x in clause}
    if any(x ^ 1 in literals for x in literals):
        return None
    return tuple(sorted(literals))


def _component(pieces: _Pieces, n: int) -> Component:
    parents: list[list[int]] = [[] for _ in range(n)]
    for child, parent in pieces.edges:
        parents[child].append(parent)
    reduced = _reduce(parents)
    children: list[list[int]] = [[] for _ in range(n)]
    for k, above in enumerate(reduced):
        for parent in above:
            children[parent].append(k)
    return Component(
        n,
        tuple(map(tuple, reduced)),
        tuple(map(tuple, children)),
        tuple(pieces.groups),
        tuple(pieces.clauses),
        tuple(pieces.circuits),
    )


def _reduce(parents: list[list[int]]) -> list[list[int]]:
    """Leave out a parent that is already an ancestor through another parent."""
    reduced = []
    for above in parents:
        if len(above) > 1:
            beyond: set[int] = set()
            stack = [g for p in above for g in parents[p]]
            while stack:
                g = stack.pop()
                if g not in beyond:
                    beyond.add(g)
                    stack.extend(parents[g])
            above = [p for p in above if p not in beyond]
        reduced.append(above)
    return reduced
