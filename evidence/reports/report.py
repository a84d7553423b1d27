"""What a comparison found, as Markdown, as JSON, and as rows of a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from corollary.experiment.methods import PAPER
from corollary.experiment.origin import Origin, check_one_origin, count_codes

from .comparison import Curves, Figures, Overall, Standing, mean_if_all, overall, standing

HOW = """\
Questions asked until the average AUC on the test part is at least the target: the area under each label's
precision-recall curve, weighted by the label's positives; known cells count as 0 or 1.

{rounds}
- The paper's best is its method with the fewest questions on that data set, by the mean over the seeds. A
  ratio is a mean over that mean. Data sets where one of the two needs no question are not in the geometric mean.
- Early AUC: the mean test AUC over the questions that the paper's best needs, straight between the points measured.
"""

GROWING = "a tenth of what was\n  asked so far, at least one question for each 5,000 cells of the test part."
#: Where each has its own.
OWN_ROUNDS = f"""\
- The paper's methods run as in the paper: its logistic regression, its balanced start, its number of questions
  between two trainings. On data that are not the paper's these are rounds that grow.
- The others are named with their learner. They learn from all that is known, in rounds that grow: {GROWING}"""
#: Where all have the same.
SAME_ROUNDS = """\
- The paper's methods have its logistic regression and its balanced start. The others are named with their learner, and
  learn from all that is known.
- Between two trainings all are asked {rounds}"""
#: What a report calls them.
ROUNDS = "questions between two trainings"


@dataclass(frozen=True)
class Report:
    """All that is told: the standings of each data set to each target, how it is overall, and what was run."""

    targets: tuple[float, ...]
    standings: tuple[Standing, ...]
    overall: tuple[Overall, ...]
    about: dict[str, Any]
    #: How many runs each code made, and each set of versions; nothing where nobody told.
    made_by: dict[str, int] = field(default_factory=dict)
    made_with: dict[str, int] = field(default_factory=dict)

    def to_target(self, target: float) -> list[Standing]:
        """The standings to one target."""
        return [one for one in self.standings if one.target == target]

    @property
    def names(self) -> list[str]:
        """The contenders."""
        return [figures.name for figures in self.standings[0].figures]

    @property
    def ours(self) -> list[str]:
        """The contenders that are not the paper's."""
        return [name for name in self.names if name not in PAPER]


def make_report(
    curves: Curves,
    *,
    targets: Sequence[float],
    about: dict[str, Any],
    origins: Sequence[Origin] = (),
    mixed: bool = False,
) -> Report:
    """Everything worked out from the curves; `origins` tells what made them, one commit unless `mixed` allows more."""
    if not mixed:
        check_one_origin(origins, what="pass mixed=True to report them together")
    standings = {
        target: [standing(title(dataset), by_name, target) for dataset, by_name in curves.items()]
        for target in targets
    }
    names = list(next(iter(curves.values())))
    summed = tuple(
        overall(standings[target], name)
        for target in targets
        for name in names
        if name not in PAPER
    )
    every = tuple(one for some in standings.values() for one in some)
    made_with = dict(Counter(origin.made_with for origin in origins))
    return Report(tuple(targets), every, summed, about, count_codes(origins), made_with)


def title(dataset: str) -> str:
    """The name of a data set: of a file, without its folder and its endings."""
    return Path(dataset).name.partition(".")[0]


# -- JSON and Markdown -----------------------------------------------------------------------------------------------


def as_json(report: Report) -> dict[str, Any]:
    """The report as what JSON can hold."""
    return asdict(report)


def as_markdown(report: Report, *, figures: Sequence[str] = ()) -> str:
    """The report as a page; `figures` are the files to show."""
    about = filter(
        None, [in_words(report.about), origins_in_words(report.made_by, report.made_with)]
    )
    parts = [
        "# Methods compared",
        HOW.format(rounds=_rounds(report.about.get(ROUNDS))),
        "\n".join(about),
    ]
    for target in report.targets:
        standings = report.to_target(target)
        parts += [f"## Questions to AUC {target:g}", counts(report, standings)]
        parts += [f"### Against the paper's best, to AUC {target:g}", against(report, standings)]
        parts += [sentence(one) for one in report.overall if one.target == target]
    parts += shown(figures)
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


def _rounds(between: object) -> str:
    """How methods differ besides in what they ask, given the questions between two trainings."""
    if isinstance(between, int):
        return SAME_ROUNDS.format(
            rounds="one question." if between == 1 else f"{between:,} questions."
        )
    return SAME_ROUNDS.format(rounds=GROWING) if between == "auto" else OWN_ROUNDS


def shown(figures: Sequence[str]) -> list[str]:
    """Files of figures, in Markdown."""
    return [f"![{Path(file).stem}]({file})" for file in figures]


def in_words(about: dict[str, Any]) -> str:
    """What was run, as a list."""
    return "\n".join(f"- {name}: {value}" for name, value in about.items())


def origins_in_words(made_by: Mapping[str, int], made_with: Mapping[str, int]) -> str:
    """What made the runs, as lines of that list; that several commits did is said in bold."""
    lines = []
    for what, told in (("made by", made_by), ("made with", made_with)):
        alone = len(told) == 1
        lines += [
            f"- {what}: {one}" + ("" if alone else f" ({n:,} runs)") for one, n in told.items()
        ]
    if len(made_by) > 1:
        lines.append(
            "- **The runs are not all of one commit**: differences between methods may be differences of code."
        )
    return "\n".join(lines)


def counts(report: Report, standings: Sequence[Standing]) -> str:
    """A row for each data set, a column for each contender; bold are the paper's best, and what is better still."""
    rows = [
        [
            one.dataset,
            *(bold(spread(figures), when=stands_out(one, figures)) for figures in one.figures),
        ]
        for one in standings
    ]
    return table(["", *report.names], rows)


def stands_out(one: Standing, figures: Figures) -> bool:
    """Whether it is the paper's best, or one of the others with fewer questions."""
    if figures.name in PAPER:
        return figures.name == one.best
    return figures.mean is not None and one.needed is not None and figures.mean < one.needed


def against(report: Report, standings: Sequence[Standing]) -> str:
    """A row for each data set: the paper's best, and of the others the ratio and the early AUC; then the mean."""
    head = ["", "the paper's best", "its questions", "its early AUC"]
    for name in report.ours:
        head += [f"{name}: ratio", "early AUC"]
    rows = []
    for one in standings:
        best = None if one.best is None else one.of(one.best)
        row = [one.dataset, best.name if best else "none gets there"]
        row += [spread(best), decimals(best.early, 4)] if best else ["–", "–"]
        for figures in map(one.of, report.ours):
            row += [ratio_in_words(figures), decimals(figures.early, 4)]
        rows.append(row)
    summed = {one.name: one for one in report.overall if one.target == standings[0].target}
    last = ["geometric mean", "", "", ""]
    for name in report.ours:
        last += [bold(decimals(summed[name].ratio), when=summed[name].ratio is not None), ""]
    return table(head, [*rows, last])


def sentence(one: Overall) -> str:
    """What a contender's geometric mean is over, what is not in it, and where it is behind early."""
    said = f"{one.name}: geometric mean {decimals(one.ratio)} over {len(one.averaged)} of the data sets"
    apart = {
        "no question needed by it or by the paper's best, not averaged": one.no_question,
        "a run did not get there, not averaged": one.not_reached,
        "early AUC below that of the paper's best": one.behind_early,
    }
    return (
        "; ".join(
            [said, *(f"{what}: {', '.join(names)}" for what, names in apart.items() if names)]
        )
        + "."
    )


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown, numbers to the right."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


# -- rows for a terminal ---------------------------------------------------------------------------------------------


def rows_of(report: Report) -> list[list[str]]:
    """Data set, contender, and for each target questions, ratio and early AUC; then the geometric means."""
    rows = []
    for group in zip(*(report.to_target(target) for target in report.targets), strict=True):
        for name in report.names:
            row = [group[0].dataset, name]
            for one in group:
                figures = one.of(name)
                mark = " *" if name == one.best else ""
                row += [spread(figures) + mark, decimals(figures.ratio), decimals(figures.early, 4)]
            rows.append(row)
    for name in report.ours:
        row = ["geometric mean", name]
        for one in (one for one in report.overall if one.name == name):
            row += ["", decimals(one.ratio), ""]
        rows.append(row)
    return rows


# -- words -----------------------------------------------------------------------------------------------------------


def spread(figures: Figures) -> str:
    """The questions of a contender in words."""
    return spread_of(figures.questions)


def spread_of(questions: Sequence[int | None]) -> str:
    """`1,200 (1,100–1,300)`: the mean, the smallest and the largest; `2 of 3 runs get there` where some do not."""
    reached = [number for number in questions if number is not None]
    if (average := mean_if_all(questions)) is None:
        return f"{len(reached)} of {len(questions)} runs get there"
    mean = f"{average:,.0f}" if average >= 20 else f"{average:.3g}"
    return mean if min(reached) == max(reached) else f"{mean} ({min(reached):,}–{max(reached):,})"


def ratio_in_words(figures: Figures) -> str:
    """`0.31 (0.25–0.40)`: of the means, and the smallest and largest on one seed."""
    there = [ratio for ratio in figures.ratios if ratio is not None]
    if figures.ratio is None or len(there) < 2:
        return decimals(figures.ratio)
    return f"{decimals(figures.ratio)} ({decimals(min(there))}–{decimals(max(there))})"


def decimals(number: float | None, digits: int = 2) -> str:
    """`0.31`, or a dash."""
    return "–" if number is None else f"{number:.{digits}f}"


def bold(text: str, *, when: bool) -> str:
    """Bold in Markdown."""
    return f"**{text}**" if when else text
