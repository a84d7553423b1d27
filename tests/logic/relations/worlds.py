"""Small ontologies with relations, and all their legal worlds by direct evaluation: the naive twin of `linked`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import corollary as co
from corollary.logic.language import constraints as c
from corollary.logic.language import formula as f
from corollary.logic.language import relations as r
from corollary.logic.language.expressions import expression_of

from ..ontologies import KINDS, random_constraint, random_expression

LABELS = ("a", "b", "c")
RELATIONS = ("r", "s", "t")
SHAPES = (
    [(0, 1)],
    [(0, 1), (1, 0)],
    [(0, 1), (2, 1)],
    [(0, 1), (0, 2), (3, 0)],
    [(0, 1), (1, 2), (2, 0)],
    [(0, 1), (1, 0), (1, 2), (0, 2)],
    [(1, 0), (1, 2), (1, 3)],
)


def random_linked(rng: np.random.Generator) -> tuple[co.Ontology, co.Pairs, int]:
    """An ontology that has a legal world, pairs and the number of items; trees, cycles, every kind of constraint."""
    while True:
        labels = LABELS[: int(rng.integers(2, 4))]
        relations = RELATIONS[: int(rng.integers(1, 3))]
        pairs = SHAPES[int(rng.integers(len(SHAPES)))]
        n = max(map(max, pairs)) + 1 + int(rng.random() < 0.3)
        if n * len(labels) + len(pairs) * len(relations) > 16:
            continue
        kinds = [kind for kind in KINDS if kind != "parity"]
        said: list[r.Said] = [
            random_constraint(rng, labels, str(rng.choice(kinds)))
            for _ in range(int(rng.integers(0, 3)))
        ]
        if rng.random() < 0.3:
            said.append(co.exclusive(*labels[:2], weight=float(rng.uniform(0.5, 3))))
        for name in relations:
            if rng.random() < 0.8:
                ends = [random_expression(rng, labels, int(rng.integers(0, 2))) for _ in "xy"]
                said.append(co.relation(name, ends[0], ends[1]))
            if rng.random() < 0.2:
                said.append(co.symmetric(name))
            if rng.random() < 0.3:
                said.append(co.functional(name, inverse=bool(rng.random() < 0.5)))
        if len(relations) > 1:
            made = rng.random()
            if made < 0.2:
                said.append(co.inverse(relations[0], relations[1]))
            elif made < 0.4:
                said.append(co.subsumes(relations[0], relations[1]))
            elif made < 0.6:
                said.append(co.exclusive(*relations[:2]))
            elif made < 0.7:
                said.append(co.exclusive(*relations[:2], weight=1.5))
        if rng.random() < 0.4:
            said.append(co.relation(relations[0], "true", "true"))
            atoms = [f"{label}({x})" for label in labels for x in "xy"]
            atoms += [f"{name}({of})" for name in relations for of in ("x, y", "y, x")]
            rule = f.replace(random_expression(rng, atoms, 2), _atom)
            if {v for atom in f.atoms(rule) for v in atom.of} == {"x", "y"}:
                said.append(co.formula(rule, weight=None if rng.random() < 0.6 else 0.8))
        # each is declared, so that there are as many as were meant
        said += [co.relation(name, "true", "true") for name in relations]
        try:
            onto = co.Ontology(labels, said)
            drawn = co.Pairs([h for h, _ in pairs], [t for _, t in pairs])
            onto.linked(drawn)
        except (co.OntologyError, co.Contradiction):  # no legal world, or a relation never holds
            continue
        return onto, drawn, n


def _atom(name: f.Name) -> f.Expression:
    label, _, variables = name.name.partition("(")
    return f.Name(label, tuple(variables.rstrip(")").split(", ")))


@dataclass
class Worlds:
    """Legal worlds: labels of items (W, N, K), relations of pairs (W, M, R), and the weights lost."""

    items: npt.NDArray[np.bool_]
    pairs: npt.NDArray[np.bool_]
    penalty: npt.NDArray[np.float64]


def legal_worlds(onto: co.Ontology, pairs: co.Pairs, n: int) -> Worlds:
    k, m, w = len(onto.labels), len(pairs), len(onto.relations)
    size = n * k + m * w
    every = (np.arange(2**size)[:, None] >> np.arange(size) & 1).astype(bool)
    items = every[:, : n * k].reshape(-1, n, k)
    cells = every[:, n * k :].reshape(-1, m, w)
    row = {(int(h), int(t)): j for j, (h, t) in enumerate(zip(pairs.head, pairs.tail, strict=True))}
    partner: dict[str, str] = {}
    for one in onto.pair_constraints:
        if isinstance(one, r.Inverse):
            partner |= {one.name: one.other, one.other: one.name}
    for one in onto.pair_constraints:
        if isinstance(one, r.Symmetric):
            partner[one.name] = one.name

    def related(name: str, h: int, t: int):
        if (h, t) in row:
            return cells[:, row[h, t], onto.relations.index(name)]
        if (t, h) in row and name in partner:
            return cells[:, row[t, h], onto.relations.index(partner[name])]
        return None

    def value(atom: f.Name, ends: dict[str, int]):
        if len(atom.of) == 2:
            return related(atom.name, ends[atom.of[0]], ends[atom.of[1]])
        return items[:, ends[atom.of[0]], onto.index[atom.name]]

    legal = np.ones(len(every), bool)
    penalty = np.zeros(len(every))
    for one in onto.constraints:
        soft = isinstance(one, c.Soft)
        expression = expression_of(one.constraint if soft else one)
        for i in range(n):
            column = {label: items[:, i, j] for j, label in enumerate(onto.labels)}
            kept = evaluated(expression, lambda name, column=column: column[name.name], len(every))
            if soft:
                penalty += one.weight * ~kept
            else:
                legal &= kept
    both_ways = sorted({*row, *((t, h) for h, t in row)})
    for one in onto.pair_constraints:
        soft = isinstance(one, c.Soft)
        inner = one.constraint if soft else one
        if isinstance(inner, r.Functional):
            for i in range(n):
                ways = [(i, j) if not inner.inverse else (j, i) for j in range(n) if j != i]
                found = [related(inner.name, *way) for way in ways]
                listed = [column for column in found if column is not None]
                if listed:
                    legal &= np.sum(listed, axis=0) <= 1
            continue
        for rule in meant(inner):
            variables = ("x", "y")
            atoms = list(f.atoms(rule))
            for h, t in both_ways:
                ends = dict(zip(variables, (h, t), strict=True))
                if (h, t) not in row and (soft or not any(len(a.of) == 2 for a in atoms)):
                    continue
                if any(value(atom, ends) is None for atom in atoms):
                    continue
                kept = evaluated(rule, lambda atom, ends=ends: value(atom, ends), len(every))
                if soft:
                    penalty += one.weight * ~kept
                else:
                    legal &= kept
    return Worlds(items[legal], cells[legal], penalty[legal])


def meant(said: r.Said) -> list[f.Expression]:
    """What a constraint on pairs says of every (x, y)."""
    match said:
        case r.Relation(name, head, tail):
            own = f.Name(name, ("x", "y"))
            x = f.replace(head, lambda one: f.Name(one.name, ("x",)))
            y = f.replace(tail, lambda one: f.Name(one.name, ("y",)))
            return [f.Implies(own, x), f.Implies(own, y)]
        case r.Symmetric(name):
            return [f.Iff(f.Name(name, ("x", "y")), f.Name(name, ("y", "x")))]
        case r.Inverse(name, other):
            return [f.Iff(f.Name(name, ("x", "y")), f.Name(other, ("y", "x")))]
        case c.Formula(expression) if any(True for _ in f.atoms(expression)):
            first = next((one.of for one in f.atoms(expression) if len(one.of) == 2), ())
            order = list(dict.fromkeys((*first, *(v for a in f.atoms(expression) for v in a.of))))
            new = dict(zip(order, "xy", strict=True))
            return [f.replace(expression, lambda a: f.Name(a.name, tuple(new[v] for v in a.of)))]
    return [f.replace(expression_of(said), lambda one: f.Name(one.name, ("x", "y")))]


def evaluated(expression: f.Expression, value, size: int) -> npt.NDArray[np.bool_]:
    """In which worlds the expression holds."""
    match expression:
        case f.Name():
            return value(expression)
        case f.Constant(constant):
            return np.full(size, constant)
        case f.Not(part):
            return ~evaluated(part, value, size)
        case f.And(parts):
            return np.all(
                [np.ones(size, bool), *(evaluated(p, value, size) for p in parts)], axis=0
            )
        case f.Or(parts):
            return np.any(
                [np.zeros(size, bool), *(evaluated(p, value, size) for p in parts)], axis=0
            )
        case f.Implies(a, b):
            return ~evaluated(a, value, size) | evaluated(b, value, size)
        case f.Iff(a, b):
            return evaluated(a, value, size) == evaluated(b, value, size)
    raise AssertionError(expression)
