"""What a session is made of, and what it says to arguments that do not fit."""

from __future__ import annotations

import numpy as np
import pytest

import corollary as co
from corollary.learning.session.arguments import how_to_stay
from corollary.learning.session.session import Session


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (Session, "needs items to learn from"),
        (lambda onto: Session(onto, beliefs=lambda f: f), "how many items"),
        (
            lambda onto: Session(onto, beliefs=np.full((2, 7), 0.5), facts=np.full((3, 7), -1)),
            "beliefs has 2, facts has 3",
        ),
        (lambda onto: Session(onto, beliefs=np.full((2, 7), 0.5), item_ids=["a", "a"]), "2 different ids"),
        (lambda onto: Session(onto, beliefs=np.full((2, 7), 0.5), score="best"), "no score 'best'"),
        (lambda onto: Session(onto, beliefs=np.full((2, 7), 0.5), refresh="now"), "'always' or 'never'"),
        (lambda onto: Session(onto, beliefs=np.full((2, 7), 0.5), untaught=np.zeros((1, 7))), "untaught must have"),
        (lambda onto: Session(onto, beliefs=np.full((2, 7), 0.5)).answer((9, "bird"), True), "no item 9"),
        (lambda onto: Session(onto, beliefs=np.full((2, 7), 0.5)).answer((0, "brid"), True), "did you mean 'bird'"),
        (lambda onto: Session(onto, beliefs=np.full((2, 7), 0.5)).answer((0, "bird"), "yes"), "True, False or None"),
        (lambda onto: Session(onto, beliefs=np.full((2, 7), 0.5)).answer_from(np.zeros((3, 7), int), 1), "the shape"),
        (lambda onto: Session(onto, beliefs=np.full((2, 6), 0.5)).ask(), "items x 7 labels"),
    ],
)
def test_bad_input(animals, make, message):
    with pytest.raises(co.CorollaryError, match=message):
        make(animals)


def test_columns_by_name_tell_how_many_items_there_are():
    session = Session(co.Ontology(["a", "b"]), {"size": [1.0, 2.0, 3.0], "weight": [2.0, 1.0, 0.0]}, learner="logistic")
    assert session.facts.shape == (3, 2)


@pytest.mark.parametrize(
    ("stay", "learns", "score", "meant"),
    [
        ("auto", True, "posterior", "item"),
        ("auto", False, "posterior", None),
        ("auto", True, "log", None),
        ("label", True, "posterior", "label"),
        ("item", False, "log", "item"),
        (None, True, "posterior", None),
    ],
)
def test_one_stays_on_items_where_a_learner_is_taught(stay, learns, score, meant):
    assert how_to_stay(stay, learns=learns, score=score) == meant
    X = np.zeros((2, 1))
    given = {"X": X} if learns else {"beliefs": np.full((2, 1), 0.5)}
    assert co.Session(co.Ontology(["a"]), **given, score=score, stay=stay).stay == meant
