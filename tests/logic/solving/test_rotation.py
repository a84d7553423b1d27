"""Which constraints a clash needs, against the solver."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.logic.reasoning.explanation import clash
from corollary.logic.solving import rotation
from corollary.logic.solving.clauses import to_clauses

from ..ontologies import entailed, facts_of, ontologies, worlds


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_rotation_finds_what_the_solver_finds(data: st.DataObject) -> None:
    labels, constraints = data.draw(ontologies())
    facts = data.draw(facts_of(labels))
    if entailed(worlds(labels, constraints), labels, facts) is not None:
        return
    quick = clash(labels, constraints, to_clauses(labels, constraints), facts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rotation, "EFFORT", 0)
        slow = clash(labels, constraints, to_clauses(labels, constraints), facts)
    assert quick.constraints == slow.constraints
    assert quick.answers == slow.answers
