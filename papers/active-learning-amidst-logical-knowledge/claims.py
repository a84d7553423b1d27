"""The paper's eight claims, each with a verdict and the figures behind it, computed from the results."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from curves import SINGLE_EXCLUSION, Results, Spread, auc_at, table

BASELINES = ("RANDOM", "ENTROPY", "RANDOM-CP", "ENTROPY-CP")
PROPOSED = ("PROBABILITY-CP", "LOG-CP", "LINEAR-CP")
SEVEN = (*BASELINES, *PROPOSED)
#: Methods are compared on the seeds that all of them ran.
SEEDS = 3
#: "Early" is the first quarter of the questions of the quickest of the seven.
EARLY = 0.25
#: A gain is large if it saves more than every sixth question.
LARGE = 1.2
#: A ratio that is above a bound by less than this share is so by a hair's breadth.
HAIR = 0.01
#: Two methods behave alike if they differ by no more than this share.
ALIKE = 0.15
#: A claim about every case holds partly if it holds in more than this share of them.
SOME = 0.25
#: The time of a score grows as O(NK²) says if it grows by at least this share of that.
SQUARE = 0.25

HOLDS, PARTLY, NOT = "holds", "holds partly", "does not hold"
INTRODUCTION = (
    "The bounds are ours: the paper does not say how often, or by how much, a claim must be so. After each verdict "
    "stands what it takes for the claim to hold, and to hold partly; other bounds can give other verdicts."
)


@dataclass(frozen=True)
class Verdict:
    """What became of a claim, and the bound that we drew for it."""

    claim: str
    verdict: str
    bound: str
    figures: str

    def __str__(self) -> str:
        return f"**{self.claim}** *{self.verdict[0].upper()}{self.verdict[1:]}* ({self.bound}). {self.figures}"


def verdicts(results: Results, checks: dict[str, Any]) -> list[Verdict]:
    """All eight, in order."""
    return [
        theorem(checks),
        corollary(checks),
        proposed_win(results),
        probability_finishes_first(results),
        surprise_early(results),
        propagation(results),
        without_subsampling(results),
        costs(checks),
    ]


# -- claims on theory ------------------------------------------------------------------------------------------------


def theorem(checks: dict[str, Any]) -> Verdict:
    """Claim 1."""
    exhaustive, beliefs = checks["theorem"], checks["beliefs"]
    ranked = [found["gain_ranks_as_belief"] for found in beliefs.values()]
    shared = [found["top_shared"] for found in beliefs.values()]
    holds = exhaustive["agree"] == 1.0 and min(ranked) == 1.0
    return Verdict(
        "1. Theorem 1: under one exclusive group, ranking by p equals ranking by information gain, for each item.",
        HOLDS if holds else PARTLY,
        "our bound: in all sums and all items; partly in fewer",
        f"Exhaustive sums over {exhaustive['trials']:,} random distributions of 2 to 8 exclusive labels: the two agree "
        f"in {percent(exhaustive['agree'])}. On the classifiers' beliefs at the start they agree in {span(ranked)} of "
        f"the items of {len(ranked)} data sets. But the selection takes place *across* items, and there the theorem "
        "says nothing (the paper drops H(Y) as a constant; it differs from item to item): of the 100 cells with the "
        f"largest p, {span(shared)} are among the 100 with the largest gain.",
    )


def corollary(checks: dict[str, Any]) -> Verdict:
    """Claim 2."""
    beliefs = checks["beliefs"]
    raw = {name: found["pick_alike_on_beliefs"] for name, found in beliefs.items()}
    coherent = {name: found["pick_alike_on_posterior"] for name, found in beliefs.items()}
    above = [found["beliefs_above_one"] for found in beliefs.values()]
    low, high = min(raw, key=lambda name: raw[name]), max(raw, key=lambda name: raw[name])
    return Verdict(
        "2. Proposition 1 and Corollary 1: when probability and entropy pick the same pair.",
        (HOLDS if min(raw.values()) == 1.0 else PARTLY) if min(coherent.values()) == 1.0 else NOT,
        "our bound: in all items by the beliefs and by the posterior; partly if by the posterior alone",
        "The corollary needs probabilities that add up to at most 1 in each item. For the posterior, which does, the "
        f"most probable label is the most uncertain one in {span(coherent.values())} of the items. The classifiers' "
        f"own beliefs, on which the paper's methods run, add up to more than 1 in {span(above)} of the items, and "
        f"there the two agree in {percent(raw[low])} ({low}) to {percent(raw[high])} ({high}).",
    )


def costs(checks: dict[str, Any]) -> Verdict:
    """Claim 8."""
    found = checks["costs"]
    sizes = list(next(iter(found.values())))
    rows = [[name, *(f"{by_size[size]:,.0f}" for size in sizes)] for name, by_size in found.items()]
    growth = {name: by_size[sizes[-1]] / by_size[sizes[0]] for name, by_size in found.items()}
    cheap = max(growth[name] for name in ("entropy", "probability"))
    dear = max(growth[name] for name in ("log", "linear", "expected", "gain"))
    square = int(sizes[-1]) / int(sizes[0])
    linear = dear < SQUARE * square
    return Verdict(
        "8. Costs: O(NK) for entropy and probability, O(NK²) for the constraint score, exact gain exponential.",
        PARTLY if linear else HOLDS,
        f"our bound: the time a cell of constraint scores or gain grows at least {SQUARE * square:.0f} times from K = "
        f"{sizes[0]} to {sizes[-1]}, {percent(SQUARE)} of what O(NK²) says; partly if less",
        "As upper bounds the first two hold. But O(NK²) is not the price to pay, and exact gain is not exponential: "
        "where the constraints form a tree, one pass up and one down give both in O(NK). Nanoseconds a cell with one "
        f"group of K exclusive labels; from K = {sizes[0]} to {sizes[-1]} they change by a factor of at most "
        f"{cheap:.1f} for entropy and probability and of {dear:.1f} for constraint scores and gain; O(NK²) would be "
        f"{square:.0f}:\n\n" + table(["score", *(f"K = {size}" for size in sizes)], rows),
    )


# -- claims on experiments -------------------------------------------------------------------------------------------


def questions(results: Results, dataset: str, method: str, part: str, **changed: Any) -> float:
    """Mean questions to the target over the seeds that all methods share."""
    found: Spread | None = results.questions(dataset, method, part=part, seeds=SEEDS, **changed)
    if found is None:
        raise SystemExit(f"{dataset}, {method}: a run did not reach the target")
    return found.mean


def horizon(results: Results, dataset: str) -> float:
    """The questions of the quickest of the seven on any seed: up to there all curves go."""
    return float(
        min(c.asked[-1] for m in SEVEN for s, c in results.curves(dataset, m).items() if s < SEEDS)
    )


def mean_auc(results: Results, dataset: str, method: str, upto: float, **changed: Any) -> float:
    """The mean test AUC over the first questions."""
    grid = np.linspace(0.0, upto, 201)
    found = [c for s, c in results.curves(dataset, method, **changed).items() if s < SEEDS]
    return float(np.mean([auc_at(curve, grid) for curve in found]))


def mean_fixed(results: Results, dataset: str, method: str, upto: float) -> float:
    """The mean number of known cells over the first questions."""
    grid = np.linspace(0.0, upto, 201)
    found = [c for s, c in results.curves(dataset, method).items() if s < SEEDS]
    return float(np.mean([np.interp(grid, curve.asked, curve.fixed) for curve in found]))


METRICS: dict[str, Callable[[Results, str, str], float]] = {
    "questions to 0.999, all data": lambda r, d, m: -questions(r, d, m, "full"),
    "questions to 0.999, test part": lambda r, d, m: -questions(r, d, m, "test"),
    "mean test AUC on the way": lambda r, d, m: mean_auc(r, d, m, horizon(r, d)),
    "mean known cells on the way": lambda r, d, m: mean_fixed(r, d, m, horizon(r, d)),
}


def proposed_win(results: Results) -> Verdict:
    """Claim 3."""
    wins = {name: dict.fromkeys(PROPOSED, 0) for name in METRICS}
    for name, metric in METRICS.items():
        for dataset in results.datasets:
            best = max(metric(results, dataset, method) for method in BASELINES)
            for method in PROPOSED:
                wins[name][method] += metric(results, dataset, method) > best
    total = len(results.datasets)
    counts = [count for by_method in wins.values() for count in by_method.values()]
    won, cases = sum(counts), total * len(counts)
    share = won / cases
    rows = [
        [name, *(f"{wins[name][method]} of {total}" for method in PROPOSED)] for name in METRICS
    ]
    return Verdict(
        "3. The proposed methods beat RANDOM, ENTROPY and their CP forms on every data set and metric.",
        HOLDS if share == 1 else PARTLY if share > SOME else NOT,
        f"our bound: in every case; partly in more than {percent(SOME)} of them",
        (
            ""
            if share == 1
            else "As the paper states it, for every data set and metric, it does not hold. "
        )
        + f"It is so in {won} of {cases} cases: {len(PROPOSED)} methods, {len(METRICS)} metrics, {total} data sets. "
        f"Data sets on which a method is better than all four of them, mean over {SEEDS} seeds (“on the way”: up to "
        "where the first of the seven is done):\n\n" + table(["", *PROPOSED], rows),
    )


def probability_finishes_first(results: Results) -> Verdict:
    """Claim 4."""
    datasets = [name for name in results.datasets if name in SINGLE_EXCLUSION]
    first = {
        part: [
            d
            for d in datasets
            if best_of(SEVEN, lambda m, d=d, p=part: -questions(results, d, m, p)) == PROPOSED[0]
        ]
        for part in ("full", "test")
    }
    behind = []
    for d in datasets:
        upto = EARLY * horizon(results, d)
        rivals = [
            mean_auc(results, d, method, upto) for method in ("ENTROPY-CP", "LOG-CP", "LINEAR-CP")
        ]
        if mean_auc(results, d, "PROBABILITY-CP", upto) < max(rivals):
            behind.append(d)
    n = len(datasets)
    full = len(first["full"]) == len(first["test"]) == n
    return Verdict(
        "4. PROBABILITY-CP needs the fewest iterations to AUC 1 on single-exclusion data, although it is behind early.",
        HOLDS if full and len(behind) == n else PARTLY if len(first["test"]) * 2 >= n else NOT,
        "our bound: first on all of them on both parts, and behind early on all; partly if first on at least half of "
        "them on the test part",
        f"Of the seven methods it is the first to 0.999 on {len(first['full'])} of {n} data sets for all data "
        f"({names(first['full'])}) and on {len(first['test'])} for the test part ({names(first['test'])}). In the "
        f"first quarter it is behind ENTROPY-CP, LOG-CP or LINEAR-CP on {len(behind)} ({names(behind)}).",
    )


def surprise_early(results: Results) -> Verdict:
    """Claim 5."""
    ahead = []
    for dataset in results.datasets:
        upto = EARLY * horizon(results, dataset)
        best = best_of(SEVEN, lambda m, d=dataset, h=upto: mean_auc(results, d, m, h))
        if best in ("LOG-CP", "LINEAR-CP"):
            ahead.append(f"{dataset} ({best})")
    n = len(results.datasets)
    return Verdict(
        "5. LOG-CP and LINEAR-CP can be ahead early.",
        HOLDS if len(ahead) * 2 >= n else PARTLY if ahead else NOT,
        "our bound: on at least half of the data sets; partly if on one",
        f"Over the first quarter of the questions one of them has the highest mean test AUC of the seven on "
        f"{len(ahead)} of {n} data sets: {names(ahead)}.",
    )


def propagation(results: Results) -> Verdict:
    """Claim 6."""
    rows, ours = [], []
    ratios: dict[tuple[str, str], float] = {}
    for dataset in results.datasets:
        row = [dataset]
        for method in ("RANDOM", "ENTROPY"):
            ratio = questions(results, dataset, method, "test") / questions(
                results, dataset, f"{method}-CP", "test"
            )
            ratios[method, dataset] = ratio
            row.append(f"{ratio:.2f}")
        if results.curves(dataset, "POSTERIOR", predict="posterior"):
            without = questions(results, dataset, "POSTERIOR", "test", predict="posterior")
            ours.append(without / questions(results, dataset, "posterior", "test"))
            row.append(f"{ours[-1]:.2f}")
        else:
            row.append("")
        rows.append(row)
    verdict = (
        HOLDS
        if min(ratios.values()) > LARGE
        else PARTLY
        if np.median(list(ratios.values())) > LARGE
        else NOT
    )
    method, where = min(ratios, key=lambda key: ratios[key])
    least = f"The smallest, {method} on {where}, is {min(ratios.values()):.3f}"
    if verdict == HOLDS and min(ratios.values()) < (1 + HAIR) * LARGE:
        least += f" against our bound of {LARGE}: the claim holds by a hair's breadth"
    return Verdict(
        "6. Propagation alone is a large gain for every method.",
        verdict,
        f"our bound: every ratio is above {LARGE}; partly if the median is",
        "Questions to 0.999 on the test part without propagation, divided by those with it, are, for the two methods "
        f"that the paper has in both forms, {geometric(ratios.values()):.2f} in the geometric mean, "
        f"{min(ratios.values()):.2f} to {max(ratios.values()):.2f}. {least}. For `posterior` the figure is "
        f"{geometric(ours):.2f}: its choice and its predictions draw the consequences of the answers anyway, so there "
        "propagation changes only what the learner is trained on.\n\n"
        + table(["", "RANDOM", "ENTROPY", "posterior"], rows),
    )


def without_subsampling(results: Results) -> Verdict:
    """Claim 7."""
    methods = ("ENTROPY-CP", *PROPOSED)
    rows, apart = [], []
    for dataset in results.datasets:
        if not results.curves(dataset, "ENTROPY-CP", balanced=False):
            continue
        for balanced in (True, False):
            changed = {} if balanced else {"balanced": False}
            needed = [questions(results, dataset, method, "test", **changed) for method in methods]
            differences = [abs(number / needed[0] - 1) for number in needed[1:]]
            apart += [] if balanced else differences
            rows.append(
                [
                    dataset,
                    "balanced" if balanced else "all",
                    *(f"{number:,.0f}" for number in needed),
                ]
            )
            rows[-1].append(percent(max(differences)))
    near = sum(difference <= ALIKE for difference in apart)
    alike = near / len(apart) if apart else 0.0
    return Verdict(
        "7. Without negative subsampling, entropy and the proposed scores behave alike.",
        HOLDS if alike == 1 else PARTLY if alike >= 0.5 else NOT,
        f"our bound: all results are within {percent(ALIKE)} of ENTROPY-CP's; partly if at least half of them are",
        f"Without it, {near} of {len(apart)} results of the proposed scores ({percent(alike)}) are within "
        f"{percent(ALIKE)} of ENTROPY-CP's. Questions to 0.999 on the test part, and the largest difference:\n\n"
        + table(["", "negatives at the start", *methods, "apart"], rows),
    )


# -- words -----------------------------------------------------------------------------------------------------------


def best_of(methods: Iterable[str], worth: Callable[[str], float]) -> str | None:
    """The method with the largest figure; None if it is a tie."""
    figures = {method: worth(method) for method in methods}
    best = [method for method, figure in figures.items() if figure == max(figures.values())]
    return best[0] if len(best) == 1 else None


def geometric(numbers: Iterable[float]) -> float:
    """The geometric mean."""
    return float(np.exp(np.mean(np.log(list(numbers)))))


def percent(share: float) -> str:
    """`12 %`; never rounded up to all, nor down to nothing."""
    text = f"{100 * share:.0f}"
    if (text == "100" and share < 1) or (text == "0" and share > 0):
        text = f"{100 * share:.2f}"
    return f"{text} %"


def span(shares: Iterable[float]) -> str:
    """`3 % to 12 %`, or one figure where all are the same."""
    shares = list(shares)
    low, high = percent(min(shares)), percent(max(shares))
    return low if low == high else f"{low} to {high}"


def names(listed: list[str]) -> str:
    """`iris, vowel`, or `none`."""
    return ", ".join(listed) or "none"
