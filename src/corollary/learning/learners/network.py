"""A learner on PyTorch: small networks with the posterior as their last layer."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from ...logic.engines import Floats
from ...logic.errors import CorollaryError
from ...logic.ontology import Ontology
from ..argument_checks import check_device, check_number, check_whole
from ..features.learner_inputs import learn_features, same_features
from ..features.spaces import Standard
from ..features.targets import read_target
from .crf import LARGEST, informative_rows
from .fields import Field


@dataclass(eq=False, repr=False)
class Network(Field, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Networks of two hidden layers for scores f(x), with P(y | x) ∝ exp(Σ f_k y_k).

    It needs the extra `torch`, and hundreds of known items; with fewer, the pool or a `CRF` is
    better. Networks are trained side by side to make the known facts likely, partial ones included.
    Each of the `members` holds out another tenth of the items, and stops when they gain nothing for
    `patience` epochs. Without a `dropout` or `decay`, several values are tried with `members`
    networks each. The three settings that predict held-out items best are kept, and their scores
    averaged. Features are standardised by the items of the fit. It is trained anew each time. A GPU
    (`device="cuda"`) makes it many times as fast.
    """

    onto: Ontology | None = None
    _: KW_ONLY
    members: int = 3
    hidden: int = 500
    dropout: float | None = None
    epochs: int = 300
    patience: int = 15
    batch: int = 64
    rate: float = 1e-3
    decay: float | None = None
    device: str = "cpu"
    random_state: int = 0

    onto_: Ontology = field(init=False)

    takes_sparse = False

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from the known cells of facts y; -1 marks the others."""
        self._check_settings()
        from ...torch.arrays import device_of
        from ...torch.networks import Training, trained

        matrix = learn_features(self, X)
        if sparse.issparse(matrix):
            raise CorollaryError(
                "Network takes dense features; reduce sparse ones first, or use CRF(kernel='latent')"
            )
        known, self.onto_, _ = read_target(y, self.onto, matrix.shape[0], who="Network")
        known = self.onto_.propagate(known)
        rows = informative_rows(self.onto_, known)
        self.space_ = Standard(matrix)
        how = Training(
            members=self.members,
            hidden=self.hidden,
            dropout=self.dropout,
            epochs=self.epochs if len(rows) else 0,
            patience=self.patience,
            batch=self.batch,
            rate=self.rate,
            decay=self.decay,
        )
        where = device_of(self.device)
        self.networks_ = trained(
            self.onto_,
            self._features(matrix[rows]),
            known[rows],
            how,
            device=where,
            seed=self.random_state,
        )
        return self

    def decision_function(self, X: Any) -> Floats:
        """The scores f(x) of each item and label."""
        from ...torch.arrays import device_of
        from ...torch.networks import scores

        found = scores(
            self.networks_, self._features(same_features(self, X)), device=device_of(self.device)
        )
        return np.asarray(np.clip(found, -LARGEST, LARGEST))

    def _features(self, matrix: Any) -> Any:
        """Each of about unit spread, as a tensor."""
        import torch

        return torch.from_numpy(
            self.space_.of(matrix) * np.float32(np.sqrt(max(1, matrix.shape[1])))
        )

    def _check_settings(self) -> None:
        for name in ("members", "hidden", "epochs", "patience", "batch"):
            check_whole(name, getattr(self, name), least=1)
        check_whole("random_state", self.random_state)
        check_number("rate", self.rate)
        if self.decay is not None:
            check_number("decay", self.decay)
        if self.dropout is not None and not 0.0 <= self.dropout < 1.0:
            raise CorollaryError(
                f"dropout must be a number from 0 to below 1, or None, got {self.dropout!r}"
            )
        check_device(self.device)
