"""A pool asks what a session with all items would ask, whatever it is cut into and whoever computes it."""

from __future__ import annotations

import os
import signal
import tempfile
from dataclasses import fields
from itertools import count
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

import corollary as co
from corollary.learning.session.options import grouped
from corollary.learning.stopping.calibration import learnt, log_odds, risk
from corollary.learning.stopping.forecast import forecast
from corollary.logic.errors import CorollaryError
from corollary.scale.pool import Pool, PoolTold

from ..logic.ontologies import ontologies, worlds
from .conftest import Inline
from .pools import ONTOLOGIES, ZOO, by_label, ids, lists, said, shown, some_facts, write

pytestmark = pytest.mark.slow

N = 120


def features(rng: np.random.Generator, n: int = N, width: int = 5) -> np.ndarray:
    return rng.normal(size=(n, width)).astype(np.float32)


@pytest.fixture
def zoo() -> co.Ontology:
    return co.Ontology.parse(ZOO)


@pytest.mark.parametrize("name", ONTOLOGIES)
@pytest.mark.parametrize("learner", ["logistic", "crf"])
def test_the_questions_are_those_of_a_session(name, learner, tmp_path, inline, in_pieces):
    onto, rng = co.Ontology.parse(ONTOLOGIES[name]), np.random.default_rng(len(name))
    X, facts = features(rng), some_facts(onto, N, rng)
    folder = write(tmp_path, {"id": ids(N), "vector": lists(X), "labels": said(facts, onto)})
    session = co.Session(
        onto,
        X,
        facts=facts,
        learner=learner,
        asking=co.Asking(score="posterior", stay=None),
        item_ids=ids(N),
    )
    pool = Pool(folder, onto, learner=learner)
    assert len(pool._folder.parts) > 5
    assert shown(pool.best_questions(40)) == shown(session.ask(40))


def test_so_it_is_with_the_default_learner(zoo, tmp_path, workers, in_pieces):
    rng = np.random.default_rng(5)
    X, facts = features(rng), some_facts(zoo, N, rng)
    folder = write(tmp_path, {"id": ids(N), "vector": lists(X), "labels": said(facts, zoo)})
    session = co.Session(zoo, X, facts=facts, item_ids=ids(N), asking=co.Asking(stay=None))
    assert shown(Pool(folder, zoo, cluster=workers).best_questions(25)) == shown(session.ask(25))


@pytest.mark.parametrize(
    "asking",
    [
        {"score": "gain"},
        {"score": "log"},
        {"score": "expected", "costs": {"bird": 3.0, "city": 0.5}},
        {"pick": "auto"},
        {"pick": "always"},
        {"item_cost": 2.0},
    ],
    ids=str,
)
def test_so_it_is_whatever_is_asked_for(asking, zoo, tmp_path, inline, in_pieces):
    rng = np.random.default_rng(1)
    beliefs, facts = rng.uniform(0.01, 0.99, (N, len(zoo))), some_facts(zoo, N, rng)
    folder = write(tmp_path, {"id": ids(N), "beliefs": lists(beliefs), "labels": said(facts, zoo)})
    session = co.Session(zoo, beliefs=beliefs, facts=facts, item_ids=ids(N), **grouped(asking))
    assert shown(Pool(folder, zoo).best_questions(50, **asking)) == shown(session.ask(50))


@settings(max_examples=40)
@given(
    ontology=ontologies(max_labels=5),
    seed=st.integers(0, 2**20),
    n=st.integers(1, 40),
    asked=st.integers(0, 30),
)
def test_ties_are_broken_as_a_session_breaks_them(ontology, seed, n, asked):
    labels, constraints = ontology
    assume(len(worlds(labels, constraints)) > 1)
    onto, rng = co.Ontology(labels, constraints), np.random.default_rng(seed)
    beliefs = rng.choice([0.2, 0.5, 0.8], (n, len(onto)))  # most items are like some others
    facts = some_facts(onto, n, rng)
    with tempfile.TemporaryDirectory() as place, pytest.MonkeyPatch.context() as patch:
        patch.setattr("corollary.scale.pool.Cluster", Inline)
        patch.setattr("corollary.scale.work.CELLS_AT_ONCE", int(rng.integers(1, 100)))
        patch.setattr("corollary.scale.table.parts.ROWS", int(rng.integers(5, 30)))
        columns = {"id": ids(n), "beliefs": lists(beliefs), "labels": said(facts, onto)}
        folder = write(Path(place), columns, group=int(rng.integers(3, 9)))
        found = Pool(folder, onto).best_questions(asked)
    assert shown(found) == shown(
        co.Session(onto, beliefs=beliefs, facts=facts, item_ids=ids(n)).ask(asked)
    )


def test_texts_are_read_as_a_session_reads_them(zoo, tmp_path, inline, in_pieces):
    words = "bird fish mammal city river wing fin milk street water swims flies barks lies in the a".split()
    rng = np.random.default_rng(2)
    texts = [" ".join(rng.choice(words, 6)) for _ in range(60)]
    facts = some_facts(zoo, 60, rng, share=0.1)
    folder = write(tmp_path, {"id": ids(60), "text": texts, "labels": said(facts, zoo)})
    pool = Pool(folder, zoo, encoder="lexical", learner="meaning")
    session = co.Session(
        zoo,
        texts,
        facts=facts,
        reading=co.Reading(encoder="lexical"),
        learner="meaning",
        item_ids=ids(60),
        asking=co.Asking(stay=None),
    )
    found, expected = pool.best_questions(30), session.ask(30)
    assert found == expected
    assert [one.text for one in found] == [one.text for one in expected]
    assert [one.score for one in found] == pytest.approx(
        [one.score for one in expected], abs=1e-5
    )  # single precision


def test_tables_are_learnt_from_as_a_session_learns_from_them(zoo, tmp_path, inline, in_pieces):
    rng = np.random.default_rng(3)
    X = {
        "weight": rng.normal(size=N),
        "legs": rng.integers(0, 8, N),
        "colour": rng.choice(["red", "blue"], N).tolist(),
    }
    X["weight"][4] = np.nan
    facts = some_facts(zoo, N, rng)
    folder = write(
        tmp_path, {"id": ids(N), **X, **{label: facts[:, k] for k, label in enumerate(zoo.labels)}}
    )
    pool = Pool(folder, zoo, learner="logistic")
    assert (
        str(pool.columns)
        == f"id: id; table: weight, legs, colour; a column for each of {len(zoo)} labels"
    )
    session = co.Session(
        zoo,
        X,
        facts=facts,
        learner="logistic",
        asking=co.Asking(score="posterior", stay=None),
        item_ids=ids(N),
    )
    assert shown(pool.best_questions(30)) == shown(session.ask(30))


def test_what_is_told_beside_the_pool_counts_too(zoo, tmp_path, inline, in_pieces):
    rng = np.random.default_rng(4)
    X, facts = features(rng), some_facts(zoo, N, rng)
    told = {str(i + 1): row for i, row in enumerate(by_label(facts, zoo))}
    folder = write(tmp_path, {"vector": lists(X)})
    pool = Pool(folder, zoo, id=":row", facts=told, learner="crf")
    session = co.Session(
        zoo,
        X,
        facts=facts,
        learner="crf",
        asking=co.Asking(score="posterior"),
        item_ids=[str(i + 1) for i in range(N)],
    )
    assert shown(pool.best_questions(30)) == shown(session.ask(30))


def test_of_a_large_pool_the_model_learns_from_all_that_is_known(zoo, tmp_path, inline, in_pieces):
    rng = np.random.default_rng(6)
    X, facts = features(rng), np.full((N, len(zoo)), -1, np.int8)
    known = np.sort(rng.choice(N, 30, replace=False))
    facts[known] = zoo.most_probable(rng.uniform(0.1, 0.9, (30, len(zoo))))
    columns = {"id": ids(N), "vector": lists(X), "labels": said(facts, zoo)}
    folder = write(tmp_path / "pool", columns)
    pool = Pool(folder, zoo, learner="crf", train_on=50)
    rows = pool._to_train_on(None)
    assert len(rows) == 50
    assert set(known) <= set(rows.tolist())
    assert (rows == np.sort(rows)).all()
    again = write(tmp_path / "otherwise", columns, files=1, group=50)
    assert (Pool(again, zoo, learner="crf", train_on=50)._to_train_on(None) == rows).all()
    fewer = Pool(folder, zoo, learner="crf", train_on=20)
    with pytest.warns(
        PoolTold, match="30 items have known labels; the model learns from 20 of them"
    ):
        assert set(fewer._to_train_on(None).tolist()) <= set(known.tolist())
    session = co.Session(zoo, beliefs=pool_beliefs(pool, X), facts=facts, item_ids=ids(N))
    assert pool.best_questions(20) == session.ask(20)


def pool_beliefs(pool: Pool, X: np.ndarray) -> np.ndarray:
    pool.train()
    return pool._model.beliefs(X, end=True)


def test_predictions_are_those_of_a_session_and_go_on_where_they_were(
    zoo, tmp_path, workers, in_pieces
):
    rng = np.random.default_rng(7)
    beliefs, facts = rng.uniform(0.01, 0.99, (N, len(zoo))), some_facts(zoo, N, rng)
    folder = write(
        tmp_path / "pool", {"id": ids(N), "beliefs": lists(beliefs), "labels": said(facts, zoo)}
    )
    target = tmp_path / "predicted"

    def predict(onto: co.Ontology = zoo, **how) -> int:
        return Pool(folder, onto, cluster=workers).predict(target, probabilities=True, **how)

    with pytest.raises(KeyboardInterrupt):
        predict(progress=stop_after(3))
    first = {path.name: path.stat().st_mtime_ns for path in target.glob("*.parquet")}
    assert 1 <= len(first) < 8
    (target / ".part-000000000000.parquet.0.partial").write_bytes(b"half")  # of a worker that died
    assert predict() == N
    assert all((target / name).stat().st_mtime_ns == at for name, at in first.items())
    assert not list(target.glob(".*"))
    session = co.Session(zoo, beliefs=beliefs, facts=facts)
    found = parquet.read_table(target).to_pydict()
    assert found["id"] == ids(N)
    named = [[zoo.labels[k] for k in np.flatnonzero(row == 1)] for row in session.predict()]
    assert found["labels"] == named
    assert np.allclose(found["probabilities"], session.posterior, atol=1e-6)
    posterior, known = session.posterior, zoo.propagate(facts)
    for i, labels in enumerate(named):
        own = [zoo.index[label] for label in labels]
        assert found["probability"][i] == pytest.approx(posterior[i, own].tolist(), abs=1e-6)
        told = [
            "known" if facts[i, k] == 1 else "implied" if known[i, k] == 1 else "predicted"
            for k in own
        ]
        assert found["origin"][i] == told
    odds, best = log_odds(beliefs), session.predict()
    assert found["risk"] == pytest.approx(risk(zoo, odds, known, best)[0].tolist(), abs=1e-6)
    with pytest.raises(
        CorollaryError, match="has files of another pool, ontology, model or question"
    ):
        predict(co.Ontology.parse(ZOO + "exclusive: flies, city"))


def stop_after(n: int):
    """Someone who stops a run after some parts."""
    calls = count()

    def progress(done: int, total: int) -> None:
        if next(calls) >= n:
            raise KeyboardInterrupt

    return progress


def test_a_run_that_was_stopped_goes_on_where_it_was(zoo, tmp_path, workers, in_pieces):
    rng = np.random.default_rng(8)
    beliefs = rng.uniform(0.01, 0.99, (N, len(zoo)))
    folder = write(tmp_path / "pool", {"id": ids(N), "beliefs": lists(beliefs)})
    kept, whole = tmp_path / "kept", Pool(folder, zoo, cluster=workers).best_questions(30)
    with pytest.raises(KeyboardInterrupt):
        Pool(folder, zoo, cluster=workers).best_questions(30, keep=kept, progress=stop_after(4))
    done: list[int] = []
    found = Pool(folder, zoo, cluster=workers).best_questions(
        30, keep=kept, progress=lambda n, _: done.append(n)
    )
    assert shown(found) == shown(whole)
    assert 0 < done[0] < N
    assert done[-1] == N
    assert not kept.exists()
    with pytest.raises(KeyboardInterrupt):
        Pool(folder, zoo, cluster=workers).best_questions(30, keep=kept, progress=stop_after(4))
    done.clear()  # of another question it is of no use
    other = Pool(folder, zoo, cluster=workers).best_questions(
        31, keep=kept, progress=lambda n, _: done.append(n)
    )
    assert shown(other[:30]) == shown(whole)
    assert done[0] == 0
    kept.mkdir()
    (kept / "mine.txt").write_text("not to be lost", encoding="utf-8")
    with pytest.raises(CorollaryError, match="name another folder"):
        Pool(folder, zoo, cluster=workers).best_questions(30, keep=kept)


def test_a_worker_that_is_killed_changes_nothing(zoo, tmp_path, in_pieces):
    rng = np.random.default_rng(9)
    X, facts = features(rng, 400), some_facts(zoo, 400, rng)
    folder = write(tmp_path, {"id": ids(400), "vector": lists(X), "labels": said(facts, zoo)})
    session = co.Session(
        zoo,
        X,
        facts=facts,
        learner="logistic",
        asking=co.Asking(score="posterior", stay=None),
        item_ids=ids(400),
    )
    with Pool(folder, zoo, learner="logistic", workers=2) as pool:
        pool.train()
        victims = list(pool.client.run(os.getpid).values())

        def kill_one(done: int, total: int) -> None:
            if done and len(victims) == 2:
                os.kill(victims.pop(), signal.SIGKILL)

        found = pool.best_questions(60, progress=kill_one)
        assert len(victims) == 1
    assert shown(found) == shown(session.ask(60))


def test_the_forecast_is_that_of_all_items_at_once(zoo, tmp_path, inline, in_pieces):
    rng = np.random.default_rng(13)
    beliefs, facts = rng.beta(0.3, 0.3, (1500, len(zoo))), some_facts(zoo, 1500, rng)
    facts[:20] = zoo.most_probable(beliefs[:20])
    folder = write(
        tmp_path / "pool",
        {"id": ids(1500), "beliefs": lists(beliefs), "labels": said(facts, zoo)},
        group=60,
    )
    record = [learnt(zoo, beliefs[:200], np.full((200, len(zoo)), -1), zoo.propagate(facts[:200]))]
    found = Pool(folder, zoo).forecast(target=0.9, record=record)
    expected = forecast(zoo, beliefs, facts, record, target=0.9)
    for field in fields(expected):
        assert getattr(found, field.name) == pytest.approx(getattr(expected, field.name), rel=1e-9)
    all_known = said(zoo.most_probable(beliefs[:30]), zoo)
    folder = write(
        tmp_path / "known", {"id": ids(30), "beliefs": lists(beliefs[:30]), "labels": all_known}
    )
    known = Pool(folder, zoo).forecast()
    assert (known.accuracy, known.questions, known.reached) == (1.0, 0, True)


def test_a_working_set_has_the_best_items_and_some_by_chance(zoo, tmp_path, inline, in_pieces):
    rng = np.random.default_rng(10)
    beliefs, facts = rng.uniform(0.01, 0.99, (N, len(zoo))), some_facts(zoo, N, rng)
    facts[:10] = zoo.most_probable(beliefs[:10])  # nothing is open
    folder = write(
        tmp_path,
        {"id": ids(N), "title": ["?"] * N, "beliefs": lists(beliefs), "labels": said(facts, zoo)},
    )
    pool = Pool(folder, zoo)
    worth = co.score("posterior", beliefs, zoo, facts).max(axis=1)
    without = {f"item {i}" for i in np.argsort(-worth)[:5]}
    chosen = pool.working_set(40, without=without, share_at_random=0.25)
    assert chosen.column_names == ["id", "title", "beliefs", "labels"]
    found = chosen["id"].to_pylist()
    assert found == [item for item in ids(N) if item in set(found)]  # in the order of the pool
    assert not without & set(found)
    assert not set(ids(10)) & set(found)
    best = {f"item {i}" for i in np.argsort(-worth)[5:35]}
    assert best <= set(found)
    assert len(found) == 40
    assert pool.working_set(40, without=without, share_at_random=0.25).equals(chosen)
    assert pool.working_set(N).num_rows == int((worth > -np.inf).sum())
    assert pool.working_set(0).num_rows == 0


def test_while_nothing_is_known_a_working_set_is_drawn(zoo, tmp_path, workers, in_pieces):
    folder = write(tmp_path, {"id": ids(N), "vector": lists(features(np.random.default_rng(11)))})
    one, other = (
        Pool(folder, zoo, learner="logistic", random_state=seed, cluster=workers)
        .working_set(20)["id"]
        .to_pylist()
        for seed in (0, 1)
    )
    assert len(one) == len(other) == 20
    assert one != other
    assert one != ids(20)


def test_errors_say_what_and_where(zoo, tmp_path, inline, in_pieces):
    X = lists(features(np.random.default_rng(12), 30))
    labels = pa.array([[]] * 20 + [["bird", "fish"]] + [[]] * 9, pa.list_(pa.string()))
    clash = write(tmp_path / "a", {"id": ids(30), "vector": X, "labels": labels})
    with pytest.raises(CorollaryError, match=r"item 'item 20': .*cannot"):
        Pool(clash, zoo).best_questions(3)
    folder = write(tmp_path / "c", {"id": ids(30), "vector": X})
    with pytest.warns(PoolTold, match="1 of 2 items with facts are not in the pool"):
        Pool(folder, zoo, facts={"item 3": {"bird": True}, "nix": {"bird": True}}).train()
    pool = Pool(folder, zoo)
    with pytest.raises(CorollaryError, match="draw items at random, use working_set"):
        pool.best_questions(3, score="random")
    with pytest.raises(CorollaryError, match="share_at_random must be a number"):
        pool.working_set(3, share_at_random=2)
    with pytest.raises(CorollaryError, match="unknown label 'brid'; did you mean 'bird'"):
        Pool(folder, zoo, facts={"item 3": {"brid": True}})
