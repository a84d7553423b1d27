"""Suite `machines`: what machines that are witnesses do to a campaign's model; good ones, and all sorts of bad ones."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.campaign.storage.reported import Reported
from corollary.campaign.training.machine_witnesses import fold, reports_of
from corollary.learning.learners.learner import make_learner
from corollary.logic.errors import CorollaryError

from . import Missing
from .diverse import ONTOLOGIES

SEEDS = 3
KNOWN = (0, 20, 50, 100)
#: Items of the campaign on CLINC150, and texts from which its machine learnt.
ITEMS, LEARNT = 2_000, 3_000


def before_the_first_answer() -> dict[str, Any]:
    """A campaign on texts of CLINC150, read by the letter: share of items wholly right with a machine, and without."""
    try:
        dataset = co.load_dataset("clinc150")
    except CorollaryError as error:
        raise Missing(str(error)) from None
    rows = np.random.default_rng(0).permutation(len(dataset))[: ITEMS + LEARNT]
    texts, truth, onto = [dataset.X[row] for row in rows], dataset.Y[rows], dataset.onto
    worlds, kind = np.unique(truth, axis=0, return_inverse=True)
    model = LogisticRegression(C=10.0, max_iter=200)
    read = TfidfVectorizer(sublinear_tf=True).fit(texts[ITEMS:])
    model.fit(read.transform(texts[ITEMS:]), kind[ITEMS:])
    chances = model.predict_proba(read.transform(texts[:ITEMS]))
    votes, yes = worlds[model.classes_[chances.argmax(axis=1)]], chances @ worlds[model.classes_]
    truth = truth[:ITEMS]
    found: dict[str, Any] = {"the machine alone": right(votes, truth)}
    for name, said in (
        ("nothing", None),
        ("yes and no", votes),
        ("probabilities", yes.clip(0.0, 1.0)),
    ):
        share, seconds = campaign_right(texts[:ITEMS], onto, truth, said)
        found |= {f"{name}, share right": share, f"{name}, seconds of the training": seconds}
    return found


def campaign_right(
    texts: list[str], onto: co.Ontology, truth: np.ndarray, said: np.ndarray | None
) -> tuple[float, float]:
    """The share of items wholly right in a campaign before any answer, and how long its training took."""
    items = [{"id": str(n), "text": text} for n, text in enumerate(texts)]
    settings = {"encoder": "lexical", "retrain_every": 10**6}
    with tempfile.TemporaryDirectory() as folder, Campaign.create(
        Path(folder) / "c.sqlite", items, onto, name="clinc", settings=settings
    ) as campaign:  # fmt: skip
        if said is not None:
            cells = [
                (str(n), label, p)
                for n, row in enumerate(said)
                for label, p in zip(onto.labels, row, strict=True)
            ]
            campaign.report("lead", "machine", cells)
        campaign.retrain(wait=True)
        detail = campaign.state.model.detail
        return right(campaign.state.session.predict(), truth), detail["seconds"]


def of_all_sorts(text: str) -> dict[str, Any]:
    """Digits, some of them labelled: share of the others that are wholly right, by what machines say; three draws."""
    onto, data = co.Ontology.parse(text), load_digits()
    facts = np.full((len(data.target), len(onto)), -1, np.int8)
    facts[np.arange(len(facts)), [onto.index[f"d{d}"] for d in data.target]] = 1
    truth = (onto.propagate(facts) == 1).astype(np.int8)
    worlds = np.array([truth[data.target == d][0] for d in range(10)])
    found: dict[str, list[float]] = {}
    for seed in range(SEEDS):
        rng = np.random.default_rng(seed)
        order = rng.permutation(len(truth))
        other, rows = order[:100], order[100:]  # the machine learnt from others
        kind, X, Y, n = data.target[rows], data.data[rows], truth[rows], len(rows)
        model = LogisticRegression(max_iter=500).fit(data.data[other], data.target[other])
        good, half = model.predict(X), np.where(rng.random(n) < 0.5, kind, rng.integers(10, size=n))
        bad = (kind + rng.integers(1, 10, size=n)) % 10
        soft = model.predict_proba(X) @ worlds
        machines: dict[str, list[np.ndarray]] = {
            "nothing": [],
            "a classifier, yes and no": [worlds[good]],
            "a classifier, probabilities": [soft.clip(0.0, 1.0)],
            "one that is half right": [worlds[half]],
            "one that is always wrong": [worlds[bad]],
            "one that says no": [np.zeros(Y.shape)],
            "one that says anything": [worlds[rng.integers(10, size=n)]],
            "anything, as probabilities": [rng.random(Y.shape)],
            "the classifier and five copies of the wrong one": [worlds[good], *[worlds[bad]] * 5],
        }
        found.setdefault("the classifier alone", []).append(right(worlds[good], Y))
        for known in KNOWN:
            facts = np.full(Y.shape, -1, np.int8)
            facts[:known] = Y[:known]
            beliefs = make_learner("crf", onto=onto, random_state=0).fit(X, facts).predict_proba(X)
            for name, said in machines.items():
                heard = [(f"machine {k}", reported(one, onto)) for k, one in enumerate(said)]
                folded = fold(onto, beliefs, facts, reports_of(heard, onto, len(facts)))[0]
                share = right(onto.most_probable(folded, facts)[known:], Y[known:])
                found.setdefault(f"{known} known, {name}", []).append(share)
    return {name: round(float(np.mean(shares)), 3) for name, shares in found.items()}


def reported(said: np.ndarray, onto: co.Ontology) -> Reported:
    item, label = (one.ravel().astype(np.int32) for one in np.indices(said.shape))
    return Reported(onto.labels, item, label, said.ravel().astype(np.float32))


def right(found: np.ndarray, truth: np.ndarray) -> float:
    return round(float((found == truth).all(axis=1).mean()), 3)


def _case(text: str) -> Callable[[], dict[str, Any]]:
    case = partial(of_all_sorts, text)
    case.__doc__ = of_all_sorts.__doc__  # type: ignore[misc]
    return case


CASES = {"clinc150": before_the_first_answer} | {
    name: _case(text) for name, text in ONTOLOGIES.items()
}
