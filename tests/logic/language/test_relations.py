"""Relations as they are written, in the notation and in Python."""

from __future__ import annotations

import pickle

import pytest

import corollary as co
from corollary.logic.errors import CorollaryError, FormatError, NotationError, OntologyError
from corollary.logic.language import constraints as c
from corollary.logic.language import relations as r
from corollary.logic.language.notation import parse, render

WHO = """\
animal > exclusive: bird, fish
relation eats(animal, food)
eats > hunts
relation lives_in(person | animal, place)
exclusive: eats, lives_in
exclusive (weight 2): hunts, lives_in
relation spouse(person, person) symmetric
relation parent(person, person) inverse child functional inverse functional
rule: capital(x, y) & village(x) >> ~eats(y, x)
relation spouse functional
"""


def test_every_statement_makes_the_same_as_python():
    parsed = parse(WHO)
    assert parsed.constraints == (
        c.Subsumes("animal", ("bird", "fish")),
        c.Exclusive(("bird", "fish")),
    )
    assert parsed.pairs == (
        co.relation("eats", "animal", "food"),
        co.subsumes("eats", "hunts"),
        co.relation("lives_in", "person | animal", "place"),
        co.exclusive("eats", "lives_in"),
        co.exclusive("hunts", "lives_in", weight=2),
        co.relation("spouse", "person", "person"),
        co.symmetric("spouse"),
        co.relation("parent", "person", "person"),
        co.inverse("parent", "child"),
        co.functional("parent"),
        co.functional("parent", inverse=True),
        co.formula("capital(x, y) & village(x) >> ~eats(y, x)"),
        co.functional("spouse"),
    )
    assert parsed.labels == (*("animal", "bird", "fish", "food"), *("person", "place", "village"))
    assert str(parsed.pairs[0].source) == "line 2"


def test_it_is_written_as_it_was_read():
    parsed = parse(WHO)
    again = parse(render(parsed))
    assert (again.labels, again.constraints, again.pairs) == (
        parsed.labels,
        parsed.constraints,
        parsed.pairs,
    )
    assert render(parsed) == WHO


def test_an_ontology_has_labels_of_items_and_relations_of_pairs(tmp_path):
    onto = co.Ontology.parse(WHO)
    assert onto.relations == ("eats", "hunts", "lives_in", "spouse", "parent", "child", "capital")
    assert set(onto.labels).isdisjoint(onto.relations)
    assert onto == co.Ontology(onto.labels, (*onto.constraints, *onto.pair_constraints))
    assert onto != co.Ontology(onto.labels, onto.constraints)
    assert pickle.loads(pickle.dumps(onto)) == onto
    assert onto.same_as(onto.with_budget(co.Budget(states=10)))
    assert not onto.same_as(co.Ontology(onto.labels, onto.constraints))
    onto.save(tmp_path / "who.onto")
    assert co.Ontology.load(tmp_path / "who.onto") == onto
    assert repr(onto).endswith("2 constraints, 7 relations>")


def test_other_formats_list_what_they_cannot_say(tmp_path):
    onto = co.Ontology.parse("relation eats(animal, food)\nanimal > bird")
    with pytest.raises(FormatError, match=r"(?s)table cannot express 1 .*relation eats\(animal"):
        onto.save(tmp_path / "who.csv")
    left_out = onto.save(tmp_path / "who.csv", lossy=True)
    assert left_out == ("relation eats(animal, food)",)


def test_without_relations_words_of_relations_are_labels():
    text = "relation > inverse, functional\nsymmetric covered by relation\n"
    onto = co.Ontology.parse(text)
    assert onto.labels == ("relation", "inverse", "functional", "symmetric")
    assert (onto.relations, onto.pair_constraints) == ((), ())
    strange = co.Ontology.parse('relation inverse(a, b) inverse "functional"\n')
    assert strange.relations == ("inverse", "functional")
    assert co.Ontology.parse(str(strange)) == strange


def test_a_label_in_quotes_may_look_like_a_relation():
    onto = co.Ontology.parse('rule: "eats(x, y)" >> b')
    assert (onto.labels, onto.relations) == (("eats(x, y)", "b"), ())
    assert co.Ontology.parse(str(onto)) == onto


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("relation eats(animal, food)\neats > animal", r"'animal' is a label .* a relation here \[line 2\]"),
        ("labels: eats\nrelation eats(true, true)", r"'eats' is a label of items"),
        ("labels: animal\nrelation eats(animal, fod)", r"line 2.*'fod' is not declared"),
        ("rule: eats(x, y) >> animal", r"'animal' without a variable"),
        ("rule: eats(x, x) >> animal(x)", r"two variables, got x"),
        ("rule: animal(x) >> bird(x)", r"two variables, got x"),
        ("rule: eats(x, y) >> eats(y, z)", r"two variables, got x, y, z"),
        ("relation eats(animal(x), food)", r"without \(x\)"),
        ("relation eats(animal food)", r"column 22: expected"),
        ("relation eats animal", r"a relation is written as in 'relation eats\(animal, food\)'"),
        ("relation eats(a, b) inverse eats", r"its own inverse; say that it is symmetric"),
    ],
)  # fmt: skip
def test_slips_have_their_place(text, message):
    with pytest.raises(CorollaryError, match=message):
        co.Ontology.parse(text)


def test_slips_in_python():
    with pytest.raises(OntologyError, match=r"unknown label 'fod' .*did you mean 'food'"):
        co.Ontology(["animal", "food"], [co.relation("eats", "animal", "fod")])
    with pytest.raises(OntologyError, match="is not a constraint"):
        r.check_said("eats")
    with pytest.raises(NotationError):
        co.relation("eats", "animal &", "food")


def test_lint_knows_relations():
    onto = co.Ontology.parse(WHO + "relation spouse symmetric\n")
    kinds = [(finding.kind, finding.message) for finding in onto.lint()]
    assert kinds == [("duplicate", "stated before [line 7]: spouse is symmetric [line 11]")]


def test_words():
    from corollary.logic.wording import in_words

    said = [in_words(one).partition(" [")[0] for one in co.Ontology.parse(WHO).pair_constraints]
    assert said[0] == "eats needs the head to be animal and the tail to be food"
    assert said[6] == "spouse is symmetric"
    assert said[8:11] == [
        "parent is the inverse of child",
        "parent has at most one tail for each head",
        "parent has at most one head for each tail",
    ]
