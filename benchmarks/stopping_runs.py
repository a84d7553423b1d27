"""The runs of suite `stopping`: small data sets and starts, two learners, by chance or not, wrong answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np

import corollary as co
from corollary.experiment.data.clinc import ontology
from corollary.experiment.data.datasets import draw_split, load_dataset
from corollary.experiment.origin import Origin, origin_here
from corollary.logic.errors import CorollaryError
from corollary.logic.language.constraints import Subsumes

from . import RESULTS, Missing, add_line, kept_lines
from .fallible import digits
from .stopping_campaigns import run_campaign
from .until_sure import Check, Stopped, label_until_sure

TARGET = 0.99
#: Of a data set that is larger, so many items are labelled, drawn by the seed.
MOST = 600
#: One line a run, so that a run that is there is not run again.
LINES = RESULTS / "stopping-runs.jsonl"


@dataclass(frozen=True, slots=True)
class Run:
    """One labelling: what, by which learner, from how many known items a label, what share by chance, and wrong.

    `told`: that what is known at the start was drawn by chance, as it was but for official splits. `campaign`: people
    answer a campaign, with all settings but learner and seed as they are by themselves. `score`: what a session chooses
    by.
    """

    data: str
    learner: str = "auto"
    start: int | None = 3
    by_chance: float = 0.05
    wrong: float = 0.0
    seed: int = 0
    told: bool = False
    campaign: bool = False
    score: Literal["posterior", "contrast"] = "posterior"


#: Known items a label, in turn from seed to seed.
FEW = (3, 1)
ONES = ("vowel", "segment", "pendigits", "digits in a tree", "iris")
#: By kind, seed by seed.
KINDS: dict[str, list[Run]] = {
    "default learner": [
        Run(data, start=FEW[seed % 2], seed=seed)
        for seed in range(5)
        for data in (*ONES, "satimage", "things", "queries")
    ],
    "cheap learner": [
        Run(data, "crf", start=FEW[seed % 2], seed=seed)
        for seed in range(5)
        for data in (*ONES, "hmc_imclef07d")
    ],
    "whole training part, drawn": [
        Run(data, start=None, told=True, seed=seed)
        for seed in range(1, 4)
        for data in ("vowel", "segment", "iris")
    ],
    "wrong answers": [
        Run(data, "crf", wrong=0.05, seed=seed)
        for seed in range(4)
        for data in ("vowel", "segment", "digits in a tree")
    ],
    "campaigns": [
        Run(data, learner, start=FEW[seed % 2], seed=seed, campaign=True)
        for seed in range(4)
        for learner, some in (
            ("crf", ("vowel", "segment", "digits in a tree")),
            ("auto", ("things", "satimage")),
        )
        for data in some
    ],
    "whole training part, not told": [
        Run(data, start=None, seed=seed)
        for seed in range(1, 4)
        for data in ("vowel", "segment", "iris")
    ],
    "nothing by chance": [
        Run(data, learner, start=FEW[seed % 2], by_chance=0.0, seed=seed)
        for seed in range(4)
        for learner, some in (
            ("auto", ("segment", "queries")),
            ("crf", ("vowel", "segment", "pendigits")),
        )
        for data in some
    ],
}


KINDS["cheap learner, by contrast"] = [
    replace(run, score="contrast") for run in KINDS["cheap learner"]
]


def outcomes(kind: str) -> Iterator[tuple[Run, Stopped]]:
    """Every run of a kind: from the file, or run now and added to it."""
    kept, origin = stored(), origin_here()
    for run in KINDS[kind]:
        if run not in kept:
            kept[run] = (
                run_campaign(run, load(run)) if run.campaign else run_session(run, load(run))
            )
            keep(run, kept[run], origin)
            asked, needed = kept[run].asked, kept[run].needed
            print(
                f"{kind}: {run.data}, seed {run.seed}: {asked} asked, {needed} needed", flush=True
            )
        yield run, kept[run]


def run_session(run: Run, dataset: co.Dataset) -> Stopped:
    """A session, until it promises the target."""
    return label_until_sure(
        dataset,
        target=TARGET,
        learner=run.learner,
        score=run.score,
        by_chance=run.by_chance,
        facts_by_chance=run.told,
        wrong=run.wrong,
        start=run.start,
        random_state=run.seed,
    )


def stored() -> dict[Run, Stopped]:
    """The runs in the file."""
    found = {}
    for run, line in lines().items():
        checks = (Check(*row[:6], (row[6], row[7]), row[8]) for row in line["checks"])
        found[run] = Stopped(TARGET, tuple(checks))
    return found


def origins() -> dict[Run, Origin]:
    """What made each run in the file; of those kept before origins were, it is not recorded."""
    return {run: Origin.from_json(line.get("origin")) for run, line in lines().items()}


def lines() -> dict[Run, dict[str, Any]]:
    """The file line by line."""
    return {Run(**line["run"]): line for line in kept_lines(LINES)}


def keep(run: Run, stopped: Stopped, origin: Origin) -> None:
    """Add a run to the file: of each check asked, low, accuracy, high, true, questions, fewest, most, promised."""
    rows = [
        [
            check.asked,
            *(round(share, 5) for share in (check.low, check.accuracy, check.high, check.true)),
            check.questions,
            *check.questions_interval,
            round(check.promised, 5),
        ]
        for check in stopped.checks
    ]
    add_line(LINES, {"run": asdict(run), "checks": rows, "origin": origin.to_json()})


def load(run: Run) -> co.Dataset:
    """The data set of a run, split by its seed."""
    try:
        whole = (
            OWN[run.data](run.seed) if run.data in OWN else load_dataset(run.data, seed=run.seed)
        )
    except CorollaryError as missing:
        raise Missing(str(missing)) from missing
    some = np.random.default_rng(run.seed).permutation(np.flatnonzero(whole.test))[:MOST]
    rows = np.sort(np.concatenate([np.flatnonzero(whole.train), some]))
    return co.Dataset(
        whole.X[rows],
        whole.Y[rows],
        whole.onto,
        train=whole.train[rows],
        name=run.data,
        meaning=whole.meaning,
    )


def _digits(seed: int) -> co.Dataset:
    onto, X, Y = digits()
    return co.Dataset(X, Y, onto, train=draw_split(Y, len(Y) // 2, seed=seed))


def _queries(seed: int) -> co.Dataset:
    """Customer queries of two of CLINC150's ten domains, drawn by the seed: 30 intents below two domains."""
    whole = load_dataset("clinc150")
    below = {
        rule.parent: rule.children for rule in whole.onto.constraints if isinstance(rule, Subsumes)
    }
    domains = np.random.default_rng(seed).permutation(sorted(below))[:2].tolist()
    onto = ontology([(intent, domain) for domain in domains for intent in below[domain]])
    Y = whole.Y[:, [whole.onto.index[label] for label in onto.labels]]
    rows = np.flatnonzero(Y.any(axis=1))
    train = draw_split(Y[rows], len(rows) // 2, seed=seed)
    return co.Dataset(whole.X[rows], Y[rows], onto, train=train, meaning=whole.meaning)


OWN: dict[str, Callable[[int], co.Dataset]] = {"digits in a tree": _digits, "queries": _queries}
