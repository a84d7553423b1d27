"""The tables of the evidence: data sets and seeds, the start, the learner and the methods of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from corollary.experiment.methods import PAPER
from corollary.experiment.runs import Job
from corollary.learning.choosing.scores import CONTRAST

from .reports.choice_report import ALL
from .reports.comparison import Contender, default_with, jobs_by_place
from .reports.ladder import first_contenders

#: The paper's, on what the learner says of each label alone; without ENTROPY, with its own learner the best nowhere.
RAW = ("RANDOM", "RANDOM-CP", "ENTROPY-CP", "PROBABILITY-CP", "LOG-CP", "LINEAR-CP")
#: Without RANDOM, which asks nearly every cell: on large data sets it takes longer than all others.
QUICKER = RAW[1:]
MARGINALS = ("PROBABILITY-CP:marginals", "LOG-CP:marginals", "LINEAR-CP:marginals")
ITEMS = (
    "random:items",
    "entropy:items",
    "margin:items",
    "bald:items",
    "badge:items",
    "core-set:items",
    "typiclust:items",
)
CELLS = ("bald:cells", "badge:cells", "core-set:cells", "typiclust:cells")
OTHERS = (*ITEMS, *CELLS)
#: Scikit-activeml's own code; that of margin and BADGE takes one class an item. Its TypiClust fails where no cluster
#: has an item left.
ACTIVEML = ("activeml-margin:items", "activeml-badge:items", "activeml-core-set:items")
#: Small-text's; CVIRS is for items with several labels.
CONTRASTIVE = "smalltext-contrastive:items"
SMALLTEXT = ("smalltext-margin:items", "smalltext-core-set:items", CONTRASTIVE)
CVIRS = "smalltext-cvirs:items"
DEFAULT = ("posterior",)
#: The default where the learner is another.
OURS = (*DEFAULT, CONTRAST)
#: All of these, with chance and the default.
OF_ALL = ("RANDOM-CP", *OURS, *OTHERS, *ACTIVEML, *SMALLTEXT, CVIRS)
#: The code that takes one class an item; and small-text's core-set, which takes long for many items.
ONE_CLASS, SLOW = (*ACTIVEML[:2], SMALLTEXT[0], CONTRASTIVE), SMALLTEXT[1]
#: With the default learner, those that came closest with the cheap one or were ahead of it, and chance.
WITH_DEFAULT = (
    "RANDOM-CP",
    "PROBABILITY-CP",
    "LINEAR-CP",
    "LINEAR-CP:marginals",
    *OURS,
    "random:items",
    "entropy:items",
    "margin:items",
    "badge:items",
    CONTRASTIVE,
)
#: With the paper's own learner.
WITH_LOGISTIC = (
    "RANDOM-CP",
    "ENTROPY-CP",
    "PROBABILITY-CP",
    "LOG-CP",
    "LINEAR-CP",
    *MARGINALS,
    *OURS,
    "random:items",
    "margin:items",
    "badge:items",
    CONTRASTIVE,
)
#: What is run until all is known.
TO_THE_END = (
    "RANDOM-CP",
    "PROBABILITY-CP",
    "LOG-CP",
    "LINEAR-CP",
    "LINEAR-CP:marginals",
    *OURS,
    "random:items",
    "margin:items",
)
#: Of hierarchies and texts from whole training parts, which take long: what came closest elsewhere, and chance.
FEWER = (
    "RANDOM-CP",
    "PROBABILITY-CP",
    "LINEAR-CP",
    "LINEAR-CP:marginals",
    *DEFAULT,
    "random:items",
    "margin:items",
)
#: Of customer queries: LINEAR-CP and chance ask many times as much, and each round takes a training on all of it.
FEWEST = FEWER[1:2] + FEWER[3:]

SMALL = ("iris", "vowel", "segment")
MIDDLE = ("satimage", "pendigits", "shuttle", "nell-7", "nell-11")
LARGE = ("letter", "nell-13")
TEN = (*SMALL, *MIDDLE, *LARGE)

#: Rows of the summary that two tables fill.
FROM_FEW = {
    ALL: "ten data sets, three known items a label",
    "flat": "the seven flat ones",
    "NELL": "the three of NELL",
}

Jobs = Mapping[tuple[str, str, int], Job]


@dataclass(frozen=True)
class Part:
    """Some data sets, on which all these methods run with so many seeds."""

    datasets: tuple[str, ...]
    seeds: int
    methods: tuple[str, ...] = ()


@dataclass(frozen=True)
class Table:
    """Methods that differ in their choice alone; or, without methods, the ladder.

    `short` names rows of the summary: a data set, a group or all of them -> what it is. Tables with the same rows fill
    them together.
    """

    name: str
    title: str
    words: str
    parts: tuple[Part, ...]
    #: Those that its runs took on two cores, busy with other work, without the runs of tables before it.
    hours: float
    learner: str = "auto"
    start: int | None = 3
    targets: tuple[float, ...] = (0.99, 0.999)
    ladder: bool = False
    #: Until all is known, not only until the highest target is reached.
    to_the_end: bool = False
    short: Mapping[str, str] = field(default_factory=dict)

    @property
    def ours(self) -> str:
        """What a session does by itself with this learner."""
        return default_with(self.learner)

    def jobs(self) -> Jobs:
        """Every run; of a ladder its first rung, on which the others depend."""
        return {place: job for part in self.parts for place, job in self._jobs(part).items()}

    def _jobs(self, part: Part) -> Jobs:
        alike = [
            Contender(one, self.learner, of_paper=one in PAPER, alike=True) for one in part.methods
        ]
        jobs = jobs_by_place(
            [{"dataset": name} for name in part.datasets],
            first_contenders() if self.ladder else alike,
            seeds=part.seeds,
            targets=self.targets,
            start=self.start,
            distinct=True,
        )
        if not self.to_the_end:
            return jobs
        return {
            place: {**job, "settings": {**job["settings"], "until": None}}
            for place, job in jobs.items()
        }

    @property
    def about(self) -> dict[str, Any]:
        """How it was run."""
        seeds = "; ".join(f"{part.seeds} on {', '.join(part.datasets)}" for part in self.parts)
        start = (
            "the whole training part" if self.start is None else f"{self.start} items of each label"
        )
        learner = {} if self.ladder else {"learner of all": self.learner}
        return {
            **learner,
            "known at the start": start,
            "seeds, each with its own split": seeds,
            "items that occur in both parts": "left out of training",
            **({"each run goes on": "until all is known"} if self.to_the_end else {}),
        }


def without(left_out: Sequence[str], methods: Sequence[str]) -> tuple[str, ...]:
    """The methods but for these."""
    return tuple(one for one in methods if one not in left_out)


def _parts(*methods: str, sets: Sequence[tuple[tuple[str, ...], int]]) -> tuple[Part, ...]:
    return tuple(Part(datasets, seeds, methods) for datasets, seeds in sets)


TABLES = (
    Table(
        "choice",
        "Only the choice differs: the paper's scores",
        "All methods have one linear field, which is cheap to train, and three known items of each label. The methods "
        "are the paper's scores as published, the same on the posterior's marginals, random questions, `posterior` "
        "and `contrast`. With such a learner `contrast` is the default. To save time, ENTROPY, which ignores "
        "consequences, was not run, and RANDOM not on the two largest data sets. The paper's best is the best of the "
        "scores that were run.",
        (
            Part(SMALL, 10, (*RAW, *MARGINALS, *OURS)),
            Part(MIDDLE, 5, (*RAW, *MARGINALS, *OURS)),
            Part(LARGE, 5, (*QUICKER, *MARGINALS, *OURS)),
        ),
        hours=1.6,
        learner="crf",
        short=FROM_FEW,
    ),
    Table(
        "choice-default",
        "Only the choice differs: the default learner",
        "Does the result above depend on the learner? Here all methods have the default learner, which takes many "
        "times as long to train. To save time, letter and the larger two sets of NELL were not run. Of other tools' "
        "code only small-text's contrastive was run: with the linear field it needs far fewer questions than any other "
        "on shuttle (table `others`). It takes one class an item, so it cannot run on NELL.",
        (
            *_parts(*WITH_DEFAULT, sets=((SMALL[:2], 10), ((*SMALL[2:], *MIDDLE[:3]), 5))),
            Part(("nell-7",), 5, without((CONTRASTIVE,), WITH_DEFAULT)),
        ),
        hours=1.5,
        short={
            "flat": "six of the flat ones, the default learner",
            "nell-7": "nell-7, the default learner",
        },
    ),
    Table(
        "choice-logistic",
        "Only the choice differs: the paper's learner",
        "All methods have the paper's logistic regressions: one for each label, which learns nothing from the other "
        "labels. Classifiers that people bring are often like that. To save time, the two largest data sets were not "
        "run. Contrastive takes one class an item, so it cannot run on NELL.",
        (
            Part(SMALL, 10, WITH_LOGISTIC),
            Part(MIDDLE[:3], 5, WITH_LOGISTIC),
            Part(MIDDLE[3:], 5, without((CONTRASTIVE,), WITH_LOGISTIC)),
        ),
        hours=0.3,
        learner="logistic",
        short={
            ALL: "eight of them, the paper's learner",
            "flat": "the six flat ones, the paper's learner",
            "NELL": "the two of NELL, the paper's learner",
        },
    ),
    Table(
        "others",
        "Only the choice differs: strategies of other tools",
        "All methods have one linear field, which is cheap to train. Every strategy of other tools runs in every "
        "form: by our code, and by scikit-activeml's and small-text's own. Where both follow the same rule (core-set "
        "and margin) their code and ours should need the same number of questions. Only small-text's core-set differs, "
        "which projects items on a sphere. BADGE of scikit-activeml, both margins and small-text's contrastive take "
        "one class an item, so they cannot run on NELL, where several labels hold. TypiClust of scikit-activeml is "
        "left out: one run on segment ended in an error of its own code, when no cluster had an item left. Also left "
        "out are small-text's strategies that need a network or are random, and its core-set from 5,000 items on: on "
        "shuttle a run was not done after ten minutes. To save time, only our code was run on nell-13.",
        (
            Part(SMALL, 10, OF_ALL),
            Part(MIDDLE[:2], 5, OF_ALL),
            Part(("shuttle", "letter"), 5, without((SLOW,), OF_ALL)),
            Part(MIDDLE[3:], 5, without((*ONE_CLASS, SLOW), OF_ALL)),
            Part(("nell-13",), 5, ("RANDOM-CP", *OURS, *OTHERS)),
        ),
        hours=2.8,
        learner="crf",
        short=FROM_FEW,
    ),
    Table(
        "kept",
        "Only the choice differs: what is reached and kept",
        "The runs above end when they first reach 0.999, so they do not show whether they would stay there. These runs "
        "go on until all labels are known. Counted are the questions after which the AUC was never below the target "
        "again. All methods have one linear field, on the flat data sets.",
        (Part(SMALL, 10, TO_THE_END), Part((*MIDDLE[:3], "letter"), 5, TO_THE_END)),
        hours=0.2,
        learner="crf",
        to_the_end=True,
        short={ALL: "the seven flat ones, reached and kept"},
    ),
    Table(
        "full",
        "Only the choice differs: full starts",
        "The whole training part is known, as in the paper. All methods have one linear field.",
        _parts(
            "RANDOM-CP",
            *RAW[2:],
            *MARGINALS,
            *OURS,
            "margin:items",
            sets=((SMALL, 10), ((*MIDDLE, *LARGE), 5)),
        ),
        hours=3.4,
        learner="crf",
        start=None,
        short={ALL: "the ten, a whole training part known"},
    ),
    Table(
        "hierarchies",
        "Only the choice differs: hierarchies",
        "X-ray images in a tree of 46 labels, and e-mails with 56 labels of which several hold, to AUC 0.99. All "
        "methods have one linear field. We added that siblings in the tree exclude each other: its hierarchy does not "
        "say so, but all rows obey it. The official training rows alone would have shown it; the three items a label "
        "at the start would not. All methods have this rule. CVIRS is small-text's, for items with several labels.",
        _parts(
            *QUICKER, *MARGINALS, *OURS, *OTHERS, CVIRS, sets=((("hmc_imclef07d", "hmc_enron"), 5),)
        ),
        hours=2.0,
        learner="crf",
        targets=(0.99,),
        short={
            "hmc_imclef07d": "X-ray images, a tree of 46 labels",
            "hmc_enron": "e-mails, 56 labels, several hold",
        },
    ),
    Table(
        "full-hierarchies",
        "Only the choice differs: hierarchies, full starts",
        "The same hierarchies with the whole training part known, and those of the paper's scores that came closest "
        "elsewhere.",
        _parts(*FEWER, CONTRAST, sets=((("hmc_imclef07d", "hmc_enron"), 5),)),
        hours=0.5,
        learner="crf",
        start=None,
        targets=(0.99,),
        short={
            "hmc_imclef07d": "X-ray images, a whole training part known",
            "hmc_enron": "e-mails, a whole training part known",
        },
    ),
    Table(
        "diatoms",
        "Only the choice differs: a hierarchy of many labels",
        "Pictures of algae in a forest of 398 labels, to AUC 0.99. Many labels occur in a few items, or in no item "
        "that is known. All methods have one linear field. To save time, the only score of the paper is LINEAR-CP on "
        "marginals.",
        (
            Part(
                ("hmc_diatoms",), 5, ("LINEAR-CP:marginals", *OURS, "random:items", "margin:items")
            ),
        ),
        hours=0.3,
        learner="crf",
        targets=(0.99,),
        short={"hmc_diatoms": "algae, 398 labels"},
    ),
    Table(
        "words",
        "Only the choice differs: NELL without neighbours",
        "The features of NELL in the other tables include relation and direction of a phrase's neighbours, which say "
        "much about its category. Here the features are the words and letters of the phrases alone. All methods have "
        "one linear field.",
        _parts(*QUICKER, *MARGINALS, *OURS, sets=((("nell-11-words",), 5),)),
        hours=0.2,
        learner="crf",
        short={ALL: "NELL without neighbours, 11 labels"},
    ),
    Table(
        "text",
        "Only the choice differs: text",
        "Things of the world, which come with the package, and CLINC150, customer queries of 150 intents, to AUC 0.99. "
        "The default learner reads them. To save time, ENTROPY-CP and BALD by cells were not run on customer queries.",
        (
            Part(("things",), 5, (*QUICKER, *MARGINALS, *DEFAULT, *OTHERS)),
            Part(
                ("clinc150",),
                5,
                (*without(("ENTROPY-CP",), QUICKER), *MARGINALS, *DEFAULT, *ITEMS, *CELLS[1:]),
            ),
        ),
        hours=2.5,
        targets=(0.99,),
        short={
            "things": "things of the world, read",
            "clinc150": "customer queries, 160 labels, read",
        },
    ),
    Table(
        "full-text",
        "Only the choice differs: text, full starts",
        "The same texts with the whole training part known: 18,200 customer queries, without those that the test part "
        "has too. The default learner reads them. To save time, LINEAR-CP and random questions were not run on "
        "customer queries: from few known items they take many times the default's questions. PROBABILITY-CP is the "
        "only score of the paper there, the best one from few known items.",
        (Part(("things",), 5, FEWER), Part(("clinc150",), 5, FEWEST)),
        hours=0.8,
        start=None,
        targets=(0.99,),
        short={
            "things": "things of the world, read, a whole training part known",
            "clinc150": "customer queries, read, a whole training part known",
        },
    ),
    Table(
        "ladder",
        "From the paper's best to the default, one change at a time",
        "The whole training part is known, as published. To save time, the two largest data sets were not run.",
        (Part((*SMALL, *MIDDLE), 5),),
        hours=0.7,
        start=None,
        ladder=True,
    ),
    Table(
        "ladder-small",
        "The same from three known items of each label",
        "The last three rungs also show what the choice is worth with the default learner.",
        (Part((*SMALL, *MIDDLE), 5),),
        hours=0.6,
        ladder=True,
    ),
)


def quick() -> Iterator[Table]:
    """The same tables in minutes: iris, two seeds; for text things, one seed; to the first target."""
    for table in TABLES:
        methods = tuple(dict.fromkeys(one for part in table.parts for one in part.methods))
        part = (
            Part(("things",), 1, methods) if table.name == "text" else Part(("iris",), 2, methods)
        )
        yield replace(table, parts=(part,), targets=(table.targets[0],))
