"""Circuits, the formulas too large for clauses over their own labels, as clauses with a helper variable per gate."""

from __future__ import annotations

from ..language import formula as f
from .clauses import Clauses, yes


def without_circuits(clauses: Clauses) -> Clauses:
    """The same with every circuit written as clauses.

    The clauses that only define a gate have the owner `~owner`. They say nothing about labels, so
    they hold even if the constraint is switched off. The gate of the whole formula is on if the
    constraint is satisfied.
    """
    out = Clauses(
        clauses.n_labels, clauses.n_variables, list(clauses.clauses), list(clauses.groups)
    )
    for expression, owner in clauses.circuits:
        out.clauses.append(((_gate(out, expression, ~owner),), owner))
    return out


def _gate(out: Clauses, expression: f.Expression, owner: int) -> int:
    """A literal that is true exactly where the expression is (Tseitin's transformation, both directions)."""
    match expression:
        case f.Name(name):
            return yes(int(name))
        case f.Not(part):
            return _gate(out, part, owner) ^ 1
        case f.Constant(value):
            gate = yes(out.new_variable())
            out.clauses.append(((gate if value else gate ^ 1,), owner))
            return gate
        case f.And(parts):
            return _any_of(out, [_gate(out, part, owner) ^ 1 for part in parts], owner) ^ 1
        case f.Or(parts):
            return _any_of(out, [_gate(out, part, owner) for part in parts], owner)
        case f.Implies(condition, consequence):
            return _any_of(
                out, [_gate(out, condition, owner) ^ 1, _gate(out, consequence, owner)], owner
            )
        case f.Iff(left, right):
            a = _gate(out, left, owner)
            b = _gate(out, right, owner)
            gate = yes(out.new_variable())
            same = ((gate ^ 1, a ^ 1, b), (gate ^ 1, a, b ^ 1), (gate, a, b), (gate, a ^ 1, b ^ 1))
            out.clauses += [(clause, owner) for clause in same]
            return gate


def _any_of(out: Clauses, literals: list[int], owner: int) -> int:
    gate = yes(out.new_variable())
    out.clauses.append(((gate ^ 1, *literals), owner))
    out.clauses += [((gate, literal ^ 1), owner) for literal in literals]
    return gate
