"""What a session is made of, and what it says to arguments that do not fit."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

import corollary as co
from corollary.learning.features.columns import FeaturesWarning
from corollary.learning.session.options import Annotators, Asking, Experiment, Reading, grouped
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
        (
            lambda onto: Session(onto, beliefs=np.full((2, 7), 0.5), item_ids=["a", "a"]),
            "rows 0 and 1 both have 'a'",
        ),
        (
            lambda onto: Session(onto, beliefs=np.full((2, 7), 0.5), asking=Asking(score="best")),
            "no score 'best'",
        ),
        (
            lambda onto: Session(
                onto, beliefs=np.full((2, 7), 0.5), asking=Experiment(refresh="now")
            ),
            "'always' or 'never'",
        ),
        (
            lambda onto: Session(
                onto, beliefs=np.full((2, 7), 0.5), asking=Experiment(held_out=np.zeros((1, 7)))
            ),
            "of 2 items, got 1",
        ),
        (
            lambda onto: Session(onto, beliefs=np.full((2, 7), 0.5)).answer((9, "bird"), True),
            "no item 9",
        ),
        (
            lambda onto: Session(onto, beliefs=np.full((2, 7), 0.5)).answer((0, "brid"), True),
            "did you mean 'bird'",
        ),
        (
            lambda onto: Session(onto, beliefs=np.full((2, 7), 0.5)).answer((0, "bird"), "yes"),
            "True, False or None",
        ),
        (
            lambda onto: Session(onto, beliefs=np.full((2, 7), 0.5)).answer_from(
                np.zeros((3, 7), int), 1
            ),
            "the shape",
        ),
        (lambda onto: Session(onto, beliefs=np.full((2, 6), 0.5)).ask(), "items x 7 labels"),
    ],
)
def test_bad_input(animals, make, message):
    with pytest.raises(co.CorollaryError, match=message):
        make(animals)


def test_columns_by_name_tell_how_many_items_there_are():
    session = Session(
        co.Ontology(["a", "b"]),
        {"size": [1.0, 2.0, 3.0], "weight": [2.0, 1.0, 0.0]},
        learner="logistic",
    )
    assert session.facts.shape == (3, 2)


class OfOnesOwn:
    """A learner that is none of ours."""

    def fit(self, X, facts, /):
        return self

    def predict_proba(self, X):
        return np.full((2, 1), 0.5)


def made(learner, **options):
    """A session of two items; without a learner beliefs are given."""
    given = (
        {"beliefs": np.full((2, 1), 0.5)}
        if learner is None
        else {"X": np.zeros((2, 1)), "learner": learner}
    )
    return Session(co.Ontology(["a"]), **grouped({**given, **options}))


@pytest.mark.parametrize(
    ("stay", "learner", "score", "meant"),
    [
        ("auto", "auto", "posterior", "item"),
        ("auto", "crf", "posterior", "item"),
        ("auto", "meaning", "posterior", "item"),
        ("auto", "logistic", "posterior", "settle"),
        ("auto", "logistic", "contrast", "settle"),
        ("auto", LogisticRegression(), "posterior", "settle"),
        ("auto", OfOnesOwn(), "posterior", "settle"),
        ("auto", None, "posterior", None),
        ("auto", "crf", "log", None),
        ("auto", "logistic", "log", None),
        ("auto", "logistic", np.ones_like, None),
        ("label", "crf", "posterior", "label"),
        ("settle", None, "log", "settle"),
        ("item", None, "log", "item"),
        (None, "logistic", "posterior", None),
    ],
)
def test_one_stays_on_items_where_a_learner_is_taught(stay, learner, score, meant):
    assert made(learner, score=score, stay=stay).asking.stay == meant


def test_where_people_can_be_wrong_nothing_is_settled():
    assert made("logistic", fallible=True).asking.stay == "item"
    with pytest.raises(co.CorollaryError, match="nothing is settled for good"):
        made("logistic", fallible=True, stay="settle")


@pytest.mark.parametrize(
    ("learner", "options", "meant"),
    [
        ("auto", {}, "posterior"),
        ("pool", {}, "posterior"),
        ("meaning", {"X": ["one", "two"], "encoder": "lexical"}, "posterior"),
        (None, {}, "posterior"),
        ("crf", {}, "contrast"),
        ("logistic", {}, "contrast"),
        (LogisticRegression(), {}, "contrast"),
        (OfOnesOwn(), {}, "contrast"),
        (OfOnesOwn(), {"X": sparse.csr_matrix((2, 1))}, "contrast"),
        ("crf", {"score": "posterior"}, "posterior"),
        ("crf", {"score": "log"}, "log"),
        ("auto", {"score": "contrast"}, "contrast"),
        ("crf", {"fallible": True}, "posterior"),
        ("crf", {"share_at_random": 0.05}, "posterior"),
        ("crf", {"share_at_random": 0.05, "score": "contrast"}, "contrast"),
        ("crf", {"facts_at_random": True, "facts": [[1], [-1]]}, "posterior"),
        ("crf", {"item_cost": 2.0}, "posterior"),
        ("crf", {"pick": "always"}, "posterior"),
        ("crf", {"X": ["one", "two"]}, "posterior"),
        ("logistic", {"X": {"size": ["S", "L"]}}, "posterior"),
        (OfOnesOwn(), {"X": [{"size": 1}, {"size": 2}]}, "posterior"),
        (OfOnesOwn(), {"X": np.array([[1.0], [np.nan]])}, "posterior"),
        (OfOnesOwn(), {"X": np.zeros((2, 3, 3))}, "posterior"),
        (OfOnesOwn(), {"X": np.zeros((2, 0))}, "posterior"),
    ],
)
def test_learners_other_than_the_default_one_choose_by_contrast_where_items_are_numbers(
    learner, options, meant
):
    session = made(learner, **options)
    assert session.asking.score == meant
    assert session.ask()


def test_a_log_tells_what_was_chosen_by(tmp_path):
    one = made("crf")
    assert one.ask()
    assert one.asking.score == "contrast"
    one.save(tmp_path / "log")
    assert (
        Session.load(tmp_path / "log", np.zeros((2, 1)), learner="auto").asking.score == "contrast"
    )
    with pytest.raises(
        co.CorollaryError, match="no score 'auto'.*in sessions also contrast and auto"
    ):
        co.score("auto", np.full((2, 1), 0.5), one.onto)


@pytest.mark.parametrize("learner", ["auto", "crf", "logistic", OfOnesOwn()])
def test_items_may_have_one_feature_and_that_sparse(learner):
    session = made(learner, X=sparse.csr_matrix([[0.0], [1.0]]))
    assert len(session.ask(2)) == 2


def test_beliefs_and_facts_go_by_name_and_by_id(animals):
    rng = np.random.default_rng(0)
    ids, labels = ["a", "b", "c", "d"], list(animals.labels)
    beliefs = pd.DataFrame(rng.random((4, 7)), columns=labels, index=ids)
    facts = pd.DataFrame({"bird": [1, np.nan, 0, np.nan]}, index=ids)
    known = np.full((4, 7), -1)
    known[[0, 2], animals.index["bird"]] = 1, 0
    plain = Session(animals, beliefs=beliefs.to_numpy(), facts=known, item_ids=ids)
    for session in (
        Session(animals, beliefs=beliefs[labels[::-1]], facts=facts[::-1]),
        Session(animals, beliefs=beliefs.to_dict("records"), facts=facts),
        Session(
            animals, beliefs=pl.from_pandas(beliefs), facts=facts.to_dict("records"), item_ids=ids
        ),
        Session(animals, beliefs=lambda _: beliefs[labels[::-1]], facts=facts),
    ):
        np.testing.assert_array_equal(session.posterior, plain.posterior)
        assert session.ask(5) == plain.ask(5)


def test_the_index_of_items_is_their_ids(animals):
    texts = pd.Series(["a bird", None, "a fish"], index=["i", "j", "k"])
    facts = pd.DataFrame({"bird": [1.0]}, index=["i"]).reindex(["k", "j", "i"])
    with pytest.warns(FeaturesWarning, match="1 of 3 items have no text"):
        session = Session(animals, texts, facts=facts)
    assert session.facts[0, animals.index["bird"]] == 1
    assert {(question.item, question.text) for question in session.ask(50)} <= {
        ("j", None),
        ("k", "a fish"),
    }
    with pytest.raises(co.CorollaryError, match="rows 0 and 1 both have 'i'"):
        Session(animals, texts.set_axis(["i", "i", "k"]))
    with pytest.raises(co.CorollaryError, match="one id for each of 3 items, got 2"):
        Session(animals, texts, item_ids=["i", "j"])


def test_similarity_held_out_cells_and_truth_go_by_name_and_item_id(animals):
    rng, labels, ids = np.random.default_rng(0), list(animals.labels), [*"dcba"]
    X = pd.DataFrame(rng.random((4, 3)), index=ids)
    facts = pd.DataFrame({"bird": [1, 0, 1, 0], "city": [0, 1, 0, 1]}, index=ids)
    scores = pd.DataFrame(rng.random((4, 7)), columns=labels, index=ids)
    unseen = pd.DataFrame({"city": [True, False, False, True]}, index=ids)
    truth = pd.DataFrame(animals.most_probable(scores, facts), columns=labels, index=ids)
    hidden = np.zeros((4, 7), bool)
    hidden[:, animals.index["city"]] = unseen["city"]
    plain = Session(
        animals,
        X,
        facts=facts,
        reading=Reading(similarity=scores.to_numpy()),
        asking=Experiment(held_out=hidden),
    )
    named = Session(
        animals,
        X,
        facts=facts,
        reading=Reading(similarity=scores[labels[::-1]][::-1]),
        asking=Experiment(held_out=unseen[::-1]),
    )
    np.testing.assert_array_equal(named.posterior, plain.posterior)
    assert named.item_ids == ("d", "c", "b", "a")
    plain.answer_from(truth.to_numpy(), 5)
    named.answer_from(truth[labels[::-1]][::-1], 5)
    np.testing.assert_array_equal(named.answers, plain.answers)
    with pytest.raises(
        co.CorollaryError, match="similarity must be a finite number .* label 'river' has nan"
    ):
        Session(animals, X, reading=Reading(similarity=scores[labels[:-1]]))


@pytest.mark.parametrize("fallible", [False, True])
def test_unknown_labels_in_costs_are_an_error_in_every_mode(animals, fallible):
    given = {"beliefs": np.full((2, 7), 0.5), "annotators": Annotators(fallible=fallible)}
    with pytest.raises(co.CorollaryError, match="costs: unknown label 'brid'; did you mean 'bird'"):
        Session(animals, asking=Asking(costs={"brid": 2.0}), **given)
    with pytest.raises(co.CorollaryError, match="unknown label 'ann'; prices of people"):
        Session(animals, asking=Asking(costs={"bird": 2.0, "ann": 3.0}), **given)


def test_options_of_another_class_are_an_error(animals):
    with pytest.raises(co.CorollaryError, match=r"asking must be made by co\.Asking"):
        Session(animals, beliefs=np.full((2, 7), 0.5), asking="entropy")


@pytest.mark.parametrize("random_state", [None, np.random.default_rng(3), np.random.RandomState(3)])
def test_any_source_of_randomness_becomes_a_seed_that_is_in_the_log(
    animals, tmp_path, random_state
):
    session = Session(
        animals,
        beliefs=np.full((9, 7), 0.5),
        asking=Asking(score="random"),
        random_state=random_state,
    )
    asked = session.ask(9)
    session.save(tmp_path / "log.jsonl")
    assert Session.load(tmp_path / "log.jsonl", beliefs=np.full((9, 7), 0.5)).ask(9) == asked
    with pytest.raises(co.CorollaryError, match="random_state must be a whole number"):
        Session(animals, beliefs=np.full((9, 7), 0.5), random_state="seed")
