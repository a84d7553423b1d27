"""Random small ontologies with every kind of constraint, and their legal worlds by direct evaluation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from corollary.logic.language import constraints as c
from corollary.logic.language import formula as f

Ontology = tuple[list[str], list[c.Constraint]]
KINDS = (
    "subsumes",
    "covers",
    "exclusive",
    "exactly_one",
    "at_least_one",
    "equivalent",
    "formula",
    "parity",
)
#: Subsumption and exclusion come more often, so that most random ontologies have more than one legal world.
FREQUENCY = (6, 2, 4, 1, 1, 1, 3, 0.3)


def random_ontology(
    rng: np.random.Generator, n_labels: int, n_constraints: int, *, kinds: Sequence[str] = KINDS
) -> Ontology:
    """Labels a, b, c, ... and constraints of the kinds given, in no order; it may be unsatisfiable."""
    labels = [chr(ord("a") + k) if n_labels <= 26 else f"l{k}" for k in range(n_labels)]
    weight = np.array([FREQUENCY[KINDS.index(kind)] for kind in kinds], dtype=float)
    chosen = rng.choice(len(kinds), size=n_constraints, p=weight / weight.sum())
    return labels, [random_constraint(rng, labels, kinds[j]) for j in chosen]


def random_constraint(rng: np.random.Generator, labels: Sequence[str], kind: str) -> c.Constraint:
    """One constraint; `parity` is a formula that is too large for clauses where there are 9 labels or more."""
    if kind == "formula":
        return c.Formula(random_expression(rng, labels, int(rng.integers(0, 4))))
    if kind == "parity":
        return c.Formula(_parity([labels[k] for k in rng.permutation(len(labels))[:10]]))
    fewest = 1 if kind in ("exactly_one", "at_least_one") else 2
    many = kind in ("exclusive", "exactly_one", "equivalent") and rng.random() < 0.2
    size = len(labels) if many else int(rng.integers(fewest, min(len(labels), 4) + 1))
    picked = [labels[k] for k in rng.permutation(len(labels))[:size]]
    made: c.Constraint = getattr(c, kind)(*picked)
    return made


def random_expression(rng: np.random.Generator, labels: Sequence[str], depth: int) -> f.Expression:
    """A formula of at most this depth, a constant now and then."""
    if depth == 0:
        if rng.random() < 0.05:
            return f.Constant(bool(rng.random() < 0.5))
        name = f.Name(labels[int(rng.integers(len(labels)))])
        return name if rng.random() < 0.6 else f.Not(name)
    parts = tuple(random_expression(rng, labels, depth - 1) for _ in range(int(rng.integers(2, 4))))
    match int(rng.integers(5)):
        case 0:
            return f.Not(parts[0])
        case 1:
            return f.And(parts)
        case 2:
            return f.Or(parts)
        case 3:
            return f.Implies(parts[0], parts[1])
    return f.Iff(parts[0], parts[1])


def _parity(names: Sequence[str]) -> f.Expression:
    expression: f.Expression = f.Name(names[0])
    for name in names[1:]:
        expression = f.Iff(expression, f.Name(name))
    return expression


def worlds(labels: Sequence[str], constraints: Sequence[c.Constraint]) -> npt.NDArray[np.bool_]:
    """The legal assignments, one a row, in counting order with the first label the most significant."""
    every = (np.arange(2 ** len(labels))[:, None] >> np.arange(len(labels))[::-1] & 1).astype(bool)
    column = {label: every[:, k] for k, label in enumerate(labels)}
    legal = np.ones(len(every), dtype=bool)
    for constraint in constraints:
        legal &= holds(constraint, column)
    return every[legal]


def holds(
    constraint: c.Constraint, column: dict[str, npt.NDArray[np.bool_]]
) -> npt.NDArray[np.bool_]:
    """In which of many worlds the constraint holds; `column` has the values of each label."""
    if isinstance(constraint, c.Formula):
        size = len(next(iter(column.values())))
        return np.array(
            [
                f.evaluate(constraint.expression, {n: bool(v[i]) for n, v in column.items()})
                for i in range(size)
            ]
        )
    values = np.stack([column[label] for label in constraint.labels])
    first, rest, on = values[0], values[1:], values.sum(axis=0)
    match constraint:
        case c.Subsumes():
            return np.asarray(first | ~rest.any(axis=0))
        case c.Covers():
            return np.asarray(~first | rest.any(axis=0))
        case c.Exclusive():
            return np.asarray(on <= 1)
        case c.ExactlyOne():
            return np.asarray(on == 1)
        case c.AtLeastOne():
            return np.asarray(on >= 1)
        case c.Equivalent():
            return np.asarray((on == 0) | (on == len(values)))


def entailed(
    legal: npt.NDArray[np.bool_], labels: Sequence[str], facts: dict[str, bool]
) -> dict[str, bool] | None:
    """Everything that holds in all legal worlds that agree with the facts; None where there is no such world."""
    for label, value in facts.items():
        legal = legal[legal[:, labels.index(label)] == value]
    if not len(legal):
        return None
    return {
        label: bool(legal[0, k])
        for k, label in enumerate(labels)
        if (legal[:, k] == legal[0, k]).all()
    }


@st.composite
def ontologies(
    draw: st.DrawFn, *, max_labels: int = 8, max_constraints: int = 8, kinds: Sequence[str] = KINDS
) -> Ontology:
    """Random ontologies for hypothesis; sizes shrink, the content follows from a seed."""
    n_labels = draw(st.integers(2, max_labels))
    n_constraints = draw(st.integers(0, max_constraints))
    return random_ontology(
        np.random.default_rng(draw(st.integers(0, 2**32 - 1))), n_labels, n_constraints, kinds=kinds
    )


@st.composite
def facts_of(draw: st.DrawFn, labels: Sequence[str], *, max_facts: int = 4) -> dict[str, bool]:
    """A few answers about these labels; they may contradict the ontology."""
    chosen = draw(st.lists(st.sampled_from(list(labels)), unique=True, max_size=max_facts))
    return {label: draw(st.booleans()) for label in chosen}
