"""Forced and equivalent labels and components, against the list of all legal worlds."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given, settings

from corollary.logic.compiled.structure import analyse
from corollary.logic.language.notation import parse
from corollary.logic.solving.clauses import to_clauses

from ..ontologies import ontologies, worlds


def structure_of(labels, constraints):
    analysed = analyse(to_clauses(labels, constraints))
    assert analysed is not None
    return analysed[0]


@settings(max_examples=80)
@given(ontologies(max_labels=6))
def test_what_is_forced_and_equivalent_is_so_in_every_world(ontology):
    labels, constraints = ontology
    legal = worlds(labels, constraints)
    assume(len(legal))
    structure = structure_of(labels, constraints)
    for k, value in enumerate(structure.forced):
        assert value < 0 or (legal[:, k] == value).all()
    members = [labels for part in structure.parts for labels in part.members]
    for first, *others in members:
        for other in others:
            assert (legal[:, first] == legal[:, other]).all()
    assert (
        sorted(k for labels in members for k in labels)
        == np.flatnonzero(structure.forced < 0).tolist()
    )


@settings(max_examples=80)
@given(ontologies(max_labels=6))
def test_parts_do_not_depend_on_one_another(ontology):
    labels, constraints = ontology
    legal = worlds(labels, constraints)
    assume(len(legal))
    count = 1
    for part in structure_of(labels, constraints).parts:
        columns = [k for labels in part.members for k in labels]
        count *= len(np.unique(legal[:, columns], axis=0))
    assert count == len(legal)


def test_an_example():
    document = parse("a > b\nequivalent: c, d\nexclusive: d, e\nrule: ~f\nlabels: a, b, c, d, e, f")
    structure = structure_of(document.labels, document.constraints)
    assert structure.forced.tolist() == [-1, -1, -1, -1, -1, 0]
    assert sorted(part.members for part in structure.parts) == [((0,), (1,)), ((2, 3), (4,))]


def test_clauses_that_cannot_all_hold():
    document = parse("rule: a\nrule: ~a")
    assert analyse(to_clauses(document.labels, document.constraints)) is None
