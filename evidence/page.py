"""The page of the evidence, made of the runs alone: `docs/evidence.md`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from corollary.experiment import choice_report, ladder
from corollary.experiment.choice_report import interval_in_words, is_worse
from corollary.experiment.comparison import DEFAULT
from corollary.experiment.intervals import Interval
from corollary.experiment.report import bold
from corollary.experiment.report import table as markdown_table

from . import again
from .kept import Kept
from .tables import Jobs, Table

INTRO = """\
# Evidence

How much of what Corollary saves comes from its choice of questions, and how much from its learner. Made by
`make evidence`, which writes this page from the runs in `evidence/results`; nothing on it is written by hand. What is
unfavourable stands in the same tables: bold in the tables of ratios is where the default needs more questions.
"""
QUICK = """\
!!! warning "A quick run"
    These figures are of `make evidence QUICK=1`: one small data set and one or two seeds a table. They show that the
    machinery works, and no more.
"""
KEEP_IN_MIND = """\
- Official splits are those of seed 0 on vowel, pendigits, letter, the hierarchies and CLINC150; all others are random.
  iris is split 70 to 30. Items known at the start that occur in the test part too are left out.
- The features of NELL are rebuilt, and tell relation and direction of the phrases; the constraints of nell-13 are
  conjectured.
- Things of the world were written for the demo, not to compare methods; on CLINC150 the reading was developed.
- The best of the paper's methods is chosen on each data set by the very runs it is told with, to its advantage; so is
  the best of others' strategies. Nobody knows beforehand which that will be.
- `contrast` was chosen on development data, and all its runs were made after that. But an earlier form of it had been
  run on these data sets, and that it was far behind on shuttle is why another was looked for: told with it
  [elsewhere](fewer-questions.md#a-learner-that-is-sure-and-wrong).
- Of single cells, the margin and the entropy order alike: margin by cells is `posterior` without its staying.
  Strategies for several people who err are left out: here one answers, and is right.
"""
IN_SHORT = """\
The default's questions over those of some others, each with the same learner, start, rounds and prediction; to AUC
0.999 where the row says nothing else: the area under precision-recall curves on the items that are being labelled, what
is known counted as right. Means over several data sets are geometric; in brackets are 95 % intervals. The default is
what a session does by itself: with the default learner it chooses by the posterior's entropy, with a linear field or
the paper's learner by `contrast`, which hears items that are alike, too; beside it is the posterior's entropy alone.
LINEAR-CP on marginals is the paper's score, given probabilities that agree with the logic. The best of others' is the
one of their strategies with the fewest questions on each data set: entropy, margin, BALD, BADGE, core-set, TypiClust,
contrastive, CVIRS or chance, by our code or by that of scikit-activeml and small-text where it runs. Of what they
choose our logic asks: yes or no about the most uncertain label of an item, until all follows; so to ask for items, even
by chance, saves much already.
"""
#: The columns of the summary.
RIVALS = {
    choice_report.BEST: "the paper's best",
    "LINEAR-CP:marginals": "LINEAR-CP on marginals",
    choice_report.BEST_OTHER: "the best of others'",
    "margin:items": "items by margin",
    "random:items": "items by chance",
    "RANDOM-CP": "questions by chance",
    DEFAULT: "the posterior alone",
}
HIGHEST = 0.999
#: The best of fewer strategies of others is not told: which ones ran would decide.
SEVERAL = 4


def rungs_of(table: Table, kept: Kept) -> tuple[dict[str, str], Jobs]:
    """The paper's best on each data set, and the jobs of all rungs; the first rung must be there."""
    first = table.jobs()
    return ladder.climb(first, kept.placed(first), table.targets[-1])


def page(tables: Iterable[Table], kept: Kept, made_again: Kept, *, is_quick: bool = False) -> str:
    """The whole page; of a table that is not there in full, how much of it is."""
    tables = list(tables)
    parts = [INTRO, *([QUICK] if is_quick else []), "## In short", IN_SHORT, in_short(tables, kept)]
    parts += ["## What to keep in mind", KEEP_IN_MIND + again.in_words(kept, made_again)]
    parts += ["## How it was compared", choice_report.HOW]
    for table in tables:
        parts += [f"## {table.title}", table.words, *sections(table, kept)]
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


def in_short(tables: Iterable[Table], kept: Kept) -> str:
    """A row for each of what the tables name, as far as they were run."""
    rows: dict[str, dict[str, Interval]] = {}
    for table in tables:
        jobs = table.jobs()
        if kept.missing(jobs) or not table.short:
            continue
        curves = kept.placed(jobs)
        report = choice_report.make_choice_report(curves, targets=table.targets, about={}, mixed=True, ours=table.ours)
        last = report.to_targets[-1]
        lower = "" if last.target == HIGHEST else f", to {last.target:g}"
        for column, words in table.short.items():
            if column in (*report.datasets, *report.together):
                found = {rival: one for rival, of in last.ratios.items() if (one := of[column]) is not None}
                if sum(method.endswith((":items", ":cells")) for method in report.methods) < SEVERAL:
                    found.pop(choice_report.BEST_OTHER, None)
                rows.setdefault(words + lower, {}).update(found)
    told = [
        [words, *(bold(interval_in_words(row.get(one)), when=is_worse(row.get(one))) for one in RIVALS)]
        for words, row in rows.items()
    ]
    return markdown_table(["the default over", *RIVALS.values()], told)


def sections(table: Table, kept: Kept) -> list[str]:
    """The tables of one comparison."""
    jobs = table.jobs()
    if kept.missing(jobs):
        return [not_there(table, jobs, kept)]
    told: Mapping[str, Any] = {"targets": table.targets, "about": table.about, "mixed": True}
    if not table.ladder:
        origins = kept.origins(jobs.values())
        report = choice_report.make_choice_report(kept.placed(jobs), origins=origins, ours=table.ours, **told)
        return choice_report.sections(report, level=3)
    best, rungs = rungs_of(table, kept)
    if kept.missing(rungs):
        return [not_there(table, rungs, kept)]
    origins = kept.origins([*jobs.values(), *rungs.values()])
    climbed = ladder.make_ladder(kept.placed(rungs), best, origins=origins, **told)
    return [ladder.HOW, *ladder.sections(climbed, level=3)]


def not_there(table: Table, jobs: Jobs, kept: Kept) -> str:
    """What is said of a table before it was run."""
    done = len(jobs) - kept.missing(jobs)
    return f"Not run yet: {done:,} of {len(jobs):,} runs are there. `make evidence TABLE={table.name}` makes them."
