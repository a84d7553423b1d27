"""Write what was found into README.md, between its markers: `python report.py`; --quick: into quick/README.md."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from claims import INTRODUCTION, SEEDS, SEVEN, geometric, percent, verdicts
from curves import HERE, METHODS, Results, Spread, table

from corollary.experiment.origin import check_one_origin, count_codes

START, END = "<!-- results: written by report.py, do not edit -->", "<!-- end of results -->"
REFRESHED = ("ENTROPY", "ENTROPY-CP", "PROBABILITY-CP", "LOG-CP", "LINEAR-CP")
#: Choosing by, propagating, predicting by: the eight combinations, as method and settings.
ABLATION: tuple[tuple[str, bool, str, str, dict[str, Any]], ...] = (
    ("entropy", False, "beliefs", "ENTROPY", {}),
    ("posterior", False, "beliefs", "POSTERIOR", {"predict": "beliefs"}),
    ("entropy", False, "posterior", "ENTROPY", {"predict": "posterior"}),
    ("posterior", False, "posterior", "POSTERIOR", {"predict": "posterior"}),
    ("entropy", True, "beliefs", "ENTROPY-CP", {}),
    ("posterior", True, "beliefs", "posterior", {"predict": "beliefs"}),
    ("entropy", True, "posterior", "ENTROPY-CP", {"predict": "posterior"}),
    ("posterior", True, "posterior", "posterior", {}),
)


def main() -> None:
    """Read the results, write the report."""
    parser = argparse.ArgumentParser(description="Write the report.")
    parser.add_argument("--quick", action="store_true", help="of the quick run")
    parser.add_argument(
        "--mix-commits", action="store_true", help="also where different commits made the runs"
    )
    options = parser.parse_args()
    quick = options.quick
    folder = HERE / ("quick" if quick else "results")
    results = Results(folder)
    if not options.mix_commits:
        check_one_origin(results.origins, what="run all of them anew, or pass --mix-commits")
    checks = json.loads((folder / "checks.json").read_text(encoding="utf-8"))
    text = report(results, checks, figures="." if quick else "results")
    path = (folder if quick else HERE) / "README.md"
    path.write_text(text if quick else between_markers(path, text), encoding="utf-8")
    print(f"report written: {path}")


def between_markers(path: Path, text: str) -> str:
    """The page with the part between the markers replaced."""
    page = path.read_text(encoding="utf-8")
    before, found, rest = page.partition(START)
    _, ended, after = rest.partition(END)
    if not found or not ended:
        raise SystemExit(f"{path} has lost its markers {START} and {END}")
    return f"{before}{START}\n\n{text}\n{END}{after}"


def report(results: Results, checks: dict[str, Any], *, figures: str) -> str:
    """All sections."""
    sections = [
        ("Questions asked until the average AUC is 0.999", questions_tables(results)),
        ("The eight claims", "\n\n".join([INTRODUCTION, *map(str, verdicts(results, checks))])),
        ("Does the AUC ever fall?", falls(results)),
        ("Scores computed once: refresh=“never”", never(results)),
        ("What choosing, propagating and predicting contribute", ablation(results)),
        ("Time", seconds(results)),
        ("Figures", figure_list(results, figures)),
    ]
    return "\n\n".join(f"## {title}\n\n{text}" for title, text in sections if text) + "\n"


def questions_tables(results: Results) -> str:
    """Mean and range for each data set and method, on both parts."""
    parts = (("test", "On the test part"), ("full", "On all data, as in the paper"))
    texts = [f"**{title}**\n\n{questions_table(results, part)}" for part, title in parts]
    note = (
        "Mean over the seeds, with the smallest and largest number; 10 seeds for RANDOM and RANDOM-CP, "
        f"{SEEDS} for the others. Bold: the fewest of the paper's seven methods, and ours where they are fewer still."
    )
    return "\n\n".join([note, *texts, summary(results)])


def questions_table(results: Results, part: str) -> str:
    """Data sets down, methods across."""
    rows = []
    for dataset in results.datasets:
        found = {method: results.questions(dataset, method, part=part) for method in METHODS}
        best = min(number.mean for method in SEVEN if (number := found[method]) is not None)
        rows.append(
            [
                dataset,
                *(cell(found[method], bold=is_bold(found[method], best)) for method in METHODS),
            ]
        )
    return table(["", *METHODS], rows)


def is_bold(found: Spread | None, best: float) -> bool:
    """Whether a figure is the best of the paper's methods or better."""
    return found is not None and found.mean <= best


def cell(found: Spread | None, *, bold: bool = False) -> str:
    """`1,400 (1,300–1,500)`."""
    if found is None:
        return "–"
    mean = f"**{found.mean:,.0f}**" if bold else f"{found.mean:,.0f}"
    return mean if found.low == found.high else f"{mean} ({found.low:,.0f}–{found.high:,.0f})"


def summary(results: Results) -> str:
    """Each method's questions against the best of the paper's seven on the same data set."""
    lines = []
    for part, words in (("test", "the test part"), ("full", "all data")):
        ratios = {}
        for method in METHODS:
            ratio = []
            for dataset in results.datasets:
                found = [
                    results.questions(dataset, name, part=part, seeds=SEEDS)
                    for name in (*SEVEN, method)
                ]
                if any(one is None for one in found):
                    break
                means = [one.mean for one in found if one is not None]
                ratio.append(max(means[-1], 1.0) / max(min(means[:-1]), 1.0))
            else:
                ratios[method] = geometric(ratio)
        told = ", ".join(f"{method} {ratio:.2f}" for method, ratio in ratios.items())
        lines.append(
            f"Against the best of the seven on each data set, geometric mean over {words}: {told}."
        )
    return "\n\n".join(lines)


def falls(results: Results) -> str:
    """How often and how far the AUC falls from one round to the next."""
    curves = results.everything()
    largest = {
        part: max(float(-np.diff(getattr(curve, part)).min(initial=0.0)) for curve in curves)
        for part in ("auc_full", "auc_test")
    }
    share = np.mean([bool((np.diff(curve.auc_full) < -1e-4).any()) for curve in curves])
    return (
        "The paper says that the average AUC never decreases. It can, because retraining changes what is believed of "
        f"the cells still open: in {percent(float(share))} of the {len(curves):,} runs the AUC on all data falls by "
        f"more than 0.0001 at least once; the largest fall is {largest['auc_full']:.3f} on all data and "
        f"{largest['auc_test']:.3f} on the test part."
    )


def never(results: Results) -> str:
    """Questions with scores computed once, beside those with scores kept up to date."""
    rows = []
    for dataset in results.datasets:
        row = [dataset]
        for method in REFRESHED:
            once = results.questions(dataset, method, refresh="never", seeds=1)
            fresh = results.questions(dataset, method, seeds=1)
            row.append(f"{brief(once)} / {brief(fresh)}")
        rows.append(row)
    return (
        "The authors' program computed every score once, before the first question; the paper's text says that the "
        "best pair is selected at each step. Questions to 0.999 on the test part, computed once / kept up to date (the "
        "default here), seed 0:\n\n" + table(["", *REFRESHED], rows)
    )


def brief(found: Spread | None) -> str:
    """The mean alone."""
    return "–" if found is None else f"{found.mean:,.0f}"


def ablation(results: Results) -> str:
    """The eight combinations, and what each of the three is worth on average."""
    datasets = [
        name for name in results.datasets if results.curves(name, "POSTERIOR", predict="beliefs")
    ]
    if not datasets:
        return ""
    found = {}
    rows = []
    for choose, propagate, predict, method, changed in ABLATION:
        numbers = [results.questions(name, method, seeds=SEEDS, **changed) for name in datasets]
        found[choose, propagate, predict] = [one.mean for one in numbers if one is not None]
        rows.append([choose, "yes" if propagate else "no", predict, *map(brief, numbers)])
    worth = {}
    for place, (without, with_, name) in enumerate(
        (
            ("entropy", "posterior", "choosing"),
            (False, True, "propagating"),
            ("beliefs", "posterior", "predicting"),
        )
    ):
        ratios = []
        for key, numbers in found.items():
            if key[place] == without:
                other = found[(*key[:place], with_, *key[place + 1 :])]  # type: ignore[index]
                ratios += [a / b for a, b in zip(numbers, other, strict=True)]
        worth[name] = geometric(ratios)
    told = ", ".join(f"{name} {ratio:.2f}" for name, ratio in worth.items())
    return (
        f"Questions to 0.999 on the test part, mean over {SEEDS} seeds. Entropy is taken of the beliefs or of the "
        "posterior; open cells are predicted by the one or the other. How many times more questions it takes without "
        f"logic, geometric mean over the other choices and the data sets: {told}.\n\n"
        + table(
            ["choosing by entropy of the", "propagating", "predicting by", *datasets], rename(rows)
        )
    )


def rename(rows: list[list[str]]) -> list[list[str]]:
    """`entropy` here means the entropy of the beliefs."""
    return [["beliefs" if row[0] == "entropy" else row[0], *row[1:]] for row in rows]


def seconds(results: Results) -> str:
    """What a run costs, and all of them together."""
    rows = []
    for dataset in results.datasets:
        row = [dataset]
        for method in ("RANDOM-CP", "ENTROPY-CP", "LOG-CP", "posterior", "gain"):
            curves = list(results.curves(dataset, method).values())
            asked = sum(int(curve.asked[-1]) for curve in curves)
            choosing = sum(curve.seconds_choosing for curve in curves)
            training = np.mean([curve.seconds_training for curve in curves])
            row.append(f"{1e6 * choosing / asked:,.0f} µs / {training:.1f} s")
        rows.append(row)
    about = results.about
    made_by = "; ".join(count_codes(results.origins))
    return (
        f"{about['runs']:,} runs took {about['seconds'] / 60:.0f} minutes in {about['processes']} processes "
        f"({about['machine']}; {made_by}). Choosing a question (propagation included) / training in a whole run:\n\n"
        + table(["", "RANDOM-CP", "ENTROPY-CP", "LOG-CP", "posterior", "gain"], rows)
    )


def figure_list(results: Results, folder: str) -> str:
    """One picture for each data set."""
    return "\n\n".join(
        f"![{name}: bars, AUC, known cells]({folder}/{name}.png)" for name in results.datasets
    )


if __name__ == "__main__":
    main()
