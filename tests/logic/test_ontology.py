"""The ontology as a value, and what it says to bad input."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import corollary as co

from .conftest import ANIMALS


def test_a_value(animals):
    other = co.Ontology.parse(ANIMALS + "# a comment changes nothing")
    assert animals == other
    assert hash(animals) == hash(other)
    assert animals != co.Ontology.parse(
        ANIMALS + "labels: animal, bird, fish, mammal, place, city, river, unicorn"
    )
    assert animals != "animals"
    assert len(animals) == 7
    assert "bird" in animals
    assert "unicorn" not in animals
    assert repr(animals) == "<Ontology of 7 labels (animal, bird, fish, ...) and 5 constraints>"
    soft = co.Ontology(
        animals.labels, [*animals.constraints, co.implies("river", "fish", weight=1)]
    )
    assert (
        repr(soft)
        == "<Ontology of 7 labels (animal, bird, fish, ...) and 6 constraints, 1 of them soft>"
    )
    assert soft != co.Ontology(
        animals.labels, [*animals.constraints, co.implies("river", "fish", weight=2)]
    )
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
    np.testing.assert_array_equal(
        animals.propagate(facts), [[1, 1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 1, 1, 0]]
    )


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
    onto = co.Ontology.parse(
        "at least one: a, b\nexclusive: a, c\nequivalent: a, c\nrule: ~b\nb > d"
    )
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
        (
            lambda: co.Ontology(["bird", "animal"], [co.implies("brid", "animal")]),
            "'brid'.*did you mean 'bird'",
        ),
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


def test_an_unknown_label_to_explain(animals):
    with pytest.raises(co.CorollaryError, match="did you mean 'bird'"):
        animals.explain({}, "birds")


def test_closure_marks_rows_that_contradict_themselves():
    onto = co.Ontology(
        ["animal", "bird", "fish"],
        [co.subsumes("animal", "bird", "fish"), co.exclusive("bird", "fish")],
    )
    known, clash = onto.closure([[-1, 1, -1], [-1, 1, 1], [0, -1, -1]])
    assert clash.tolist() == [False, True, False]
    assert known[0].tolist() == [1, 1, 0]
    assert known[2].tolist() == [0, 0, 0]


@pytest.mark.parametrize("labels", [None, 3, np.array(None), [None], [["a"]]])
def test_labels_that_are_no_names(labels):
    with pytest.raises(co.OntologyError, match="must be"):
        co.Ontology(labels)
    with pytest.raises(co.OntologyError, match="must be|is not a constraint"):
        co.Ontology(["a"], labels)
    with pytest.raises(co.CorollaryError, match="is text|must be text|not a part|unknown label"):
        co.formula(labels) if labels is None else co.implies("a", labels)


@pytest.mark.parametrize("value", ["yes", 0.5, np.array([1, 0]), 2, [True]])
def test_a_fact_is_yes_or_no(animals, value):
    for ask in (animals.propagate, lambda facts: animals.explain(facts, "animal")):
        with pytest.raises(co.CorollaryError, match="a fact is True or False, got"):
            ask({"bird": value})


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
