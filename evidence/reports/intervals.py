"""How sure a ratio of questions is: geometric means over data sets, with intervals by bootstrap over sets and seeds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from corollary.logic.engines import Floats

#: Samples that an interval is read off, and how much of them it holds.
DRAWS = 2000
LEVEL = 0.95
#: The kinds of data sets that are told apart.
GROUPS = {
    "flat": ("iris", "vowel", "segment", "satimage", "pendigits", "letter", "shuttle"),
    "NELL": ("nell-7", "nell-11", "nell-11-words", "nell-13"),
    "hierarchies": (
        "hmc_imclef07d",
        "hmc_diatoms",
        "hmc_enron",
        "hmc_cellcycle_fun",
        "hmc_cellcycle_go",
    ),
    "text": ("clinc150", "things"),
}
OTHERS = "others"
#: Those that come with a split of their own, which is that of seed 0.
WITH_OFFICIAL_SPLIT = ("vowel", "pendigits", "letter", "clinc150", *GROUPS["hierarchies"])


@dataclass(frozen=True)
class Interval:
    """A ratio, between what it lies, and over how many data sets it is, of how many."""

    value: float
    low: float
    high: float
    datasets: int = 1
    of: int = 1

    @property
    def is_partial(self) -> bool:
        """Whether data sets are missing in it."""
        return self.datasets < self.of


def ratio_interval(
    ours: Sequence[Sequence[float]],
    theirs: Sequence[Sequence[Sequence[float]]],
    *,
    of: int | None = None,
    draws: int = DRAWS,
    random_state: int = 0,
) -> Interval:
    """Our questions over theirs: of each data set the ratio of the means over the seeds, then the geometric mean.

    `ours` has for each data set the questions of each seed; `theirs` the same for each of some methods, of which the
    one with the fewest counts. A mean below one question counts as one. The interval is read off samples of the data
    sets, and for each of them of its seeds, drawn with replacement; the best of the others is found anew each time.
    `of` is how many data sets there should be, where some are missing.
    """
    sets = [
        np.column_stack([a, *b]).astype(np.float64) for a, b in zip(ours, theirs, strict=True)
    ]  # seeds x methods
    random = np.random.default_rng(random_state)
    drawn = random.integers(len(sets), size=(draws, len(sets)))
    logs = np.empty(drawn.shape)
    for place, runs in enumerate(sets):
        at = drawn == place
        seeds = random.integers(len(runs), size=(int(at.sum()), len(runs)))
        logs[at] = _log_ratio(runs[seeds].mean(axis=1))
    low, high = np.exp(np.quantile(logs.mean(axis=1), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])).tolist()
    value = float(np.exp(np.mean([_log_ratio(runs.mean(axis=0)) for runs in sets])))
    return Interval(value, low, high, len(sets), len(sets) if of is None else of)


def _log_ratio(means: Floats) -> Floats:
    """Of means (..., methods), the first over the least of the others."""
    counted = np.log(np.maximum(means, 1.0))
    return np.asarray(counted[..., 0] - counted[..., 1:].min(axis=-1))


def groups_of(datasets: Iterable[str]) -> dict[str, list[str]]:
    """The data sets by their kind, those of which nothing is known last."""
    kind_of = {name: kind for kind, names in GROUPS.items() for name in names}
    found: dict[str, list[str]] = {kind: [] for kind in (*GROUPS, OTHERS)}
    for name in datasets:
        found[kind_of.get(name, OTHERS)].append(name)
    return {kind: names for kind, names in found.items() if names}
