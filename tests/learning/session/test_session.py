"""The session: what it asks, what an answer does, and that a log rebuilds it."""

from __future__ import annotations

import pickle

import joblib
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import corollary as co
from corollary.learning.choosing.scores import NAMES, score
from corollary.learning.session.options import Asking, Experiment, Reading, grouped
from corollary.learning.session.session import Session

from ...logic.ontologies import ontologies, worlds
from ..legal import legal_rows


def naive(onto, beliefs, truth, name, asked):
    """Everything rescored before each question: whether it is the best there is, but for rounding; all that follows."""
    facts = np.full(truth.shape, -1, np.int8)
    for i, k in asked:
        scores = score(name, beliefs, onto, facts)
        assert scores[i, k] >= scores.max() - 1e-9 * max(1.0, abs(scores.max()))
        facts[i, k] = truth[i, k]
    assert np.isneginf(score(name, beliefs, onto, facts)).all()  # nothing is left to ask
    return onto.propagate(facts)


@settings(max_examples=40)
@given(
    ontologies(max_labels=6, max_constraints=5),
    st.integers(0, 2**32 - 1),
    st.sampled_from(NAMES[1:]),
)
def test_a_truth_is_asked_in_the_order_of_a_naive_loop(ontology, seed, name):
    labels, constraints = ontology
    legal = worlds(labels, constraints)
    assume(len(legal))
    rng = np.random.default_rng(seed)
    onto = co.Ontology(labels, constraints)
    truth = legal[rng.integers(len(legal), size=12)].astype(np.int8)
    beliefs = rng.uniform(0.05, 0.95, truth.shape)
    session = Session(onto, beliefs=beliefs, asking=Asking(score=name))
    first, rest = session.answer_from(truth, 7), session.answer_from(truth, 1000)
    asked = [
        (int(i), int(k))
        for batch in (first, rest)
        for i, k in zip(batch.item, batch.label, strict=True)
    ]
    assert len(first.item) == min(7, len(asked))
    assert len(set(asked)) == len(asked)
    np.testing.assert_array_equal(naive(onto, beliefs, truth, name, asked), truth)
    np.testing.assert_array_equal(session.facts, truth)
    assert session.open == 0
    assert session.ask() == []


def test_an_answer_settles_its_corollaries_with_reasons(animals):
    session = Session(animals, beliefs=np.full((2, 7), 0.5), item_ids=["robin", "rome"])
    settled = session.answer(("robin", "bird"), True)
    assert [(s.item, s.label, s.value) for s in settled][:2] == [
        ("robin", "bird", True),
        ("robin", "animal", True),
    ]
    assert len(settled) == 7
    assert "bird implies animal" in str(settled[1].why)
    assert (session.facts[0] >= 0).all()
    assert (session.facts[1] < 0).all()
    assert session.answer(("robin", "animal"), True) == ()


def test_a_contradicting_answer_changes_nothing_and_tells_the_clash(animals):
    session = Session(animals, beliefs=np.full((2, 7), 0.5))
    session.answer((0, "bird"), True)
    before = session.facts, session.answers, session.ask(3)
    with pytest.raises(co.Contradiction) as caught:
        session.answer((0, "city"), True)
    assert caught.value.answers == {"bird": True, "city": True}
    with pytest.raises(co.Contradiction, match="retract that answer"):
        session.answer((0, "bird"), False)
    np.testing.assert_array_equal(session.facts, before[0])
    np.testing.assert_array_equal(session.answers, before[1])
    assert session.ask(3) == before[2]


def test_a_retracted_answer_leaves_no_trace(animals):
    rng = np.random.default_rng(0)
    session = Session(animals, beliefs=rng.random((5, 7)))
    session.answer((1, "animal"), True)
    before = session.facts, session.ask(10)
    session.answer((1, "bird"), True)
    session.answer((2, "fish"), None)
    assert (2, "fish") not in [(q.item, q.label) for q in session.ask(100)]
    session.retract((1, "bird"))
    session.retract((2, "fish"))
    np.testing.assert_array_equal(session.facts, before[0])
    assert session.ask(10) == before[1]
    with pytest.raises(co.CorollaryError, match="nothing to retract"):
        session.retract((1, "bird"))


def test_no_two_questions_of_a_batch_could_settle_one_another(animals):
    rng = np.random.default_rng(0)
    session = Session(animals, beliefs=rng.random((6, 7)))
    batch = session.ask(100)
    assert batch == session.ask(100)  # asking changes nothing
    assert [q.score for q in batch] == sorted((q.score for q in batch), reverse=True)
    for a, one in enumerate(batch):
        for other in batch[a + 1 :]:
            if one.item == other.item:
                assert other.label not in {*one.if_yes, *one.if_no}
                assert one.label not in {*other.if_yes, *other.if_no}
    assert {q.item for q in batch} == set(range(6))


def test_without_propagation_an_answer_settles_its_own_cell(animals):
    rng = np.random.default_rng(0)
    truth = legal_rows(animals, rng, 4)
    session = Session(
        animals, beliefs=rng.random((4, 7)), asking=Experiment(score="entropy", propagate=False)
    )
    assert len(session.answer_from(truth, 10).item) == 10
    assert (session.facts >= 0).sum() == 10
    assert len(session.answer_from(truth, 100).item) == 18
    np.testing.assert_array_equal(session.facts, truth)


def test_scores_that_are_never_refreshed_give_the_order_of_one_sort(animals):
    rng = np.random.default_rng(0)
    truth, first, then = legal_rows(animals, rng, 4), rng.random((4, 7)), rng.random((4, 7))
    given = iter([first, then])
    session = Session(
        animals,
        beliefs=lambda facts: next(given),
        facts=np.full((4, 7), -1),
        asking=Experiment(score="entropy", propagate=False, refresh="never"),
    )
    asked = [session.answer_from(truth, 14)]
    session.retrain()
    asked.append(session.answer_from(truth, 14))
    order = [i * 7 + k for batch in asked for i, k in zip(batch.item, batch.label, strict=True)]
    assert order == np.argsort(-score("entropy", first, animals).ravel(), kind="stable").tolist()


def test_beliefs_as_a_function_of_the_facts(animals):
    seen = []

    def beliefs(facts):
        seen.append((facts >= 0).sum())
        return np.where(facts < 0, 0.4, facts)

    session = Session(animals, beliefs=beliefs, facts=np.full((3, 7), -1))
    session.answer(session.ask()[0], True)
    session.retrain()
    assert seen[0] == 0
    assert seen[1] > 0
    known = session.facts >= 0
    np.testing.assert_array_equal(session.predict()[known], session.facts[known])


def test_texts_and_tables_become_features(animals):
    texts = [
        "small bird with feathers",
        "silver fish in water",
        "city with a harbour",
        "river in the hills",
    ] * 5
    truth = np.tile(
        np.array(
            [
                [1, 1, 0, 0, 0, 0, 0],
                [1, 0, 1, 0, 0, 0, 0],
                [0, 0, 0, 0, 1, 1, 0],
                [0, 0, 0, 0, 1, 0, 1],
            ]
        ),
        (5, 1),
    )
    facts = np.where(np.arange(20)[:, None] < 8, truth, -1)
    for X in (texts, [{"text": text, "length": len(text)} for text in texts]):
        session = Session(animals, X, facts=facts)
        np.testing.assert_array_equal(session.predict(), truth)


# -- one label, forced labels, answers that do not propagate -----------------------------------------------------------


def test_the_default_learner_takes_one_label():
    X = np.random.default_rng(0).random((6, 2))
    session = Session(co.Ontology(["a"]), X)
    session.answer((0, "a"), True)
    session.answer((1, "a"), False)
    session.retrain()
    assert session.beliefs.shape == (6, 1)
    assert len(session.ask(4)) == 4


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("at least one: a", {}),
        ("a > b", {"a": False}),
        ("a > b, c\nexactly one: b, c", {"b": True}),
    ],
)
@pytest.mark.parametrize("score", ["posterior", "gain", "log", "entropy"])
def test_without_propagation_asking_is_no_contradiction(text, said, score):
    onto = co.Ontology.parse(text)
    session = Session(
        onto, beliefs=np.full((1, len(onto)), 0.5), asking=Experiment(propagate=False, score=score)
    )
    for label, value in said.items():
        session.answer((0, label), value)
    while asked := session.ask():
        value = onto.propagate(session_answers(session)).get(asked[0].label, True)
        session.answer(asked[0], value)
    assert session.open == 0


def session_answers(session):
    row = session.answers[0]
    return {
        label: bool(value)
        for label, value in zip(session.onto.labels, row, strict=True)
        if value >= 0
    }


def test_without_propagation_an_answer_that_cannot_be_is_still_refused():
    session = Session(
        co.Ontology.parse("a > b"), beliefs=np.full((1, 2), 0.5), asking=Experiment(propagate=False)
    )
    session.answer((0, "a"), False)
    session.ask()
    with pytest.raises(co.Contradiction):
        session.answer((0, "b"), True)
    assert session.facts.tolist() == [[0, -1]]
    with pytest.raises(co.Contradiction) as clash:
        Session(
            session.onto,
            beliefs=np.full((2, 2), 0.5),
            asking=Experiment(propagate=False),
            facts=[[-1, -1], [0, 1]],
        )
    assert clash.value.item == 1


def test_without_propagation_a_whole_reply_has_what_its_labels_imply():
    session = Session(
        co.Ontology.parse("a > b"), beliefs=np.full((1, 2), 0.5), asking=Experiment(propagate=False)
    )
    session.answer((0, None), ["b"])
    assert session.facts.tolist() == [[1, 1]]


def test_a_whole_reply_that_is_repeated_can_be_retracted():
    session = Session(co.Ontology.parse("a > b"), beliefs=np.full((1, 2), 0.5))
    session.answer((0, None), ["b"])
    session.answer((0, None), ["b"])
    session.retract((0, None))
    assert session.facts.tolist() == [[-1, -1]]


def test_whoever_stays_on_a_label_may_reply_about_a_whole_item():
    session = Session(
        co.Ontology(["a", "b"]), beliefs=np.full((2, 2), 0.5), asking=Asking(stay="label")
    )
    session.answer(session.ask()[0], True)
    session.answer((0, None), [])
    session.retract((0, None))
    session.answer((1, None), ["b"])
    assert session.facts[1].tolist() == [0, 1]
    assert [one.item for one in session.ask()] == [0]


def test_answers_about_an_item_can_be_restated(animals, tmp_path):
    session = Session(animals, beliefs=np.full((3, 7), 0.5))
    session.answer((0, "bird"), True)
    settled = session.restate(0, {"city": True}, skipped=["river", None])
    assert {s.label: s.value for s in settled} == {}  # all was known before, with other values
    np.testing.assert_array_equal(
        session.facts[0], animals.propagate([[-1, -1, -1, -1, -1, 1, -1]])[0]
    )
    settled = session.restate(1, {"animal": True}, skipped=["fish"])
    assert settled[0].label == "animal"
    assert not any(q.item == 1 and q.label == "fish" for q in session.ask(20))
    before = session.facts
    with pytest.raises(co.Contradiction) as caught:
        session.restate(1, {"bird": True, "city": True})
    assert caught.value.answers == {"bird": True, "city": True}
    np.testing.assert_array_equal(session.facts, before)
    session.save(tmp_path / "log.jsonl")
    twin = Session.load(tmp_path / "log.jsonl", beliefs=np.full((3, 7), 0.5))
    np.testing.assert_array_equal(twin.facts, session.facts)
    assert twin.ask(20) == session.ask(20)


def test_items_on_hold_are_not_asked_about(animals):
    rng = np.random.default_rng(0)
    session = Session(animals, beliefs=rng.random((4, 7)), asking=Asking(item_cost=1.0))
    before = session.ask(30)
    held = before[0].item
    session.hold(held)
    assert held not in {q.item for q in session.ask(30)}
    session.retrain()
    assert held not in {q.item for q in session.ask(30)}
    session.hold(held, False)
    assert session.ask(30) == before


def test_a_session_tells_how_good_it_is_and_what_it_takes(animals):
    rng = np.random.default_rng(0)
    truth = legal_rows(animals, rng, 200)
    right = np.where(truth == 1, 0.9, 0.1)
    facts = np.where(np.arange(200)[:, None] < 20, truth, -1)
    session = Session(animals, beliefs=right, facts=facts)
    first = session.forecast(target=0.95)
    assert 0 < first.accuracy < 1
    assert not first.reached
    session.answer_from(truth, 150)
    session.retrain()
    later = session.forecast(target=0.95)
    assert later.accuracy > first.accuracy
    session.answer_from(truth, 2000)
    last = session.forecast(target=0.95)
    assert last.reached
    assert last.accuracy == 1
    assert last.questions == 0
    with pytest.raises(co.CorollaryError, match="known from the start"):
        Session(animals, beliefs=right, facts=truth).forecast()


def test_that_the_first_question_waits_for_a_training_is_told(caplog):
    session = co.Session(co.Ontology(["a", "b"]), [[0.0], [1.0], [2.0]], learner="logistic")
    with caplog.at_level("INFO", "corollary.learning"):
        session.ask()
        session.ask()
    begins, took = caplog.messages
    assert begins == "training 1 begins: 3 items, 2 labels"
    assert took.startswith("training 1 took ")


@pytest.mark.parametrize(
    "made", [{}, {"stay": "item"}, {"score": "entropy"}, {"score": "log"}, {"fallible": True}]
)
def test_beliefs_of_half_the_size_are_kept_as_they_are_and_ask_the_same(animals, made):
    rng = np.random.default_rng(0)
    beliefs, truth = rng.random((40, 7)).astype(np.float32), legal_rows(animals, rng, 40)
    small, large = (
        Session(animals, beliefs=one, **grouped(made))
        for one in (beliefs, beliefs.astype(np.float64))
    )
    for _ in range(60):
        (question,), (other,) = small.ask(), large.ask()
        assert (question, question.score) == (other, other.score)
        for session in (small, large):
            session.answer(question, bool(truth[question.item, animals.index[question.label]]))
    assert small._core.beliefs_in_use is beliefs
    assert small.beliefs.dtype == np.float64
    np.testing.assert_array_equal(small.beliefs, large.beliefs)
    np.testing.assert_array_equal(small.posterior, large.posterior)
    small.retrain()
    large.retrain()
    assert small.ask(5) == large.ask(5)
    assert small.forecast() == large.forecast()


def test_an_answer_is_yes_or_no_as_a_fact_is(animals):
    session = Session(animals, beliefs=np.full((3, 7), 0.5))
    assert animals.propagate({"bird": 1}) == animals.propagate({"bird": np.True_})
    for i, value in enumerate((1, np.True_, True)):
        assert session.answer((i, "bird"), value)[0].value is True
    with pytest.raises(co.CorollaryError, match="True, False or None"):
        session.answer((0, "fish"), 2)


def test_other_items_are_predicted_by_the_learner(animals):
    rng = np.random.default_rng(0)
    truth = legal_rows(animals, rng, 60)
    X = truth + rng.normal(scale=0.1, size=truth.shape)
    session = Session(animals, X[:40], facts=truth[:40], learner="logistic")
    np.testing.assert_array_equal(session.predict(X[:40]), session.predict())
    assert (session.predict(X[40:]) == truth[40:]).mean() > 0.9
    texts = [" ".join(np.array(animals.labels)[row == 1]) or "nothing" for row in truth]
    read = Session(animals, texts[:40], facts=truth[:40], reading=Reading(encoder="lexical"))
    assert (read.predict(texts[40:]) == truth[40:]).mean() > 0.9
    with pytest.raises(co.CorollaryError, match="given beliefs and no learner"):
        Session(animals, beliefs=np.full((2, 7), 0.5)).predict(X)


def test_a_session_says_what_it_is_and_what_cannot_be_done_with_it(animals):
    session = Session(animals, np.eye(4), learner="logistic")
    session.answer((0, "bird"), True)
    told = f"4 items, 7 labels, 1 labels answered, {session.open} open; learner Logistic"
    chosen = session.asking
    assert repr(session) == f"<Session: {told}, score {chosen.score}, stay {chosen.stay}>"
    read = Session(animals, ["a bird", "a fish"], reading=Reading(encoder="lexical"))
    assert ", encoder lexical, score " in repr(read)
    assert "; beliefs given, score posterior, stay None>" in repr(
        Session(animals, beliefs=np.full((2, 7), 0.5))
    )
    with pytest.raises(TypeError, match=r"session.save\(path\) writes its log"):
        pickle.dumps(session)
    with pytest.raises(AttributeError, match="'asking' is set when a session is made"):
        session.asking = co.Asking(stay="item")


@pytest.mark.parametrize("learner", ["auto", "crf", LogisticRegression(), DecisionTreeClassifier()])
def test_a_session_ends_in_a_classifier_of_new_items(animals, tmp_path, learner):
    rng = np.random.default_rng(0)
    truth = legal_rows(animals, rng, 40)
    X = truth + rng.normal(scale=0.1, size=truth.shape)
    facts = np.where(np.arange(20)[:, None] < 10, truth[:20], -1)
    session = Session(animals, X[:20], learner=learner, facts=facts)
    session.answer_from(truth[:20], 1000)
    model = session.classifier()
    twin = co.ConsistentClassifier(learner, animals).fit(X[:20], session.facts)
    np.testing.assert_array_equal(model.predict_proba(X[20:]), twin.predict_proba(X[20:]))
    assert not animals.closure(model.predict(X[20:]).astype(np.int8))[1].any()
    joblib.dump(model, tmp_path / "model.joblib")
    again = joblib.load(tmp_path / "model.joblib")
    np.testing.assert_array_equal(again.predict(X[20:]), model.predict(X[20:]))


def test_a_classifier_reads_texts_as_its_session_does(animals):
    rng = np.random.default_rng(0)
    truth = legal_rows(animals, rng, 30)
    texts = [" ".join(animals.labels[k] for k in np.flatnonzero(row)) or "none" for row in truth]
    reading = co.Reading(encoder="lexical")
    session = Session(animals, texts, learner="crf", facts=truth, reading=reading)
    model = session.classifier()
    np.testing.assert_array_equal(model.predict(texts[:9]), session.predict(texts[:9]))


def test_a_classifier_of_a_session_does_not_change_it(animals):
    rng = np.random.default_rng(1)
    truth, X = legal_rows(animals, rng, 20), rng.normal(size=(20, 4))
    learner = OfOnesOwn()
    session = Session(animals, X, learner=learner, facts=truth)
    before = session.beliefs
    fits = learner.fits
    session.classifier()
    assert learner.fits == fits
    np.testing.assert_array_equal(session.beliefs, before)


class OfOnesOwn:
    """A learner that counts its fits."""

    fits = 0

    def fit(self, X, facts):
        self.fits += 1
        self.usual = (np.asarray(facts) == 1).mean(axis=0)
        return self

    def predict_proba(self, X):
        return np.tile(self.usual, (len(X), 1))


def test_sessions_that_end_in_no_classifier_say_why(animals):
    with pytest.raises(co.CorollaryError, match="given beliefs and no learner"):
        Session(animals, beliefs=np.full((2, 7), 0.5)).classifier()
    with pytest.raises(co.CorollaryError, match="no label is known yet"):
        Session(co.Ontology(["a"]), np.eye(2)).classifier()
    reading = co.Reading(encoder=lambda things: np.ones((len(things), 4)))
    session = Session(
        animals, [object()] * 3, learner="crf", facts=np.zeros((3, 7), np.int8), reading=reading
    )
    with pytest.raises(co.CorollaryError, match="other things than texts"):
        session.classifier()
