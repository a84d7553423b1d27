"""Items as learners see them that can read: features, and how like each label every item is, in several ways."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Singles = npt.NDArray[np.float32]
#: The kinds of similarities: of meaning, of words, of runs of characters, names found in texts, of pictures beside
#: texts, and one's own.
SEMANTIC = "semantic"
WORDS = "words"
RUNS = "runs of characters"
NAMES = "names"
PICTURES = "pictures"
OWN = "own"


@dataclass(frozen=True, eq=False)
class Encoded:
    """Features (N, D), and similarities (S, N, K) of every item and label, each of a kind."""

    features: Singles
    similarities: Singles
    kinds: tuple[str, ...]

    @property
    def shape(self) -> tuple[int, int]:
        """Items and features."""
        return self.features.shape[0], self.features.shape[1]

    def __len__(self) -> int:
        """The number of items."""
        return len(self.features)

    def __getitem__(self, rows: Any) -> Encoded:
        """Some of the items."""
        return Encoded(self.features[rows], self.similarities[:, rows], self.kinds)

    def beside(self, other: Encoded) -> Encoded:
        """The same items with what else is known of them."""
        return Encoded(
            np.hstack([self.features, other.features]),
            np.concatenate([self.similarities, other.similarities]),
            self.kinds + other.kinds,
        )
