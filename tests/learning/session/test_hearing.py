"""Sessions whose answers may be wrong: what stands, what is doubtful, whom to trust; and that nothing else changes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corollary as co
from corollary.learning.session.hearing import ClashWarning, statements
from corollary.learning.session.options import grouped

from ...logic.ontologies import ontologies, worlds

ONTO = co.Ontology.parse(
    "exclusive: Bird, Fish\nBird > exclusive: Robin, Hawk\nFish > exclusive: Cod, Eel"
)
LABELS = ONTO.labels


def items(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Items of four kinds that features tell apart, and their labels."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(4, size=n)
    true = np.zeros((n, len(LABELS)), np.int8)
    for k, names in enumerate(
        (("Bird", "Robin"), ("Bird", "Hawk"), ("Fish", "Cod"), ("Fish", "Eel"))
    ):
        for name in names:
            true[kind == k, ONTO.index[name]] = 1
    return rng.normal(size=(n, 4)) + 3 * np.eye(4)[kind], true


def session(n: int = 60, known: int = 12, **options) -> tuple[co.Session, np.ndarray]:
    X, true = items(n)
    facts = np.full(true.shape, -1, np.int8)
    facts[:known] = true[:known]
    options = {"learner": "crf", "fallible": True} | options
    return co.Session(ONTO, X, facts=facts, **grouped(options)), true


def answer_many(
    made: co.Session, true: np.ndarray, n: int, errors: dict[str, float], seed: int = 1
) -> None:
    rng = np.random.default_rng(seed)
    for turn in range(n):
        who = list(errors)[turn % len(errors)]
        for question in made.ask(1, who=who):
            right = bool(true[question.item, ONTO.index[question.label]])
            made.answer(question, right ^ bool(rng.random() < errors[who]), who=who)


def test_a_wrong_answer_is_found_and_told_with_what_speaks_against_it():
    made, true = session()
    answer_many(made, true, 40, {"a": 0.0})
    i = int(np.flatnonzero(true[:, ONTO.index["Cod"]] & (made.answers < 0).all(axis=1))[-1])
    made.answer((i, "Robin"), True, who="b")
    with pytest.warns(
        ClashWarning, match=rf"2 answers about {i} cannot all be true; most likely wrong"
    ):
        made.answer((i, "Fish"), True, who="a")
    made.retrain()
    first = made.doubtful(1)[0]
    assert (first.item, first.label, first.value, first.who) == (i, "Robin", True, "b")
    assert first.probability > 0.9
    assert ("a", "Fish", True) in first.against
    assert made.predict()[i].tolist() == true[i].tolist()
    assert "Robin, said b: wrong with" in str(first)


@pytest.mark.filterwarnings("ignore::corollary.learning.session.hearing.ClashWarning")
def test_the_most_doubtful_are_those_of_all_items_and_what_is_frozen_stays():
    made, true = session()
    answer_many(made, true, 30, {"a": 0.0, "b": 0.4})
    frozen = made._heard().frozen()
    every = [doubt for i in range(60) for doubt in frozen.doubts_of(i)]
    found = frozen.doubtful(1000)
    assert len(found) == len(every) == 30
    assert sorted(map(str, found)) == sorted(map(str, every))
    wrong = [doubt.probability for doubt in found]
    assert wrong == pytest.approx(sorted(wrong, reverse=True), abs=1e-9)
    assert frozen.doubtful(1000, at_least=0.5) == [
        doubt for doubt in found if doubt.probability >= 0.5
    ]
    trust = frozen.reliability()
    assert trust["b"].wrong == pytest.approx(
        sum(doubt.probability for doubt in every if doubt.who == "b")
    )
    made.answer((found[0].item, found[0].label), not found[0].value, who="c")
    assert frozen.doubtful(1000) == found
    assert frozen.reliability() == trust
    assert len(made.doubtful(1000)) == 31


@pytest.mark.filterwarnings("ignore::corollary.learning.session.hearing.ClashWarning")
def test_people_are_told_apart_and_wrong_answers_do_not_stand():
    made, true = session(n=150, known=20)
    for _ in range(6):
        answer_many(made, true, 50, {"careful": 0.0, "careless": 0.3})
        made.retrain()
    trust = made.reliability()
    assert trust["careful"].sensitivity > trust["careless"].sensitivity
    assert trust["careful"].specificity > trust["careless"].specificity
    assert trust["careless"].wrong > 3 * trust["careful"].wrong
    low, high = trust["careless"].specificity_interval
    assert low < trust["careless"].specificity < high
    assert (made.predict() == true).all(axis=1).mean() > 0.95
    stands = made.facts
    assert (stands[stands >= 0] == true[stands >= 0]).mean() > 0.99


def test_a_second_opinion_comes_from_someone_else():
    made, _ = session()
    question = made.ask(1, who="a")[0]
    made.answer(question, True, who="a")
    assert question not in made.ask(50, who="a")
    assert made.ask(1, who="b")


def test_a_cheap_witness_is_asked_before_an_expert():
    made, true = session(prices={"model": 0.05, "expert": 1.0})
    question = made.ask(1)[0]
    assert question.who == "model"
    made.answer(question, bool(true[question.item, ONTO.index[question.label]]), who="model")
    with pytest.raises(co.CorollaryError, match="must have a price above 0"):
        session(prices={"expert": 0})


def test_what_is_certain_stays_so():
    made, true = session()
    i, label = 0, LABELS[int(np.flatnonzero(true[0])[0])]
    with pytest.warns(ClashWarning):
        made.answer((i, label), False, who="a")
    assert made.predict()[0].tolist() == true[0].tolist()
    assert made.facts[0].tolist() == true[0].tolist()


def test_an_answer_taken_back_leaves_no_trace():
    made, _ = session()
    other, _ = session()
    question = made.ask(1)[0]
    made.answer(question, True, who="a")
    made.retract((question.item, question.label), who="a")
    made.retrain()
    other.ask(1)  # which trains, as it did there
    other.retrain()
    np.testing.assert_array_equal(made.posterior, other.posterior)
    with pytest.raises(co.CorollaryError, match="nothing to retract"):
        made.retract((question.item, question.label))


@pytest.mark.filterwarnings("ignore::corollary.learning.session.hearing.ClashWarning")
def test_a_log_gives_the_same_session(tmp_path):
    made, true = session()
    for wait in (True, False, True):
        answer_many(made, true, 15, {"a": 0.1, "b": 0.2})
        made.retrain(wait=wait)
        made.wait()
    made.save(tmp_path / "log.jsonl")
    X, _ = items(60)
    facts = np.full(true.shape, -1, np.int8)
    facts[:12] = true[:12]
    again = co.Session.load(tmp_path / "log.jsonl", X, facts=facts, learner="crf")
    assert again.annotators.fallible
    np.testing.assert_array_equal(again.posterior, made.posterior)
    assert again.doubtful(5) == made.doubtful(5)
    assert again.reliability() == made.reliability()
    assert again.ask(3) == made.ask(3)


def test_a_pick_is_one_report():
    made, true = session(pick="always")
    question = made.ask(1)[0]
    names = [LABELS[k] for k in np.flatnonzero(true[question.item])]
    settled = made.answer(question, names, who="a")
    assert len(made.doubtful(10)) == 1
    assert {one.label for one in settled} == set(LABELS)
    assert made.reliability()["a"].answers == 1


def test_texts_sessions_without_doubts_and_what_cannot_be():
    plain, _ = session(fallible=False)
    for method in (plain.reliability, plain.doubtful):
        with pytest.raises(co.CorollaryError, match="fallible=True"):
            method()
    for options in ({"score": "gain"}, {"propagate": False}, {"refresh": "never"}):
        with pytest.raises(co.CorollaryError, match="a fallible session"):
            session(**options)
    made, true = session()
    with pytest.raises(co.CorollaryError, match="question by question"):
        made.answer_from(true, 3)


def test_given_beliefs_are_doubted_too():
    _, true = items(60)
    beliefs = np.where(true == 1, 0.99, 0.01)
    made = co.Session(ONTO, beliefs=beliefs, annotators=co.Annotators(fallible=True))
    made.answer((0, LABELS[0]), not true[0, 0], who="a")
    made.retrain()
    assert made.doubtful(1)[0].probability > 0.5
    assert made.forecast(target=0.9).accuracy > 0.5


def test_a_model_that_spoke_before_counts_by_how_far_it_proves_right():
    rng = np.random.default_rng(3)
    _, true = items(60)
    good = np.clip(np.where(true == 1, 0.8, 0.2) + rng.normal(0, 0.15, true.shape), 0.02, 0.98)
    noise = rng.random(true.shape)
    alone, _ = session()
    made, _ = session(witnesses={"good": good, "noise": noise})
    for one in (alone, made):
        one.retrain()
    before, after = (((one.predict() == true).all(axis=1)).mean() for one in (alone, made))
    assert after >= before
    assert after > 0.95
    trust = made.reliability()
    assert trust["good"].sensitivity > 0.85
    assert trust["noise"].sensitivity < 0.7
    assert trust["noise"].answers == true.size
    answer_many(made, true, 10, {"a": 0.0})
    made.retrain()
    assert set(made.reliability()) == {"good", "noise", "a"}


def test_an_answer_is_on_record_where_warnings_are_errors(tmp_path):
    made, _ = session()
    made.answer((20, "Robin"), True, who="a")
    with pytest.raises(ClashWarning):  # as pytest is set up here
        made.answer((20, "Fish"), True, who="b")
    made.save(tmp_path / "log.jsonl")
    assert '"who": "b"' in (tmp_path / "log.jsonl").read_text(encoding="utf-8")
    with pytest.raises(co.CorollaryError, match="a name or a number"):
        made.answer((21, "Fish"), True, who=["b"])
    assert made.answers[21].tolist() == [-1] * len(LABELS)


def test_witnesses_need_a_session_that_can_doubt_and_the_same_items():
    _, true = items(60)
    with pytest.raises(co.CorollaryError, match="pass fallible=True"):
        session(fallible=False, witnesses={"model": true * 0.5})
    with pytest.raises(co.CorollaryError, match="has 59 items where there are 60"):
        session(witnesses={"model": true[:59] * 0.5})


@settings(max_examples=60, deadline=None)
@given(ontologies(max_labels=7, max_constraints=6), st.integers(0, 2**32 - 1))
def test_statements_say_what_the_reply_says_and_no_more_than_it_takes(ontology, seed):
    labels, constraints = ontology
    legal = worlds(labels, constraints)
    if not len(legal):
        return
    onto = co.Ontology(labels, constraints)
    world = legal[np.random.default_rng(seed).integers(len(legal))].astype(np.int8)
    nothing = np.full(len(labels), -1, np.int8)
    said = statements(onto, nothing, {k: bool(value) for k, value in enumerate(world)})
    row = nothing.copy()
    for k, value in said.items():
        assert value == world[k]
        row[k] = value
    np.testing.assert_array_equal(onto.propagate(row[None])[0], world)
    for k in [k for k, value in said.items() if value]:
        less = row.copy()
        less[[j for j in said if not said[j]]] = -1
        less[k] = -1
        # No label that is on follows from the others that are said to be on, unless they do so only together.
        assert all(onto.propagate(np.where(np.arange(len(row)) == j, 1, nothing)[None])[0, k] != 1
                   for j in said if said[j] and j != k)  # fmt: skip
