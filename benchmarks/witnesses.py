"""Suite `witnesses`: truth and reliability from reports alone: real crowds, real classifiers, and very many reports."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import corollary as co

from . import Missing
from .meaning import loaded

#: Data sets of which several labels are tied by logic: single groups, and a tree of 46 labels.
DATA_SETS = ("segment", "satimage", "pendigits", "vowel", "hmc_imclef07d")
#: Items that each classifier learns from, a draw of its own; and runs with other draws.
KNOWN, MOST_JUDGED, SEEDS = 300, 3_000, (2, 3)
#: Answers of a crowd one by one: how many are asked for at once, after which shares of all it is looked at, and draws.
ROUND, SHARES, DRAWS = 100, (0.25, 0.33, 0.5, 0.75, 1.0), (0, 1, 2)
#: How much the share right of nearly all answers varies: this share of them, drawn so often.
NEARLY, DRAWN = 0.98, 20
Array = np.ndarray


def crowd(name: str, dawid_skene: float) -> dict[str, Any]:
    """Share of the items right: Consensus under exactly one, beside the methods of crowd-kit, in one run."""
    answers, truth = crowd_data(name)
    started = time.perf_counter()
    found = agreed(answers, truth)
    seconds = time.perf_counter() - started
    figures: dict[str, Any] = {
        "people": len(found.witnesses_),
        "answers": len(answers),
        "Consensus": round(share_right(found, truth), 4),
    }
    peers = crowd_kit(answers, truth)
    figures |= peers
    figures["Consensus, seconds"] = round(seconds, 2)
    best = max([share for share in peers.values() if isinstance(share, float)], default=dawid_skene)
    figures["targets"] = {"Consensus": ("at least", max(best, dawid_skene))}
    return figures


def crowd_data(name: str) -> tuple[Any, Any]:
    """What people said of which question, a frame, and the truth by question."""
    import pandas as pd

    folder = data_folder(name)
    return pd.read_csv(folder / "answers.csv"), pd.read_csv(folder / "truth.csv").set_index(
        "question"
    )["truth"]


def agreed(answers: Any, truth: Any) -> co.Consensus:
    """What follows from the answers, of all items that have a truth."""
    labels = [str(c) for c in sorted(truth.unique())]
    table = {
        "item": answers["question"],
        "label": answers["answer"].astype(str),
        "witness": answers["worker"],
    }
    onto = co.Ontology(labels, [co.exactly_one(*labels)])
    return co.Consensus(onto).fit(
        table | {"value": np.ones(len(answers))}, items=truth.index.tolist()
    )


def share_right(found: co.Consensus, truth: Any) -> float:
    return float((found.predict().argmax(axis=1) == truth.to_numpy()).mean())


def one_by_one() -> dict[str, Any]:
    """crowd_dog, its answers asked for a few at a time where they tell most: share right by share of answers taken.

    Nothing is known to begin with. One answer for each picture comes first, drawn at random; then, in rounds, the 100
    pictures of which one more answer tells most, each asked of the one among those who answered it who tells most.
    Beside it as many answers taken at random. Means over three draws; a range is the lowest and highest of them. And
    twenty draws of nearly all answers, which tell how far the share right of all of them is by chance; and, with
    hindsight, of each picture the answers of the five who prove best by all answers.
    """
    answers, truth = crowd_data("crowd_dog")
    runs = [asked_where_it_tells_most(answers, truth, seed) for seed in DRAWS]
    plain = [taken_at_random(answers, truth, seed) for seed in DRAWS]
    figures: dict[str, Any] = {}
    for share in SHARES:
        for way, found in (("chosen", runs), ("at random", plain)):
            right = [run[share] for run in found]
            figures[f"{share:.0%}, {way}"] = round(float(np.mean(right)), 4)
            figures[f"{share:.0%}, {way}, range"] = [round(min(right), 4), round(max(right), 4)]
    nearly = [taken_at_random(answers, truth, seed, (NEARLY,))[NEARLY] for seed in range(DRAWN)]
    figures[f"{NEARLY:.0%}, at random"] = round(float(np.mean(nearly)), 4)
    figures[f"{NEARLY:.0%}, at random, range"] = [round(min(nearly), 4), round(max(nearly), 4)]
    figures["50%, of those who prove best"] = round(of_the_best(answers, truth), 4)
    figures["targets"] = {"50%, chosen": ("at least", figures["100%, at random"])}
    return figures


def asked_where_it_tells_most(answers: Any, truth: Any, seed: int) -> dict[float, float]:
    """Share right by share of the answers taken."""
    n, right = len(answers), {}
    drawn = np.random.default_rng(seed).permutation(n)
    first = answers["question"].iloc[drawn].drop_duplicates().index.to_numpy()
    taken = np.zeros(n, np.bool_)
    taken[first] = True
    row = {question: i for i, question in enumerate(truth.index)}
    item, who = answers["question"].map(row).to_numpy(), answers["worker"].to_numpy()
    for share in SHARES:
        while taken.sum() < round(share * n):
            found = agreed(answers[taken], truth)
            worth = np.zeros(n)
            for person in np.unique(who):
                worth[who == person] = found.pick_worth(person)[item[who == person]]
            left = drawn[~taken[drawn]]
            left = left[np.argsort(-worth[left], kind="stable")]
            _, best = np.unique(
                item[left], return_index=True
            )  # of each item, the answer that tells most
            taken[left[np.sort(best)][: min(ROUND, round(share * n) - taken.sum())]] = True
        right[share] = share_right(agreed(answers[taken], truth), truth)
    return right


def taken_at_random(
    answers: Any, truth: Any, seed: int, shares: tuple[float, ...] = SHARES
) -> dict[float, float]:
    drawn = np.random.default_rng(seed).permutation(len(answers))
    return {
        share: share_right(
            agreed(answers.iloc[np.sort(drawn[: round(share * len(drawn))])], truth), truth
        )
        for share in shares
    }


def of_the_best(answers: Any, truth: Any) -> float:
    """Share right by half of the answers to each picture: of those whom all answers show to be right most often."""
    by_all = agreed(answers, truth).accuracy_
    right = answers["worker"].map(
        {who: float(of_labels.mean()) for who, of_labels in by_all.items()}
    )
    rank = right.groupby(answers["question"]).rank(method="first", ascending=False)
    half = answers.groupby("question")["worker"].transform("size") / 2
    return share_right(agreed(answers[rank <= half], truth), truth)


def crowd_kit(answers: Any, truth: Any) -> dict[str, Any]:
    """What crowd-kit's methods make of the same answers."""
    try:
        from crowdkit import aggregation
    except ImportError:
        return {"crowd-kit": "not installed"}
    table = answers.rename(columns={"question": "task", "worker": "worker", "answer": "label"})
    methods = {
        "majority": aggregation.MajorityVote(),
        "one-coin Dawid-Skene": aggregation.OneCoinDawidSkene(n_iter=100),
        "Dawid-Skene": aggregation.DawidSkene(n_iter=100),
        "GLAD": aggregation.GLAD(),
        "MACE": aggregation.MACE(random_state=0),
        "MMSR": aggregation.MMSR(random_state=0),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            f"crowd-kit {name}": round(
                float((method.fit_predict(table).reindex(truth.index) == truth).mean()), 4
            )
            for name, method in methods.items()
        }


def accuracies() -> dict[str, Any]:
    """Accuracy of five classifiers for each label without one true label: mean absolute error, in points of 100.

    Each classifier learns from half of the features and 300 items of its own; the rest is judged. `held` is how many of
    the intervals of 90 % have the true value in them.
    """
    figures: dict[str, Any] = {}
    every: dict[str, list[Array]] = {}
    for name in DATA_SETS:
        errors: dict[str, list[Array]] = {}
        for seed in SEEDS:
            onto, said, truth = classifiers(name, seed)
            for way, error in judged(onto, said, truth).items():
                errors.setdefault(way, []).append(error.ravel())
        for way, found in errors.items():
            every.setdefault(way, []).append(np.concatenate(found))
            figures[f"{name}: {way}"] = _shown(way, np.concatenate(found))
    means = {way: float(np.mean([found.mean() for found in each])) for way, each in every.items()}
    for way, each in every.items():
        figures[f"all: {way}"] = _shown(way, np.array([found.mean() for found in each]))
    others = min(mean for way, mean in means.items() if way not in ("with the logic", "held"))
    figures["targets"] = {
        "all: with the logic": ("at most", round(100 * others, 2)),
        "all: held": ("at least", 0.8),
    }
    return figures


def _shown(way: str, values: Array) -> float:
    return round(float(values.mean()), 3) if way == "held" else round(100 * float(values.mean()), 2)


def classifiers(name: str, seed: int) -> tuple[co.Ontology, Array, Array]:
    """What five classifiers say of items they have not seen (classifier, item, label), and the truth."""
    dataset, rng = loaded(name), np.random.default_rng(seed)
    X = np.nan_to_num(np.asarray(dataset.X, float))
    X = (X - X.mean(axis=0)) / (X.std(axis=0) + 1e-9)
    Y, order = np.asarray(dataset.Y), rng.permutation(len(X))
    judged_rows, others = np.split(order, [min(MOST_JUDGED, len(X) // 2)])
    said = []
    for kind in (
        LogisticRegression(max_iter=300),
        GaussianNB(),
        RandomForestClassifier(40, random_state=0),
        KNeighborsClassifier(15),
        LogisticRegression(C=0.01, max_iter=300),
    ):
        columns = rng.choice(X.shape[1], X.shape[1] // 2, replace=False)
        rows = rng.choice(others, min(KNOWN, len(others) // 2), replace=False)
        known, asked = X[np.ix_(rows, columns)], X[np.ix_(judged_rows, columns)]
        said.append(
            np.stack([_label(kind, known, Y[rows, k], asked) for k in range(Y.shape[1])], axis=1)
        )
    return dataset.onto, np.array(said), Y[judged_rows]


def _label(kind: Any, X: Array, y: Array, asked: Array) -> Array:
    if y.min() == y.max():
        return np.full(len(asked), (y.sum() + 0.5) / (len(y) + 1))
    return np.asarray(clone(kind).fit(X, y).predict_proba(asked)[:, 1])


def judged(onto: co.Ontology, said: Array, truth: Array) -> dict[str, Array]:
    """Absolute errors of each way to estimate accuracies (classifier, label), and which intervals held."""
    votes = said > 0.5
    true = (votes == truth).mean(axis=1)
    reports = dict(enumerate(said))
    tied, free = (
        co.Consensus(onto).fit(reports),
        co.Consensus(co.Ontology(onto.labels)).fit(reports),
    )
    majority = votes.mean(axis=0) > 0.5
    ways = {
        "with the logic": np.array([tied.accuracy_[w] for w in reports]),
        "without the logic": np.array([free.accuracy_[w] for w in reports]),
        "majority": (votes == majority).mean(axis=1),
        "mean probability": _agreement(votes, said.mean(axis=0)),
        "mean probability, logic after": _agreement(votes, onto.posterior(said.mean(axis=0))),
        "agreement of pairs": np.stack(
            [agreement_of_pairs(votes[:, :, k]) for k in range(votes.shape[2])], axis=1
        ),
    }
    low, high = np.array([tied.accuracy_interval_[w] for w in reports]).swapaxes(0, 1)
    found = {way: np.abs(estimate - true) for way, estimate in ways.items()}
    return found | {"held": ((low - 1e-12 <= true) & (true <= high + 1e-12)).astype(float)}


def _agreement(votes: Array, chance: Array) -> Array:
    return np.asarray(np.where(votes, chance, 1 - chance).mean(axis=1))


def agreement_of_pairs(votes: Array) -> Array:
    """Accuracies under which pairs agree as often as they do, if errors were independent: 1 - a - b + 2 a b."""
    pairs = list(combinations(range(len(votes)), 2))
    agree = np.array([(votes[a] == votes[b]).mean() for a, b in pairs])
    first, second = np.array(pairs).T

    def off(error: Array) -> float:
        return float(
            (
                (1 - error[first] - error[second] + 2 * error[first] * error[second] - agree) ** 2
            ).sum()
        )

    return 1 - np.asarray(minimize(off, np.full(len(votes), 0.1), bounds=[(0, 0.5)] * len(votes)).x)


def million(kind: str) -> dict[str, Any]:
    """A thousand witnesses and a million reports: seconds from the table to posterior, accuracies and intervals."""
    rng = np.random.default_rng(0)
    n_witnesses, n = 1_000, 1_000_000
    witness, skill = rng.integers(n_witnesses, size=n), rng.uniform(0.6, 0.95, n_witnesses)
    if kind == "choices":
        labels = [f"c{k}" for k in range(10)]
        onto = co.Ontology(labels, [co.exactly_one(*labels)])
        truth = np.eye(10, dtype=np.int8)[rng.integers(10, size=50_000)]
        item = np.repeat(np.arange(50_000), 20)
        label = np.where(
            rng.random(n) < skill[witness], truth.argmax(axis=1)[item], rng.integers(10, size=n)
        )
        value = np.ones(n)
    else:
        labels = [f"c{k}" for k in range(20)]
        onto = co.Ontology(
            labels,
            [
                co.subsumes(*labels[:6]),
                co.exclusive(*labels[1:6]),
                co.subsumes(*labels[6:12]),
                co.subsumes("c7", *labels[12:]),
            ],
        )
        truth = onto.most_probable(rng.random((10_000, 20)))
        item, label = rng.integers(10_000, size=n), rng.integers(20, size=n)
        so = truth[item, label]
        value = np.where(rng.random(n) < skill[witness], so, 1 - so).astype(float)
        if kind == "probabilities":
            value = 1 / (
                1 + np.exp(-((2 * so - 1) * 3 * (skill[witness] - 0.5) + rng.standard_normal(n)))
            )
    table = {"item": item, "label": np.array(labels)[label], "witness": witness, "value": value}
    started = time.perf_counter()
    found = co.Consensus(onto).fit(table, items=range(len(truth)))
    seconds = time.perf_counter() - started
    return {
        "seconds": round(seconds, 1),
        "steps": found.n_iter_,
        "labels right": round(float((found.predict() == truth[: len(found.items_)]).mean()), 4),
        "targets": {"seconds": ("at most", 60)},
    }


def data_folder(name: str) -> Path:
    for folder in (
        os.environ.get("COROLLARY_DATA"),
        Path(__file__).parents[2] / "shared" / "datasets",
    ):
        if folder and (Path(folder) / name).is_dir():
            return Path(folder) / name
    raise Missing(
        f"{name} is not on this machine; COROLLARY_DATA names the folder of the data sets"
    )


def _case(function: Callable[..., dict[str, Any]], *arguments: Any) -> Callable[[], dict[str, Any]]:
    case = partial(function, *arguments)
    case.__doc__ = function.__doc__
    return case


CASES = {
    "crowd_dog": _case(crowd, "crowd_dog", 0.845),
    "crowd_duck": _case(crowd, "crowd_duck", 0.8889),
    "crowd_dog, one by one": one_by_one,
    "accuracies": accuracies,
    "million votes": _case(million, "votes"),
    "million choices": _case(million, "choices"),
    "million probabilities": _case(million, "probabilities"),
}
