"""The results as the figures and the report read them: curves by data set, method and settings, over the seeds."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from corollary.experiment.methods import BEYOND, PAPER
from corollary.experiment.origin import Origin
from corollary.experiment.simulation import Curve

HERE = Path(__file__).parent
METHODS = (*PAPER, *BEYOND)
#: In the order of the paper, then its appendix.
DATASETS = (
    "satimage",
    "shuttle",
    "segment",
    "pendigits",
    "letter",
    "nell-7",
    "nell-11",
    "nell-13",
    "iris",
    "vowel",
)
SINGLE_EXCLUSION = tuple(name for name in DATASETS if name not in ("nell-11", "nell-13"))
TARGET = 0.999

Floats = np.ndarray[Any, np.dtype[np.float64]]
#: Settings that all runs of a data set share.
SAME = ("per_round", "learner")
#: data set, method, settings beside those
Key = tuple[str, str, tuple[tuple[str, Any], ...]]


@dataclass(frozen=True)
class Spread:
    """A figure over the seeds."""

    mean: float
    low: float
    high: float
    n: int


class Results:
    """All curves of a run."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.about: dict[str, Any] = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        self.origins: list[Origin] = []
        self._curves: dict[Key, dict[int, Curve]] = defaultdict(dict)
        with gzip.open(folder / "curves.jsonl.gz", "rt", encoding="utf-8") as lines:
            for line in lines:
                record = json.loads(line)
                job = record["job"]
                self.origins.append(Origin.from_json(record.get("origin")))
                changed = tuple(
                    sorted(
                        (name, value) for name, value in job["settings"].items() if name not in SAME
                    )
                )
                self._curves[job["dataset"], job["method"], changed][job["seed"]] = Curve.from_json(
                    record["curve"]
                )

    @property
    def datasets(self) -> tuple[str, ...]:
        """Those that were run, in the paper's order."""
        there = {dataset for dataset, _, _ in self._curves}
        return tuple(name for name in DATASETS if name in there)

    def curves(self, dataset: str, method: str, **changed: Any) -> dict[int, Curve]:
        """The curves by seed; empty where there is none."""
        return self._curves.get((dataset, method, tuple(sorted(changed.items()))), {})

    def everything(self) -> list[Curve]:
        """Each curve there is."""
        return [curve for by_seed in self._curves.values() for curve in by_seed.values()]

    def questions(
        self,
        dataset: str,
        method: str,
        *,
        target: float = TARGET,
        part: str = "test",
        seeds: int | None = None,
        **changed: Any,
    ) -> Spread | None:
        """Questions to the target over the seeds (or the first few of them); None if a run did not get there."""
        found = [
            curve.questions_to(target, part=part)  # type: ignore[arg-type]
            for seed, curve in self.curves(dataset, method, **changed).items()
            if seeds is None or seed < seeds
        ]
        numbers = [number for number in found if number is not None]
        return spread(numbers) if numbers and len(numbers) == len(found) else None


def spread(numbers: list[int] | list[float]) -> Spread:
    """Mean, smallest and largest."""
    return Spread(float(np.mean(numbers)), float(min(numbers)), float(max(numbers)), len(numbers))


def auc_at(curve: Curve, asked: Floats, *, part: str = "test") -> Floats:
    """The AUC after so many questions: that of the last point reached; after the end of a run, its last."""
    auc = curve.auc_test if part == "test" else curve.auc_full
    return auc[np.searchsorted(curve.asked, asked, side="right") - 1]


def table(head: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown, numbers to the right."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
