"""The ontology as a value, and what it says to bad input."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import pytest

import corollary as co
from corollary.logic import constraints as c
from corollary.logic import formula as f

from ..fuzz.frame import within

ANIMALS = """
animal > exclusive: bird, fish, mammal
place > exclusive: city, river
exclusive: animal, place
"""


@pytest.fixture
def animals():
    return co.Ontology.parse(ANIMALS)


def test_a_value(animals):
    other = co.Ontology.parse(ANIMALS + "# a comment changes nothing")
    assert animals == other
    assert hash(animals) == hash(other)
    assert animals != co.Ontology.parse(ANIMALS + "labels: animal, bird, fish, mammal, place, city, river, unicorn")
    assert animals != "animals"
    assert len(animals) == 7
    assert "bird" in animals
    assert "unicorn" not in animals
    assert repr(animals) == "<Ontology of 7 labels (animal, bird, fish, ...) and 5 constraints>"
    assert co.Ontology.parse(str(animals)) == animals
    assert len({animals, other}) == 1


def test_it_cannot_be_changed(animals):
    with pytest.raises(AttributeError, match="make a new one"):
        animals.labels = ("a",)
    with pytest.raises(AttributeError, match="make a new one"):
        del animals.labels


def test_pickling_and_copying_keep_everything_but_what_is_derived(animals):
    animals.propagate({"bird": True})  # compiled state must not get in the way
    budgeted = animals.with_budget(co.Budget(states=77))
    assert copy.deepcopy(budgeted) is budgeted  # a value: a copy of it is itself
    for twin in (pickle.loads(pickle.dumps(budgeted)),):
        assert twin == animals
        assert twin.budget.states == 77
        assert twin.constraints[0].source == animals.constraints[0].source
        assert twin.propagate({"bird": True}) == animals.propagate({"bird": True})


def test_one_answer_and_its_corollaries(animals):
    assert animals.propagate({"bird": True}) == {
        "animal": True,
        "bird": True,
        "fish": False,
        "mammal": False,
        "place": False,
        "city": False,
        "river": False,
    }
    facts = np.array([[-1, 1, -1, -1, -1, -1, -1], [0, -1, -1, -1, -1, 1, -1]], np.int8)
    np.testing.assert_array_equal(animals.propagate(facts), [[1, 1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 1, 1, 0]])


def test_a_contradiction_names_a_minimal_clash(animals):
    with pytest.raises(co.Contradiction) as caught:
        animals.propagate({"bird": True, "city": True, "fish": False})
    clash = caught.value
    assert clash.answers == {"bird": True, "city": True}
    assert set(clash.constraints) == {
        co.subsumes("animal", "bird", "fish", "mammal"),
        co.subsumes("place", "city", "river"),
        co.exclusive("animal", "place"),
    }
    assert clash.item is None
    assert "bird" in str(clash)
    assert "city" in str(clash)
    facts = np.full((3, 7), -1, np.int8)
    facts[2, [1, 5]] = 1
    with pytest.raises(co.Contradiction, match="Item 2") as caught:
        animals.propagate(facts)
    assert caught.value.item == 2


def test_explain(animals):
    why = animals.explain({"bird": True}, "city")
    assert (why.label, why.value, why.answers) == ("city", False, {"bird": True})
    assert len(why.steps) == 3
    assert "line 4" in str(why)


def test_an_unsatisfiable_ontology_says_which_constraints_clash():
    onto = co.Ontology.parse("at least one: a, b\nexclusive: a, c\nequivalent: a, c\nrule: ~b\nb > d")
    for ask in (
        lambda: onto.propagate({}),
        lambda: onto.propagate(np.full((1, 4), -1)),
        lambda: onto.posterior(np.full((1, 4), 0.5)),
        lambda: onto.most_probable(np.full((1, 4), 0.5)),
        lambda: onto.engines,
        lambda: onto.explain({}, "a"),
    ):
        with pytest.raises(co.Contradiction, match="repair") as caught:
            ask()
        assert set(caught.value.constraints) == set(onto.constraints[:4])
        assert not caught.value.answers


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: co.Ontology(["a", "b", "a"]), "'a' is listed twice"),
        (lambda: co.Ontology(["a", ""]), "empty"),
        (lambda: co.Ontology(["a", "  "]), "empty"),
        (lambda: co.Ontology(["a ", "b"]), "white space"),
        (lambda: co.Ontology(["a", 3]), "must be text, got int 3"),
        (lambda: co.Ontology("animal"), "Ontology.parse"),
        (lambda: co.Ontology(["bird", "animal"], [co.implies("brid", "animal")]), "'brid'.*did you mean 'bird'"),
        (lambda: co.Ontology(["a"], ["a -> b"]), "is not a constraint"),
        (lambda: co.exclusive("a"), "at least 2 labels"),
        (lambda: co.exclusive("a", "b", "a"), "'a' twice"),
        (lambda: co.exclusive(["a", "b"]), "one by one"),
        (lambda: co.implies("a", "a"), "'a' twice"),
        (co.exactly_one, "at least 1"),
        (lambda: co.equivalent("a"), "at least 2"),
        (lambda: co.covers("a"), "at least 2"),
        (lambda: co.formula("a &"), "line 1, column"),
        (lambda: co.Budget(states=0), "states >= 1"),
        (lambda: co.Budget(error=1.5), "error < 1"),
    ],
)
def test_bad_ontologies(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        (np.zeros((2, 3), np.int8), r"items x 7 labels, got shape \(2, 3\)"),
        (np.zeros(7, np.int8), r"for one item pass \[facts\]"),
        (np.full((1, 7), 0.5), "float64; use -1 for unknown"),
        (np.full((1, 7), np.nan), "use -1 for unknown"),
        (np.full((1, 7), 2), "item 0, label 'animal' has 2"),
        (np.full((1, 7), -2), "has -2"),
        (np.full((1, 7), "yes"), "whole numbers"),
        ({"brid": True}, "unknown label 'brid'; did you mean 'bird'"),
        ({"bird": "maybe"}, "True or False, got 'maybe' for 'bird'"),
        ({"bird": None}, "leave unknown labels out"),
    ],
)
def test_bad_facts(animals, facts, message):
    with pytest.raises(co.CorollaryError, match=message):
        animals.propagate(facts)


@pytest.mark.parametrize(
    ("beliefs", "message"),
    [
        (np.full((2, 6), 0.5), "items x 7 labels"),
        (np.full(7, 0.5), r"for one item pass \[beliefs\]"),
        ([[0.5] * 6 + [np.nan]], "item 0, label 'river' has nan"),
        ([[0.5] * 6 + [1.1]], "has 1.1"),
        ([[0.5] * 6 + [-0.1]], "has -0.1"),
        ([["a"] * 7], "must be numbers"),
    ],
)
def test_bad_beliefs(animals, beliefs, message):
    for ask in (animals.posterior, animals.gain, animals.joint_entropy, animals.most_probable):
        with pytest.raises(co.CorollaryError, match=message):
            ask(beliefs)


def test_facts_and_beliefs_of_different_shape(animals):
    with pytest.raises(co.CorollaryError, match="one shape"):
        animals.posterior(np.full((2, 7), 0.5), np.full((3, 7), -1))


def test_an_unknown_label_to_explain(animals):
    with pytest.raises(co.CorollaryError, match="did you mean 'bird'"):
        animals.explain({}, "birds")


def test_an_estimate_is_said_to_be_one():
    rng = np.random.default_rng(0)
    labels = [f"l{k}" for k in range(30)]
    signed = ["~" * int(rng.integers(2)) + labels[k] for _ in range(75) for k in rng.permutation(30)[:3]]
    rules = [co.formula(" | ".join(signed[j : j + 3])) for j in range(0, 225, 3)]
    onto = co.Ontology(labels, rules, budget=co.Budget(states=100))
    (engine,) = onto.engines
    assert (engine.engine, engine.guarantee) == ("belief propagation", "estimate")
    beliefs = rng.random((3, 30))
    with pytest.warns(co.EstimateWarning, match="3 of 3 items"):
        found = onto.infer(beliefs, gain=True)
    assert np.isnan(found.error).all()
    with pytest.warns(co.EstimateWarning):
        np.testing.assert_array_equal(onto.posterior(beliefs), found.posterior)
    exact = onto.with_budget(co.Budget())
    assert [engine.guarantee for engine in exact.engines] == ["exact"]
    assert np.abs(exact.posterior(beliefs) - found.posterior).mean() < 0.2
    # Propagation stays complete, and the labelling legal.
    np.testing.assert_array_equal(onto.propagate(onto.most_probable(beliefs)), onto.most_probable(beliefs))
    facts = np.where(rng.random((3, 30)) < 0.1, exact.most_probable(beliefs), -1)
    np.testing.assert_array_equal(onto.propagate(facts), exact.propagate(facts))


def test_engines_tell_what_serves_each_component():
    onto = co.Ontology.parse(
        "animal > exclusive: bird, fish\nlabels: animal, bird, fish, a, b, c, d, x, y, z, lone\n"
        "a > b, c\nb > d\nc > d\nrule: x <-> (y <-> z)"
    )
    told = {engine.engine: engine for engine in onto.engines}
    assert set(told) == {"tree", "junction", "diagram"}
    assert set(told["tree"].labels) == {"animal", "bird", "fish", "lone"}
    assert told["tree"].components == 2
    assert str(told["junction"]).startswith("junction: 4 labels, size ")
    assert all(engine.guarantee == "exact" for engine in onto.engines)


def test_closure_marks_rows_that_contradict_themselves():
    onto = co.Ontology(
        ["animal", "bird", "fish"], [co.subsumes("animal", "bird", "fish"), co.exclusive("bird", "fish")]
    )
    known, clash = onto.closure([[-1, 1, -1], [-1, 1, 1], [0, -1, -1]])
    assert clash.tolist() == [False, True, False]
    assert known[0].tolist() == [1, 1, 0]
    assert known[2].tolist() == [0, 0, 0]


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


@pytest.mark.parametrize(
    ("constraint", "message"),
    [
        (c.Exclusive("ab"), "exclusive needs a tuple of labels, got str 'ab'"),
        (c.Exclusive(["a", "b"]), "exclusive needs a tuple of labels, got list"),
        (c.AtLeastOne(None), "at_least_one needs a tuple of labels, got NoneType"),
        (c.ExactlyOne(()), "exactly_one needs at least 1 labels"),
        (c.Exclusive(("a", "a")), "exclusive names the label 'a' twice"),
        (c.Subsumes("a", "b"), "subsumes needs a tuple of labels, got str 'b'"),
        (c.Covers(["a"], ("b",)), "a label name must be text, got list"),
        (c.Formula("a"), "'a' is not a part of a formula"),
        (c.Formula(f.And(None)), "is not a part of a formula"),
        (c.Formula(f.Name(["a"])), "is not a part of a formula"),
        ("a > b", "'a > b' is not a constraint"),
    ],
)
def test_constraints_made_by_hand_are_checked(constraint, message):
    with pytest.raises(co.OntologyError) as caught:
        co.Ontology(["a", "b"], [constraint])
    assert message in str(caught.value)


@pytest.mark.parametrize("labels", [None, 3, np.array(None), [None], [["a"]]])
def test_labels_that_are_no_names(labels):
    with pytest.raises(co.OntologyError, match="must be"):
        co.Ontology(labels)
    with pytest.raises(co.OntologyError, match="must be|is not a constraint"):
        co.Ontology(["a"], labels)
    with pytest.raises(co.CorollaryError, match="is text|must be text|not a part|unknown label"):
        co.formula(labels) if labels is None else co.implies("a", labels)


@pytest.mark.parametrize("value", [None, pd.NA, float("nan"), "yes", np.array([1, 0]), 2, [True]])
def test_a_fact_is_yes_or_no(animals, value):
    for ask in (animals.propagate, lambda facts: animals.explain(facts, "animal")):
        with pytest.raises(co.CorollaryError, match="a fact is True or False, got"):
            ask({"bird": value})


@pytest.mark.parametrize("odd", [None, "bird", 3, [["a"], "b"], [[1, 0], [1]], [[pd.NA] * 7], pd.NA, [[10**400] * 7]])
def test_arrays_that_are_no_arrays(animals, odd):
    even = np.full((1, 7), 0.5)
    asked = [animals.posterior, animals.gain, animals.joint_entropy, animals.most_probable, animals.marginals]
    for ask in (
        *asked,
        animals.propagate,
        animals.closure,
        lambda odd: animals.consequences(even, odd, np.full((1, 7), -1)),
    ):
        with pytest.raises(co.CorollaryError, match="must be"):
            ask(odd)
    with pytest.raises(co.CorollaryError, match="facts of one item are a dict"):
        animals.explain(odd, "bird")
    with pytest.raises(co.CorollaryError, match="unknown label"):
        animals.explain({}, [odd])


def test_masked_facts_are_not_unmasked_in_silence(animals):
    with pytest.raises(co.CorollaryError, match="facts has masked cells; fill them first; use -1 for unknown"):
        animals.propagate(np.ma.masked_equal(np.zeros((1, 7), int), 0))


def test_arrays_about_different_items(animals):
    two, three = np.full((2, 7), 0.5), np.full((3, 7), -1)
    for ask in (
        lambda: animals.posterior(two, three),
        lambda: animals.infer(two, three.astype(np.int8), propagated=True),
        lambda: animals.marginals(two, three, propagated=True),
        lambda: animals.consequences(two, two, three, propagated=True),
        lambda: animals.consequences(two, np.full((3, 7), 0.5), three[:2]),
    ):
        with pytest.raises(co.CorollaryError, match="must have one shape, got"):
            ask()


@pytest.mark.parametrize("path", [None, 3, b"x.onto", "\0.onto", "x" * 300 + ".onto"])
def test_paths_that_no_file_has(animals, path):
    with pytest.raises(co.FormatError, match="expected the path of a file|cannot be read"):
        co.Ontology.load(path)
    with pytest.raises(co.FormatError, match="expected the path of a file|cannot be written"):
        animals.save(path)


def test_odd_budgets(animals):
    with pytest.raises(co.CorollaryError, match="a budget needs states"):
        co.Budget(states="many")
    with pytest.raises(co.CorollaryError, match="budget must be a Budget"):
        animals.with_budget(30)
