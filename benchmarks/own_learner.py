"""Suite `own_learner`: how questions are chosen for a learner that people bring, on development data.

It learns each label alone. By the posterior's entropy, staying on an item while it is worth it, as for fields; by what
sessions do by themselves, `contrast` and items settled; by one of these alone; and by margin, item for item.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import corollary as co
from corollary.experiment.data.datasets import draw_split
from corollary.learning.meaning.encoders import make_encoder
from corollary.learning.session.options import grouped
from corollary.logic.errors import CorollaryError
from evidence.reports.intervals import ratio_interval
from evidence.simulation import simulate

from . import Missing, contrast

TARGETS = (0.99, 0.999)
SEEDS = (0, 1)
#: The method, and how it stays; the first is what the others are held against.
WAYS: dict[str, Mapping[str, Any]] = {
    "posterior, staying": {"method": "posterior", "stay": "item"},
    "posterior, settling": {"method": "posterior", "stay": "settle"},
    "contrast, staying": {"method": "contrast", "stay": "item"},
    "contrast, settling": {"method": "contrast", "stay": "settle"},
    "items by margin": {"method": "margin:items"},
}
DATA = (*contrast.FEW, "digits, one of ten")
#: Domains of CLINC150, on which what is said of texts may be developed; so many texts of each intent.
DOMAINS = (("auto_and_commute", "home"), ("meta", "travel"))
EACH = 40


def queries(domains: Sequence[str], seed: int) -> tuple[list[str], Any, co.Ontology]:
    """Customer queries of two domains with their intents, some of each, drawn by chance."""
    try:
        whole = co.load_dataset("clinc150")
    except CorollaryError as error:
        raise Missing(str(error)) from None
    place = whole.onto.index
    among = whole.train & whole.Y[:, [place[one] for one in domains]].any(axis=1)
    intents = {
        domain: [
            label
            for k, label in enumerate(whole.onto.labels)
            if label != domain and whole.Y[among & (whole.Y[:, place[domain]] == 1), k].any()
        ]
        for domain in domains
    }
    rng = np.random.default_rng(seed)
    rows = np.concatenate(
        [
            rng.choice(
                np.flatnonzero(among & (whole.Y[:, place[intent]] == 1)), EACH, replace=False
            )
            for some in intents.values()
            for intent in some
        ]
    )
    rules = [co.exactly_one(*domains)]
    for domain, some in intents.items():
        rules += [co.exclusive(*some), *(co.implies(intent, domain) for intent in some)]
    labels = [*domains, *(intent for some in intents.values() for intent in some)]
    return (
        [str(whole.X[i]) for i in rows],
        whole.Y[np.ix_(rows, [place[one] for one in labels])],
        co.Ontology(labels, rules),
    )


def as_vectors(domains: Sequence[str], seed: int) -> tuple[Any, Any, co.Ontology]:
    """The same as the vectors that an encoder makes of them."""
    texts, Y, onto = queries(domains, seed)
    encoder = make_encoder("auto")
    if encoder is None:
        raise Missing("texts become vectors by the extra `text`: pip install 'corollary[text]'")
    return np.asarray(encoder.encode(texts)), Y, onto


def questions(
    made: tuple[Any, Any, co.Ontology], way: Mapping[str, Any], learner: object, seed: int
) -> list[int]:
    """Questions to each target, reached and kept, from three known items a label."""
    X, Y, onto = made
    known = draw_split(Y, len(Y) // 3, seed=seed, covering=True)
    curve = simulate(
        co.Dataset(X, Y, onto, train=known, name="development"),
        learner=learner,
        per_round="auto",
        start=3,
        until=TARGETS[-1],
        balanced=False,
        random_state=seed,
        **grouped(way),
    )
    reached = [curve.questions_to(target, kept=True) for target in TARGETS]
    return [asked for asked in reached if asked is not None]


def beside(learner: object, makers: Sequence[Callable[[int], Any]]) -> dict[str, Any]:
    """Questions in times of those by the posterior, staying: in all, with the interval over data sets and seeds."""
    found = {
        words: [[questions(make(seed), way, learner, seed) for seed in SEEDS] for make in makers]
        for words, way in WAYS.items()
    }
    first = found[next(iter(WAYS))]
    figures: dict[str, Any] = {}
    for place, target in enumerate(TARGETS):
        for words, runs in found.items():
            asked = [[run[place] for run in some] for some in runs]
            figures[f"{words}, to {target}, questions"] = [
                round(float(np.mean(some)), 1) for some in asked
            ]
            if runs is not first:
                times = ratio_interval(asked, [[[run[place] for run in some]] for some in first])
                figures[f"{words}, to {target}, times"] = round(times.value, 3)
                figures[f"{words}, to {target}, times from to"] = [
                    round(times.low, 3),
                    round(times.high, 3),
                ]
    return figures


def _case(learner: object, makers: Sequence[Callable[[int], Any]]) -> Callable[[], dict[str, Any]]:
    case = partial(beside, learner, makers)
    case.__doc__ = beside.__doc__
    return case


NUMBERS = [contrast.DATA[name] for name in DATA]
CASES: dict[str, Callable[[], dict[str, Any]]] = {
    "the paper's logistic regression": _case("logistic", NUMBERS),
    "scikit-learn's logistic regression": _case(LogisticRegression(max_iter=500), NUMBERS),
    "scikit-learn's random forest": _case(RandomForestClassifier(20, random_state=0), NUMBERS),
    "scikit-learn's logistic regression, texts": _case(
        make_pipeline(TfidfVectorizer(), LogisticRegression(C=10.0, max_iter=500)),
        [partial(queries, domains) for domains in DOMAINS],
    ),
    "scikit-learn's logistic regression, texts as vectors": _case(
        LogisticRegression(C=10.0, max_iter=500),
        [partial(as_vectors, domains) for domains in DOMAINS],
    ),
}
