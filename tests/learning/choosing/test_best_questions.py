"""Which question next, against a loop that scores everything anew: costs, whole items, staying, chance, spreading."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import corollary as co
from corollary.learning.choosing import best_questions
from corollary.learning.choosing.best_questions import CROWD, CROWD_EACH, LESS, STAY_WHILE, Chooser
from corollary.learning.choosing.question_worth import scores_of
from corollary.learning.features.neighbours import nearest_items
from corollary.learning.knowledge import Knowledge
from corollary.learning.question import ItemQuestion
from corollary.learning.session.options import Asking, grouped
from corollary.learning.session.session import Session

from ...logic.ontologies import ontologies, worlds
from ..legal import legal_rows


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
        on_item = {"item": enough, "settle": 0.0}.get(stay, np.inf)
        if last is not None and worth[last[0]].max() >= on_item:
            i, k = last[0], worth[last[0]].argmax()
        if last is not None and stay == "label" and worth[:, last[1]].max() >= enough:
            i, k = worth[:, last[1]].argmax(), last[1]
        values.append(worth[i, k])
        facts[i] = (
            truth[i] if k == len(onto) else np.where(np.arange(len(onto)) == k, truth[i], facts[i])
        )
        last = (i, k)


@settings(max_examples=40, deadline=None)
@given(
    ontologies(max_labels=5, max_constraints=4),
    st.integers(0, 2**32 - 1),
    st.sampled_from([None, "item", "settle", "label"]),
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
    session = Session(onto, **grouped(made))
    batch = session.answer_from(truth, 1000)
    expected = naive_run(onto, beliefs, truth, cost=cost, whole=whole, stay=stay)
    assert len(batch.item) == len(expected)
    np.testing.assert_allclose(batch.cost, cost[batch.label])
    np.testing.assert_array_equal(session.facts, truth)
    # The same by hand, question by question: what is foreseen while a question waits changes nothing.
    by_hand = Session(onto, **grouped(made))
    rounding = (
        1e-6 if stay == "label" else 0.0
    )  # where every question's worth is kept, in half the room
    for value, i, k in zip(expected, batch.item, batch.label, strict=True):
        (question,) = by_hand.ask()
        assert question.score == pytest.approx(value, abs=1e-9, rel=rounding)
        assert question.item == i
        if k == len(onto):
            assert isinstance(question, ItemQuestion)
            by_hand.answer(question, [labels[j] for j in np.flatnonzero(truth[i])])
        else:
            assert question.label == labels[k]
            by_hand.answer(question, bool(truth[i, k]))
    np.testing.assert_array_equal(by_hand.facts, truth)


def naive_best(worth, knowledge):
    """Every question scored at once."""
    values = worth(np.arange(len(knowledge.known)), knowledge.known)
    values[
        knowledge.closed(np.arange(len(knowledge.known)), knowledge.known)[:, : values.shape[1]]
    ] = -np.inf
    return values


@settings(max_examples=40, deadline=None)
@given(
    ontologies(max_labels=5, max_constraints=4),
    st.integers(0, 2**32 - 1),
    st.sampled_from([None, "item", "label"]),
    st.sampled_from(["labels", "items", "both"]),
    st.integers(1, 4),
)
def test_scored_part_by_part_all_are_worth_what_they_are_at_once(ontology, seed, stay, asked, step):
    labels, constraints = ontology
    legal = worlds(labels, constraints)
    assume(len(legal))
    rng, onto, n = np.random.default_rng(seed), co.Ontology(labels, constraints), 7
    truth = legal[rng.integers(len(legal), size=n)].astype(np.int8)
    given = np.where(
        rng.random(truth.shape) < rng.choice([0.0, 0.3, 1.0], (n, 1)), truth, np.int8(-1)
    )
    knowledge = Knowledge(onto, given, range(n), propagate=True)
    knowledge.held[rng.integers(n)] = True
    knowledge.skip(int(rng.integers(n)), int(rng.integers(len(onto) + 1)))
    beliefs = rng.uniform(0.01, 0.99, truth.shape)
    worth = scores_of("posterior", onto, beliefs, propagated=True, asked=asked)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(best_questions, "cores", lambda: 1)
        patch.setattr(best_questions, "CELLS_AT_ONCE", 0)
        patch.setattr(best_questions, "ROWS_AT_ONCE", step)
        chooser = Chooser(worth, knowledge, stay=stay)
    values = naive_best(worth, knowledge)
    np.testing.assert_array_equal(chooser.label, values.argmax(axis=1))
    np.testing.assert_array_equal(chooser.values, values.max(axis=1))
    if stay == "label":
        np.testing.assert_array_equal(chooser._all, values.astype(np.float32))


@pytest.mark.parametrize("how", ["plain", "spread", "crowd"])
def test_a_chooser_by_itself_takes_the_best_and_crowds_where_it_is_told_to(animals, how):
    rng = np.random.default_rng(0)
    knowledge, worth = (
        Knowledge(animals, None, range(30), propagate=True),
        rng.random((30, len(animals))),
    )
    found = nearest_items(rng.normal(size=(30, 2)), random_state=0)
    options = {
        "plain": {},
        "spread": {"neighbours": found},
        "crowd": {"neighbours": found, "crowd": True},
    }[how]
    chooser = Chooser(lambda rows, known: worth[rows], knowledge, **options)
    values = worth.max(axis=1) * (found.density() ** CROWD if how == "crowd" else 1.0)
    i = values.argmax()
    np.testing.assert_allclose(chooser.values, values)
    assert chooser.next() == (i, worth[i].argmax(), pytest.approx(values[i]))
    assert chooser.best_of(i) == (worth[i].max(), worth[i].argmax())  # itself, alike or not
    assert chooser.drawn == set()
    for rows in ([4, 2], []):
        best, label = chooser.best(np.array(rows, np.int64), knowledge.known[rows])
        assert best.tolist() == [worth[i].max() for i in rows]
        assert label.tolist() == [worth[i].argmax() for i in rows]


@pytest.mark.parametrize("settled", [0, 12, 40])
def test_the_more_is_known_the_less_it_counts_to_be_like_others(animals, settled):
    rng = np.random.default_rng(0)
    given = np.full((60, len(animals)), -1, np.int8)
    given[:settled] = legal_rows(animals, rng, settled)
    knowledge, worth = (
        Knowledge(animals, given, range(60), propagate=True),
        rng.random((60, len(animals))),
    )
    found = nearest_items(rng.normal(size=(60, 2)), random_state=0)
    chooser = Chooser(lambda rows, known: worth[rows], knowledge, neighbours=found, crowd=True)
    power = CROWD * np.exp(-settled / (CROWD_EACH * len(animals)))
    np.testing.assert_allclose(
        chooser.values[settled:], (worth.max(axis=1) * found.density() ** power)[settled:]
    )
    assert (chooser.values[:settled] == -np.inf).all()


def test_items_that_are_settled_are_not_scored(animals):
    rng = np.random.default_rng(0)
    given = legal_rows(animals, rng, 50)
    given[[3, 30]] = -1
    knowledge, scored = Knowledge(animals, given, range(50), propagate=True), []

    def worth(rows, known):
        scored.extend(rows.tolist())
        return rng.random(known.shape)

    Chooser(worth, knowledge)
    assert scored == [3, 30]
    knowledge.known[:] = legal_rows(animals, rng, 50)
    for stay in (None, "label"):
        assert Chooser(worth, knowledge, stay=stay).next() is None


def test_estimates_are_told_of_once_however_many_parts_there_are(monkeypatch):
    rng = np.random.default_rng(0)
    labels = [f"l{k}" for k in range(30)]
    signed = [
        "~" * int(rng.integers(2)) + labels[k] for _ in range(75) for k in rng.permutation(30)[:3]
    ]
    rules = [co.formula(" | ".join(signed[j : j + 3])) for j in range(0, 225, 3)]
    onto = co.Ontology(labels, rules, budget=co.Budget(states=100))
    monkeypatch.setattr(best_questions, "CELLS_AT_ONCE", 0)
    monkeypatch.setattr(best_questions, "ROWS_AT_ONCE", 1)
    session = Session(onto, beliefs=rng.uniform(0.2, 0.8, (9, 30)))
    with pytest.warns(co.EstimateWarning) as told:
        session.retrain()
    assert ["9 of 9 items" in str(one.message) for one in told] == [True]


def test_staying_on_a_label_keeps_the_label(animals):
    rng = np.random.default_rng(0)
    truth, beliefs = legal_rows(animals, rng, 200), rng.uniform(0.3, 0.7, (200, 7))
    changes = {}
    for stay in (None, "label", "item"):
        batch = Session(animals, beliefs=beliefs, asking=Asking(stay=stay)).answer_from(truth, 150)
        changes[stay] = (
            int((np.diff(batch.label) != 0).sum()),
            int((np.diff(batch.item) != 0).sum()),
        )
    assert changes["label"][0] < changes[None][0] / 5
    assert changes["item"][1] < changes[None][1]


def test_a_batch_of_questions_stays_on_a_label_too_and_changes_nothing(animals):
    rng = np.random.default_rng(0)
    session = Session(animals, beliefs=rng.uniform(0.3, 0.7, (50, 7)), asking=Asking(stay="label"))
    first = session.ask(10)
    assert first == session.ask(10)
    assert len({q.label for q in first}) < len(
        {q.label for q in Session(animals, beliefs=session.beliefs).ask(10)}
    )


# -- by chance, and the forecast ---------------------------------------------------------------------------------------


def test_a_share_of_the_questions_is_about_items_drawn_at_random(animals):
    rng = np.random.default_rng(0)
    truth, beliefs = legal_rows(animals, rng, 400), rng.random((400, 7))
    sure = np.arange(400) < 350
    beliefs[sure] = np.where(truth[sure] == 1, 0.99, 0.01)  # never asked about by choice
    drawn = {}
    for share in (0.0, 0.3):
        session = Session(
            animals, beliefs=beliefs, asking=Asking(share_at_random=share), random_state=1
        )
        batch = session.answer_from(truth, 100)
        drawn[share] = int(sure[batch.item].sum())
        by_hand = Session(
            animals, beliefs=beliefs, asking=Asking(share_at_random=share), random_state=1
        )
        for i, k in zip(batch.item, batch.label, strict=True):
            assert by_hand.ask() == by_hand.ask()
            (question,) = by_hand.ask()
            assert (question.item, question.label) == (i, animals.labels[k])
            by_hand.answer(question, bool(truth[i, k]))
        np.testing.assert_array_equal(by_hand._core.track.drawn, session._core.track.drawn)
    assert drawn[0.0] == 0
    assert 10 < drawn[0.3] < 50
    with pytest.raises(co.CorollaryError, match="share_at_random must be a number from 0 to 1"):
        Session(animals, beliefs=beliefs, asking=Asking(share_at_random=2))


LABELS = ("bird", "fish", "mammal")


def naive_rounds(onto, beliefs, truth, matrix, *, per_round, rounds):
    """Ask rounds of questions; before each question everything is scored and lowered anew."""
    found = nearest_items(matrix, random_state=0)
    known, asked = np.full(truth.shape, -1, np.int8), []
    for _ in range(rounds):
        told = []
        for _ in range(per_round):
            worth = co.score("posterior", beliefs, onto, known)
            for i in dict.fromkeys(told):
                for j, like in zip(found.items[i], found.similarity[i], strict=True):
                    worth[j] *= 1 - LESS * like
            i, k = np.unravel_index(worth.argmax(), worth.shape)
            asked.append((int(i), onto.labels[k]))
            known[i, k] = truth[i, k]
            known = onto.propagate(known)
            told.append(i)
    return asked


@pytest.mark.parametrize("by_person", [True, False])
def test_a_diverse_round_is_what_a_loop_over_all_questions_asks(by_person):
    onto = co.Ontology(LABELS, [co.exclusive(*LABELS)])
    rng = np.random.default_rng(3)
    matrix, beliefs = rng.normal(size=(30, 2)), rng.random((30, 3))
    truth = onto.most_probable(rng.random((30, 3)))
    session = co.Session(onto, matrix, beliefs=beliefs, asking=co.Asking(diverse=True))
    asked = []
    for _ in range(3):
        session.retrain()
        if by_person:
            for _ in range(8):
                (question,) = session.ask()
                session.answer(question, bool(truth[question.item, onto.index[question.label]]))
                asked.append((question.item, question.label))
        else:
            batch = session.answer_from(truth, 8)
            asked += [
                (int(i), onto.labels[k]) for i, k in zip(batch.item, batch.label, strict=True)
            ]
    assert asked == naive_rounds(onto, beliefs, truth, matrix, per_round=8, rounds=3)
    plain = co.Session(onto, matrix, beliefs=beliefs)
    assert plain.ask(8) != session.ask(8)


def test_asking_for_several_changes_nothing_and_spreads():
    onto = co.Ontology(LABELS, [co.exclusive(*LABELS)])
    matrix = np.repeat(np.arange(4.0), 6)[:, None] + np.linspace(0, 0.01, 24)[:, None]
    beliefs = np.full((24, 3), 0.3)
    beliefs[:6] = 0.4  # one kind is the most doubtful
    session = co.Session(onto, matrix, beliefs=beliefs, asking=co.Asking(diverse=True))
    first = session.ask(4)
    assert session.ask(4) == first
    assert len({question.item // 6 for question in first}) > 1
    assert {
        question.item // 6 for question in co.Session(onto, matrix, beliefs=beliefs).ask(4)
    } == {0}


def test_a_diverse_session_is_rebuilt_from_its_log(tmp_path):
    onto = co.Ontology(LABELS, [co.exclusive(*LABELS)])
    rng = np.random.default_rng(0)
    matrix, truth = rng.normal(size=(40, 3)), onto.most_probable(rng.random((40, 3)))
    session = co.Session(onto, matrix, learner="crf", asking=co.Asking(diverse=True))
    for _ in range(2):
        session.answer_from(truth, 6)
        session.retrain()
    session.save(tmp_path / "log.jsonl")
    again = co.Session.load(tmp_path / "log.jsonl", matrix, learner="crf")
    assert again.asking.diverse
    assert again.ask(5) == session.ask(5)


def test_diverse_needs_features():
    onto = co.Ontology(LABELS)
    with pytest.raises(co.CorollaryError, match="diverse needs X"):
        co.Session(onto, beliefs=np.full((3, 3), 0.5), asking=co.Asking(diverse=True))
