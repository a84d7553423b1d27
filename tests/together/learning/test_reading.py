"""It reads, everywhere: sessions, simulations, classifiers and pools on texts, from nothing known."""

from __future__ import annotations

import numpy as np
import pytest

import corollary as co
from corollary.learning.features.encoded import Encoded
from corollary.learning.learners.crf import CRF
from corollary.learning.learners.meaning import Meaning
from corollary.learning.learners.pool import FROM_NOTHING, Pool, first_weights
from corollary.learning.meaning.reader import read_items
from corollary.learning.session.options import grouped

THINGS = co.load_dataset("things")
TEXTS, TRUTH, ONTO = list(THINGS.X), THINGS.Y, THINGS.onto


def right(session):
    return (session.predict() == TRUTH).all(axis=1).mean()


def test_a_session_knows_before_the_first_answer_and_more_after_some():
    session = co.Session(ONTO, TEXTS, reading=co.Reading(meaning=THINGS.meaning), learner="meaning")
    before = right(session)
    assert before > 0.4
    session.answer_from(TRUTH, 100)
    session.retrain()
    assert right(session) > before + 0.05


def test_without_meaning_nothing_is_known_at_first():
    session = co.Session(ONTO, TEXTS[:100], reading=co.Reading(meaning=None), learner="meaning")
    assert np.ptp(session.beliefs, axis=0).max() < 0.2  # all items look alike
    session.answer_from(TRUTH[:100], 50)
    session.retrain()
    assert np.ptp(session.beliefs, axis=0).max() > 0.5


def test_what_was_read_can_be_used_again_and_by_learners_that_cannot_read():
    read = read_items(ONTO, TEXTS[:60], encoder="lexical", meaning=THINGS.meaning)
    one, other = (
        co.Session(ONTO, read),
        co.Session(ONTO, TEXTS[:60], reading=co.Reading(encoder="lexical", meaning=THINGS.meaning)),
    )
    np.testing.assert_array_equal(one.beliefs, other.beliefs)
    facts = np.where(np.arange(60)[:, None] < 30, TRUTH[:60], -1)
    crf = co.Session(ONTO, read, learner="crf", facts=facts, asking=co.Asking(diverse=True))
    assert crf.ask(3)
    plain = co.Session(ONTO, read.features, learner="crf", facts=facts)
    np.testing.assert_array_equal(crf.beliefs, plain.beliefs)


def test_an_encoder_by_name_serves_every_learner_of_ours():
    facts = np.where(np.arange(60)[:, None] < 30, TRUTH[:60], -1)
    static, default = (
        co.Session(
            ONTO, TEXTS[:60], learner=CRF(), facts=facts, reading=co.Reading(encoder=one)
        ).beliefs
        for one in ("static", "auto")
    )
    assert np.abs(static - default).max() > 0.01


def test_a_session_is_rebuilt_with_what_it_read(tmp_path):
    session = co.Session(
        ONTO,
        TEXTS[:40],
        reading=co.Reading(encoder="lexical", meaning=THINGS.meaning),
        learner="meaning",
    )
    session.answer(session.ask()[0], None)
    session.answer_from(TRUTH[:40], 5)
    session.retrain()
    session.save(tmp_path / "log")
    again = co.Session.load(tmp_path / "log", TEXTS[:40], learner="meaning")
    assert (again.reading.encoder, again.reading.meaning) == ("lexical", THINGS.meaning)
    np.testing.assert_array_equal(again.beliefs, session.beliefs)
    own = co.Session(
        ONTO,
        TEXTS[:40],
        reading=co.Reading(encoder=lambda texts: [[len(text), 1.0] for text in texts]),
    )
    own.save(tmp_path / "own")
    assert "encoder" not in (tmp_path / "own").read_text(encoding="utf-8").splitlines()[0]


def test_a_simulation_from_nothing():
    curve = co.simulate(THINGS, per_round=40, start=0, until=None, max_rounds=3, learner="meaning")
    assert curve.auc_test[0] > 0.7
    assert curve.auc_test[-1] > curve.auc_test[0]
    assert curve.settings["encoder"] == "auto"
    assert curve.settings["start"] == 0


def test_a_classifier_reads_too():
    rows = np.arange(60)
    model = co.ConsistentClassifier("meaning", ONTO, meaning=THINGS.meaning).fit(
        TEXTS[:60], TRUTH[:60]
    )
    assert model.score(TEXTS[60:160], TRUTH[60:160]) > 0.3
    nothing = np.full((60, len(ONTO)), -1)
    untaught = co.ConsistentClassifier("meaning", ONTO, meaning=THINGS.meaning).fit(
        TEXTS[:60], nothing
    )
    assert untaught.score(TEXTS[:60], TRUTH[rows]) > 0.2


def test_the_default_pool_gives_all_weight_to_what_works_from_nothing():
    assert first_weights(["linear", FROM_NOTHING]) == {"linear": 0.0, FROM_NOTHING: 1.0}
    assert first_weights(["linear", "forest"]) == {"linear": 0.5, "forest": 0.5}
    read = read_items(ONTO, TEXTS[:80], encoder="lexical", meaning=THINGS.meaning)
    nothing = np.full((80, len(ONTO)), -1, np.int8)
    pool = Pool(ONTO).fit(read, nothing)
    assert pool.weights_ == {FROM_NOTHING: 1.0, "linear": 0.0, "gaussian": 0.0}
    alone = Meaning(ONTO).fit(read, nothing)
    np.testing.assert_allclose(pool.predict_proba(read), alone.predict_proba(read), atol=1e-6)


def test_others_are_weighed_against_it_once_much_is_known():
    onto = co.Ontology.parse("exclusive: a, b, c")
    rng = np.random.default_rng(0)
    of = rng.integers(3, size=400)
    truth = np.eye(3, dtype=np.int8)[of]
    features = (3 * np.eye(3)[of] + rng.standard_normal((400, 3))).astype(np.float32)
    misleading = rng.standard_normal((1, 400, 3)).astype(np.float32)
    read = Encoded(features, misleading, ("semantic",))
    pool = Pool(onto).fit(read, np.where(np.arange(400)[:, None] < 300, truth, -1))
    assert set(pool.weights_) == {FROM_NOTHING, "linear", "gaussian"}
    assert pool.weights_ != {FROM_NOTHING: 1.0, "linear": 0.0, "gaussian": 0.0}
    assert (onto.most_probable(pool.predict_proba(read))[300:] == truth[300:]).all(
        axis=1
    ).mean() > 0.8


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"meaning": "yes"}, "meaning must be 'auto'"),
        ({"meaning": {"nobody": "is"}}, "unknown label 'nobody'"),
        ({"encoder": 3}, "is no encoder"),
        ({"similarity": [[1.0]]}, "similarity must be items x 30 labels"),
        ({"encoder": lambda texts: np.full((len(texts), 2), np.nan)}, "gave nan or inf"),
        ({"encoder": lambda texts: np.ones((1, 2))}, "a row of numbers for each of 3 things"),
    ],
)
def test_what_a_session_cannot_read_with(options, told):
    with pytest.raises(co.CorollaryError, match=told):
        co.Session(ONTO, TEXTS[:3], **grouped(options))
