"""Which question next, against a loop that scores everything anew: costs, whole items, staying, the background."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import corollary as co
from corollary.learning.choosing.best_questions import STAY_WHILE
from corollary.learning.question import ItemQuestion
from corollary.learning.session.background_training import Background
from corollary.learning.session.session import Session

from ...logic.ontologies import ontologies, worlds

ANIMALS = "animal > exclusive: bird, fish, mammal\nplace > exclusive: city, river\nexclusive: animal, place"


@pytest.fixture
def animals():
    return co.Ontology.parse(ANIMALS)


def legal_rows(onto, rng, n):
    return onto.most_probable(rng.random((n, len(onto))))


def naive_worth(onto, beliefs, facts, cost, whole):
    """Entropies by enumeration of the worlds, divided by the cost; -inf where nothing is open."""
    legal = worlds(onto.labels, onto.constraints).astype(int)
    out = np.full((len(beliefs), len(onto) + 1), -np.inf)
    for i, (theta, row) in enumerate(zip(beliefs, facts, strict=True)):
        left = legal[((row < 0) | (legal == row)).all(axis=1)]
        weight = np.where(left == 1, theta, 1 - theta).prod(axis=1)
        weight /= weight.sum()
        q = weight @ left
        decided = (left == left[0]).all(axis=0)
        for k in np.flatnonzero(~decided):
            out[i, k] = -(q[k] * np.log(q[k]) + (1 - q[k]) * np.log(1 - q[k])) / cost[k]
        if whole and not decided.all():
            out[i, -1] = -(weight * np.log(weight)).sum() / cost[-1]
    return out


def naive_run(onto, beliefs, truth, *, cost, whole, stay):
    """Ask until all is known; everything is scored each time."""
    facts = np.full(truth.shape, -1, np.int8)
    values, last = [], None
    while True:
        worth = naive_worth(onto, beliefs, facts, cost, whole)
        if np.isneginf(worth).all():
            return values
        i, k = np.unravel_index(worth.argmax(), worth.shape)
        enough = STAY_WHILE * worth[i, k]
        if last is not None and stay == "item" and worth[last[0]].max() >= enough:
            i, k = last[0], worth[last[0]].argmax()
        if last is not None and stay == "label" and worth[:, last[1]].max() >= enough:
            i, k = worth[:, last[1]].argmax(), last[1]
        values.append(worth[i, k])
        facts[i] = truth[i] if k == len(onto) else np.where(np.arange(len(onto)) == k, truth[i], facts[i])
        last = (i, k)


@settings(max_examples=40, deadline=None)
@given(
    ontologies(max_labels=5, max_constraints=4),
    st.integers(0, 2**32 - 1),
    st.sampled_from([None, "item", "label"]),
    st.booleans(),
)
def test_a_truth_is_asked_as_by_a_naive_loop(ontology, seed, stay, whole):
    labels, constraints = ontology
    legal = worlds(labels, constraints)
    assume(len(legal))
    rng = np.random.default_rng(seed)
    onto = co.Ontology(labels, constraints)
    truth = legal[rng.integers(len(legal), size=6)].astype(np.int8)
    beliefs = rng.uniform(0.05, 0.95, truth.shape)
    costs = {label: float(rng.uniform(0.5, 2)) for label in labels}
    item_cost = float(rng.uniform(0.8, 3)) if whole else None
    cost = np.array([*costs.values(), item_cost or 1.0])
    made = {"beliefs": beliefs, "costs": costs, "item_cost": item_cost, "stay": stay}
    session = Session(onto, **made)
    batch = session.answer_from(truth, 1000)
    expected = naive_run(onto, beliefs, truth, cost=cost, whole=whole, stay=stay)
    assert len(batch.item) == len(expected)
    np.testing.assert_allclose(batch.cost, cost[batch.label])
    np.testing.assert_array_equal(session.facts, truth)
    # The same by hand, question by question: what is foreseen while a question waits changes nothing.
    by_hand = Session(onto, **made)
    for value, i, k in zip(expected, batch.item, batch.label, strict=True):
        (question,) = by_hand.ask()
        assert question.score == pytest.approx(value, abs=1e-9)
        assert question.item == i
        if k == len(onto):
            assert isinstance(question, ItemQuestion)
            by_hand.answer(question, [labels[j] for j in np.flatnonzero(truth[i])])
        else:
            assert question.label == labels[k]
            by_hand.answer(question, bool(truth[i, k]))
    np.testing.assert_array_equal(by_hand.facts, truth)


def test_a_cheap_question_for_the_whole_item_is_preferred_and_a_dear_one_is_not(animals):
    beliefs = np.full((3, 7), 0.4)
    (cheap,) = Session(animals, beliefs=beliefs, item_cost=0.5).ask()
    assert isinstance(cheap, ItemQuestion)
    assert str(cheap).startswith("Which of these is 0: ")
    assert set(cheap.labels) == set(animals.labels)
    (dear,) = Session(animals, beliefs=beliefs, item_cost=50).ask()
    assert isinstance(dear, co.Question)
    assert {type(q) for q in Session(animals, beliefs=beliefs, item_cost=0.5).ask(9)} == {ItemQuestion}
    assert len(Session(animals, beliefs=beliefs, item_cost=0.5).ask(9)) == 3


def test_a_whole_item_is_answered_by_its_labels(animals):
    session = Session(animals, beliefs=np.full((3, 7), 0.5), item_cost=1.0, item_ids=["robin", "rome", "x"])
    settled = session.answer(("robin", None), ["bird"])
    assert {s.label: s.value for s in settled} == {label: label in ("animal", "bird") for label in animals.labels}
    assert (session.answers[0] >= 0).all()
    with pytest.raises(co.CorollaryError, match="labelled as a whole"):
        session.retract(("robin", "bird"))
    before = session.facts
    with pytest.raises(co.Contradiction):
        session.answer(("rome", None), ["bird", "city"])
    np.testing.assert_array_equal(session.facts, before)
    assert session.answer(("x", None), None) == ()
    assert not any(isinstance(q, ItemQuestion) and q.item == "x" for q in session.ask(20))
    session.answer(("rome", None), [])
    assert (session.facts[1] == 0).all()
    session.retract(("robin", None))
    assert (session.facts[0] < 0).all()
    with pytest.raises(co.CorollaryError, match="nothing to retract"):
        session.retract(("robin", None))
    with pytest.raises(co.CorollaryError, match="the labels that 'robin' has must be a list"):
        session.answer(("robin", None), True)
    with pytest.raises(co.CorollaryError, match="did you mean 'bird'"):
        session.answer(("robin", None), ["brid"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"item_cost": 0}, "above 0, got 0"),
        ({"costs": {"bird": -1}}, "above 0, got -1"),
        ({"costs": {"brid": 1}}, "did you mean 'bird'"),
        ({"item_cost": 2, "score": "log"}, "needs score='posterior'"),
        ({"stay": "here"}, "'label', 'item' or None"),
    ],
)
def test_bad_costs(animals, options, message):
    with pytest.raises(co.CorollaryError, match=message):
        Session(animals, beliefs=np.full((2, 7), 0.5), **options)


def test_staying_on_a_label_keeps_the_label(animals):
    rng = np.random.default_rng(0)
    truth, beliefs = legal_rows(animals, rng, 200), rng.uniform(0.3, 0.7, (200, 7))
    changes = {}
    for stay in (None, "label", "item"):
        batch = Session(animals, beliefs=beliefs, stay=stay).answer_from(truth, 150)
        changes[stay] = int((np.diff(batch.label) != 0).sum()), int((np.diff(batch.item) != 0).sum())
    assert changes["label"][0] < changes[None][0] / 5
    assert changes["item"][1] < changes[None][1]


def test_a_batch_of_questions_stays_on_a_label_too_and_changes_nothing(animals):
    rng = np.random.default_rng(0)
    session = Session(animals, beliefs=rng.uniform(0.3, 0.7, (50, 7)), stay="label")
    first = session.ask(10)
    assert first == session.ask(10)
    assert len({q.label for q in first}) < len({q.label for q in Session(animals, beliefs=session.beliefs).ask(10)})


# -- the background ----------------------------------------------------------------------------------------------------


class Gate:
    """Beliefs that wait until they may come."""

    def __init__(self, first, then):
        self.given, self.open = iter([first, then]), threading.Event()
        self.open.set()
        self.seen = []

    def __call__(self, facts):
        self.open.wait()
        self.seen.append(facts)
        return next(self.given)


def test_answers_go_on_while_a_training_runs(animals):
    rng = np.random.default_rng(0)
    first, then = rng.random((2, 20, 7))
    gate = Gate(first, then)
    session = Session(animals, beliefs=gate, facts=np.full((20, 7), -1))
    session.answer(session.ask()[0], True)
    gate.open.clear()
    session.retrain(wait=False)
    assert session.training
    session.retrain(wait=False)  # one at a time
    known = session.facts
    for _ in range(5):
        session.answer(session.ask()[0], False)
    session.answer((3, "bird"), None)
    np.testing.assert_array_equal(session.beliefs, first)
    gate.open.set()
    session._coming._thread.join()
    assert not session.training
    np.testing.assert_array_equal(session.beliefs, first)  # until the next question
    questions = session.ask(100)
    np.testing.assert_array_equal(session.beliefs, then)
    np.testing.assert_array_equal(gate.seen[1], known)  # the training saw what was known when it began
    afresh = Session(animals, beliefs=then, facts=session.facts)
    afresh.answer((3, "bird"), None)
    assert questions == afresh.ask(100)
    np.testing.assert_allclose([q.score for q in questions], [q.score for q in afresh.ask(100)])


def test_a_log_rebuilds_what_the_background_did(animals, tmp_path):
    rng = np.random.default_rng(0)
    truth, X = legal_rows(animals, rng, 30), rng.normal(size=(30, 4))
    facts = np.full((30, 7), -1, np.int8)
    facts[:8] = truth[:8]
    made = {"facts": facts, "learner": "logistic", "item_cost": 2.0, "costs": {"bird": 2.0}}
    session = Session(animals, X, **made)
    session.answer_from(truth, 5)
    session.retrain(wait=False)
    session.answer((20, "bird"), bool(truth[20, 1]))
    session.answer((21, None), [animals.labels[k] for k in np.flatnonzero(truth[21])])
    session._coming._thread.join()
    session.ask()
    session.answer_from(truth, 5)
    session.retrain(wait=False)
    session.retrain()
    session.save(tmp_path / "log.jsonl")
    twin = Session.load(tmp_path / "log.jsonl", X, facts=facts, learner="logistic")
    assert (twin.item_cost, twin.costs) == (2.0, {"bird": 2.0})
    np.testing.assert_array_equal(twin.facts, session.facts)
    np.testing.assert_array_equal(twin.beliefs, session.beliefs)
    assert twin.ask(5) == session.ask(5)
    twin.save(tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_text() == (tmp_path / "log.jsonl").read_text()


def test_an_error_in_the_background_is_told_and_the_old_beliefs_stay(animals):
    given = iter([np.full((4, 7), 0.4), np.full((4, 7), 7.0)])
    session = Session(animals, beliefs=lambda facts: next(given), facts=np.full((4, 7), -1))
    before = session.ask(3)
    session.retrain(wait=False)
    session._coming._thread.join()
    with pytest.raises(co.CorollaryError, match="between 0 and 1"):
        session.ask()
    assert session.ask(3) == before


def test_background_results():
    assert Background(lambda: 7).result() == 7
    failing = Background(lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        failing.result()
    assert failing.done


# -- what a team needs -------------------------------------------------------------------------------------------------


def test_answers_about_an_item_can_be_restated(animals, tmp_path):
    session = Session(animals, beliefs=np.full((3, 7), 0.5))
    session.answer((0, "bird"), True)
    settled = session.restate(0, {"city": True}, skipped=["river", None])
    assert {s.label: s.value for s in settled} == {}  # all was known before, with other values
    np.testing.assert_array_equal(session.facts[0], animals.propagate([[-1, -1, -1, -1, -1, 1, -1]])[0])
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
    session = Session(animals, beliefs=rng.random((4, 7)), item_cost=1.0)
    before = session.ask(30)
    held = before[0].item
    session.hold(held)
    assert held not in {q.item for q in session.ask(30)}
    session.retrain()
    assert held not in {q.item for q in session.ask(30)}
    session.hold(held, False)
    assert session.ask(30) == before


# -- by chance, and the forecast ---------------------------------------------------------------------------------------


def test_a_share_of_the_questions_is_about_items_drawn_at_random(animals):
    rng = np.random.default_rng(0)
    truth, beliefs = legal_rows(animals, rng, 400), rng.random((400, 7))
    sure = np.arange(400) < 350
    beliefs[sure] = np.where(truth[sure] == 1, 0.99, 0.01)  # never asked about by choice
    drawn = {}
    for by_chance in (0.0, 0.3):
        session = Session(animals, beliefs=beliefs, by_chance=by_chance, random_state=1)
        batch = session.answer_from(truth, 100)
        drawn[by_chance] = int(sure[batch.item].sum())
        by_hand = Session(animals, beliefs=beliefs, by_chance=by_chance, random_state=1)
        for i, k in zip(batch.item, batch.label, strict=True):
            assert by_hand.ask() == by_hand.ask()
            (question,) = by_hand.ask()
            assert (question.item, question.label) == (i, animals.labels[k])
            by_hand.answer(question, bool(truth[i, k]))
        np.testing.assert_array_equal(by_hand._track.drawn, session._track.drawn)
    assert drawn[0.0] == 0
    assert 10 < drawn[0.3] < 50
    with pytest.raises(co.CorollaryError, match="share from 0 to 1"):
        Session(animals, beliefs=beliefs, by_chance=2)


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
