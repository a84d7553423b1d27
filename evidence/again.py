"""Some of the runs once more: whether the code of today does what that of earlier commits did."""

from __future__ import annotations

from hashlib import sha256

import numpy as np

from corollary.experiment.origin import origin_here
from corollary.experiment.runs import Job
from corollary.experiment.simulation import Curve

from .kept import Kept


def drawn(kept: Kept, n: int) -> list[Job]:
    """N jobs of runs by other code than today's: drawn by a hash, so that few of them change when runs are added."""
    here = origin_here().code
    of_others = {key: job for key, (job, _, origin) in kept.runs.items() if origin.code != here}
    return [
        of_others[key]
        for key in sorted(of_others, key=lambda key: sha256(key.encode()).digest())[:n]
    ]


def in_words(kept: Kept, again: Kept) -> str:
    """What came of it, as a line of a list; nothing where none was made again by other code."""
    pairs = [
        (kept.runs[key], new)
        for key, new in again.runs.items()
        if key in kept.runs and kept.runs[key][2].code != new[2].code
    ]
    if not pairs:
        return ""
    code = ", ".join(sorted({origin.code for _, (_, _, origin) in pairs}))
    told = (
        f"- The runs are of several commits. {len(pairs):,} of {len(kept.runs):,}, drawn at random, were made again by "
        f"{code}:"
    )
    changed = [
        told_of(job, old, new)
        for (job, old, _), (_, new, _) in pairs
        if not goes_the_same_way(old, new)
    ]
    if not changed:
        return (
            f"{told} all of them gave the same result, every area to the last digit that is kept."
        )
    return f"{told} {len(pairs) - len(changed):,} of them gave the same result; others did not ({'; '.join(changed)})."


def goes_the_same_way(one: Curve, other: Curve) -> bool:
    """Whether two runs asked and settled as many cells in each round, and had the same areas."""
    return all(
        np.array_equal(getattr(one, name), getattr(other, name), equal_nan=name.startswith("auc"))
        for name in ("asked", "fixed", "auc_test", "auc_full")
    )


def told_of(job: Job, old: Curve, new: Curve) -> str:
    """Of a run that went another way: how long both were."""
    which = f"{job['dataset']}, {job['method']}, seed {job['seed']}"
    return f"{which}: {old.asked[-1]:,} questions before, {new.asked[-1]:,} now"
