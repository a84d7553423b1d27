"""Suite `unseen`: labels that no known item has, with half an item more for each of them, and without."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.datasets import load_digits

import corollary as co
from corollary.experiment.simulation import simulate
from corollary.learning.learners.crf import CRF
from corollary.learning.session.options import Asking

GROUPS = {"curved": "0235689", "straight": "147"}
#: Clusters of each digit on two levels; many hold an item or two.
COARSE, FINE = 6, 25
#: The deviation of the noise on pixels from 0 to 16: labels stay in doubt, as they do in hard fields.
NOISE = 4.0
WAYS = {"without": 0.0, "with": 0.5}
FIELDS = {"linear": {"l2": 0.1}, "Gaussian": {"kernel": "rbf", "gamma": 0.5, "l2": 0.03}}


def surprise(share: float) -> dict[str, Any]:
    """Bits an item that a field is surprised by the labellings of the rest, when a share of the items is known."""
    data = kinds_of_digits(share=share, seed=0)
    unseen = int((data.Y[data.train] == 0).all(axis=0).sum())
    figures: dict[str, Any] = {"labels that no known item has": unseen}
    for field, settings in FIELDS.items():
        for name, half in WAYS.items():
            figures[f"{field}, {name}, bits"] = bits(data, half, **settings)
    return figures


def needless() -> dict[str, Any]:
    """The same for one of ten digits among 300 labels, 290 of which never occur, by the number of known items."""
    data = load_digits()
    names = [f"l{k}" for k in range(300)]
    onto = co.Ontology(names, [co.exclusive(*names)])
    truth = np.zeros((len(data.target), 300), np.int8)
    truth[np.arange(len(truth)), data.target] = 1
    order = np.random.default_rng(0).permutation(len(truth))
    figures: dict[str, Any] = {}
    for known in (10, 30, 100, 500):
        train = np.isin(np.arange(len(truth)), order[:known])
        some = co.Dataset(data.data, truth, onto, train=train, name="digits")
        for name, half in WAYS.items():
            figures[f"{known} known, {name}, bits"] = bits(some, half)
    return figures


def bits(data: co.Dataset, half: float, **settings: Any) -> float:
    facts = np.where(data.train[:, None], data.Y, -1)
    with patch("corollary.learning.learners.crf.HALF", half):
        scores = CRF(data.onto, **settings).fit(data.X, facts).decision_function(data.X[data.test])
    _, log_z = data.onto.marginals(scores)
    _, log_true = data.onto.marginals(scores, data.Y[data.test])
    return float((log_z - log_true).mean() / np.log(2))


def questions() -> dict[str, Any]:
    """Questions of the default from two thirds known, over two seeds."""
    figures: dict[str, Any] = {}
    for name, half in WAYS.items():
        with patch("corollary.learning.learners.crf.HALF", half):
            curves = [
                simulate(
                    kinds_of_digits(share=2 / 3, seed=seed),
                    per_round="auto",
                    balanced=False,
                    until=0.99,
                    random_state=seed,
                    asking=Asking(stay=None),
                )
                for seed in range(2)
            ]
        for target in (0.95, 0.99):
            figures[f"{name}, to test AUC {target}"] = float(
                np.mean([curve.questions_to(target) for curve in curves])
            )
    return figures


def kinds_of_digits(*, share: float, seed: int) -> co.Dataset:
    """Scikit-learn's digits as a tree: groups, digits, kinds of a digit and kinds of these, by clustering."""
    data = load_digits()
    names = np.array([f"d{digit}" for digit in data.target], object)
    under: dict[str, set[str]] = {
        group: {f"d{d}" for d in digits} for group, digits in GROUPS.items()
    }
    for digit in sorted(set(names)):
        rows = np.flatnonzero(names == digit)
        tree = linkage(data.data[rows], "average")
        levels = (fcluster(tree, n, "maxclust") for n in (COARSE, FINE))
        for row, coarse, fine in zip(rows, *levels, strict=True):
            kind = f"{digit}_{coarse}"
            names[row] = f"{kind}_{fine}"
            under.setdefault(digit, set()).add(kind)
            under.setdefault(kind, set()).add(names[row])
    lines = [f"exclusive: {', '.join(GROUPS)}"]
    for parent, children in under.items():
        together = "exclusive: " if len(children) > 1 else ""
        lines.append(f"{parent} > {together}{', '.join(sorted(children))}")
    onto = co.Ontology.parse("\n".join(lines))
    facts = np.full((len(names), len(onto)), -1)
    facts[np.arange(len(names)), [onto.index[name] for name in names]] = 1
    truth = (onto.propagate(facts) == 1).astype(np.int8)
    rng = np.random.default_rng(seed)
    noisy = data.data + rng.normal(0, NOISE, data.data.shape)
    return co.Dataset(
        noisy, truth, onto, train=rng.random(len(names)) < share, name="kinds of digits"
    )


def _case(share: float) -> Callable[[], dict[str, Any]]:
    case = partial(surprise, share)
    case.__doc__ = surprise.__doc__
    return case


CASES = {
    **{f"{share:.0%} known": _case(share) for share in (0.03, 0.1, 0.3, 2 / 3, 0.9)},
    "labels that never occur": needless,
    "questions": questions,
}
