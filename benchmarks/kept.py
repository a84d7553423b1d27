"""Suite `kept`: the default runs of the comparison made again, beside those that are kept: nothing may cost questions.

Labels of these data sets have no meaning that could be read, and the kept runs were made before anything was read, and
by the best question first.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from corollary.experiment.data.datasets import Dataset
from corollary.experiment.runs import dataset_of
from corollary.experiment.simulation import simulate
from corollary.learning.session.options import grouped
from corollary.logic.errors import CorollaryError
from evidence.reports.comparison import DEFAULT, UNTIL

from . import Missing

KEPT = Path(__file__).parents[1] / "docs" / "comparison"
#: Data sets by the folder that has their runs.
FOLDERS = {
    "": (
        "iris",
        "vowel",
        "segment",
        "pendigits",
        "shuttle",
        "satimage",
        "letter",
        "nell-7",
        "nell-11",
        "nell-13",
    ),
    "imclef07d": ("hmc_imclef07d",),
    "diatoms": ("hmc_diatoms",),
}
#: So many times the questions are allowed, over three seeds.
AT_MOST = 1.02
#: How the kept runs chose.
FIRST = "by the best question first"


def again(folder: str, name: str) -> dict[str, Any]:
    """Questions until the area is as high as the runs were to get, on both parts, three seeds: as kept, and now."""
    with gzip.open(KEPT / folder / "runs.jsonl.gz", "rt", encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    kept = [
        line for line in lines if (line["job"]["dataset"], line["job"]["method"]) == (name, DEFAULT)
    ]
    figures: dict[str, Any] = {"kept": [], "now": []}
    runs = []
    for line in kept:
        job, curve = line["job"], line["curve"]
        try:
            data = dataset_of(job)
        except CorollaryError as error:
            raise Missing(str(error)) from None
        until = job["settings"].get("until", UNTIL)
        figures["kept"].append(
            _questions(curve["asked"], curve["auc_full"], curve["auc_test"], until)
        )
        runs.append(partial(_made_again, data, job, until))
    figures["now"] = [run() for run in runs]
    figures["times"] = _times(figures["now"], figures["kept"])
    if figures["times"] > AT_MOST:  # is it that one stays on an item?
        figures[FIRST] = [run(stay=None) for run in runs]
        figures[f"times, {FIRST}"] = _times(figures[FIRST], figures["kept"])
    return {**figures, "targets": {"times": ("at most", AT_MOST)}}


def _made_again(data: Dataset, job: dict[str, Any], until: float, **settings: Any) -> float:
    found = simulate(data, random_state=job["seed"], **grouped({**job["settings"], **settings}))
    return _questions(found.asked, found.auc_full, found.auc_test, until)


def _times(now: list[float], before: list[float]) -> float:
    return round(sum(now) / sum(before), 3) if sum(before) else 1.0


def _questions(asked: Any, *areas_and_until: Any) -> float:
    """Where the line between the points of a curve first reaches the area: points are up to a tenth apart."""
    *areas, until = areas_and_until
    least, asked = np.min(np.asarray(areas), axis=0), np.asarray(asked, np.float64)
    reached = int(np.argmax(least >= until))
    assert least[reached] >= until, "a run ends when all is known"
    if not reached:
        return float(asked[0])
    before = reached - 1
    share = (until - least[before]) / (least[reached] - least[before])
    return round(float(asked[before] + share * (asked[reached] - asked[before])), 1)


def _case(folder: str, name: str) -> Callable[[], dict[str, Any]]:
    case = partial(again, folder, name)
    case.__doc__ = again.__doc__
    return case


CASES = {name: _case(folder, name) for folder, names in FOLDERS.items() for name in names}
