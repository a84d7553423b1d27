"""Suite `stopping`: label until the forecast promises 99 % of the items, then look at the truth; some 130 short runs.

Runs that are in `results/stopping-runs.jsonl` are not run again: remove the file to measure anew, a line to run one.
`python -m benchmarks.stopping` runs none: it writes what is in the file into `results/stopping.json`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from scipy import stats

from corollary.experiment.origin import count_codes

from . import RESULTS
from .stopping_runs import KINDS, TARGET, Run, origins, outcomes, stored
from .until_sure import Stopped

#: The lower target at which the same runs are looked at too.
LOWER = 0.95
#: How sure the intervals of figures are, and of how many resamples of whole runs they are made.
LEVEL, RESAMPLES = 0.9, 2000
#: Where a campaign begins to forecast.
EARLY = (50, 100)
#: What is told over all runs: nothing is promised without questions by chance, and what was drawn is to be told.
COUNTED = (
    "default learner",
    "cheap learner",
    "whole training part, drawn",
    "wrong answers",
    "campaigns",
)
#: What is told of each data set: of some there are few runs.
BRIEF = (
    "runs",
    f"{TARGET:.0%} kept",
    "accuracy in its interval",
    "questions in their interval",
    "asked, in times of needed",
)


def figures(runs: Iterable[tuple[Run, Stopped]]) -> dict[str, Any]:
    """What was promised and what was so, over some runs; and how many of them which commit made.

    Where the target was never so until the stop, it is not known how many questions it takes: such runs have no part
    in what is told of them.
    """
    counted = dict(runs)
    found, made_by = list(counted.values()), origins()
    held = [stopped.held for stopped in found]
    lower = [
        check.true >= LOWER for stopped in found if (check := stopped.stop_at(LOWER)) is not None
    ]
    inside = [stopped.coverage for stopped in found]
    foreseen = [share for stopped in found if (share := stopped.questions_coverage) is not None]
    ratios = [
        max(stopped.asked, 1) / max(stopped.needed, 1)
        for stopped in found
        if stopped.needed is not None
    ]
    lower_ratios = [
        max(check.asked, 1) / max(needed, 1)
        for stopped in found
        if (check := stopped.stop_at(LOWER)) is not None
        and (needed := Stopped(LOWER, stopped.checks).needed) is not None
    ]
    return {
        "runs": len(found),
        "made by": count_codes(made_by[run] for run in counted),
        "looks": sum(len(stopped.checks) for stopped in found),
        **_kept(f"{TARGET:.0%}", held),
        **_kept(f"{LOWER:.0%}", lower),
        "accuracy in its interval": round(float(np.mean(inside)), 3),
        "accuracy in its interval, from to": _spread(inside),
        "questions in their interval": round(float(np.mean(foreseen)), 3),
        "questions in their interval, from to": _spread(foreseen),
        "questions in their interval, runs": len(foreseen),
        "asked, in times of needed": round(_geometric(ratios), 2),
        "asked, in times of needed, from to": _spread(ratios, _geometric),
        "asked, in times of needed, runs": len(ratios),
        f"asked to {LOWER:.0%}, in times of needed": round(_geometric(lower_ratios), 2)
        if lower_ratios
        else None,
    }


def by_one_look(runs: Iterable[tuple[Run, Stopped]]) -> dict[str, Any]:
    """What would have been, had runs ended where the low end of the interval was at the target: looks are not paid.

    Where it never was until a promise was made, they end there.
    """
    ends = [
        (
            stopped,
            next((check for check in stopped.checks if check.low >= TARGET), stopped.checks[-1]),
        )
        for _, stopped in runs
    ]
    ratios = [
        max(end.asked, 1) / max(stopped.needed, 1)
        for stopped, end in ends
        if stopped.needed is not None
    ]
    return {
        "by one look, kept": sum(end.true >= TARGET for _, end in ends),
        "by one look, asked in times of needed": round(_geometric(ratios), 2),
        "by one look, asked in times of needed, runs": len(ratios),
    }


def early(runs: Iterable[tuple[Run, Stopped]], asked: tuple[int, int] = EARLY) -> dict[str, Any]:
    """How the interval does when few questions were asked: how often the truth is inside, and how wide it is."""
    least, most = asked
    checks = [
        check for _, stopped in runs for check in stopped.checks if least <= check.asked < most
    ]
    return {
        f"{least} to {most} asked, in the interval": round(
            float(np.mean([check.inside for check in checks])), 3
        ),
        f"{least} to {most} asked, width": round(
            float(np.median([check.high - check.low for check in checks])), 3
        ),
    }


def price() -> dict[str, Any]:
    """What one question in twenty by chance costs: questions until 99 % is so, beside the same runs without."""
    kept = stored()
    pairs = [
        (kept[with_draws].needed, without.needed)
        for run, without in kept.items()
        if not run.by_chance and (with_draws := replace(run, by_chance=0.05)) in kept
    ]
    ratios = [
        max(one, 1) / max(two, 1) for one, two in pairs if one is not None and two is not None
    ]
    return {
        "pairs with and without": len(pairs),
        "pairs in which 99% was so with and without": len(ratios),
        "needed with questions by chance, in times of without": round(_geometric(ratios), 3),
        "needed with questions by chance, from to": _spread(ratios, _geometric),
    }


def at_worst(runs: Iterable[tuple[Run, Stopped]]) -> dict[str, Any]:
    """Questions in their interval, had every forecast missed in those runs in which the target was never so."""
    shares = [0.0 if stopped.needed is None else stopped.questions_coverage for _, stopped in runs]
    told = [share for share in shares if share is not None]
    return {"questions in their interval, at worst": round(float(np.mean(told)), 3)}


def _kept(target: str, held: list[bool]) -> dict[str, Any]:
    """How many promises were kept, and the share that may be kept of all such, exactly (Clopper and Pearson 1934)."""
    if not held:
        return {}
    low, high = stats.binomtest(sum(held), len(held)).proportion_ci(LEVEL, method="exact")
    return {
        f"{target} promised": len(held),
        f"{target} kept": sum(held),
        f"{target} kept, share from to": [round(float(low), 3), round(float(high), 3)],
    }


def _geometric(numbers: Any) -> float:
    return float(np.exp(np.mean(np.log(numbers))))


def _spread(numbers: list[float], statistic: Callable[[Any], float] = np.mean) -> list[float]:
    """From where to where a figure may be, by drawing whole runs again: the looks of one run are alike."""
    rng = np.random.default_rng(0)
    drawn = [statistic(rng.choice(numbers, len(numbers))) for _ in range(RESAMPLES)]
    return [
        round(float(share), 3) for share in np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    ]


def of_kind(kind: str, *, run: bool = True) -> dict[str, Any]:
    """Runs of one kind, each until 99 % is promised: promises kept, coverage of both intervals, questions asked."""
    kept = stored()
    runs = outcomes(kind) if run else [(one, kept[one]) for one in KINDS[kind] if one in kept]
    return {"runs planned": len(KINDS[kind]), **figures(runs)}


def counted() -> list[tuple[Run, Stopped]]:
    """The runs of all kinds that count."""
    kept = stored()
    return [(run, kept[run]) for kind in COUNTED for run in KINDS[kind] if run in kept]


def of_small_starts() -> dict[str, Any]:
    """From one or three known items a label: sessions and campaigns, answers right or wrong."""
    found = figures((run, stopped) for run, stopped in counted() if run.start is not None)
    return {**found, "targets": {"asked, in times of needed": ("at most", 1.6)}}


def of_small_sessions() -> dict[str, Any]:
    """From one or three known items a label, without campaigns."""
    found = figures(
        (run, stopped) for run, stopped in counted() if run.start is not None and not run.campaign
    )
    return {**found, "targets": {"asked, in times of needed": ("at most", 1.6)}}


def of_all_but_iris() -> dict[str, Any]:
    """All runs with questions by chance; not iris, 45 items of which 99 % is every one."""
    return figures((run, stopped) for run, stopped in counted() if run.data != "iris")


def of_all() -> dict[str, Any]:
    """All runs with questions by chance: promises kept, coverage of both intervals, questions asked."""
    runs = counted()
    targets = {
        f"{TARGET:.0%} kept, share": ("at least", LEVEL),
        "accuracy in its interval": ("at most", 0.97),
        "asked, in times of needed": ("at most", 1.6),
    }
    found = figures(runs)
    share = round(found[f"{TARGET:.0%} kept"] / found[f"{TARGET:.0%} promised"], 3)
    more = {
        **at_worst(runs),
        **by_one_look(runs),
        **early([one for one in runs if not one[0].wrong]),
        **price(),
    }
    right = [stopped.held for run, stopped in runs if not run.wrong]
    of_right = {"answers right, promised": len(right), "answers right, kept": sum(right)}
    return {**found, f"{TARGET:.0%} kept, share": share, **of_right, **more, "targets": targets}


def of_each_data_set() -> dict[str, Any]:
    """The same by data set, over all kinds of runs with questions by chance."""
    by_data: dict[str, list[tuple[Run, Stopped]]] = {}
    for run, stopped in counted():
        by_data.setdefault(run.data, []).append((run, stopped))
    found = {data: figures(runs) for data, runs in by_data.items()}
    return {f"{data}: {name}": of[name] for data, of in found.items() for name in BRIEF}


def _case(kind: str) -> Callable[[], dict[str, Any]]:
    case = partial(of_kind, kind)
    case.__doc__ = of_kind.__doc__  # type: ignore[misc]
    return case


#: What is made of the runs of several kinds, once they are in the file.
TOGETHER = {
    "small starts": of_small_starts,
    "small starts, sessions": of_small_sessions,
    "all without iris": of_all_but_iris,
    "all with questions by chance": of_all,
    "by data set": of_each_data_set,
}
CASES = {**{kind: _case(kind) for kind in KINDS}, **TOGETHER}


def of_file() -> dict[str, dict[str, Any]]:
    """Every case by the runs that are in the file: none is run."""
    return {
        **{kind: of_kind(kind, run=False) for kind in KINDS},
        **{name: case() for name, case in TOGETHER.items()},
    }


if __name__ == "__main__":
    path = RESULTS / "stopping.json"
    path.write_text(
        json.dumps({**json.loads(path.read_text()), "cases": of_file()}, indent=1) + "\n"
    )
