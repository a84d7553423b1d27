"""Suite `scale`: a pool in Parquet on two workers of 4 GB; 10,000,000 items x 100 labels, or as many as ITEMS says.

`make bench SUITE=scale ITEMS=200000` is a short one. Items are made part by part, each from a seed of its own.
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import corollary as co

from . import Missing

Figures = dict[str, Any]
ITEMS = int(os.environ.get("ITEMS") or 10_000_000)
LABELS = 100
FEATURES = 16
KNOWN = 2_000
BEST = 1_000
GROUP = 50_000  # rows of a row group
FILE = 500_000  # rows of a file
#: The session's questions are compared on so many items.
COMPARED = 100_000


def ontology(labels: int = LABELS) -> co.Ontology:
    """Groups of nine exclusive labels, each under a label of its own."""
    groups = (
        f"g{g} > exclusive: {', '.join(f'g{g}_{j}' for j in range(9))}" for g in range(labels // 10)
    )
    return co.Ontology.parse("\n".join(groups))


def features(n: int, part: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng([7, part]).standard_normal((n, FEATURES), np.float32)


def truth(X: np.ndarray[Any, Any], onto: co.Ontology) -> np.ndarray[Any, Any]:
    weights = np.random.default_rng(11).standard_normal((FEATURES, len(onto)))
    return onto.most_probable(1 / (1 + np.exp(1 - X @ weights)))


def pool_of(items: int, onto: co.Ontology) -> Path:
    """A folder of Parquet with so many items, of which the first 2,000 are known; made unless it is there."""
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ModuleNotFoundError:
        raise Missing(
            "the package pyarrow is not installed: pip install 'corollary[dask]'"
        ) from None
    folder = Path(tempfile.gettempdir()) / f"corollary-scale-{items}x{len(onto)}"
    if (folder / "whole").exists():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    kind = pa.map_(pa.string(), pa.bool_())
    for part, first in enumerate(range(0, items, FILE)):
        n = min(FILE, items - first)
        X = features(n, part)
        known = [
            list(zip(onto.labels, row.astype(bool).tolist(), strict=True))
            for row in truth(X[:KNOWN], onto)
        ]
        labels = pa.array(([] if part else known) + [None] * (n if part else n - len(known)), kind)
        columns = {
            "id": pa.array([f"item {i}" for i in range(first, first + n)]),
            "vector": pa.FixedSizeListArray.from_arrays(pa.array(X.ravel()), FEATURES),
            "labels": labels,
        }
        parquet.write_table(
            pa.table(columns), folder / f"part-{part:04}.parquet", row_group_size=GROUP
        )
    (folder / "whole").touch()
    return folder


def opened(items: int, onto: co.Ontology, **how: Any) -> Any:
    try:
        import distributed  # noqa: F401
    except ModuleNotFoundError:
        raise Missing("the package dask is not installed: pip install 'corollary[dask]'") from None
    from corollary.scale import Pool

    return Pool(pool_of(items, onto), onto, **{"learner": "crf", "memory": "4GB"} | how)


def asked(questions: Any) -> list[tuple[Any, ...]]:
    return [(one.item, one.label, one.score) for one in questions]


def differing(found: list[Any], expected: list[Any]) -> int:
    return sum(one != other for one, other in zip(found, expected, strict=True))


def scored(pool: Any, progress: Any = None) -> tuple[list[Any], float]:
    """The best questions, and how long it took with workers that have started."""
    pool.train()
    start = time.perf_counter()
    found = asked(pool.best_questions(BEST, progress=progress))
    return found, time.perf_counter() - start


def same_questions() -> Figures:
    """The best 1,000 questions of 100,000 items x 100 labels, beside those of a session, with the default learner."""
    onto, items = ontology(), min(COMPARED, ITEMS)
    with opened(items, onto, learner="auto", workers=2) as pool:
        found, seconds = scored(pool)
    X = np.vstack(
        [
            features(min(FILE, items - first), part)
            for part, first in enumerate(range(0, items, FILE))
        ]
    )
    facts = np.full((items, len(onto)), -1, np.int8)
    facts[:KNOWN] = truth(X[:KNOWN], onto)
    session = co.Session(
        onto,
        X,
        facts=facts,
        item_ids=[f"item {i}" for i in range(items)],
        asking=co.Asking(stay=None),
    )
    start = time.perf_counter()
    session.retrain()
    trained = time.perf_counter() - start
    expected = asked(session.ask(BEST))
    return {
        "items": items,
        "labels": len(onto),
        "questions that differ": differing(found, expected),
        "seconds to score": seconds,
        "seconds of the session, trained and scored": trained,
        "targets": {"questions that differ": ["at most", 0]},
    }


def everything() -> Figures:
    """All items scored and the best 1,000 named: by two workers of 4 GB and a core each, one killed, and by one."""
    os.environ["COROLLARY_THREADS"] = "2"  # of all workers together
    onto = ontology()
    start = time.perf_counter()
    folder = pool_of(ITEMS, onto)
    made = time.perf_counter() - start
    with opened(ITEMS, onto, workers=2) as pool:
        start = time.perf_counter()
        pool.train()
        trained = time.perf_counter() - start
        before = sum(pool.client.run(time.process_time).values())
        found, two = scored(pool)
        processors = sum(pool.client.run(time.process_time).values()) - before
        memory = max(pool.client.run(peak).values())
        killed, with_death = scored(pool, killer(pool))
    with opened(ITEMS, onto, workers=1) as pool:
        _, with_both = scored(pool)
    os.environ["COROLLARY_THREADS"] = "1"
    with opened(ITEMS, onto, workers=1) as pool:
        alone, one = scored(pool)
    return {
        "items": ITEMS,
        "labels": len(onto),
        "gigabytes of Parquet": sum(path.stat().st_size for path in folder.glob("*.parquet")) / 1e9,
        "seconds to make them": made,
        "seconds to start and train": trained,
        "seconds, two workers": two,
        "seconds, one worker": one,
        "seconds, one worker with both cores": with_both,
        "seconds of the processors, two workers": processors,
        "times as fast": one / two,
        "million cells a second": ITEMS * len(onto) / two / 1e6,
        "gigabytes of a worker at most": memory / 1e9,
        "questions that differ with one worker": differing(alone, found),
        "seconds with a worker killed halfway": with_death,
        "questions that differ with a worker killed": differing(killed, found),
        "targets": {
            "times as fast": ["at least", 1.7],
            "gigabytes of a worker at most": ["at most", 4.0],
            "questions that differ with one worker": ["at most", 0],
            "questions that differ with a worker killed": ["at most", 0],
        },
    }


def peak() -> int:
    """The most memory that this process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def killer(pool: Any) -> Any:
    """Kills a worker once half of the items are done."""
    victims = [next(iter(pool.client.run(os.getpid).values()))]

    def kill(done: int, total: int) -> None:
        if victims and 2 * done >= total:
            os.kill(victims.pop(), signal.SIGKILL)

    return kill


def growth() -> Figures:
    """How the time to score grows with the items, with the labels and with what is asked for; two workers."""
    out: Figures = {}
    for items, labels, best in (
        (ITEMS // 16, LABELS, BEST),
        (ITEMS // 4, LABELS, BEST),
        (ITEMS // 16, LABELS // 10, BEST),
        (ITEMS // 16, LABELS * 4, BEST),
        (ITEMS // 16, LABELS, BEST * 10),
    ):
        with opened(items, onto := ontology(labels), workers=2) as pool:
            pool.train()
            pool.best_questions(1)  # workers that have compiled what they need
            start = time.perf_counter()
            pool.best_questions(best)
            out[f"seconds, {items:,} items x {len(onto)} labels, best {best:,}"] = (
                time.perf_counter() - start
            )
    for left in Path(tempfile.gettempdir()).glob("corollary-scale-*"):
        shutil.rmtree(left)
    return out


CASES = {"same questions": same_questions, "everything": everything, "growth": growth}
