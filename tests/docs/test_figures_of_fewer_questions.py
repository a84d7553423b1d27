"""Figures of the page on fewer questions: the comparison with the paper as published, and what came after."""

from __future__ import annotations

import json
from dataclasses import asdict
from statistics import geometric_mean, mean
from typing import Any

import pytest

from corollary.experiment.comparison import DEFAULT, contenders, jobs_by_place, standing
from corollary.experiment.data.known import KNOWN
from corollary.experiment.ladder import CANDIDATES
from corollary.experiment.methods import PAPER, PAPER_ROUNDS
from corollary.experiment.runs import job_key
from corollary.experiment.runs import results as runs_of
from corollary.experiment.simulation import Curve, round_size
from corollary.learning.choosing.contrast import COUNTS, FADES, HEARD, SUREST

from .figures import DOCS, cells, comparison, default_of, part, results, row, times_of_the_best, words
from .pages import ROOT

TEN = ("iris", "segment", "pendigits", "vowel", "satimage", "letter", "shuttle", "nell-7", "nell-11", "nell-13")
PAGE = (DOCS / "fewer-questions.md").read_text(encoding="utf-8")
FIRST = PAGE.split("\n## ")[0]
#: Of the comparisons, the folder, the target, and the column of the table of seconds.
TRAINED = {"": (0.999, 0), "small-start": (0.999, 1), "imclef07d": (0.99, 0), "diatoms": (0.99, 0)}


def line_of(report, dataset: str) -> list[str]:
    """What a table says of a data set: the paper's best, both counts of questions, their ratio, both early AUCs."""
    best, default = default_of(report, dataset, 0.999)
    counts = [f"{one['mean']:,.0f}" for one in (best, default)]
    ratio = f"{default['ratio']:.2f}" if default["mean"] else "(apart)"
    return [best["name"], *counts, ratio, f"{best['early']:.3f} → {default['early']:.3f}"]


@pytest.mark.parametrize("dataset", TEN)
def test_from_a_whole_training_part(dataset):
    start = f"{dataset}, rebuilt |" if "nell" in dataset else f"{dataset} |"
    assert cells(start, FIRST) == line_of(comparison(""), dataset)


def test_all_of_them_together():
    overall = {one["target"]: one for one in comparison("")["overall"]}[0.999]
    assert set(TEN) - set(overall["averaged"]) == {"shuttle"}
    assert cells("**geometric mean** of nine", FIRST) == ["", "", "", f"**{overall['ratio']:.2f}**", ""]
    assert len([line for line in FIRST.splitlines() if line.startswith("| ")]) == len(TEN) + 3  # head, line, mean
    assert f"own learner on both sides the ratio is {times_of_the_best('posterior')} (" in " ".join(FIRST.split())


@pytest.mark.parametrize("dataset", TEN)
def test_from_a_small_start(dataset):
    page = part("fewer-questions.md", "From a small start")
    assert cells(f"{dataset} |", page) == line_of(comparison("small-start"), dataset)


def curves_in(folder: str) -> dict[str, dict[str, list[Curve]]]:
    """The runs of a comparison, by data set and method, seed by seed."""
    found: dict[str, dict[str, dict[int, Curve]]] = {}
    for job, curve in runs_of(DOCS / "comparison" / folder / "runs.jsonl.gz"):
        assert job["method"] in PAPER or (job["method"], job["settings"]["learner"]) == (DEFAULT, "auto")
        found.setdefault(job["dataset"], {}).setdefault(job["method"], {})[job["seed"]] = curve
    return {
        dataset: {method: [runs[seed] for seed in sorted(runs)] for method, runs in by_method.items()}
        for dataset, by_method in found.items()
    }


def rounded_off(found):
    """As JSON has it, to nine digits after the point."""
    return json.loads(json.dumps(found), parse_float=lambda digits: round(float(digits), 9))


@pytest.mark.parametrize("folder", TRAINED)
def test_reports_are_what_the_runs_give(folder):
    target = TRAINED[folder][0]
    told = {one["dataset"]: one for one in comparison(folder)["standings"] if one["target"] == target}
    found = curves_in(folder)
    assert set(told) == set(found)
    for dataset, by_method in found.items():
        named = {"posterior (auto)" if method == DEFAULT else method: runs for method, runs in by_method.items()}
        entered = [one["name"] for one in told[dataset]["figures"]]
        made = standing(dataset, {name: dict(enumerate(named[name])) for name in entered}, target)
        assert rounded_off(asdict(made)) == rounded_off(told[dataset])


@pytest.mark.parametrize(
    ("folder", "datasets", "how"),
    [
        ("", PAPER_ROUNDS, {}),
        ("small-start", PAPER_ROUNDS, {"start": 3}),
        ("imclef07d", ["hmc_imclef07d"], {"targets": [0.99], "per_round": 100, "paper": CANDIDATES}),
        ("diatoms", ["hmc_diatoms"], {"targets": [0.99], "paper": ("PROBABILITY-CP", "LINEAR-CP")}),
    ],
)
def test_the_runs_can_be_reused(folder, datasets, how):
    how = {"targets": [0.999], "paper": PAPER, **how}
    entered = contenders(paper=how.pop("paper"))
    jobs = jobs_by_place([{"dataset": name} for name in datasets], entered, seeds=3, **how)
    kept = list(runs_of(DOCS / "comparison" / folder / "runs.jsonl.gz"))
    assert {job_key(job) for job in jobs.values()} <= {job_key(job) for job, _ in kept}
    assert {curve.settings["stay"] for job, curve in kept if job["method"] == DEFAULT} == {None}  # best question first


def test_runs_end_where_they_first_get_to_the_target():
    page = " ".join(part("fewer-questions.md", "How sure that is").split())
    assert "Runs end where they first get to the target, so that they do not tell whether it would be kept" in page
    for folder in ("", "small-start"):
        for by_method in curves_in(folder).values():
            for curve in (curve for curves in by_method.values() for curve in curves):
                assert curve.questions_to(0.999) == curve.asked[-1]


def test_hierarchies_word_for_word():
    page = " ".join(part("fewer-questions.md", "On hierarchies").split())
    told = {}
    for folder in ("imclef07d", "diatoms"):
        found = curves_in(folder)[f"hmc_{folder}"]
        needed = {method: [curve.questions_to(0.99) for curve in curves] for method, curves in found.items()}
        ours = needed.pop(DEFAULT)
        whole = {method: mean(counts) for method, counts in needed.items() if len(counts) == len(ours) == 3}
        first = {method: counts for method, counts in needed.items() if method not in whole}
        told[folder] = f"{mean(ours):,.0f}{{}} ({min(ours):,} to {max(ours):,}) against {{}}", whole, first
        assert min(whole, key=lambda method: whole[method]) == "PROBABILITY-CP"
        assert f"**{mean(ours) / min(whole.values()):.2f}** ([all tables](comparison/{folder}/report.md))" in page
        assert f"hmc_{folder} ({KNOWN[f'hmc_{folder}'].labels} labels" in page
    said, whole, first = told["imclef07d"]
    (each,) = {curve.settings["per_round"] for curve in curves_in("imclef07d")["hmc_imclef07d"][DEFAULT]}
    assert f"trained after every {each} questions: " in page
    assert (sorted(whole), first) == (["ENTROPY-CP", "LINEAR-CP", "LOG-CP", "PROBABILITY-CP"], {})
    assert said.format(" questions", f"{whole['PROBABILITY-CP']:,.0f} of PROBABILITY-CP, the best of the") in page
    said, whole, first = told["diatoms"]
    assert list(whole) == ["PROBABILITY-CP", "LINEAR-CP"]
    both = " and ".join(f"{count:,.0f} of {method}" for method, count in whole.items())
    assert said.format("", f"{both}: **") in page
    (entropy,), (log,) = first["ENTROPY-CP"], first["LOG-CP"]
    assert f"ENTROPY-CP needs {entropy:,} and LOG-CP {log:,} on the official split" in page
    assert "against four of the seven and the other against two" in page


def seconds_in(folder: str) -> dict[str, tuple[float, float]]:
    """The mean seconds of training in a run of the paper's best and of the default, by data set."""
    report, found = comparison(folder), curves_in(folder)
    means = {}
    for dataset, by_method in found.items():
        best, _ = default_of(report, dataset, TRAINED[folder][0])
        both = (by_method[best["name"]], by_method[DEFAULT])
        theirs, ours = (mean(curve.seconds_training for curve in curves) for curves in both)
        means[dataset] = theirs, ours
    return means


def rounded(seconds: float) -> str:
    return f"{seconds:.1f}" if seconds < 9.95 else f"{seconds:,.0f}"


def test_seconds_of_training():
    page = part("fewer-questions.md", "Seconds of training")
    rows: dict[str, list[str]] = {}
    for folder, (_, column) in TRAINED.items():
        for dataset, both in seconds_in(folder).items():
            rows.setdefault(dataset, ["", ""])[column] = " → ".join(map(rounded, both))
    assert set(rows) == {*TEN, "hmc_imclef07d", "hmc_diatoms"}
    for dataset, told in rows.items():
        assert cells(f"{dataset}, to 0.99 |" if "hmc" in dataset else f"{dataset} |", page) == told
    whole, small = (
        geometric_mean(ours / theirs for theirs, ours in seconds_in(folder).values()) for folder in ("", "small-start")
    )
    told = " ".join(page.split())
    assert f"Over the ten it is {whole:.0f} and {small:.1f} times as long (geometric means)." in told
    runs = curves_in("")["satimage"][DEFAULT]
    trainings, seconds = [len(curve.asked) for curve in runs], [curve.seconds_training for curve in runs]
    took = f"took {min(seconds):.0f} to {max(seconds):.0f} s"
    assert f"of {min(trainings)} to {max(trainings)} trainings each, {took}" in told


def test_where_the_default_trains_no_longer():
    told = " ".join(part("fewer-questions.md", "Seconds of training").split())
    assert "On iris and vowel from three items and on the hierarchies it is about as long or shorter, for there" in told
    no_longer = [
        (folder, dataset)
        for folder in TRAINED
        for dataset, (theirs, ours) in seconds_in(folder).items()
        if ours < 1.1 * theirs
    ]
    assert set(no_longer) == {
        ("small-start", "iris"),
        ("small-start", "vowel"),
        ("imclef07d", "hmc_imclef07d"),
        ("diatoms", "hmc_diatoms"),
    }
    for folder, dataset in no_longer:
        best, _ = default_of(comparison(folder), dataset, TRAINED[folder][0])
        theirs, ours = (
            [len(curve.asked) for curve in curves_in(folder)[dataset][method]] for method in (best["name"], DEFAULT)
        )
        assert max(ours) < min(theirs)


def test_the_readme_tells_what_training_takes():
    theirs, ours = [], []
    for folder in ("small-start", ""):
        best, default = zip(*seconds_in(folder).values(), strict=True)
        theirs.append(f"{rounded(min(best))} to {rounded(max(best))} s")
        ours.append(f"{rounded(min(default))} to {rounded(max(default))} s")
    few, all_known = ours
    assert (
        f"{few} of training in a run from three known items a label and {all_known} from a whole training part, "
        f"against {theirs[0]} and {theirs[1]} of the paper's best"
    ) in words(ROOT / "README.md")


def test_rounds():
    page = " ".join(part("fewer-questions.md", "What makes the difference").split())
    few, many = min(PAPER_ROUNDS.values()), max(PAPER_ROUNDS.values())
    assert f"the paper trains after {few} to {many:,} questions, the default after a tenth of those asked" in page
    assert f"paper trains after {few} to {many:,} questions, ours" in words(DOCS / "tutorials" / "researcher.md")
    assert round_size("auto", asked=5_000, cells=5_000) == 500
    assert [round_size("auto", asked=0, cells=n) for n in (5_000, 9_999, 10_000)] == [1, 1, 2]
    assert "(at least 1 for each 5,000 cells)" in page
    found = curves_in("")
    seven, thirteen = (
        max(int(curve.asked[-1] - curve.asked[-2]) for curve in found[name][DEFAULT]) for name in ("nell-7", "nell-13")
    )
    assert f"on nell-7 that is up to {seven:,} questions of the default's, on nell-13 up to {thirteen:,}." in page


def test_what_labels_never_seen_cost_and_save():
    page, cases = " ".join(part("fewer-questions.md", "Labels never seen").split()), results("unseen")["cases"]
    never, asked = cases["labels that never occur"], cases["questions"]
    hundred, thirty = (
        " → ".join(f"{never[f'{known} known, {way}, bits']:.2f}" for way in ("without", "with")) for known in (100, 30)
    )
    assert f"it costs little: {hundred} bits with 100 items known, and {thirty} with 30." in page
    less, more = (
        [f"{asked[f'{way}, to test AUC {target}']:,.0f}" for way in ("with", "without")] for target in (0.95, 0.99)
    )
    assert f"asks {less[0]} instead of {less[1]} questions to test AUC 0.95, and {more[0]} instead of {more[1]}" in page


def test_rounds_that_spread():
    page, cases = part("fewer-questions.md", "Rounds that spread"), results("diverse")["cases"]
    assert len(cases) == 4
    for case, found in cases.items():
        name, _, learner = case.removeprefix("digits, ").removeprefix("digits ").rpartition(", ")
        plain, diverse = (found[f"{way}, questions"] for way in ("plain", "diverse"))
        on_the_way = " → ".join(f"{found[f'{way}, mean test AUC on the way']:.3f}" for way in ("plain", "diverse"))
        told = [f"{plain:,.0f}", f"{diverse:,.0f}", f"{diverse / plain:.2f}", on_the_way]
        assert cells(f"{name}, `{learner}`", page) == told


def test_what_comfort_costs():
    page, cases = part("fewer-questions.md", "What comfort costs"), results("comfort")["cases"]
    assert row("to test AUC 0.999", page) == "| to test AUC 0.999 | " + " | ".join(cases) + " |"
    ways = [key.removesuffix(", cost") for key in cases["segment"] if key.endswith(", cost")]
    assert len(ways) == 5
    for way in ways:
        told = []
        for found in cases.values():
            times = f" ({found[f'{way}, times']:.2f})" if f"{way}, times" in found else ""
            told.append(f"{found[f'{way}, cost']:.0f}{times}")
        assert cells(way, page) == told
    label = [found["stay on a label, times"] for found in cases.values()]
    assert f"staying on a label {min(label):.1f} to {max(label):.1f} times the questions" in " ".join(page.split())
    assert max(found["stay on an item, times"] for found in cases.values()) <= 1


def neighbours():
    """Of each case of the suite `tuning` the default, a neighbour and its figures; never to stay is there twice."""
    for case, found in results("tuning")["cases"].items():
        names = list(dict.fromkeys(key.rsplit(", to ", 1)[0] for key in found if key.endswith(", times")))
        for name in names[1:]:
            if (case, name) != ("score", "posterior"):
                yield (
                    case,
                    names[0],
                    name,
                    [found[f"{name}, to {target}, times"] for target in (0.99, 0.999)],
                    [found[f"{name}, to {target}, times from to"] for target in (0.99, 0.999)],
                )


def test_the_defaults_beside_their_neighbours():
    page = part("fewer-questions.md", "Were the defaults chosen well?")
    every = list(neighbours())
    assert page.count("\n| ") == 2 + len(every)
    for case, default, name, times, spread in every:
        cells = [f"{one:.2f} ({low:.2f}–{high:.2f})" for one, (low, high) in zip(times, spread, strict=True)]
        assert f"| {case}: {default} | {name} | " + " | ".join(cells) + " |" in page


def test_what_the_neighbours_tell():
    words = " ".join(part("fewer-questions.md", "Were the defaults chosen well?").split())
    every = list(neighbours())
    below = [
        (name, target, one)
        for _, _, name, times, spread in every
        for target, one, (_, high) in zip((0.99, 0.999), times, spread, strict=True)
        if high < 1
    ]
    assert {(name, target) for name, target, _ in below} == {("5 % more", 0.999), ("found from 30 items on", 0.99)}
    assert f"Of the {len(every)} neighbours none needs fewer questions to both targets beyond chance. " in words
    assert f"{len(below)} of the {2 * len(every)} figures are below 1 with their whole interval" in words
    for name, target, one in below:
        assert f"{name} to {target} ({one:.2f})" in words
    above = [(name, times[1]) for _, _, name, times, spread in every if spread[1][0] > 1]
    assert f"above 1 to 0.999 are {', '.join(f'{name} ({one:.2f})' for name, one in above)}. " in words
    staying = {name: times[1] for case, _, name, times, _ in every if case == "staying on an item"}
    assert f"less here ({staying['never']:.2f} and {staying['from 3/4 of the best']:.2f})" in words
    bits = results("tuning")["cases"]["labels never seen"]
    half, none, quarter, one = (
        f"{bits[f'{share} of an item, linear, bits']:.2f} and {bits[f'{share} of an item, Gaussian, bits']:.2f}"
        for share in ("0.5", "0", "0.25", "1")
    )
    assert f"surprises the fields by {half} bits (linear and Gaussian), none by {none}, " in words
    assert f"a quarter by {quarter}, one by {one}." in words


def test_what_hearing_items_alike_saves():
    page, cases = part("fewer-questions.md", "A learner that is sure and wrong"), results("contrast")["cases"]
    linear = cases["a linear field"]
    data = [name.removesuffix(", to 0.999") for name, one in linear.items() if name.endswith(", to 0.999") and one]
    assert len(data) == 10
    for name in data:
        before, after = linear[f"{name}, to 0.999"]
        assert f"| {name} | {before:,.0f} | {after:,.0f} | {after / before:.2f} |" in page

    def times(case: dict[str, Any], setting: str = "as it is") -> list[str]:
        names = [f"{setting}, to {target}, times" for target in (0.99, 0.999)]
        found = ((case[name], *case[f"{name} from to"]) for name in names)
        return [f"{one:.2f} ({low:.2f}–{high:.2f})" for one, low, high in found]

    for name, case in cases.items():
        assert f"| {name} | " + " | ".join(times(case)) + " |" in page
    settings = [name.removesuffix(", to 0.999, times") for name in linear if name.endswith(", to 0.999, times")]
    assert len(settings) == 8
    for setting in settings[1:]:
        assert f"| {setting} | " + " | ".join(times(linear, setting)) + " |" in page
    assert page.count("\n| ") == (2 + len(data)) + (2 + len(cases)) + (2 + len(settings[1:]))


def test_what_a_learner_of_ones_own_needs():
    page, cases = part("fewer-questions.md", "A learner of your own"), results("own_learner")["cases"]
    ways = ("posterior, settling", "contrast, staying", "contrast, settling", "items by margin")

    def times(case: dict[str, Any], way: str) -> str:
        low, high = case[f"{way}, to 0.999, times from to"]
        return f"{case[f'{way}, to 0.999, times']:.2f} ({low:.2f}–{high:.2f})"

    for name, case in cases.items():
        assert f"| {name} | " + " | ".join(times(case, way) for way in ways) + " |" in page
    assert page.count("\n| ") == 2 + len(cases)
    both = {name: case["contrast, settling, to 0.999, times"] for name, case in cases.items() if "texts" not in name}
    assert 0.62 < geometric_mean(both.values()) < 0.71
    assert "[saves a third of the questions](../fewer-questions.md#a-learner-of-your-own)" in " ".join(
        (DOCS / "howto" / "own-model.md").read_text(encoding="utf-8").split()
    )


def test_the_formula_of_contrast_has_its_constants():
    text = (DOCS / "mathematics.md").read_text(encoding="utf-8")
    assert rf"{FADES:g}^{{n_a}}" in text
    s, t = HEARD
    at_first = rf"\bigl( {s:g} \log s + {t:g} \log t + {1 - s - t:g} \log (1 - s - t) \bigr)"
    assert rf"{COUNTS} \, {at_first}" in text
    assert rf"{1 - SUREST:.2f} \le q_k \le {SUREST:g}" in text
    told = " ".join(part("fewer-questions.md", "A learner that is sure and wrong").split())
    assert f"before the first answer ({s:g}, the known ones {t:g})" in told
    assert pytest.approx(1 / 5) == 1 - FADES
    assert "how soon they fade (a fifth with each training)" in told
