"""The pages of the evidence, made of the runs alone: `docs/evidence.md` in short, and `docs/evidence-tables.md`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from . import again
from .kept import Kept
from .reports import choice_report, ladder
from .reports.choice_report import interval_in_words, is_worse
from .reports.comparison import DEFAULT
from .reports.intervals import Interval
from .reports.report import bold
from .reports.report import table as markdown_table
from .tables import Jobs, Table

SUMMARY_PAGE, TABLES_PAGE = "evidence.md", "evidence-tables.md"
SUMMARY = """\
# Evidence

For everyone who compares ways to choose questions. At the end you know how many questions Corollary asks, relative
to others.

## In short

Corollary asks fewer questions than random items do, and on most data fewer than the scores of the paper that it starts
from. It is about level with the best of other tools' strategies, and you need not know which one that is. It asks
clearly more than one of them on: {worse_on}.

In each row everything else is equal: the learner, three known items of each label, the rounds and the prediction. A
figure is Corollary's number of questions over another method's: below 1 Corollary asks fewer. Brackets hold 95 %
intervals; – means not run. Rows without a learner's name have the default learner.
"""
COLUMNS_EXPLAINED = """\
- Questions are counted until the labels reach an AUC of 0.999, on queries, things and images 0.99: the area under the
  precision-recall curve of the labelled set.
- **Items at random**: random items, label by label until all labels are settled.
- **The paper's best score**: the best of its query strategies that were run.
- **LINEAR-CP, consistent**: a score of the paper, given Corollary's probabilities, which keep the rules.
- **The best of other tools' strategies**: entropy, margin, BALD, BADGE, core-set and others, by our code,
  scikit-activeml's and small-text's. Each asks through our logic, which by itself saves much.
- Both bests are picked on each data set after the runs. Nobody knows beforehand which strategy that will be.
"""
BEYOND = """\
[All tables](evidence-tables.md) have every method, data set and caveat. Of the {ratios} ratios in their
[summary](evidence-tables.md#in-short) {worse} are above 1; the largest is {largest}. All answers came from data sets,
none from people. `make evidence` makes both pages; nothing is written by hand.
"""
#: The rows of the summary: a table, a data set or group of it, and what these are.
ROWS = {
    ("choice-default", "flat"): "six sets of flat classes",
    ("choice-default", "nell-7"): "noun phrases (NELL), 7 labels",
    ("text", "clinc150"): "customer queries, 160 labels",
    ("text", "things"): "things of the world, 30 labels",
    ("choice-logistic", choice_report.ALL): "eight data sets, logistic regression",
    ("hierarchies", "hmc_imclef07d"): "X-ray images, tree of 46 labels, linear learner",
    ("words", choice_report.ALL): "noun phrases by their words alone, linear learner",
}
#: Its columns.
COLUMNS = {
    "random:items": "items at random",
    choice_report.BEST: "the paper's best score",
    "LINEAR-CP:marginals": "LINEAR-CP, consistent",
    choice_report.BEST_OTHER: "the best of other tools' strategies",
}
INTRO = """\
# All tables of the evidence

How much of what Corollary saves comes from its choice of questions, and how much from its learner: every comparison
behind [the evidence](evidence.md). `make evidence` makes this page from the runs in `evidence/results`. In the tables
of ratios, bold marks where the default needs more questions.
"""
QUICK = """\
!!! warning "A quick run"
    These figures are of `make evidence QUICK=1`: one small data set and one or two seeds a table. They show that the
    machinery works, and no more.
"""
KEEP_IN_MIND = """\
- vowel, pendigits, letter, the hierarchies and CLINC150 have official splits, used with seed 0. All other splits are
  random. iris is split 70 to 30. Items that are known at the start and occur in the test part too are left out.
- The features of NELL are rebuilt. They include relation and direction of the phrases. The constraints of nell-13 are
  conjectured.
- The things of the world were written for the demo, not to compare methods. Reading was developed on CLINC150.
- The best of the paper's methods is chosen on each data set by the same runs that are reported, which favours it. The
  same holds for the best of other tools' strategies. Nobody knows beforehand which strategy that will be.
- `contrast` was chosen on development data, and all its runs were made after that. But an earlier form of it had been
  run on these data sets. Another form was looked for because the earlier one was far behind on shuttle
  ([more on that](fewer-questions-details.md#neighbour-disagreement)).
- For single cells, margin and entropy give the same order: margin by cells is `posterior` that does not stay on items.
  Strategies for several people who err are left out: one person answers here, and is right.
"""
IN_SHORT = """\
Each figure is the default's number of questions over another method's, with the same learner, start, rounds and
prediction. Questions are counted to AUC 0.999 unless the row says otherwise: the area under the precision-recall curve
on the items that are being labelled, with known labels counted as right. Means over several data sets are geometric;
brackets hold 95 % intervals.

- **The default** is what a session does by itself. With the default learner it chooses by the posterior's entropy. With
  a linear field or the paper's learner it chooses by `contrast`, which weighs the nearest items as well. The last
  column is the posterior's entropy alone.
- **LINEAR-CP on marginals** is the paper's score, given probabilities that keep the rules.
- **The best of other tools'** is the strategy with the fewest questions on each data set: entropy, margin, BALD, BADGE,
  core-set, TypiClust, contrastive, CVIRS or random, by our code or, where it runs, by that of scikit-activeml and
  small-text. These strategies choose an item; our logic then asks yes or no about its most uncertain label until all
  labels are settled. So even random items save much already.
"""
#: The columns of the summary.
RIVALS = {
    choice_report.BEST: "the paper's best",
    "LINEAR-CP:marginals": "LINEAR-CP on marginals",
    choice_report.BEST_OTHER: "the best of other tools'",
    "margin:items": "items by margin",
    "random:items": "items at random",
    "RANDOM-CP": "questions at random",
    DEFAULT: "the posterior alone",
}
HIGHEST = 0.999
#: The best of fewer strategies of other tools is left out: it would depend on which ones ran.
SEVERAL = 4


def rungs_of(table: Table, kept: Kept) -> tuple[dict[str, str], Jobs]:
    """The paper's best on each data set, and the jobs of all rungs; the first rung must be there."""
    first = table.jobs()
    return ladder.climb(first, kept.placed(first), table.targets[-1])


def pages(
    tables: Iterable[Table], kept: Kept, made_again: Kept, *, is_quick: bool = False
) -> dict[str, str]:
    """Both pages by their names; an unfinished table says how many of its runs are there."""
    tables = list(tables)
    found = reports(tables, kept)
    short = short_rows(tables, found)
    quick = [QUICK] if is_quick else []
    rows = summary_rows(found)
    summary = [opening(rows), *quick, summary_table(rows), COLUMNS_EXPLAINED, beyond(short)]
    parts = [INTRO, *quick, "## In short", IN_SHORT, in_short(short)]
    parts += ["## What to keep in mind", KEEP_IN_MIND + again.in_words(kept, made_again)]
    parts += ["## How it was compared", choice_report.HOW]
    for table in tables:
        parts += [f"## {table.title}", table.words, *sections(table, kept, found.get(table.name))]
    return {SUMMARY_PAGE: joined(summary), TABLES_PAGE: joined(parts)}


def joined(parts: Iterable[str]) -> str:
    """The parts of a page as one text."""
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


def reports(tables: Iterable[Table], kept: Kept) -> dict[str, choice_report.ChoiceReport]:
    """The report of each table that was run, but for the ladders, by its name."""
    found = {}
    for table in tables:
        jobs = table.jobs()
        if table.ladder or kept.missing(jobs):
            continue
        found[table.name] = choice_report.make_choice_report(
            kept.placed(jobs),
            targets=table.targets,
            about=table.about,
            origins=kept.origins(jobs.values()),
            mixed=True,
            ours=table.ours,
        )
    return found


def ratios_in(report: choice_report.ChoiceReport, column: str) -> dict[str, Interval]:
    """The default's questions over those of each rival, to the highest target, on a data set or group."""
    found = {
        rival: one
        for rival, of in report.to_targets[-1].ratios.items()
        if (one := of[column]) is not None
    }
    if sum(method.endswith((":items", ":cells")) for method in report.methods) < SEVERAL:
        found.pop(choice_report.BEST_OTHER, None)
    return found


def summary_rows(found: Mapping[str, choice_report.ChoiceReport]) -> dict[str, dict[str, Interval]]:
    """The few rows for someone who decides whether to use it, favourable and unfavourable ones."""
    rows = {}
    for (name, column), words in ROWS.items():
        report = found.get(name)
        if report and column in (*report.datasets, *report.together):
            ratios = ratios_in(report, column)
            rows[words] = {rival: ratios[rival] for rival in COLUMNS if rival in ratios}
    return rows


def summary_table(rows: Mapping[str, Mapping[str, Interval]]) -> str:
    """The rows as a table."""
    told = [
        [words, *(interval_in_words(row.get(rival)) for rival in COLUMNS)]
        for words, row in rows.items()
    ]
    return markdown_table(["Corollary's questions over those of", *COLUMNS.values()], told)


def opening(rows: Mapping[str, Mapping[str, Interval]]) -> str:
    """The answer in words, with the rows on which Corollary asks more beyond chance."""
    worse = [words for words, row in rows.items() if any(one.low > 1 for one in row.values())]
    return SUMMARY.format(worse_on="; ".join(worse) or "none of these")


def beyond(short: Mapping[str, Mapping[str, Interval]]) -> str:
    """How much there is besides, and how much of it is unfavourable."""
    ratios = [one for row in short.values() for one in row.values()]
    largest = f"{max(one.value for one in ratios):.2f}" if ratios else "–"
    return BEYOND.format(ratios=len(ratios), worse=sum(map(is_worse, ratios)), largest=largest)


def short_rows(
    tables: Iterable[Table], found: Mapping[str, choice_report.ChoiceReport]
) -> dict[str, dict[str, Interval]]:
    """Ratios by row and rival: a row for each of what the tables name, as far as they were run."""
    rows: dict[str, dict[str, Interval]] = {}
    for table in tables:
        report = found.get(table.name)
        if report is None:
            continue
        target = report.to_targets[-1].target
        lower = "" if target == HIGHEST else f", to {target:g}"
        for column, words in table.short.items():
            if column in (*report.datasets, *report.together):
                ratios = ratios_in(report, column)
                shown = {rival: one for rival, one in ratios.items() if rival in RIVALS}
                rows.setdefault(words + lower, {}).update(shown)
    return rows


def in_short(rows: Mapping[str, Mapping[str, Interval]]) -> str:
    """The rows as a table."""
    told = [
        [
            words,
            *(bold(interval_in_words(row.get(one)), when=is_worse(row.get(one))) for one in RIVALS),
        ]
        for words, row in rows.items()
    ]
    return markdown_table(["the default over", *RIVALS.values()], told)


def sections(table: Table, kept: Kept, report: choice_report.ChoiceReport | None) -> list[str]:
    """The tables of one comparison."""
    if report is not None:
        return choice_report.sections(report, level=3)
    jobs = table.jobs()
    if kept.missing(jobs):
        return [not_there(table, jobs, kept)]
    best, rungs = rungs_of(table, kept)
    if kept.missing(rungs):
        return [not_there(table, rungs, kept)]
    origins = kept.origins([*jobs.values(), *rungs.values()])
    climbed = ladder.make_ladder(
        kept.placed(rungs),
        best,
        targets=table.targets,
        about=table.about,
        origins=origins,
        mixed=True,
    )
    return [ladder.HOW, *ladder.sections(climbed, level=3)]


def not_there(table: Table, jobs: Jobs, kept: Kept) -> str:
    """What is said of a table before it was run."""
    done = len(jobs) - kept.missing(jobs)
    return f"Not run yet: {done:,} of {len(jobs):,} runs are there. `make evidence TABLE={table.name}` makes them."
