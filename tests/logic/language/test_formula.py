"""Formulas made by hand: too deep, too large, and wide ones in parts."""

from __future__ import annotations

import pytest

import corollary as co
from corollary.logic.language import constraints as c
from corollary.logic.language import formula as f

from ...fuzz.frame import within


def nested(depth, wrap):
    expression = f.Name("a")
    for _ in range(depth):
        expression = wrap(expression)
    return expression


@pytest.mark.parametrize("depth", [101, 990, 50_000])
def test_a_formula_made_by_hand_that_is_nested_too_deeply_is_refused(depth):
    expression = nested(depth, f.Not)
    for make in (co.formula, lambda e: co.Ontology(["a"], [c.Formula(e)])):
        with pytest.raises(co.OntologyError, match="nested more than 100 deep"):
            make(expression)


def test_a_formula_made_by_hand_that_shares_its_parts_is_refused_at_once():
    expression = nested(60, lambda part: f.And((part, part)))
    with within(), pytest.raises(co.OntologyError, match="more than 1,000,000 parts"):
        co.Ontology(["a"], [c.Formula(expression)])


def test_a_wide_formula_is_taken_in_parts():
    wide = " & ".join(f"(b{k} | c{k})" for k in range(500))
    narrow = " | ".join(f"(x{k} & y{k})" for k in range(500))
    onto = co.Ontology.parse(f"rule: a >> {wide}\nrule: {narrow} >> d")
    assert not onto._reasoner.clauses.circuits
    with within():
        assert onto.propagate({"a": True, "b7": False}) == {"a": True, "b7": False, "c7": True}
        assert onto.propagate({"x3": True, "y3": True})["d"]
