"""The posterior of one item by listing its legal worlds: the naive twin of every engine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

CLIP = 1e-12  # as documented: beliefs of 0 and 1 are moved this far inside


@dataclass
class Truth:
    worlds: npt.NDArray[np.int8]
    log_weight: npt.NDArray[np.float64]
    known: npt.NDArray[np.int8]
    posterior: npt.NDArray[np.float64]
    joint_entropy: float
    gain: npt.NDArray[np.float64]
    both: npt.NDArray[np.float64]


def truth(
    worlds: npt.NDArray[np.bool_],
    beliefs: npt.NDArray[np.float64],
    facts: npt.NDArray[np.int8],
    evidence: npt.NDArray[np.float64] | float = 0.0,
) -> Truth | None:
    """Everything about one item, or None where no world agrees with the facts."""
    legal = worlds[((worlds == facts) | (facts < 0)).all(axis=1)].astype(np.int8)
    if not len(legal):
        return None
    p = np.clip(beliefs, CLIP, 1 - CLIP)
    log_weight = legal @ (np.log(p) + evidence) + (1 - legal) @ np.log1p(-p)
    probability = np.exp(log_weight - log_weight.max())
    probability /= probability.sum()
    known = np.where((legal == legal[0]).all(axis=0), legal[0], -1).astype(np.int8)
    posterior = np.where(known >= 0, known, probability @ legal)
    positive = probability[probability > 0]
    listed = {tuple(world) for world in legal.tolist()}
    both = np.zeros(len(facts))
    for k in np.flatnonzero(known < 0):
        flipped = legal.copy()
        flipped[:, k] ^= 1
        both[k] = sum(
            w
            for w, world in zip(probability, flipped.tolist(), strict=True)
            if tuple(world) in listed
        )
    odds = np.log(p) - np.log1p(-p) + evidence
    own = entropy(1 / (1 + np.exp(-np.clip(odds, -700, 700))))
    gain = np.where(known >= 0, 0.0, entropy(posterior) - both * own)
    return Truth(
        legal, log_weight, known, posterior, -float(positive @ np.log(positive)), gain, both
    )


def entropy(p: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    inside = np.clip(p, 1e-300, None)
    outside = np.clip(1 - p, 1e-300, None)
    return -(p * np.log(inside) + (1 - p) * np.log(outside))


def mixed_beliefs(rng: np.random.Generator, n_items: int, n_labels: int) -> npt.NDArray[np.float64]:
    """Mild, extreme and certain beliefs, a different kind each row."""
    kinds = [
        rng.random((n_items, n_labels)),
        rng.beta(0.1, 0.1, (n_items, n_labels)),
        rng.choice([0.0, 1.0, 0.5, 1e-9, 1 - 1e-9], (n_items, n_labels)),
    ]
    return np.array([kinds[i % 3][i] for i in range(n_items)])


def some_facts(rng: np.random.Generator, n_items: int, n_labels: int) -> npt.NDArray[np.int8]:
    """No facts in the first two rows, then a few random ones, which may contradict the constraints."""
    facts = np.where(
        rng.random((n_items, n_labels)) < 0.25, rng.integers(0, 2, (n_items, n_labels)), -1
    ).astype(np.int8)
    facts[:2] = -1
    return facts


@dataclass
class Weighed:
    worlds: npt.NDArray[np.int8]
    log_weight: npt.NDArray[np.float64]
    log_z: float
    posterior: npt.NDArray[np.float64]
    joint_entropy: float
    gain: npt.NDArray[np.float64]


def weighed(
    worlds: npt.NDArray[np.bool_],
    penalty: npt.NDArray[np.float64],
    odds: npt.NDArray[np.float64],
    facts: npt.NDArray[np.int8],
) -> Weighed | None:
    """The same where each world has a penalty on its log-weight, as soft constraints give; the gain from tables."""
    agrees = ((worlds == facts) | (facts < 0)).all(axis=1)
    legal = worlds[agrees].astype(np.int8)
    if not len(legal):
        return None
    log_weight = legal @ odds - penalty[agrees]
    log_z = float(np.logaddexp.reduce(log_weight))
    probability = np.exp(log_weight - log_z)
    posterior = probability @ legal
    gain = np.zeros(len(facts))
    for k in np.flatnonzero((legal != legal[0]).any(axis=0)):
        table: dict[tuple[int, ...], list[float]] = {}
        for world, p in zip(np.delete(legal, k, axis=1).tolist(), range(len(legal)), strict=True):
            table.setdefault(tuple(world), [0.0, 0.0])[legal[p, k]] += probability[p]
        left = sum(_plogp(sum(both)) - sum(map(_plogp, both)) for both in table.values())
        gain[k] = -_plogp(posterior[k]) - _plogp(1 - posterior[k]) - left
    return Weighed(legal, log_weight, log_z, posterior, -sum(map(_plogp, probability)), gain)


def _plogp(p: float) -> float:
    return float(p * np.log(p)) if p > 0 else 0.0
