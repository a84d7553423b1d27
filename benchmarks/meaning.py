"""Suite `meaning`: what reading labels and items is worth, from nothing known, on CLINC150 and the demo's things."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from scipy.special import expit

import corollary as co
from corollary.experiment.metrics import weighted_auc
from corollary.learning.features.encoded import Encoded
from corollary.learning.learners.meaning import Meaning
from corollary.learning.learners.pool import Pool
from corollary.learning.meaning.encoders import Encoding, make_encoder
from corollary.learning.meaning.names_in_texts import NamesInTexts
from corollary.learning.meaning.reader import read_items
from corollary.learning.meaning.sentences import Sentences
from corollary.learning.meaning.static import Static
from corollary.learning.session.options import grouped
from corollary.logic.errors import CorollaryError

from . import Missing, named_diseases

#: Questions between two trainings, and after how many the figures are taken.
ROUNDS = {"clinc150": (100, (0, 300, 600, 1200, 1800, 2400)), "things": (10, (0, 50, 100, 300))}
SEEDS = 3
#: By the letter alone, so many questions are enough to see.
LEXICAL_UPTO = 300
AIMS = {  # AUC and share of items wholly right, after so many questions
    ("clinc150", "sentences"): {0: (0.0, 0.70), 1200: (0.0, 0.93), 2400: (0.0, 0.975)},
    ("clinc150", "static"): {0: (0.70, 0.52), 600: (0.81, 0.67), 2400: (0.94, 0.85)},
    ("clinc150", "lexical"): {0: (0.59, 0.48)},
    ("things", "static"): {0: (0.78, 0.0), 300: (0.92, 0.0)},
}
#: After so many picks so many items are to be wholly right.
PICKS, AIMED = (500, 1000), (0.75, 0.88)
#: A guess counts as sure if all its labels are more probable than this.
SURE = 0.9
#: Weights of features shrunk to nothing: what the slopes alone are worth.
NOTHING = 1e9


def from_nothing(name: str, encoder: str) -> dict[str, Any]:
    """Nothing known at first, questions by `posterior`: AUC and share of items wholly right, mean of three seeds."""
    onto, X, Y, meaning = data(name)
    last = LEXICAL_UPTO if encoder == "lexical" else ROUNDS[name][1][-1]
    check_installed(encoder)
    read = read_items(onto, X, encoder=encoder, meaning=meaning)
    runs = [run(name, onto, read, Y, upto=last, random_state=seed) for seed in range(SEEDS)]
    figures: dict[str, Any] = {}
    targets: dict[str, tuple[str, float]] = {}
    for asked in runs[0]:
        for k, what in enumerate(("AUC", "right")):
            key = f"{asked:,} questions: {what}"
            figures[key] = round(float(np.mean([one[asked][k] for one in runs])), 4)
            aim = AIMS.get((name, encoder), {}).get(asked)
            if aim is not None and aim[k]:
                targets[key] = ("at least", aim[k])
    spread = [
        max(one[asked][k] for one in runs) - min(one[asked][k] for one in runs)
        for asked in runs[0]
        for k in (0, 1)
    ]
    return figures | {"largest difference of seeds": round(max(spread), 4), "targets": targets}


def picks(name: str, encoder: str) -> dict[str, Any]:
    """Nothing known at first, people pick which it is, in diverse rounds: share wholly right, mean of three seeds."""
    onto, X, Y, meaning = data(name)
    read = read_items(onto, X, encoder=encoder, meaning=meaning)
    every = range(0, PICKS[-1] + 1, 100)
    runs = [
        run(name, onto, read, Y, every=every, pick="always", diverse=True, random_state=k)
        for k in range(SEEDS)
    ]
    figures: dict[str, Any] = {}
    for asked in every:
        for k, what in enumerate(("AUC", "right")):
            figures[f"{asked:,} picks: {what}"] = round(
                float(np.mean([one[asked][k] for one in runs])), 4
            )
    spread = [max(one[n][1] for one in runs) - min(one[n][1] for one in runs) for n in PICKS]
    targets = {
        f"{n:,} picks: right": ("at least", aim) for n, aim in zip(PICKS, AIMED, strict=True)
    }
    return figures | {"largest difference of seeds": round(max(spread), 4), "targets": targets}


def parts(name: str, encoder: str) -> dict[str, Any]:
    """What each part adds: similarity, logic, examples; after some questions slopes, weights, the pool, `posterior`."""
    onto, X, Y, meaning = data(name)
    read = read_items(onto, X, encoder=encoder, meaning=meaning)
    nothing = np.full(Y.shape, -1, np.int8)
    model = Meaning(onto).fit(read, nothing)
    scores = model.first_scores(read)
    asked = ROUNDS[name][1][2]
    figures = {
        "0 questions, similarity alone: AUC": weighted_auc(expit(scores), Y == 1),
        "0 questions, + logic: AUC": weighted_auc(onto.posterior(expit(scores)), Y == 1),
        "0 questions, + examples: AUC": weighted_auc(
            onto.posterior(model.predict_proba(read)), Y == 1
        ),
    }
    learners: Mapping[str, Callable[[], Any]] = {
        "slopes": lambda: Meaning(onto, l2=NOTHING),
        "slopes and weights": lambda: Meaning(onto),
        "the pool": lambda: Pool(onto),
    }
    for told, learner in learners.items():
        found = run(
            name, onto, X, Y, encoder=encoder, meaning=meaning, learner=learner(), upto=asked
        )[asked]
        figures[f"{asked} questions, {told}: AUC"], figures[f"{asked} questions, {told}: right"] = (
            found
        )
    found = run(name, onto, X, Y, encoder=encoder, meaning=meaning, score="random", upto=asked)[
        asked
    ]
    (
        figures[f"{asked} questions at random, the pool: AUC"],
        figures[f"{asked} questions at random, the pool: right"],
    ) = found
    return {key: round(float(value), 4) for key, value in figures.items()}


def misleading(name: str) -> dict[str, Any]:
    """Names dealt out at random to other labels, three times, beside none: to 95 % of what these reach at the end."""
    onto, X, Y, meaning = data(name)
    read = read_items(onto, X, meaning=meaning)
    per_round, at = ROUNDS[name]
    every = range(0, at[-1] + 1, per_round)

    def asked(names: Encoded) -> dict[int, tuple[float, float]]:
        return run(name, onto, names, Y, every=every)

    none, misled = asked(Encoded(read.features, read.similarities[:0], ())), []
    for seed in range(SEEDS):
        dealt = np.random.default_rng(seed).permutation(len(onto))
        misled.append(asked(Encoded(read.features, read.similarities[:, :, dealt], read.kinds)))
    goal = 0.95 * none[at[-1]][0]
    first, *others = (
        next((n for n in every if found[n][0] >= goal), None) for found in (none, *misled)
    )
    return {
        "AUC to reach": round(goal, 3),
        "no names: questions": first,
        "misleading names: questions": others,
        "no names: AUC at the end": round(none[at[-1]][0], 3),
        "misleading names: AUC at the end": [round(found[at[-1]][0], 3) for found in misled],
        "misleading names that get there": sum(n is not None for n in others),
        "targets": {"misleading names that get there": ("at least", SEEDS)},
    }


def speed_of_sentences() -> dict[str, Any]:
    """10,000 short texts by sentence embeddings, on all cores."""
    check_installed("sentences")
    texts = [f"{text} {n}" for n, text in enumerate(loaded("clinc150").X[:10_000])]
    began = time.perf_counter()
    Encoding(Sentences()).of(texts)
    seconds = round(time.perf_counter() - began, 2)
    return {
        "10,000 texts, seconds": seconds,
        "targets": {"10,000 texts, seconds": ("at most", 60)},
    }


def names(encoder: str) -> dict[str, Any]:
    """200 notes with a name or synonym of one of 536 diseases, nothing answered: mean of three seeds."""
    right, sure, sure_right = [], [], []
    for seed in range(SEEDS):
        onto, texts, Y, meaning = named_diseases.make(seed)
        read = read_items(onto, texts, encoder=encoder, meaning=meaning)
        model = Meaning(onto).fit(read, np.full(Y.shape, -1, np.int8))
        beliefs = onto.posterior(model.predict_proba(read))
        guessed = onto.most_probable(beliefs)
        whole = (guessed == Y).all(axis=1)
        over = np.where(guessed == 1, beliefs, np.inf).min(axis=1)  # the least sure of the labels
        over = (over > SURE) & (guessed == 1).any(axis=1)
        right.append(whole.mean())
        sure.append(over.mean())
        sure_right.append(whole[over].mean())
    return {
        "wholly right": round(float(np.mean(right)), 3),
        f"guesses over {SURE}": round(float(np.mean(sure)), 3),
        f"guesses over {SURE}: right": round(float(np.mean(sure_right)), 3),
        "targets": {
            "wholly right": ("at least", 0.85),
            f"guesses over {SURE}: right": ("at least", 0.9),
        },
    }


def search() -> dict[str, Any]:
    """10,000 names of one to three words, looked for in 100,000 texts of 30 words."""
    rng = np.random.default_rng(0)
    vocabulary = [f"word{n}" for n in range(20_000)]
    texts = [
        " ".join(vocabulary[n] for n in words)
        for words in rng.integers(len(vocabulary), size=(100_000, 30)).tolist()
    ]
    names = [
        [" ".join(vocabulary[n] for n in words[: 1 + k % 3])]
        for k, words in enumerate(rng.integers(len(vocabulary), size=(10_000, 3)).tolist())
    ]
    began = time.perf_counter()
    NamesInTexts(names)(texts)
    return {
        "seconds": round(time.perf_counter() - began, 1),
        "targets": {"seconds": ("at most", 10)},
    }


def speed() -> dict[str, Any]:
    """100,000 short texts by static embeddings, and a fit at 22,500 x 160 with 2,400 items known."""
    dataset = loaded("clinc150")
    texts = [f"{text} {n}" for n, text in enumerate((list(dataset.X) * 5)[:100_000])]
    began = time.perf_counter()
    Encoding(Static()).of(texts)
    encoding = time.perf_counter() - began
    rows = np.random.default_rng(0).permutation(len(dataset))[:22_500]
    read = read_items(dataset.onto, list(dataset.X[rows]))
    known = np.full((len(rows), len(dataset.onto)), -1, np.int8)
    known[:2400] = dataset.Y[rows[:2400]]
    began = time.perf_counter()
    Meaning(dataset.onto).fit(read, known)
    return {
        "100,000 texts, seconds": round(encoding, 2),
        "fit at 22,500 x 160, seconds": round(time.perf_counter() - began, 2),
        "targets": {
            "100,000 texts, seconds": ("at most", 20),
            "fit at 22,500 x 160, seconds": ("at most", 15),
        },
    }


def run(
    name: str,
    onto: co.Ontology,
    X: Any,
    Y: np.ndarray,
    *,
    upto: int | None = None,
    every: range | None = None,
    **options: Any,
) -> dict[int, tuple[float, float]]:
    """AUC and share of items wholly right, by how many questions were asked."""
    per_round, at = ROUNDS[name]
    at = tuple(every or at)
    last = at[-1] if upto is None else upto
    session = co.Session(onto, X, **grouped(options))
    found = {}
    for asked in range(0, last + 1, per_round):
        if asked:
            session.answer_from(Y, per_round)
        session.retrain()
        if asked in at:
            right = float((session.predict() == Y).all(axis=1).mean())
            found[asked] = (weighted_auc(session.posterior, Y == 1), right)
    return found


def data(name: str) -> tuple[co.Ontology, list[str], np.ndarray, Any]:
    dataset = loaded(name)
    rows = np.flatnonzero(dataset.test) if name == "clinc150" else np.arange(len(dataset))
    return dataset.onto, list(dataset.X[rows]), dataset.Y[rows], dataset.meaning


def check_installed(encoder: str) -> None:
    """Say what is missing where the packages of an encoder are not there."""
    try:
        make_encoder(encoder)
    except CorollaryError as error:
        raise Missing(str(error)) from None


def loaded(name: str) -> co.Dataset:
    try:
        return co.load_dataset(name)
    except CorollaryError as error:
        raise Missing(str(error)) from None


def _case(function: Callable[..., dict[str, Any]], *arguments: str) -> Callable[[], dict[str, Any]]:
    case = partial(function, *arguments)
    case.__doc__ = function.__doc__  # type: ignore[misc]
    return case


CASES = {
    "clinc150, sentences": _case(from_nothing, "clinc150", "sentences"),
    "clinc150, static": _case(from_nothing, "clinc150", "static"),
    "clinc150, lexical": _case(from_nothing, "clinc150", "lexical"),
    "clinc150, picks": _case(picks, "clinc150", "static"),
    "things, static": _case(from_nothing, "things", "static"),
    "things, lexical": _case(from_nothing, "things", "lexical"),
    "parts, clinc150": _case(parts, "clinc150", "static"),
    "parts, things": _case(parts, "things", "static"),
    "misleading names, clinc150": _case(misleading, "clinc150"),
    "misleading names, things": _case(misleading, "things"),
    "names, static": _case(names, "static"),
    "names, lexical": _case(names, "lexical"),
    "names, search": search,
    "speed": speed,
    "speed of sentences": speed_of_sentences,
}
