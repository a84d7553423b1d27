"""Lint against the list of all legal worlds, and on real ontologies."""

from __future__ import annotations

import gzip
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

import corollary as co
from corollary.logic.language import constraints as c
from corollary.logic.language import formula as f
from corollary.logic.language.constraints import Constraint, Source
from corollary.logic.lint import SEVERITIES, Finding, lint
from corollary.logic.solving.clauses import to_clauses

from ...real_data import data_path
from ..ontologies import KINDS, holds, ontologies, random_ontology, worlds

Values = Sequence[Constraint]


def findings(labels: list[str], constraints: Values) -> list[Finding]:
    return lint(labels, constraints, to_clauses(labels, constraints))


def of_kind(found: list[Finding], kind: str) -> list[Finding]:
    return [finding for finding in found if finding.kind == kind]


def without(values: Values, i: int) -> list[Constraint]:
    return [*values[:i], *values[i + 1 :]]


def places(found: list[Finding], kind: str, constraints: Values) -> list[int]:
    """Where the constraints of findings stand, by identity."""
    at = {id(constraint): i for i, constraint in enumerate(constraints)}
    return [at[id(finding.constraints[0])] for finding in of_kind(found, kind)]


def same_form(a: Constraint, b: Constraint) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, c.Formula):
        return a == b
    parent = isinstance(a, c.Subsumes | c.Covers)
    return set(a.labels) == set(b.labels) and (not parent or a.labels[0] == b.labels[0])


def redundant_by_worlds(labels: list[str], constraints: Values, repeats: set[int]) -> list[int]:
    left = [i for i in range(len(constraints)) if i not in repeats]
    total = len(worlds(labels, constraints))
    for i in reversed(left[:]):
        fewer = [j for j in left if j != i]
        if len(worlds(labels, [constraints[j] for j in fewer])) == total:
            left = fewer
    return [i for i in range(len(constraints)) if i not in left and i not in repeats]


def check_forced(labels: list[str], finding: Finding, value: bool) -> None:
    k = labels.index(finding.labels[0])

    def forced(constraints: Values) -> bool:
        return bool((worlds(labels, constraints)[:, k] == value).all())

    assert forced(finding.constraints)
    assert not any(forced(without(finding.constraints, i)) for i in range(len(finding.constraints)))


def check(labels: list[str], constraints: list[Constraint]) -> None:
    found = findings(labels, constraints)
    legal = worlds(labels, constraints)
    severity = [SEVERITIES.index(finding.severity) for finding in found]
    assert severity == sorted(severity)
    repeats = [
        i
        for i, one in enumerate(constraints)
        if any(same_form(one, other) for other in constraints[:i])
    ]
    assert places(found, "duplicate", constraints) == repeats
    mentioned = {label for constraint in constraints for label in constraint.labels}
    assert [x.labels for x in of_kind(found, "unused")] == [
        (label,) for label in labels if label not in mentioned
    ]
    if not len(legal):
        (wrong,) = of_kind(found, "unsatisfiable")
        assert not len(worlds(labels, wrong.constraints))
        assert all(
            len(worlds(labels, without(wrong.constraints, i)))
            for i in range(len(wrong.constraints))
        )
        assert {finding.kind for finding in found} <= {"unsatisfiable", "duplicate", "unused"}
        return
    assert not of_kind(found, "unsatisfiable")
    for kind, value in (("never true", False), ("never false", True)):
        expected = [label for k, label in enumerate(labels) if (legal[:, k] == value).all()]
        assert [finding.labels[0] for finding in of_kind(found, kind)] == expected
        for finding in of_kind(found, kind):
            check_forced(labels, finding, value)
    redundant = places(found, "redundant", constraints)
    assert redundant == redundant_by_worlds(labels, constraints, set(repeats))
    kept = [one for i, one in enumerate(constraints) if i not in redundant and i not in repeats]
    assert np.array_equal(worlds(labels, kept), legal)
    for finding in of_kind(found, "cycle"):
        inside = worlds(labels, finding.constraints)[
            :, [labels.index(label) for label in finding.labels]
        ]
        assert (inside == inside[:, :1]).all()


@given(ontologies(max_labels=7, max_constraints=9))
@settings(max_examples=300, deadline=None)
def test_random_ontologies(ontology: tuple[list[str], list[Constraint]]) -> None:
    check(*ontology)


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_with_implications(kind: str) -> None:
    for seed in range(25):
        labels, constraints = random_ontology(
            np.random.default_rng(seed), 6, 7, kinds=[kind, "subsumes"]
        )
        check(labels, constraints)


@pytest.mark.parametrize("seed", range(10))
def test_circuits(seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels, constraints = random_ontology(rng, 9, 3)
    parity = random_ontology(rng, 9, 2, kinds=["parity"])[1]
    flipped = [c.Formula(f.Iff(f.Not(f.Name(labels[0])), f.Not(f.Name(labels[0]))))]
    assert to_clauses(labels, parity).circuits
    again = c.Formula(parity[0].expression) if isinstance(parity[0], c.Formula) else parity[0]
    check(labels, [*constraints, *parity, again, *flipped])


@pytest.mark.parametrize("seed", range(40))
def test_cycles_are_complete(seed: int) -> None:
    """Against reachability over the arrows as stated, for constraints that are not formulas."""
    rng = np.random.default_rng(seed)
    labels, constraints = random_ontology(rng, 8, 8, kinds=["subsumes", "equivalent", "exclusive"])
    arrows = {
        (child, one.parent)
        for one in constraints
        if isinstance(one, c.Subsumes)
        for child in one.children
    }
    equal = {
        (a, b)
        for one in constraints
        if isinstance(one, c.Equivalent)
        for a in one.labels
        for b in one.labels
    }

    def closed(pairs: set[tuple[str, str]]) -> set[tuple[str, str]]:
        while more := {(a, d) for a, b in pairs for x, d in pairs if b == x} - pairs:
            pairs = pairs | more
        return pairs

    reach, declared = closed(arrows | equal), closed(set(equal))
    if not len(worlds(labels, constraints)):
        return
    cycles = {frozenset(b for b in labels if (a, b) in reach and (b, a) in reach) for a in labels}
    expected = {
        group
        for group in cycles
        if any(a != b and (a, b) not in declared for a in group for b in group)
    }
    assert {
        frozenset(x.labels) for x in of_kind(findings(labels, constraints), "cycle")
    } == expected


def test_what_people_read() -> None:
    constraints = [
        c.implies("bird", "animal", source=Source("a.onto", 1)),
        c.implies("penguin", "bird", source=Source("a.onto", 2)),
        c.implies("penguin", "animal", source=Source("a.onto", 3)),
        c.exclusive("animal", "city"),
        c.implies("zoo", "city"),
        c.implies("zoo", "penguin"),
        c.exclusive("city", "animal", source=Source("a.onto", 9)),
        c.implies("town", "city"),
        c.implies("city", "town"),
    ]
    found = findings(["animal", "bird", "penguin", "city", "zoo", "town", "thing"], constraints)
    assert [str(finding) for finding in found] == [
        "warning: never true: zoo can never be yes: zoo implies city; zoo implies penguin; "
        "at most one of animal, city; penguin implies animal [a.onto:3]",
        "warning: cycle: city and town imply one another, so they always have the same value; declare them equivalent "
        "if that is meant: town implies city; city implies town",
        "info: redundant: follows from the other constraints: penguin implies animal [a.onto:3]",
        "info: duplicate: stated before: at most one of city, animal [a.onto:9]",
        "info: unused: no constraint mentions thing",
    ]


def test_a_stated_equivalence_is_no_cycle() -> None:
    both = c.Formula(f.Iff(f.Name("a"), f.Name("b")))
    assert not of_kind(findings(["a", "b"], [both]), "cycle")
    assert not of_kind(
        findings(["a", "b"], [c.implies("a", "b"), c.implies("b", "a"), both]), "cycle"
    )
    assert not of_kind(findings(["a", "b"], [c.equivalent("a", "b"), c.implies("a", "b")]), "cycle")
    three = [c.equivalent("a", "b"), c.implies("b", "c"), c.implies("c", "a")]
    assert [x.labels for x in of_kind(findings(["a", "b", "c"], three), "cycle")] == [
        ("a", "b", "c")
    ]


def test_constraints_that_need_one_another() -> None:
    """Each of the two equivalences and the cycle makes another one needless, but not all of them can go."""
    constraints = [c.equivalent("a", "b"), c.implies("a", "b"), c.implies("b", "a")]
    assert places(findings(["a", "b"], constraints), "redundant", constraints) == [1, 2]
    assert places(findings(["a", "b"], constraints[::-1]), "redundant", constraints[::-1]) == [2]


def test_nothing_to_say() -> None:
    assert findings([], []) == []
    assert findings(["a", "b"], [c.implies("a", "b")]) == []
    (taut,) = findings(["a"], [c.Formula(f.Or((f.Name("a"), f.Not(f.Name("a")))))])
    assert taut.kind == "redundant"


def rows(path: Path) -> list[list[str]]:
    with gzip.open(path, "rt") as file:
        return [line.rstrip("\n").split("\t") for line in file][1:]


def test_nell() -> None:
    folder = data_path("nell_ontology")
    labels = [row[0] for row in rows(folder / "categories.txt.gz")]
    above = rows(folder / "subsumption.tsv.gz")
    apart = rows(folder / "mutex_pairs.tsv.gz")
    constraints: list[Constraint] = [c.implies(child, parent) for child, parent in above]
    constraints += [c.exclusive(a, b) for a, b in apart]
    assert (len(labels), len(above), len(apart)) == (271, 299, 15_233)
    started = time.perf_counter()
    found = findings(labels, constraints)
    assert time.perf_counter() - started < 20
    assert (
        Counter(type(x.constraints[0]) for x in of_kind(found, "redundant"))[c.Exclusive] == 12_830
    )
    assert not of_kind(found, "unsatisfiable")


@pytest.mark.parametrize(
    "file", ["imagenet21k_goog_hierarchy.tsv.gz", "wordnet30_noun_hypernyms.tsv.gz"]
)
def test_large_hierarchies(file: str) -> None:
    pairs = [(row[0], row[1]) for row in rows(data_path("wordnet_imagenet") / file)]
    labels = list(dict.fromkeys(label for pair in pairs for label in pair))
    constraints: list[Constraint] = [c.implies(child, parent) for child, parent in pairs]
    started = time.perf_counter()
    found = findings(labels, constraints)
    assert time.perf_counter() - started < 30
    parents: dict[str, set[str]] = {}
    for child, parent in pairs:
        parents.setdefault(child, set()).add(parent)
    above: dict[str, set[str]] = {}

    def ancestors(label: str) -> set[str]:
        if label not in above:
            above[label] = set().union(*({p} | ancestors(p) for p in parents.get(label, ())))
        return above[label]

    shortcuts = {(a, b) for a, b in pairs if any(b in ancestors(p) for p in parents[a] if p != b)}
    assert {(x.labels[1], x.labels[0]) for x in of_kind(found, "redundant")} == shortcuts
    assert {finding.kind for finding in found} <= {"redundant", "duplicate"}


def test_a_slip_is_told_by_lint():
    onto = co.Ontology.parse("course > exclusive: starter, dessert\nrule: desert >> sweet")
    (finding,) = onto.lint()
    assert (finding.kind, finding.severity, finding.labels) == (
        "alike",
        "info",
        ("dessert", "desert"),
    )
    (finding,) = co.Ontology.parse("animal > exclusive: bird, fish\nrule: Bird >> flies").lint()
    assert (
        finding.message
        == "bird and Bird differ in capitals or separators only: is one of them a slip?"
    )


def test_labels_stand_there_as_they_are_written():
    onto = co.Ontology.parse("red_bird > robin\nredBird > robin\nexclusive: red_bird, redBird")
    text = " ".join(one.message for one in onto.lint())
    assert (
        "robin implies red_bird [line 1]; robin implies redBird [line 2]; at most one of red_bird, redBird"
        in text
    )


SOFT = """\
animal > exclusive: bird, fish
rule (weight 3): bird >> flies
rule (weight 2): bird >> flies
exclusive (weight 1): bird, fish
rule (weight 1): bird & fish
rule (weight 1): swims
"""


def test_soft_constraints_are_told_apart():
    found = co.Ontology.parse(SOFT).lint()
    assert [(one.kind, one.severity, one.constraints[0].source.line) for one in found] == [
        ("always kept", "warning", 4),
        ("never kept", "warning", 5),
        ("repeated", "info", 3),
    ]
    assert found[0].message.endswith(
        "so that its own changes nothing: at most one of bird, fish (soft, weight 1) [line 4]"
    )
    assert "stated before [line 2], so that both weights count" in found[2].message
    broken = co.Ontology.parse(
        "rule: a\nrule: ~a\nrule (weight 1): a & b\nrule (weight 1): a & b"
    ).lint()
    assert [one.kind for one in broken] == ["unsatisfiable", "repeated"]


@settings(max_examples=60, deadline=None)
@given(ontologies(max_labels=5, max_constraints=6))
def test_soft_constraints_that_change_nothing_by_listing_worlds(ontology):
    labels, constraints = ontology
    half = len(constraints) // 2
    soft = [c.Soft(one, 1.0) for one in constraints[half:]]
    legal = worlds(labels, constraints[:half])
    if not len(legal):
        return
    found = co.Ontology(labels, [*constraints[:half], *soft]).lint()
    column = {label: legal[:, k] for k, label in enumerate(labels)}
    kept = [holds(one.constraint, column) for one in soft]
    for kind, expected in (
        ("always kept", [each.all() for each in kept]),
        ("never kept", [not each.any() for each in kept]),
    ):
        told = [one.constraints[0] for one in of_kind(found, kind)]
        assert told == [one for one, so in zip(soft, expected, strict=True) if so]
