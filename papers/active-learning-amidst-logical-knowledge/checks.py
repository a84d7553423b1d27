"""The paper's theory in figures (claims 1, 2 and 8): exhaustive sums, the data sets' beliefs, and a clock.

`python checks.py [--quick]` writes checks.json beside the results.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

import numpy as np
from curves import HERE, SINGLE_EXCLUSION

from corollary import Ontology, exclusive
from corollary.experiment.data.datasets import Dataset, load_dataset
from corollary.experiment.simulation import surplus_negatives
from corollary.learning.choosing.scores import score
from corollary.learning.session.options import Experiment
from corollary.learning.session.session import Session

Floats = np.ndarray[Any, np.dtype[np.float64]]
#: Information gains that differ by less than this are a tie.
TIE = 1e-9
SIZES = (8, 32, 128, 512)


def main() -> None:
    """All checks, into one file."""
    parser = argparse.ArgumentParser(description="Check the paper's theory.")
    parser.add_argument("--quick", action="store_true", help="small data sets, into quick/")
    quick = parser.parse_args().quick
    folder = HERE / ("quick" if quick else "results")
    folder.mkdir(exist_ok=True)
    names = ("iris", "segment", "satimage") if quick else SINGLE_EXCLUSION
    found = {
        "theorem": theorem(trials=200 if quick else 2000),
        "beliefs": {name: on_beliefs(load_dataset(name)) for name in names},
        "costs": costs(cells=200_000 if quick else 1_000_000),
    }
    (folder / "checks.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(f"theory checked: {folder / 'checks.json'}")


def theorem(*, trials: int) -> dict[str, float]:
    """Claim 1 by exhaustive sums: random marginals of exclusive labels, information gain of each about the others."""
    rng = np.random.default_rng(0)
    agree = 0
    for _ in range(trials):
        k = int(rng.integers(2, 9))
        worlds = rng.dirichlet(
            np.full(k + 1, rng.choice([0.2, 1.0, 5.0]))
        )  # the last one: no label
        agree += same_ranking(worlds[:k], exhaustive_gain(worlds))
    return {"trials": trials, "agree": agree / trials}


def exhaustive_gain(worlds: Floats) -> Floats:
    """I(Y_k; Y_-k) from the probabilities of the worlds, by summing them up."""
    joint = -sum(p * np.log(p) for p in worlds if p > 0)
    gains = []
    for k in range(len(worlds) - 1):
        # Without Y_k, the world "k" looks like the world "none".
        others = [p for c, p in enumerate(worlds[:-1]) if c != k] + [worlds[k] + worlds[-1]]
        own = (worlds[k], 1 - worlds[k])
        entropies = [-sum(p * np.log(p) for p in ps if p > 0) for ps in (others, own)]
        gains.append(sum(entropies) - joint)
    return np.array(gains)


def same_ranking(p: Floats, gain: Floats) -> bool:
    """Whether no pair of labels is ordered one way by p and the other way by gain."""
    return bool((np.diff(gain[np.argsort(p)]) >= -TIE).all())


def on_beliefs(dataset: Dataset) -> dict[str, float]:
    """Claims 1 and 2 on what the paper's learner believes of the test part at the start."""
    session = Session(
        dataset.onto,
        dataset.X,
        learner="logistic",
        facts=np.where(dataset.train[:, None], dataset.Y, np.int8(-1)),
        asking=Experiment(
            held_out=surplus_negatives(dataset.Y, dataset.train, np.random.default_rng(0))
        ),
    )
    beliefs = session.beliefs[dataset.test]
    gain, posterior = dataset.onto.gain(beliefs), dataset.onto.posterior(beliefs)
    top = min(100, beliefs.size // 10)
    return {
        "items": len(beliefs),
        "gain_ranks_as_belief": float(
            np.mean([same_ranking(p, g) for p, g in zip(beliefs, gain, strict=True)])
        ),
        "top_shared": len(set(best(beliefs, top)) & set(best(gain, top))) / top,
        "beliefs_above_one": float((beliefs.sum(axis=1) > 1).mean()),
        "pick_alike_on_beliefs": pick_alike(beliefs),
        "pick_alike_on_posterior": pick_alike(posterior),
    }


def best(scores: Floats, n: int) -> list[int]:
    """The n best cells of all items."""
    return np.argsort(-scores, axis=None, kind="stable")[:n].tolist()


def pick_alike(p: Floats) -> float:
    """The share of items in which the most probable label is also (up to a tie) the most uncertain one."""
    distance = np.abs(p - 0.5)
    chosen = np.take_along_axis(distance, p.argmax(axis=1)[:, None], axis=1)[:, 0]
    return float((chosen <= distance.min(axis=1) + TIE).mean())


def costs(*, cells: int) -> dict[str, dict[str, float]]:
    """Nanoseconds a cell of each score, for growing numbers of exclusive labels."""
    rng = np.random.default_rng(0)
    found: dict[str, dict[str, float]] = {}
    for k in SIZES:
        labels = [f"label {j}" for j in range(k)]
        onto = Ontology(labels, [exclusive(*labels)])
        beliefs = rng.random((cells // k, k))
        for name in ("entropy", "probability", "log", "linear", "expected", "posterior", "gain"):
            seconds = min(clock(name, beliefs, onto) for _ in range(3))
            found.setdefault(name, {})[str(k)] = round(1e9 * seconds / beliefs.size, 1)
    return found


def clock(name: Any, beliefs: Floats, onto: Ontology) -> float:
    """Seconds to score every cell once."""
    start = time.perf_counter()
    score(name, beliefs, onto)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
