"""The runs that are there."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from corollary.experiment.origin import Origin
from corollary.experiment.runs import Job, job_key, results_with_origin
from corollary.experiment.simulation import Curve

from .reports.comparison import Curves
from .tables import Jobs


class Kept:
    """The runs in some files; of a job in several, the last file's."""

    def __init__(self, *paths: Path):
        #: By the key of the job: the job, its curve, and what made it.
        self.runs: dict[str, tuple[Job, Curve, Origin]] = {
            job_key(run[0]): run for path in paths for run in results_with_origin(path)
        }

    def missing(self, jobs: Jobs) -> int:
        """How many of these jobs have no run."""
        return sum(job_key(job) not in self.runs for job in jobs.values())

    def placed(self, jobs: Jobs) -> Curves:
        """The curves of these jobs, by data set, contender and seed."""
        places: dict[str, dict[str, dict[int, Curve]]] = {}
        for (dataset, name, seed), job in jobs.items():
            places.setdefault(dataset, {}).setdefault(name, {})[seed] = self.runs[job_key(job)][1]
        return places

    def origins(self, jobs: Iterable[Job]) -> list[Origin]:
        """What made their runs."""
        return [self.runs[job_key(job)][2] for job in jobs]
