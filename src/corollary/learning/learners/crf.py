"""The learner that fits the logic: a conditional random field whose worlds are the legal labellings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.optimize import minimize
from sklearn.base import BaseEstimator

from ...logic.engines import Facts, Floats
from ...logic.errors import CorollaryError
from ...logic.ontology import Ontology
from ..argument_checks import (
    check_choice,
    check_device,
    check_flag,
    check_number,
    check_whole,
    random_of,
)
from ..features.learner_inputs import learn_features, same_features
from ..features.matrices import check_matrix
from ..features.products import one_blas_thread, product
from ..features.spaces import Gaussian, Latent, Plain, Space, Standard
from ..features.targets import read_target
from .fields import Field, loss_of

#: Scores are kept inside of what engines take.
LARGEST = 500.0
#: The penalty on the bias of a label.
BIAS_L2 = 1e-3
#: A label that no known item has gets the weight of at most this number of items.
HALF = 0.5
#: Cells of such labels whose posterior is taken at once.
CELLS_AT_ONCE = 1_000_000
KERNELS = ("linear", "latent", "rbf")


@dataclass(eq=False, repr=False)  # names and defaults of settings are in one place
class CRF(Field, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A conditional random field over the legal labellings: P(y | x) ∝ exp(Σ f_k(x) y_k).

    It maximises the likelihood of the known facts, partial ones included, minus `l2`/2 of the
    squared weights. The gradient in f is the posterior with the facts minus the posterior without,
    two calls of the engines for any ontology. A further fit starts from the weights.

    A label that no known item has would look impossible. So half an item more counts as having it.
    This half item has no features, so only the biases learn from it. All such items together weigh
    at most the number of labels seen once, plus one.

    Beliefs are the logistic of the scores, so that their posterior under the ontology is the
    model's own.

    Parameters
    ----------
    onto
        The labels, and the constraints between them. Without it, y has the labels, see
        `read_target`; `onto_` is the ontology in use.
    kernel
        "linear" uses the features, standardised if dense, and scaled so that the mean squared
        length of items is 1. "latent" adds the 150 main directions of the tf-idf of sparse features.
        "rbf" uses Nyström features of a Gaussian kernel exp(-gamma d²) on `landmarks` of the items.
        There d² is the mean squared difference of standardised features, or the squared distance
        along those main directions. Scales are learnt from all items of the first fit.
    at_most
        The largest number of known items in a fit. Above it, items with the same known labels are
        thinned out, and the remaining ones weigh more.
    device
        With "cuda", PyTorch trains it on a GPU, with the same result up to rounding.
    """

    onto: Ontology | None = None
    _: KW_ONLY
    kernel: str = "linear"
    gamma: float = 2.0
    landmarks: int = 500
    l2: float = 0.1
    iterations: int = 60
    at_most: int = 20_000
    warm_start: bool = True
    device: str = "cpu"
    random_state: Any = 0

    onto_: Ontology = field(init=False)

    @one_blas_thread()
    def fit(self, X: Any, y: Any, *, space: Space | None = None) -> Self:
        """Learn from the known cells of facts y; -1 marks the others. A `space` learnt from X already can be passed."""
        self._check_settings()
        goes_on = self.warm_start and hasattr(self, "weights_")
        matrix = same_features(self, X) if goes_on else learn_features(self, X)
        known, onto, _ = read_target(y, self.onto, matrix.shape[0], who="CRF")
        if not goes_on or onto != self.onto_:
            self.onto_ = onto
            self.space_ = space or self.make_space(matrix)
            self.weights_ = np.zeros(
                (self.space_.width + 1, len(self.onto_))
            )  # the last row is the bias
        known = self.onto_.propagate(known)
        rows = informative_rows(self.onto_, known)
        if len(rows):
            rows, counts = thinned(known, rows, self.at_most)
            self._maximise(self.space_.of(matrix[rows]), known[rows], counts)
        return self

    def _check_settings(self) -> None:
        check_choice("kernel", self.kernel, KERNELS)
        check_flag("warm_start", self.warm_start)
        check_device(self.device)
        for name, least in (("landmarks", 1), ("iterations", 0), ("at_most", 1)):
            check_whole(name, getattr(self, name), least=least)
        for name in ("gamma", "l2"):
            check_number(name, getattr(self, name))

    @one_blas_thread()
    def decision_function(self, X: Any) -> Floats:
        """The scores f(x) of each item and label."""
        matrix = same_features(self, X)
        scores = self.space_.times(matrix, self.weights_[:-1])
        return np.asarray(np.clip(scores + self.weights_[-1], -LARGEST, LARGEST))

    def make_space(self, X: Any) -> Space:
        """The space this field is linear in, learnt from all items."""
        matrix = check_matrix(X)
        random = random_of(self.random_state)
        if self.kernel == "rbf":
            return Gaussian(matrix, gamma=self.gamma, landmarks=self.landmarks, random=random)
        if sparse.issparse(matrix):
            return Latent(matrix, random=random) if self.kernel == "latent" else Plain(matrix)
        if self.kernel == "latent":
            raise CorollaryError(
                "kernel='latent' is for sparse features; dense ones have 'linear' and 'rbf'"
            )
        return Standard(matrix)

    def _maximise(self, features: Any, known: Facts, counts: Floats) -> None:
        """Fit to the known cells of some items, each of which counts as often as it says."""
        used = np.arange(len(self.weights_))
        if sparse.issparse(
            features
        ):  # weights of features that none of the items has stay as they are
            used = np.append(np.unique(features.indices), len(used) - 1)
            features = features[:, used[:-1]]
        start = self.weights_[used]
        penalty = np.full((len(used), 1), self.l2)
        penalty[-1] = BIAS_L2
        unseen = Unseen(self.onto_, known)
        loss_of_weights = self._loss_of_weights(features, known, counts)

        def loss(flat: Floats) -> tuple[float, Floats]:
            weights = flat.reshape(start.shape)
            total, slope = loss_of_weights(weights)
            more, slope_of_more = unseen.loss(np.clip(weights[-1], -LARGEST, LARGEST))
            slope[-1] += (
                slope_of_more  # first, so that sums round as they did before: models repeat to the bit
            )
            total += more + 0.5 * float((penalty * weights**2).sum())
            return total, (penalty * weights + slope).ravel()

        options = {"maxiter": self.iterations, "maxcor": 10, "ftol": 1e-7}
        found = minimize(loss, start.ravel(), jac=True, method="L-BFGS-B", options=options)
        self.weights_[used] = found.x.reshape(start.shape)
        self.loss_ = float(found.fun)

    def _loss_of_weights(
        self, features: Any, known: Facts, counts: Floats
    ) -> Callable[[Floats], tuple[float, Floats]]:
        """The loss on the known cells as a function of weights and biases, and its slope."""
        if self.device != "cpu":
            from ...torch.arrays import FieldLoss, device_of

            return FieldLoss(
                self.onto_, features, known, counts, largest=LARGEST, device=device_of(self.device)
            )
        transposed = features.T.tocsr() if sparse.issparse(features) else features.T
        loss_of_scores = loss_of(self.onto_, known, counts)

        def loss(weights: Floats) -> tuple[float, Floats]:
            scores = (
                np.asarray(product(features, weights[:-1].astype(features.dtype)), np.float64)
                + weights[-1]
            )
            total, slope = loss_of_scores(np.clip(scores, -LARGEST, LARGEST, out=scores))
            of_weights = np.asarray(product(transposed, slope.astype(features.dtype)), np.float64)
            return total, np.vstack([of_weights, slope.sum(axis=0)])

        return loss


def informative_rows(onto: Ontology, known: Facts) -> npt.NDArray[np.int64]:
    """The items of which more is known than what holds of every item; `known` must be propagated."""
    nothing = onto.propagate(np.full((1, len(onto)), -1))
    return np.flatnonzero((known != nothing).any(axis=1))


class Unseen:
    """The possible labels that no known item has, and the loss of half an item of each.

    Only the label of such an item is known, and it has no features: its scores are the biases. The
    labels seen once estimate how much is still unseen (Good and Turing). So an ontology with many
    labels that never occur is not treated like one with many rare labels.
    """

    def __init__(self, onto: Ontology, known: Facts):
        self._onto = onto
        possible = onto.propagate(np.full((1, len(onto)), -1))[0] < 0
        times = (known == 1).sum(axis=0)
        self.labels = np.flatnonzero(possible & (times == 0))
        once = int((possible & (times == 1)).sum())
        #: As how many items each counts.
        self.weight = min(HALF, (once + 1) / max(1, len(self.labels)))
        known = np.full((len(self.labels), len(onto)), -1, np.int8)
        known[np.arange(len(known)), self.labels] = 1
        known = onto.propagate(known)
        in_full = (known >= 0).all(axis=1)  # the label settles all others
        self._sum = known[in_full].sum(axis=0, dtype=np.float64)
        self._partial = known[~in_full]

    @property
    def posteriors(self) -> int:
        """How many posteriors the loss takes."""
        return 1 + len(self._partial) if len(self.labels) else 0

    def loss(self, bias: Floats) -> tuple[float, Floats]:
        """Less the log-likelihood of the items under these biases (K,), and its slope."""
        if not len(self.labels):
            return 0.0, np.zeros_like(bias)
        (free,), (log_z,) = self._onto.marginals(bias[None])
        value = len(self.labels) * float(log_z)
        slope = len(self.labels) * free
        value = value - float(self._sum @ bias)
        slope = slope - self._sum
        step = max(1, CELLS_AT_ONCE // len(bias))
        for first in range(0, len(self._partial), step):
            known = self._partial[first : first + step]
            having, log_having = self._onto.marginals(
                np.tile(bias, (len(known), 1)), known, propagated=True
            )
            value = value - float(log_having.sum())
            slope = slope - having.sum(axis=0)
        return self.weight * value, self.weight * slope


def thinned(
    known: Facts, rows: npt.NDArray[np.int64], at_most: int
) -> tuple[npt.NDArray[np.int64], Floats]:
    """Return about `at_most` of the rows, and the number of rows that each represents.

    Rows with the same known labels are a kind. Small kinds are kept whole; of the others the same
    number each, evenly spaced.
    """
    if len(rows) <= at_most:
        return rows, np.ones(len(rows))
    _, kind, sizes = np.unique(known[rows], axis=0, return_inverse=True, return_counts=True)
    ascending = np.sort(sizes)
    smaller = np.cumsum(ascending) - ascending
    level = (at_most - smaller) / np.arange(
        len(sizes), 0, -1
    )  # the rest, shared among the larger kinds
    largest = max(1.0, float(level[np.argmax(ascending >= level)]))
    share = np.minimum(1.0, largest / sizes)
    order = np.argsort(kind, kind="stable")
    first = np.cumsum(sizes) - sizes
    place = np.empty(len(rows), np.int64)
    place[order] = np.arange(len(rows)) - np.repeat(first, sizes)
    keep = np.floor((place + 1) * share[kind] + 1e-9) > np.floor(place * share[kind] + 1e-9)
    kept_of = np.bincount(kind[keep], minlength=len(sizes))
    return rows[keep], (sizes / np.maximum(kept_of, 1))[kind[keep]]
