"""Explanations and clashes against the list of all legal worlds: sound, and nothing in them needless."""

from __future__ import annotations

import gzip
import time
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.logic.errors import Contradiction, CorollaryError
from corollary.logic.language import constraints as c
from corollary.logic.language import formula as f
from corollary.logic.language.constraints import Constraint, Source
from corollary.logic.reasoning.explanation import Explanation, Trace, clash, explain
from corollary.logic.solving.clauses import to_clauses

from ...fuzz.frame import within
from ...real_data import data_path
from ..ontologies import entailed, facts_of, ontologies, random_ontology, worlds


def trace_of(labels: list[str], constraints: list[Constraint]) -> Trace:
    return Trace(labels, constraints, to_clauses(labels, constraints))


def without(values: list[Constraint] | tuple[Constraint, ...], i: int) -> list[Constraint]:
    return [*values[:i], *values[i + 1 :]]


def check_clash(
    labels: list[str], constraints: list[Constraint], facts: dict[str, bool], found: Contradiction
) -> None:
    legal = worlds(labels, constraints)
    chosen = worlds(labels, found.constraints)
    assert found.answers.items() <= facts.items()
    assert all(any(one is other for other in constraints) for one in found.constraints)
    assert entailed(chosen, labels, found.answers) is None
    for label in found.answers:
        fewer = {k: v for k, v in found.answers.items() if k != label}
        assert entailed(chosen, labels, fewer) is not None
        assert entailed(legal, labels, fewer) is not None, (
            "few answers: each is needed even with all constraints"
        )
    for i in range(len(found.constraints)):
        assert (
            entailed(worlds(labels, without(found.constraints, i)), labels, found.answers)
            is not None
        )
    if len(found.answers) <= 6:
        for label, value in found.answers.items():
            assert f"{label} is {'yes' if value else 'no'}" in str(found)


def check_explanation(labels: list[str], facts: dict[str, bool], found: Explanation) -> None:
    fact = {found.label: found.value}

    def follows(
        constraints: list[Constraint] | tuple[Constraint, ...], answers: dict[str, bool]
    ) -> bool:
        known = entailed(worlds(labels, constraints), labels, answers)
        return known is None or fact.items() <= known.items()

    assert found.answers.items() <= facts.items()
    assert follows(found.constraints, found.answers)
    for label in found.answers:
        assert not follows(
            found.constraints, {k: v for k, v in found.answers.items() if k != label}
        )
    for i in range(len(found.constraints)):
        assert not follows(without(found.constraints, i), found.answers)
    check_steps(labels, found)
    assert str(found).startswith(f"{found.label} is {'yes' if found.value else 'no'}:")


def check_steps(labels: list[str], found: Explanation) -> None:
    """Each step follows from its one constraint, and from what is known by then."""
    known = set(found.answers.items())
    if found.supposed:
        known.add((found.label, not found.value))
    for step in found.steps:
        assert set(step.because) <= known
        assert step.constraint in found.constraints
        alone = entailed(worlds(labels, [step.constraint]), labels, dict(step.because))
        assert alone is None or step.fact in alone.items()
        known.add(step.fact)
    if found.supposed:
        label, value = found.steps[-1].fact
        assert (label, not value) in known
    elif found.steps:
        assert found.steps[-1].fact == (found.label, found.value)
        assert {step.constraint for step in found.steps} == set(found.constraints)


def check_all(labels: list[str], constraints: list[Constraint], facts: dict[str, bool]) -> None:
    trace = trace_of(labels, constraints)
    expected = entailed(worlds(labels, constraints), labels, facts)
    if expected is None:
        check_clash(labels, constraints, facts, trace.clash(facts))
        with pytest.raises(Contradiction):
            trace.explain(facts, labels[0])
        return
    with pytest.raises(CorollaryError, match="do not contradict"):
        trace.clash(facts)
    for label in labels:
        if label not in expected:
            with pytest.raises(CorollaryError, match="nothing follows"):
                trace.explain(facts, label)
            continue
        found = trace.explain(facts, label)
        assert (found.label, found.value) == (label, expected[label])
        if label in facts:
            assert (found.answers, found.steps, found.constraints) == (
                {label: facts[label]},
                (),
                (),
            )
        else:
            check_explanation(labels, facts, found)


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_random_ontologies(data: st.DataObject) -> None:
    labels, constraints = data.draw(ontologies(max_labels=7))
    check_all(labels, constraints, data.draw(facts_of(labels)))


@pytest.mark.parametrize("seed", range(15))
def test_ontologies_with_circuits(seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels, constraints = random_ontology(rng, 9, 2)
    constraints += random_ontology(rng, 9, 1, kinds=["parity"])[1]
    known = rng.permutation(9)[: rng.integers(4, 9)]
    check_all(labels, constraints, {labels[k]: bool(rng.random() < 0.4) for k in known})


@pytest.mark.parametrize("seed", range(60))
def test_chains_of_pairs_are_shortest(seed: int) -> None:
    """Against breadth-first search, a fact at a time, by what each constraint alone entails."""
    rng = np.random.default_rng(seed)
    labels, constraints = random_ontology(rng, 8, 7, kinds=["subsumes", "exclusive", "equivalent"])
    legal = worlds(labels, constraints)
    always = entailed(legal, labels, {}) or {}
    trace = trace_of(labels, constraints)
    alone = [worlds(labels, [constraint]) for constraint in constraints]
    for answer in ((labels[0], True), (labels[1], False)):
        if entailed(legal, labels, dict([answer])) is None:
            continue
        distance, frontier = {answer: 0}, [answer]
        for depth in range(1, 9):
            found = {
                fact
                for at in frontier
                for one in alone
                for fact in (entailed(one, labels, dict([at])) or {}).items()
            }
            frontier = [fact for fact in found if fact not in distance]
            distance.update(dict.fromkeys(frontier, depth))
        for (label, value), depth in distance.items():
            chain = trace.explain(dict([answer]), label)
            assert chain.value == value
            if (
                label not in always
            ):  # what holds without the answer is told that way although it takes longer
                assert len(chain.steps) == depth


ANIMALS = [
    c.implies("bird", "animal", source=Source("animals.onto", 3)),
    c.exclusive("animal", "city", source=Source("animals.onto", 7)),
    c.covers("animal", "bird", "fish", "mammal", source=Source(None, 9)),
    c.exactly_one("north", "south"),
]
NAMES = ["animal", "bird", "fish", "mammal", "city", "north", "south"]


def test_what_people_read() -> None:
    trace = trace_of(NAMES, ANIMALS)
    assert str(trace.explain({"bird": True}, "city")).split("\n") == [
        "city is no:",
        "  bird is yes (answered)",
        "  so animal is yes: bird implies animal [animals.onto:3]",
        "  so city is no: at most one of animal, city [animals.onto:7]",
    ]
    assert str(
        trace.explain({"animal": True, "bird": False, "fish": False, "city": False}, "mammal")
    ).split("\n") == [
        "mammal is yes:",
        "  animal is yes (answered)",
        "  bird is no (answered)",
        "  fish is no (answered)",
        "  so mammal is yes: animal implies bird, fish or mammal [line 9]",
    ]
    assert str(trace.explain({"bird": True}, "bird")) == "bird is yes: answered"
    assert str(trace.clash({"north": True, "bird": True, "city": True})) == (
        "These answers cannot all be true: bird is yes, city is yes. "
        "Reason: bird implies animal [animals.onto:3]; at most one of animal, city [animals.onto:7]"
    )


def test_a_label_that_is_never_true() -> None:
    constraints = [*ANIMALS, c.implies("town", "city"), c.implies("town", "animal")]
    labels = [*NAMES, "town"]
    assert str(explain(labels, constraints, to_clauses(labels, constraints), {}, "town")).split(
        "\n"
    ) == [
        "town is no:",
        "  suppose town is yes",
        "  then city is yes: town implies city",
        "  then animal is yes: town implies animal",
        "  but animal is no: at most one of animal, city [animals.onto:7]",
    ]
    found = clash(
        labels, constraints, to_clauses(labels, constraints), {"bird": True, "town": True}, item=4
    )
    assert str(found).startswith("Item 4: this answer cannot be true: town is yes. Reason: ")
    assert found.item == 4


def test_facts_that_only_all_constraints_together_give() -> None:
    """Four clauses over a and b that leave nothing but c: no step, supposed or not, gets anywhere."""
    a, b, d = f.Name("a"), f.Name("b"), f.Name("c")
    texts = [(f.Or((x, y, d))) for x in (a, f.Not(a)) for y in (b, f.Not(b))]
    constraints: list[Constraint] = [c.Formula(text) for text in texts]
    found = trace_of(["a", "b", "c"], constraints).explain({}, "c")
    assert found.supposed is False
    assert found.steps == ()
    assert found.constraints == tuple(constraints)
    assert "only this fits all of the following:\n  a | b | c" in str(found)


def test_an_ontology_that_contradicts_itself() -> None:
    constraints: list[Constraint] = [
        c.at_least_one("a"),
        c.implies("a", "b"),
        c.Formula(f.Not(f.Name("b"))),
        c.implies("c", "a"),
    ]
    found = trace_of(["a", "b", "c"], constraints).clash({"c": True})
    assert found.answers == {}
    assert found.constraints == tuple(constraints[:3])
    assert "the ontology contradicts itself" in str(found).lower()
    assert "needs repair" in str(found)
    false: list[Constraint] = [c.Formula(f.FALSE)]
    assert trace_of(["a"], false).clash({}).constraints == tuple(false)


def test_long_lists_are_counted() -> None:
    labels = [f"kind {i}" for i in range(12)]
    constraints: list[Constraint] = [c.exactly_one(*labels)]
    trace = trace_of(labels, constraints)
    assert "at most" not in str(trace.clash({"kind 3": True, "kind 9": True}))
    assert "exactly one of 12 labels (kind 3, kind 9, kind 0, ...)" in str(
        trace.clash({"kind 3": True, "kind 9": True})
    )
    found = trace.explain(dict.fromkeys(labels[1:], False), "kind 0")
    assert "11 answers (kind 1 is no, kind 2 is no, kind 3 is no, ...) (answered)" in str(found)
    assert len(found.answers) == 11


def test_a_ladder_is_one_step() -> None:
    labels = [f"k{i}" for i in range(50)]
    constraints: list[Constraint] = [
        c.exclusive(*labels),
        c.equivalent("k49", *(f"e{i}" for i in range(9))),
    ]
    trace = trace_of([*labels, *(f"e{i}" for i in range(9))], constraints)
    assert len(trace.explain({"k0": True}, "k48").steps) == 1
    assert [step.fact for step in trace.explain({"k0": True}, "e5").steps] == [
        ("k49", False),
        ("e5", False),
    ]


def test_unknown_labels_are_refused() -> None:
    trace = trace_of(NAMES, ANIMALS)
    with pytest.raises(CorollaryError, match="unknown label 'brid'; did you mean 'bird'"):
        trace.explain({"brid": True}, "animal")
    with pytest.raises(CorollaryError, match="unknown label 'anmal'"):
        trace.explain({"bird": True}, "anmal")


def test_all_nouns_of_wordnet() -> None:
    with gzip.open(data_path("wordnet_imagenet", "wordnet30_noun_hypernyms.tsv.gz"), "rt") as file:
        pairs = [tuple(line.split("\t")[:2]) for line in file][1:]
    labels = list(dict.fromkeys(label for pair in pairs for label in pair))
    constraints: list[Constraint] = [c.implies(child, parent) for child, parent in pairs]
    clauses = to_clauses(labels, constraints)
    started = time.perf_counter()
    trace = Trace(labels, constraints, clauses)
    built = time.perf_counter() - started
    children = {child for child, _ in pairs}
    top = next(label for label in labels if label not in children)
    deep = pairs[-1][0]
    trace.explain({deep: True}, pairs[-1][1])
    started = time.perf_counter()
    for _ in range(5):
        found = trace.clash({deep: True, top: False})
        assert found.answers == {deep: True, top: False}
        assert len(found.constraints) == len(trace.explain({deep: True}, top).steps)
    each = (time.perf_counter() - started) / 10
    assert built < 5, f"{built:.2f} s to build the index"
    assert each < 1, f"{each:.3f} s a question"


def test_a_chain_of_10_000_is_explained_at_once() -> None:
    labels = [f"l{k}" for k in range(10_000)]
    chain = trace_of(labels, [c.implies(a, b) for a, b in pairwise(labels)])
    chain.explain({"l0": True}, "l1")  # compiles the kernels
    with within():
        found = chain.explain({"l0": True}, "l9999")
        assert len(found.steps) == len(found.constraints) == 9_999
        assert len(chain.clash({"l0": True, "l9999": False}).constraints) == 9_999


def test_a_wide_case_distinction_is_explained_at_once() -> None:
    cases = [f"l{k}" for k in range(5_000)]
    wide = trace_of(
        [*cases, "p", "q"], [c.covers("p", *cases), *(c.implies(case, "q") for case in cases)]
    )
    with within():
        assert len(wide.explain({"p": True}, "q").constraints) == 5_001


def test_soft_constraints_explain_nothing_and_that_is_told() -> None:
    labels, soft = ["bird", "flies", "animal"], [c.implies("bird", "flies", weight=3)]
    hard = [c.implies("bird", "animal")]
    trace = Trace(labels, hard, to_clauses(labels, hard), soft=soft)
    with pytest.raises(CorollaryError) as caught:
        trace.explain({"bird": True}, "flies")
    assert str(caught.value) == (
        "nothing follows about 'flies' from these answers: it can still be yes or no; soft constraints only make it "
        "more or less probable: bird implies flies (soft, weight 3)"
    )
    assert trace.explain({"bird": True}, "animal").constraints == tuple(hard)
