"""The spaces in which a field is linear: features on one scale, with their main directions, or a Gaussian kernel's."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ...logic.engines import Floats
from ...logic.engines.rows import over_rows
from .matrices import Matrix
from .products import product

Singles = npt.NDArray[np.float32]
#: Columns that sparse features are reduced to before their distances are taken.
REDUCED = 150
#: Cells of the affinity to landmarks that are computed at once.
CELLS_AT_ONCE = 1_000_000


class Space(Protocol):
    """A map of items to features, learnt from all items, known or not."""

    width: int

    def of(self, matrix: Matrix) -> Any:
        """The features of the items."""
        ...

    def times(self, matrix: Matrix, weights: Floats) -> Floats:
        """The features of the items times `weights` (width, K)."""
        ...


class Standard:
    """Dense features less their mean, over their spread and the root of their number; constant ones become 0."""

    def __init__(self, matrix: Matrix):
        self.width = matrix.shape[1]
        spread = matrix.std(axis=0, dtype=np.float64)
        self._centre = matrix.mean(axis=0, dtype=np.float64)
        self._scale = np.divide(
            1.0, spread * np.sqrt(self.width), out=np.zeros_like(spread), where=spread > 1e-12
        )

    def of(self, matrix: Matrix) -> Singles:
        """The features of the items, in single precision."""
        return np.asarray((matrix - self._centre) * self._scale, np.float32)

    def times(self, matrix: Matrix, weights: Floats) -> Floats:
        """The features times weights, without a copy of the features."""
        scaled = weights * self._scale[:, None]
        return np.asarray(product(matrix, scaled) - self._centre @ scaled)


class Plain:
    """Sparse features over the root of their rows' mean squared length."""

    def __init__(self, matrix: Matrix):
        self.width = matrix.shape[1]
        squares = float(np.square(matrix.data, dtype=np.float64).sum())
        self._scale = np.sqrt(matrix.shape[0] / squares) if squares else 0.0

    def of(self, matrix: Matrix) -> Any:
        """The features of the items, CSR."""
        return matrix * self._scale

    def times(self, matrix: Matrix, weights: Floats) -> Floats:
        """The features of the items times weights."""
        return np.asarray(matrix @ (weights * self._scale))


class Reduced:
    """Sparse features along the directions in which their tf-idf varies most, all rows of length 1."""

    def __init__(self, matrix: Matrix, *, random: np.random.RandomState):
        from sklearn.decomposition import TruncatedSVD

        n, n_columns = matrix.shape
        self._weight = (
            np.log((1.0 + n) / (1.0 + np.bincount(matrix.indices, minlength=n_columns))) + 1.0
        )
        self.width = max(1, min(REDUCED, min(matrix.shape) - 1))
        with np.errstate(invalid="ignore"):  # rows of zeros have no variance to explain
            self._svd = TruncatedSVD(self.width, n_iter=4, random_state=random).fit(
                self._tfidf(matrix)
            )

    def of(self, matrix: Matrix) -> Singles:
        """The features of the items, dense, in single precision."""
        found = self._svd.transform(self._tfidf(matrix))
        return np.asarray(
            found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-12), np.float32
        )

    def _tfidf(self, matrix: Matrix) -> Any:
        found = sparse.csr_array(matrix, copy=True, dtype=np.float64)
        found.data *= self._weight[found.indices]
        length = np.sqrt(found.power(2).sum(axis=1))
        found.data /= np.repeat(np.where(length > 0, length, 1.0), np.diff(found.indptr))
        found.resize(
            found.shape[0], max(2, found.shape[1])
        )  # of one column there are no directions
        return found


class Latent:
    """Sparse features and, at half the length, their main directions: rare ones borrow from frequent ones."""

    def __init__(self, matrix: Matrix, *, random: np.random.RandomState):
        self._plain = Plain(matrix)
        self._reduced = Reduced(matrix, random=random)
        self.width = self._plain.width + self._reduced.width

    def of(self, matrix: Matrix) -> Any:
        """The features of the items, CSR."""
        return sparse.hstack(
            [self._plain.of(matrix), sparse.csr_array(self._reduced.of(matrix) / 2)], format="csr"
        )

    def times(self, matrix: Matrix, weights: Floats) -> Floats:
        """The features of the items times weights."""
        plain, reduced = np.split(weights, [self._plain.width])
        return self._plain.times(matrix, plain) + self._reduced.of(matrix) @ (reduced / 2)


class Gaussian:
    """Features whose products are about exp(-gamma |x - y|²), from the affinity to landmarks.

    Distances are between standardised items over the root of their number of features, or between
    reduced sparse ones. Affinities are in double precision. The order of sums in a product of
    matrices depends on the number of rows and on the processor. In single precision, whitening
    would magnify the different rounding.
    """

    def __init__(
        self, matrix: Matrix, *, gamma: float, landmarks: int, random: np.random.RandomState
    ):
        self.gamma = gamma
        thin = sparse.issparse(matrix)
        self._inner: Standard | Reduced = (
            Reduced(matrix, random=random) if thin else Standard(matrix)
        )
        rows = np.sort(random.permutation(matrix.shape[0])[:landmarks])
        self._landmarks = self._inner.of(matrix[rows]).astype(np.float64)
        values, vectors = np.linalg.eigh(self._affinity(self._landmarks))
        keep = values > 1e-6 * values[-1]  # features in single precision have no more
        self._whitening = vectors[:, keep] / np.sqrt(values[keep])
        self.width = int(keep.sum())

    def of(self, matrix: Matrix) -> Singles:
        """The features of the items, in single precision."""
        found = np.empty((matrix.shape[0], self.width), np.float32)
        self._fill(found, matrix, self._whitening)
        return found

    def times(self, matrix: Matrix, weights: Floats) -> Floats:
        """The features of the items times weights: the affinity times the weights of landmarks, which is cheaper."""
        found = np.empty((matrix.shape[0], weights.shape[1]))
        self._fill(found, matrix, self._whitening @ weights)
        return found

    def _fill(self, found: Singles | Floats, matrix: Matrix, weights: Floats) -> None:
        step = max(1, CELLS_AT_ONCE // len(self._landmarks))

        def fill(first: int, last: int) -> None:
            for start in range(first * step, min(len(found), last * step), step):
                inner = self._inner.of(matrix[start : start + step]).astype(np.float64)
                found[start : start + step] = self._affinity(inner) @ weights

        over_rows(fill, -(-len(found) // step), at_least=1)

    def _affinity(self, inner: Floats) -> Floats:
        distance = inner @ self._landmarks.T
        distance *= -2.0
        distance += np.einsum("ij,ij->i", inner, inner)[:, None]
        distance += np.einsum("ij,ij->i", self._landmarks, self._landmarks)
        np.maximum(distance, 0.0, out=distance)
        distance *= -self.gamma
        return np.asarray(np.exp(distance, out=distance))
