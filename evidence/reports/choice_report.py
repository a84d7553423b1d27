"""What a comparison found in which only the choice of questions differs: questions, ratios with intervals, seconds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from corollary.experiment.methods import PAPER
from corollary.experiment.origin import Origin, check_one_origin, count_codes
from corollary.experiment.simulation import Curve

from .choice_rules import rules
from .comparison import DEFAULT, Curves, fewest, mean_if_all
from .intervals import WITH_OFFICIAL_SPLIT, Interval, groups_of, ratio_interval
from .report import bold, decimals, in_words, origins_in_words, shown, spread_of, table, title

#: How it was compared, unless settings say otherwise.
HOW = rules()
SECONDS = "Training with scoring all questions after it / asking and answering; mean over the seeds, on one core."
PARTLY = "`2 of 3`: over two of three data sets; on the third it was not run, or a run did not reach the target."
BEST = "the paper's best"
BEST_OTHER = "the best of other tools' strategies"
ALL = "all"
OFFICIAL = "official splits"
RANDOM_SPLITS = "random splits"
WHOLE = slice(None)

Questions = dict[str, dict[str, tuple[int | None, ...]]]


@dataclass(frozen=True)
class ToTarget:
    """To one target: the questions of each method on each data set, by seed, and the default's over theirs."""

    target: float
    #: Data set -> method -> by seed.
    questions: Questions
    #: Rival -> data set or group -> the ratio; None where a run is missing or did not get there.
    ratios: dict[str, dict[str, Interval | None]]
    #: Data set -> method -> of the runs that went on after they first got there, how many fell below again, and of how
    #: many.
    fell_back: dict[str, dict[str, tuple[int, int]]] = field(default_factory=dict)


@dataclass(frozen=True)
class ChoiceReport:
    """All that is told."""

    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    #: Kind -> data sets.
    groups: dict[str, list[str]]
    to_targets: tuple[ToTarget, ...]
    #: Data set -> method -> seconds of training, and of choosing, in a run.
    seconds: dict[str, dict[str, tuple[float, float]]]
    about: dict[str, Any]
    made_by: dict[str, int] = field(default_factory=dict)
    made_with: dict[str, int] = field(default_factory=dict)
    #: The default, whose questions stand above those of the others in ratios.
    ours: str = DEFAULT

    @property
    def together(self) -> list[str]:
        """Groups, all data sets, and all of them by kind of split."""
        splits = (
            [OFFICIAL, RANDOM_SPLITS]
            if OFFICIAL in next(iter(self.to_targets[0].ratios.values()), {})
            else []
        )
        return [*(self.groups if len(self.groups) > 1 else []), ALL, *splits]


def make_choice_report(
    curves: Curves,
    *,
    targets: Sequence[float],
    about: dict[str, Any],
    origins: Sequence[Origin] = (),
    mixed: bool = False,
    ours: str = DEFAULT,
) -> ChoiceReport:
    """Everything worked out from the curves; `origins` tells what made them, one commit unless `mixed` allows more.

    Ratios are those of the default, which with another learner is another method: `ours`.
    """
    if not mixed:
        check_one_origin(origins, what="pass mixed=True to report them together")
    named = {title(dataset): by_method for dataset, by_method in curves.items()}
    methods = tuple(dict.fromkeys(method for by_method in named.values() for method in by_method))
    groups = groups_of(named)
    seconds = {
        dataset: {
            method: (
                float(np.mean([curve.seconds_training for curve in runs.values()])),
                float(np.mean([curve.seconds_choosing for curve in runs.values()])),
            )
            for method, runs in by_method.items()
        }
        for dataset, by_method in named.items()
    }
    to_targets = []
    for target in targets:
        questions: Questions = {
            dataset: {
                method: tuple(curve.questions_to(target, kept=True) for curve in runs.values())
                for method, runs in by_method.items()
            }
            for dataset, by_method in named.items()
        }
        fell_back = {
            dataset: {method: fallen(runs.values(), target) for method, runs in by_method.items()}
            for dataset, by_method in named.items()
        }
        to_targets.append(
            ToTarget(target, questions, ratios_of(questions, methods, groups, ours=ours), fell_back)
        )
    made_with = dict(Counter(origin.made_with for origin in origins))
    return ChoiceReport(
        tuple(named),
        methods,
        groups,
        tuple(to_targets),
        seconds,
        about,
        count_codes(origins),
        made_with,
        ours,
    )


def fallen(curves: Iterable[Curve], target: float) -> tuple[int, int]:
    """Of the runs that went on after they first got to the target, how many fell below it again; and of how many."""
    first = [(curve, curve.questions_to(target)) for curve in curves]
    went_on = [(curve, n) for curve, n in first if n is not None and n < curve.asked[-1]]
    return sum(curve.questions_to(target, kept=True) != n for curve, n in went_on), len(went_on)


def ratios_of(
    questions: Questions,
    methods: Sequence[str],
    groups: Mapping[str, Sequence[str]],
    *,
    ours: str = DEFAULT,
) -> dict[str, dict[str, Interval | None]]:
    """Of each rival the questions of ours over its own: on each data set, on each group, on all."""
    rivals = bests_of(methods) | {one: [one] for one in methods if one != ours}
    columns = {
        **{dataset: {dataset: WHOLE} for dataset in questions},
        **{kind: dict.fromkeys(datasets, WHOLE) for kind, datasets in groups.items()},
        ALL: dict.fromkeys(questions, WHOLE),
        **splits_of(questions),
    }
    return {
        rival: {
            column: ratio_on(questions, among, seeds, ours=ours)
            for column, seeds in columns.items()
        }
        for rival, among in rivals.items()
    }


def bests_of(methods: Sequence[str]) -> dict[str, list[str]]:
    """Rivals that are the best of several methods on each data set, and of which."""
    paper = [method for method in methods if method in PAPER]
    others = [method for method in methods if method.endswith((":items", ":cells"))]
    return {name: among for name, among in ((BEST, paper), (BEST_OTHER, others)) if len(among) > 1}


def splits_of(questions: Questions) -> dict[str, dict[str, slice]]:
    """Official and random splits apart: of each data set the seeds that have them; nothing where none is official."""
    if min(len(runs) for by_method in questions.values() for runs in by_method.values()) < 2:
        return {}
    official = [dataset for dataset in questions if dataset in WITH_OFFICIAL_SPLIT]
    drawn = {dataset: slice(1, None) if dataset in official else WHOLE for dataset in questions}
    return (
        {OFFICIAL: dict.fromkeys(official, slice(0, 1)), RANDOM_SPLITS: drawn} if official else {}
    )


def ratio_on(
    questions: Questions, rivals: Sequence[str], seeds: Mapping[str, slice], *, ours: str = DEFAULT
) -> Interval | None:
    """The questions of ours over those of the best rival, on the data sets where all runs got there; None if none."""
    asked = []
    theirs = []
    for dataset, some in seeds.items():
        one, others = reached(questions[dataset], rivals, some, ours=ours)
        if one is not None and others:
            asked.append(one)
            theirs.append(others)
    return ratio_interval(asked, theirs, of=len(seeds)) if asked else None


def reached(
    of_dataset: Mapping[str, Sequence[int | None]],
    rivals: Sequence[str],
    seeds: slice,
    *,
    ours: str = DEFAULT,
) -> tuple[list[int] | None, list[list[int]]]:
    """The questions of ours by seed, and those of the rivals, where all their runs got there."""

    def numbers(method: str) -> list[int] | None:
        found = [number for number in of_dataset.get(method, ())[seeds] if number is not None]
        return found if found and len(found) == len(of_dataset[method][seeds]) else None

    return numbers(ours), [found for rival in rivals if (found := numbers(rival)) is not None]


# -- words -----------------------------------------------------------------------------------------------------------


def as_json(report: ChoiceReport) -> dict[str, Any]:
    """The report as what JSON can hold."""
    return asdict(report)


def as_markdown(report: ChoiceReport, *, how: str = HOW, figures: Sequence[str] = ()) -> str:
    """The report as a page; `how` it was compared, `figures` are the files to show."""
    parts = ["# Only the choice differs", how, *sections(report), *shown(figures)]
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


def sections(report: ChoiceReport, *, level: int = 2) -> list[str]:
    """What was run, and the tables, under headings of a level."""
    mark = "#" * level
    about = filter(
        None, [in_words(report.about), origins_in_words(report.made_by, report.made_with)]
    )
    parts = ["\n".join(about)]
    for one in report.to_targets:
        parts += [f"{mark} Questions to AUC {one.target:g}", counts(report, one)]
        parts += [f"{mark}# The default's questions over theirs, to AUC {one.target:g}"]
        parts += [
            ratios(one, columns, ours=report.ours) for columns in (report.together, report.datasets)
        ]
        parts += [fewer(report, one), fallen_back(one)]
    return [*parts, f"{mark} Seconds of a run", SECONDS, times(report)]


def counts(report: ChoiceReport, one: ToTarget) -> str:
    """A row for each method, a column for each data set; bold is the fewest."""
    fewest = {
        dataset: min(
            (mean for runs in by_method.values() if (mean := mean_if_all(runs)) is not None),
            default=None,
        )
        for dataset, by_method in one.questions.items()
    }
    rows = []
    for method in report.methods:
        row = [method]
        for dataset in report.datasets:
            runs = one.questions[dataset].get(method)
            is_best = (
                runs is not None
                and fewest[dataset] is not None
                and mean_if_all(runs) == fewest[dataset]
            )
            row.append("–" if runs is None else bold(spread_of(runs), when=is_best))
        rows.append(row)
    return table(["", *report.datasets], rows)


def ratios(one: ToTarget, columns: Sequence[str], *, ours: str = DEFAULT) -> str:
    """A row for each rival; bold is where ours needs more questions."""
    rows = [
        [
            rival,
            *(
                bold(interval_in_words(found[column]), when=is_worse(found[column]))
                for column in columns
            ),
        ]
        for rival, found in one.ratios.items()
    ]
    told = (found[column] for found in one.ratios.values() for column in columns)
    return explained(table([f"{ours} over", *columns], rows), told)


def explained(text: str, told: Iterable[Interval | None]) -> str:
    """A table of these ratios, and below it what `2 of 3` says, if one of them says so."""
    return (
        f"{text}\n\n{PARTLY}"
        if any(found.is_partial for found in told if found is not None)
        else text
    )


def fewer(report: ChoiceReport, one: ToTarget) -> str:
    """Where a rival needs fewer questions than ours."""
    told = list(_rivals_ahead(report, one))
    if not told:
        return f"No other method needs fewer questions than {report.ours} on any data set of the table."
    return f"Fewer questions than {report.ours} needs (bold above), the fewest first: {'; '.join(told)}."


def fallen_back(one: ToTarget) -> str:
    """How many runs fell below the target again, by method; those that ended there cannot tell."""
    fell = Counter[str]()
    went_on = 0
    for of_dataset in one.fell_back.values():
        for method, (below, of) in of_dataset.items():
            fell[method] += below
            went_on += of
    if not went_on:
        return f"Every run ends where it first gets to {one.target:g}; these do not tell whether it would stay there."
    found = (
        f"{went_on:,} runs went on after they first reached {one.target:g}; "
        f"{fell.total():,} fell below it again."
    )
    if not fell.total():
        return found
    which = "; ".join(f"{method} {n:,}" for method, n in fell.items() if n)
    return f"{found} The tables count questions until they reached it for good. By method: {which}."


def _rivals_ahead(report: ChoiceReport, one: ToTarget) -> Iterator[str]:
    for dataset in report.datasets:
        ahead = {
            rival: found[dataset]
            for rival, found in one.ratios.items()
            if rival not in (BEST, BEST_OTHER)
        }
        worse = sorted(
            (r.value, rival) for rival, r in ahead.items() if r is not None and is_worse(r)
        )
        if worse:
            yield f"{dataset}: " + ", ".join(
                f"{rival} ({value:.2f})" for value, rival in reversed(worse)
            )


def times(report: ChoiceReport) -> str:
    """A row for each method, a column for each data set."""
    rows = [
        [method, *(_seconds(report.seconds[dataset].get(method)) for dataset in report.datasets)]
        for method in report.methods
    ]
    return table(["", *report.datasets], rows)


def _seconds(both: tuple[float, float] | None) -> str:
    return "–" if both is None else f"{both[0]:,.1f} / {both[1]:,.1f}"


def is_worse(found: Interval | None) -> bool:
    """Whether the default needs more questions, by more than rounding."""
    return found is not None and found.value > 1 + 1e-9


def interval_in_words(found: Interval | None) -> str:
    """`0.20 (0.12–0.34)`, without brackets where there is no spread to be seen; `, 8 of 10` where data sets lack."""
    if found is None:
        return decimals(None)
    value, low, high = (decimals(one) for one in (found.value, found.low, found.high))
    over = f", {found.datasets} of {found.of}" if found.is_partial else ""
    return (value if low == high else f"{value} ({low}–{high})") + over


def rows_of(report: ChoiceReport, one: ToTarget) -> list[list[str]]:
    """For a terminal: the bests, then each method: its questions on each data set, and the ratio on all."""
    every = one.questions.values()
    counted = {
        **{
            best: [best_runs(of_dataset, among) for of_dataset in every]
            for best, among in bests_of(report.methods).items()
        },
        **{method: [of_dataset.get(method) for of_dataset in every] for method in report.methods},
    }
    return [
        [
            name,
            *("–" if runs is None else spread_of(runs) for runs in row),
            interval_in_words(one.ratios.get(name, {}).get(ALL)),
        ]
        for name, row in counted.items()
    ]


def best_runs(
    of_dataset: Mapping[str, tuple[int | None, ...]], among: Sequence[str]
) -> tuple[int | None, ...] | None:
    """The questions of that one of some methods which needs the fewest, by seed; None where none gets there."""
    best = fewest(
        {method: mean_if_all(runs) for method, runs in of_dataset.items() if method in among}
    )
    return None if best is None else of_dataset[best]
