"""Suite `asking`: scoring every question and picking the next one, against plain numpy and installed peers."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.campaign.items import Item
from corollary.learning.choosing.scores import NAMES, score
from corollary.learning.session.options import Reading
from corollary.learning.session.session import Session
from corollary.logic.errors import CorollaryError

from . import Missing, peak_megabytes, timed

Figures = dict[str, Any]
K = 26


def flat() -> co.Ontology:
    """26 exclusive labels, as in the paper's letter data."""
    labels = [f"l{k}" for k in range(K)]
    return co.Ontology(labels, [co.exclusive(*labels)])


def numpy_entropy(p: Any) -> Any:
    """What anyone would write."""
    return -p * np.log(p) - (1 - p) * np.log(1 - p)


def scoring() -> Figures:
    """All 5.2 million cells (200,000 items x 26 labels) scored, in multiples of plain numpy entropy on them."""
    onto = flat()
    beliefs = np.random.default_rng(0).uniform(0.001, 0.999, (200_000, K))
    for name in NAMES:
        score(name, beliefs[:5_000], onto, random_state=0)
    _, plain = timed(lambda: numpy_entropy(beliefs), repeat=5)
    out: Figures = {"plain numpy entropy, seconds": plain, "targets": {}}
    for name in NAMES:
        _, seconds = timed(lambda name=name: score(name, beliefs, onto, random_state=0), repeat=5)
        out[f"{name}, times numpy entropy"] = seconds / plain
        out["targets"][f"{name}, times numpy entropy"] = ("at most", 2)
    return out


def next_question() -> Figures:
    """The next of 1,000 questions after each answer, against rescoring the pool; and how it grows with the pool.

    While a question waits for its answer, what each answer would lead to is worked out: that time stands apart.
    """
    onto = flat()
    rng = np.random.default_rng(0)
    out: Figures = {
        "targets": {"times faster than score() of the pool, 200,000 items": ("at least", 1000)}
    }
    for n in (10_000, 200_000, 1_000_000):
        beliefs = rng.uniform(0.001, 0.999, (n, K))
        session = Session(onto, beliefs=beliefs)
        _, bare = timed(lambda beliefs=beliefs: score("posterior", beliefs, onto), repeat=3)
        _, rescoring = timed(lambda session=session: (session.retrain(), session.ask()))
        waits, askings = [], []
        for _ in range(1_000):
            start = time.perf_counter()
            (question,) = session.ask()
            asked = time.perf_counter()
            session.answer(question, question.score > 0.69)
            session._core.chooser.next()  # noqa: SLF001 - which question is next is known here
            waits.append(time.perf_counter() - asked)
            askings.append(asked - start)
        out[f"answer and next, {n:,} items, microseconds"] = 1e6 * float(np.median(waits))
        out[f"wording it, and both answers worked out, {n:,} items, microseconds"] = 1e6 * float(
            np.median(askings)
        )
        out[f"times faster than score() of the pool, {n:,} items"] = bare / float(np.median(waits))
        out[f"times faster than retraining the session, {n:,} items"] = rescoring / float(
            np.median(waits)
        )
    small, large = (out[f"answer and next, {n:,} items, microseconds"] for n in (10_000, 1_000_000))
    out["1,000,000 items, times 10,000 items"] = large / small
    out["targets"]["1,000,000 items, times 10,000 items"] = ("at most", 2)
    return out


def waiting() -> Figures:
    """What an annotator waits for, at 100,000 items x 26 labels, while the default learner trains in the background."""
    rng = np.random.default_rng(0)
    n, onto = 100_000, flat()
    kind = rng.integers(K, size=n)
    truth = np.eye(K, dtype=np.int8)[kind]
    X = rng.normal(size=(n, 16)) + 1.5 * rng.normal(size=(K, 16))[kind]
    facts = np.where(np.arange(n)[:, None] < 3_000, truth, np.int8(-1))
    return _waits(Session(onto, X, facts=facts), truth)


def waiting_reading() -> Figures:
    """The same while a session reads: CLINC150, 5,500 texts x 160 labels, static embeddings, 600 texts known."""
    dataset, rows, known = _clinc150()
    facts = np.where(known[:, None], dataset.Y[rows], np.int8(-1))
    session = Session(
        dataset.onto,
        list(dataset.X[rows]),
        facts=facts,
        reading=Reading(encoder="static", meaning=dataset.meaning),
    )
    return _waits(session, dataset.Y[rows])


def waiting_campaign() -> Figures:
    """The same of a campaign that reads: every answer is on disk before the next question, yes or no."""
    dataset, rows, known = _clinc150()
    onto, truth = dataset.onto, dataset.Y[rows]
    facts = [
        (str(i), onto.labels[k], True)
        for i in np.flatnonzero(known)
        for k in np.flatnonzero(truth[i])
    ]
    items = [Item(str(i), text=str(text)) for i, text in enumerate(dataset.X[rows])]
    settings = {"encoder": "static", "retrain_every": 10**6, "pick": "never"}
    with (
        tempfile.TemporaryDirectory() as folder,
        Campaign.create(
            f"{folder}/x.sqlite", items, onto, name="x", settings=settings, facts=facts
        ) as campaign,
    ):

        def answer_and_next() -> None:
            (asked,) = campaign.next("lead")
            item, label = asked.item.id, asked.label
            campaign.answer("lead", item, label, bool(truth[int(item), onto.index[label]]))

        campaign.retrain(wait=True)
        resting = [timed(answer_and_next)[1] for _ in range(500)]
        out = _waits_of(
            answer_and_next,
            begin=campaign.retrain,
            is_training=lambda: campaign.progress()["training"]["training"],
        )
    return out | {
        "the same while nothing is trained, 99 %, ms": 1e3 * float(np.quantile(resting, 0.99))
    }


def _clinc150() -> tuple[co.Dataset, Any, Any]:
    """The data set, its test rows, and which of these are known."""
    try:
        dataset = co.load_dataset("clinc150")
    except CorollaryError as error:
        raise Missing(str(error)) from None
    rows = np.flatnonzero(dataset.test)
    return (
        dataset,
        rows,
        np.isin(np.arange(len(rows)), np.random.default_rng(0).permutation(len(rows))[:600]),
    )


def _waits(session: Session, truth: Any) -> Figures:
    def answer_and_next() -> None:
        (question,) = session.ask()
        session.answer(question, bool(truth[question.item, session.onto.index[question.label]]))

    session.ask()
    return _waits_of(
        answer_and_next,
        begin=lambda: session.retrain(wait=False),
        is_training=lambda: session.training,
    )


def _waits_of(
    answer_and_next: Callable[[], None],
    *,
    begin: Callable[[], Any],
    is_training: Callable[[], bool],
) -> Figures:
    """What someone waits for who answers while a model is trained, and taken up, three times.

    Beside it what the processor did meanwhile for that answer: on a busy machine the rest is waiting for a turn.
    """
    waits, worked = list[float](), list[float]()
    trainings, started = 3, time.perf_counter()
    for _ in range(trainings):
        begin()
        going_on = True
        while going_on:
            going_on = is_training()  # the last question takes up what was trained
            before = time.thread_time()
            waits.append(timed(answer_and_next)[1])
            worked.append(time.thread_time() - before)
            time.sleep(0.02)  # a person is slower than this
    shares = np.quantile(waits, [0.5, 0.99, 1.0])
    out: Figures = {
        "a training, seconds": (time.perf_counter() - started) / trainings,
        "questions": len(waits),
    }
    for name, wait in zip(("median", "99 %", "longest"), shares, strict=True):
        out[f"answer and next question, {name}, ms"] = 1e3 * float(wait)
    out["of that at work, 99 %, ms"] = 1e3 * float(np.quantile(worked, 0.99))
    out["targets"] = {"answer and next question, 99 %, ms": ("at most", 50)}
    return out


def memory() -> Figures:
    """Memory of a session of 1,000,000 items x 26 labels, in bytes a cell, beliefs not counted."""
    onto = flat()
    beliefs = np.full((1_000_000, K), 0.3)
    Session(onto, beliefs=beliefs[:1000]).ask()
    _, megabytes = peak_megabytes(lambda: Session(onto, beliefs=beliefs).ask())
    a_cell = 1e6 * megabytes / beliefs.size
    return {
        "megabytes": megabytes,
        "bytes a cell": a_cell,
        "targets": {"bytes a cell": ("at most", 12)},
    }


def peers() -> Figures:
    """Which question next, of 20,000 items x 26 labels, beliefs given: corollary beside installed peers."""
    rng = np.random.default_rng(0)
    beliefs = rng.uniform(0.001, 0.999, (20_000, K))
    onto = flat()
    score("posterior", beliefs[:100], onto)
    out: Figures = {}
    _, out["corollary posterior, one pair, ms"] = _milliseconds(
        lambda: score("posterior", beliefs, onto).argmax()
    )
    _, out["numpy entropy, one pair, ms"] = _milliseconds(lambda: numpy_entropy(beliefs).argmax())
    for name, ask in (
        ("modAL entropy, 26 labels by hand, ms", _modal),
        ("scikit-activeml entropy, 26 labels by hand, ms", _skactiveml),
        ("small-text prediction entropy, items only, ms", _small_text),
    ):
        try:
            _, out[name] = _milliseconds(lambda ask=ask: ask(beliefs))
        except ImportError as missing:
            out[name] = f"not installed ({missing.name})"
    return out


def _milliseconds(function: Callable[[], Any]) -> tuple[Any, float]:
    result, seconds = timed(function, repeat=3)
    return result, 1e3 * seconds


def _by_label(beliefs: Any) -> list[Any]:
    return [np.column_stack([1 - beliefs[:, k], beliefs[:, k]]) for k in range(K)]


def _modal(beliefs: Any) -> float:
    from modAL.uncertainty import _proba_entropy

    return max(float(np.max(_proba_entropy(p))) for p in _by_label(beliefs))


def _skactiveml(beliefs: Any) -> float:
    from skactiveml.pool import uncertainty_scores

    return max(float(np.max(uncertainty_scores(p, method="entropy"))) for p in _by_label(beliefs))


def _small_text(beliefs: Any) -> int:
    from small_text.query_strategies.strategies import PredictionEntropy

    class Given:
        def predict_proba(self, _rows: Any) -> Any:
            return beliefs

    strategy = PredictionEntropy()
    return int(np.argmax(strategy.score(Given(), None, None, None, None)))


CASES = {
    "scoring": scoring,
    "next-question": next_question,
    "waiting": waiting,
    "waiting, reading": waiting_reading,
    "waiting, a campaign that reads": waiting_campaign,
    "memory": memory,
    "peers": peers,
}
