"""What is believed of an item does not come from what was said of it, nor is it held against a learner that saw it."""

from __future__ import annotations

import numpy as np
import pytest

import corollary as co
from corollary.learning import testimony
from corollary.learning.learners.crf import CRF
from corollary.learning.session.held_out import DRAWN_PARTS, PARTS
from corollary.learning.session.options import grouped
from corollary.learning.stopping.calibration import learnt


class Memory:
    """A learner that repeats what it was taught, and knows nothing else."""

    def fit(self, X, facts):
        self.facts = facts
        return self

    def predict_proba(self, X):
        facts = (
            self.facts[np.asarray(X)[:, 0].astype(int)] if isinstance(X, np.ndarray) else self.facts
        )
        return np.where(facts >= 0, 0.01 + 0.98 * facts, 0.5)


def test_a_learner_that_remembers_does_not_confirm_what_it_was_told():
    onto = co.Ontology(["a", "b"])
    facts = np.full((30, 2), -1, np.int8)
    facts[0] = 1, 0
    session = co.Session(
        onto,
        np.arange(30.0)[:, None],
        learner=Memory(),
        facts=facts,
        annotators=co.Annotators(fallible=True),
    )
    for i in range(1, 20):
        session.answer((i, "a"), i % 2 == 0, who="someone")
    session.retrain()
    np.testing.assert_allclose(session.beliefs[1:], 0.5)
    np.testing.assert_allclose(session.beliefs[0], [0.99, 0.01])
    assert (session.posterior[2:20:2, 0] > 0.8).all()  # by what was said, once
    assert PARTS > 1


def test_tables_that_cannot_be_cut_are_predicted_whole():
    onto = co.Ontology(["a"])
    texts = ["robin bird", "cod fish", "hawk bird", "eel fish"] * 5
    session = co.Session(onto, texts, learner=Memory(), annotators=co.Annotators(fallible=True))
    session.answer((0, "a"), True)
    session.retrain()
    assert session.beliefs[0, 0] == 0.5


class Fickle:
    """A learner that says something else after each training, the same of every item."""

    now = 0.5

    def fit(self, X, facts):
        return self

    def predict_proba(self, X):
        return np.full((len(X), 1), self.now)

    def __deepcopy__(self, memo):
        return self


@pytest.mark.parametrize(("errors", "share"), [(0.0, 0.0), (0.006, 0.1), (0.03, 0.5), (0.3, 0.5)])
def test_what_was_believed_before_counts_by_how_often_people_err(errors, share, monkeypatch):
    monkeypatch.setattr(testimony.Testimony, "errors", errors)
    learner = Fickle()
    session = co.Session(
        co.Ontology(["a"]),
        np.zeros((6, 1)),
        learner=learner,
        annotators=co.Annotators(fallible=True),
    )
    expected = None
    for said in (0.9, 0.2, 0.2, 1.0, 0.4):
        learner.now = said
        session.retrain()
        odds = (
            np.log(said / (1 - said)) if said < 1 else np.log(1e12)
        )  # 1 is no fact: it is moved inside
        expected = odds if expected is None else share * expected + (1 - share) * odds
        np.testing.assert_allclose(session.beliefs, 1 / (1 + np.exp(-expected)), rtol=1e-4)
        session.answer((0, "a"), True)
    for _ in range(60):
        session.retrain()
    np.testing.assert_allclose(session.beliefs, 0.4)


def test_answers_that_are_certain_leave_nothing_of_what_was_believed_before():
    learner = Fickle()
    session = co.Session(co.Ontology(["a"]), np.zeros((6, 1)), learner=learner)
    for learner.now in (0.9, 0.2):
        session.retrain()
    np.testing.assert_array_equal(session.beliefs, 0.2)


@pytest.mark.parametrize("rubbish", [np.nan, 1.5, -0.1])
def test_rubbish_of_a_learner_is_refused_and_leaves_no_trace(rubbish):
    learner = Fickle()
    session = co.Session(
        co.Ontology(["a"]),
        np.zeros((6, 1)),
        learner=learner,
        annotators=co.Annotators(fallible=True),
    )
    session.retrain()
    learner.now = rubbish
    with pytest.raises(co.CorollaryError, match="between 0 and 1; item 0, label 'a' has"):
        session.retrain()
    np.testing.assert_array_equal(session.beliefs, 0.5)
    learner.now = 0.5
    session.retrain()
    np.testing.assert_allclose(session.beliefs, 0.5)


def known_in_part(n=120, known=80, seed=0):
    """Two classes that overlap; the first items are known."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(2, size=n)
    Y = np.stack([kind, 1 - kind], axis=1).astype(np.int8)
    facts = np.where(np.arange(n)[:, None] < known, Y, np.int8(-1))
    onto = co.Ontology(["a", "b"], [co.exactly_one("a", "b")])
    return onto, kind[:, None] + rng.normal(0, 0.6, (n, 1)), Y, facts


def test_drawn_facts_are_held_against_learners_that_have_not_seen_them():
    """By hand: five learners, each taught four parts of five, and what they say of the fifth."""
    onto, X, Y, facts = known_in_part()
    session = co.Session(
        onto, X, learner="crf", facts=facts, asking=co.Asking(facts_at_random=True), random_state=7
    )
    first = session.record()[0]
    part = np.random.default_rng([7, DRAWN_PARTS]).integers(DRAWN_PARTS, size=len(X))
    beliefs = np.empty((80, 2))
    for number in range(DRAWN_PARTS):
        own = np.flatnonzero(part[:80] == number)
        taught = facts.copy()
        taught[own] = -1
        beliefs[own] = CRF(onto, random_state=7).fit(X, taught).predict_proba(X[own])
    by_hand = learnt(onto, beliefs, np.full((80, 2), -1), Y[:80], drawn=np.ones(80, bool))
    for one, other in zip(first, by_hand, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)
    assert 5 < first.surprised.sum() < 40
    np.testing.assert_allclose(first.chance[:, 10], first.risk, atol=1e-9)  # taken at its word


def test_what_drawn_facts_tell_is_found_once_and_stays():
    fits = []

    class Counted(CRF):
        def fit(self, X, y):
            fits.append(int((np.asarray(y)[:, 0] >= 0).sum()))
            return super().fit(X, y)

    onto, X, Y, facts = known_in_part()
    session = co.Session(
        onto,
        X,
        learner=Counted(onto),
        facts=facts,
        asking=co.Asking(share_at_random=0.5, facts_at_random=True),
    )
    session.retrain()
    assert fits == [80]  # asking does not wait for it
    first = session.record()[0]
    assert len(fits) == 1 + DRAWN_PARTS
    assert sum(80 - n for n in fits[1:]) == 80  # each part once
    session.answer_from(Y, 10)
    session.retrain()
    later = session.record()
    assert len(fits) == 2 + DRAWN_PARTS
    assert later[0] is first
    assert later[1].drawn.any()


@pytest.mark.parametrize("fallible", [False, True])
def test_a_target_is_promised_before_a_question_where_facts_were_drawn(fallible):
    onto, X, Y, facts = known_in_part(n=500, known=300)
    X = 4.0 * Y[:, :1] + np.random.default_rng(1).normal(size=X.shape)
    told, untold = (
        co.Session(
            onto,
            X,
            learner="crf",
            facts=facts,
            asking=co.Asking(facts_at_random=at_random),
            annotators=co.Annotators(fallible=fallible),
        ).forecast()
        for at_random in (True, False)
    )
    right = 1.0 - np.mean(np.abs(X[300:, 0] - 4.0 * Y[300:, 0]) > 2.0)  # what the best learner gets
    assert untold.promised == 0.0
    assert told.drawn == 300
    assert 0.85 < told.promised <= right
    assert told.accuracy_interval[0] < right < told.accuracy_interval[1]
    assert np.ptp(told.accuracy_interval) < np.ptp(untold.accuracy_interval)


def test_drawn_facts_show_what_a_learner_is_sure_of_and_wrong_about():
    class Sure:
        """Says no to all, and is sure; one in ten is a yes."""

        def fit(self, X, facts):
            return self

        def predict_proba(self, X):
            return np.full((len(X), 1), 1e-6)

    Y = (np.arange(300) % 10 == 0).astype(np.int8)[:, None]
    facts = np.where(np.arange(300)[:, None] < 150, Y, np.int8(-1))
    told = co.Session(
        co.Ontology(["a"]),
        np.zeros((300, 1)),
        learner=Sure(),
        facts=facts,
        asking=co.Asking(facts_at_random=True),
    ).forecast()
    assert told.promised < 0.9 <= told.accuracy_interval[1]
    assert told.accuracy == pytest.approx(0.9, abs=0.05)


def test_what_the_learner_is_not_taught_its_stand_ins_are_not_either():
    onto, X, _, facts = known_in_part(n=30, known=20)
    unseen = np.zeros(facts.shape, bool)
    unseen[:10] = True
    seen = []

    class Watched(Memory):
        def fit(self, X, facts):
            seen.append(np.flatnonzero((facts >= 0).any(axis=1)))
            return super().fit(X, facts)

    session = co.Session(
        onto,
        np.arange(30.0)[:, None],
        learner=Watched(),
        facts=facts,
        asking=co.Experiment(held_out=unseen, facts_at_random=True),
    )
    assert len(session.record()[0].risk) == 20  # but they are held against what is known of all
    assert set(np.concatenate(seen).tolist()) == set(range(10, 20))
    del X


def test_stand_ins_do_not_remember_what_the_learner_was_taught_before():
    class Growing(Memory):
        """Remembers all that it was ever taught."""

        def fit(self, X, facts):
            before = getattr(self, "facts", facts)
            return super().fit(X, np.where(facts >= 0, facts, before))

    onto, _, _, facts = known_in_part(n=30, known=20)
    session = co.Session(
        onto,
        np.arange(30.0)[:, None],
        learner=Growing(),
        facts=facts,
        asking=co.Asking(facts_at_random=True),
    )
    session.retrain()  # now the learner knows them all
    np.testing.assert_allclose(session.record()[0].risk, 0.5)


def test_that_facts_were_drawn_is_in_the_log(tmp_path):
    onto, X, _, facts = known_in_part()
    session = co.Session(
        onto, X, learner="crf", facts=facts, asking=co.Asking(facts_at_random=True)
    )
    session.answer(session.ask()[0], True)
    session.save(tmp_path / "log.jsonl")
    again = co.Session.load(tmp_path / "log.jsonl", X, learner="crf", facts=facts)
    assert again.asking.facts_at_random
    assert again.forecast() == session.forecast()


@pytest.mark.parametrize(
    "options",
    [
        {"X": np.zeros((4, 1))},
        {"beliefs": np.full((4, 2), 0.5), "facts": np.zeros((4, 2), np.int8)},
    ],
    ids=["no facts", "beliefs"],
)
def test_facts_at_random_needs_facts_and_a_learner(options):
    with pytest.raises(co.CorollaryError, match="it needs X and facts, and no beliefs"):
        co.Session(co.Ontology(["a", "b"]), **grouped({"facts_at_random": True, **options}))
    with pytest.raises(co.CorollaryError, match="facts_at_random"):
        co.Session(
            co.Ontology(["a", "b"]), np.zeros((4, 1)), asking=co.Asking(facts_at_random="yes")
        )


@pytest.mark.parametrize("known", [0, 1, 2, 19])
def test_facts_at_random_with_few_known_and_with_few_open(known):
    onto, X, _, facts = known_in_part(n=20, known=known)
    if not known:
        facts[:5, 0], onto = 1, co.Ontology(["a", "b"])  # of some items something
        with pytest.raises(co.CorollaryError, match="no item is fully labelled"):
            co.Session(onto, X, facts=facts, asking=co.Asking(facts_at_random=True))
        return
    told = co.Session(
        onto, X, learner="crf", facts=facts, asking=co.Asking(facts_at_random=True)
    ).forecast()
    assert told.drawn == known
    assert told.promised < 0.99
