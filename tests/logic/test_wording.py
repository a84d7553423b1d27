"""Constraints and facts in the words that people read."""

from __future__ import annotations

import pytest

from corollary.logic.language import constraints as c
from corollary.logic.wording import (
    article,
    clash_in_words,
    fact_in_words,
    in_words,
    listed,
    percent,
    question_in_words,
    quoted,
)

MANY = tuple(f"l{k}" for k in range(9))


@pytest.mark.parametrize(
    ("constraint", "words"),
    [
        (c.implies("bird", "animal"), "bird implies animal"),
        (c.implies("bird", "flies", weight=3), "bird implies flies (soft, weight 3)"),
        (
            c.exclusive("bird", "fish", weight=0.5, source=c.Source(None, 2)),
            "at most one of bird, fish (soft, weight 0.5) [line 2]",
        ),
        (c.subsumes("animal", "bird", "fish"), "each of bird, fish implies animal"),
        (c.covers("animal", "bird", "fish"), "animal implies bird or fish"),
        (c.covers("animal", *MANY), "animal implies one of 9 labels (l0, l1, l2, ...)"),
        (c.exclusive("bird", "fish"), "at most one of bird, fish"),
        (c.exactly_one("bird", "fish"), "exactly one of bird, fish"),
        (c.at_least_one("bird", "fish"), "at least one of bird, fish"),
        (c.equivalent("a", "b", "c"), "a, b and c are the same"),
        (c.formula("penguin >> ~flies"), "penguin >> ~flies"),
        (
            c.implies("bird", "animal", source=c.Source("zoo.onto", 3)),
            "bird implies animal [zoo.onto:3]",
        ),
    ],
)
def test_every_kind_has_its_words(constraint, words):
    assert in_words(constraint) == words


def test_labels_that_matter_are_named():
    assert in_words(c.subsumes("animal", *MANY), about=["l7"]) == "l7 implies animal"
    assert (
        in_words(c.exclusive(*MANY), about=["l7", "l5"])
        == "at most one of 9 labels (l5, l7, l0, ...)"
    )
    assert in_words(c.equivalent(*MANY), about=["l7", "l5"]) == "l5 and l7 are the same"


@pytest.mark.parametrize(
    ("p", "words"),
    [(0.0, "under 1 %"), (0.005, "0 %"), (0.07, "7 %"), (0.994, "99 %"), (1.0, "over 99 %")],
)
def test_a_probability_is_never_certain(p, words):
    assert percent(p) == words


def test_facts_and_lists():
    assert (fact_in_words("bird", True), fact_in_words("bird", False)) == (
        "bird is yes",
        "bird is no",
    )
    assert listed(["a"], noun="items") == "a"
    assert listed(iter("abc"), noun="items", last=" or ") == "a, b or c"
    assert listed(map(str, range(1200)), noun="items") == "1,200 items (0, 1, 2, ...)"


@pytest.mark.parametrize(
    ("constraint", "words"),
    [
        (c.implies("freeze_account", "GO:1"), "freeze account implies bank (GO:1)"),
        (
            c.covers("GO:1", "freeze_account", "payBill"),
            "bank (GO:1) implies freeze account or payBill",
        ),
        (c.formula("freeze_account >> ~GO:1"), '"freeze account" >> ~"bank (GO:1)"'),
    ],
)
def test_labels_stand_there_by_their_readable_names(constraint, words):
    names = {"GO:1": "bank (GO:1)", "payBill": "payBill"}
    assert in_words(constraint, names=names) == words
    assert fact_in_words("GO:1", True, names) == "bank (GO:1) is yes"
    assert "_" not in in_words(constraint)


def test_a_clash_in_words():
    rules = [c.exclusive("bird", "red_fish")]
    said = clash_in_words({"bird": True, "red_fish": True}, rules)
    assert said == (
        "These answers cannot all be true: bird is yes, red fish is yes. Reason: at most one of bird, red fish"
    )
    assert clash_in_words({"bird": True}, rules).startswith(
        "This answer cannot be true: bird is yes. Reason"
    )


@pytest.mark.parametrize(
    "words",
    "an utterance,a utility,a university,an uninstall,a user,a work,an hour,a house,an FAQ,a PIN,an animal,"
    "a one time code,a European bank,an understanding,a ".split(","),
)
def test_articles_go_by_the_sound(words):
    name = words.partition(" ")[2]
    assert f"{article(name)} {name}" == words


def test_questions_need_no_article():
    assert (
        question_in_words("“robin”", "freeze account")
        == "Should “robin” be labelled freeze account?"
    )
    assert question_in_words("this", "utility", "Is {item} an {label}?") == "Is this a utility?"
    assert (
        question_in_words("this", "animal", "An {label}, is it: {item}?")
        == "An animal, is it: this?"
    )
    assert question_in_words("“{label}”", "{item}", "{label}: {item}") == "{item}: “{label}”"


def test_long_texts_are_shortened_between_words():
    assert quoted(" a\n text ") == "“a text”"
    assert quoted("block my card, please, it was stolen", most=15) == "“block my card …”"
    assert quoted("x" * 9, most=4) == "“xxxx …”"
    assert quoted("abcd efgh", most=4) == "“abcd …”"
