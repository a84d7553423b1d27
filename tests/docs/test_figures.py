"""Figures that the documentation quotes are those of the results in the repository."""

from __future__ import annotations

import math
import re
from collections import Counter
from statistics import mean

import numpy as np
import pytest

from corollary.experiment.choice_report import (
    BEST,
    BEST_OTHER,
    OFFICIAL,
    RANDOM_SPLITS,
    WHOLE,
    ChoiceReport,
    interval_in_words,
    make_choice_report,
    ratio_on,
    splits_of,
)
from corollary.experiment.data.datasets import load_dataset
from corollary.experiment.intervals import groups_of
from corollary.experiment.ladder import Climbed, make_ladder
from corollary.experiment.methods import PAPER, PAPER_ROUNDS
from corollary.experiment.runs import results as runs_of

from ..experiment.known_sets import share_that_breaks_exclusive_siblings
from ..mutants.__main__ import TRIED
from ..mutants.mutations import mutations
from ..real_data import needs_data
from .figures import DOCS, PAGE, comparison, default_of, of_reproduction, part, results, row, times_of_the_best, written
from .pages import ROOT

TWICE = ("again", "after one more answer")  # looks at what was worked out before

#: A row of the page, the case of the suite, and what the row must say by the keys of its results.
LOGIC = {
    "tree of 10,000": ("compile-tree", ["{seconds:.2f} s", "{megabytes:.0f} MB"]),
    "posterior and gain of 10,000": ("posterior-tree", ["{seconds:.2f} s", "{nanoseconds per cell:.0f} ns"]),
    "propagation of 1,000,000": ("propagation", ["{seconds:.2f} s", "{times faster than SAT:.0f} times"]),
    "NELL": (
        "nell",
        ["{compile seconds:.2f} s", "{posterior and gain of 10,000 items, seconds:.2f} s", "{lint seconds:.2f} s"],
    ),
    "ImageNet-21k": (
        "imagenet-21k",
        [
            "{compile seconds:.2f} s",
            "{compile megabytes:.0f} MB",
            "{posterior, items a second:.0f} items",
            "{posterior and gain, items a second:.0f} items",
        ],
    ),
    "Gene Ontology": (
        "gene-ontology",
        ["{share of items certified:.1%}", "{items:,} items", "{posterior, items a second:.0f} items"],
    ),
    "all WordNet nouns": (
        "wordnet-nouns",
        [
            "{labels:,} labels",
            "{read seconds:.1f} s",
            "{first propagation, seconds:.1f} s",
            "{next propagation, milliseconds:.0f} ms",
        ],
    ),
}
ASKING = {
    "all cells scored": (
        "scoring",
        [
            "{plain numpy entropy, seconds:.3f} s",
            "{posterior, times numpy entropy:.1f}, {gain, times numpy entropy:.1f}, "
            "{log, times numpy entropy:.1f}, {linear, times numpy entropy:.1f}",
        ],
    ),
    "answer and next question": (
        "next-question",
        ["{times faster than score() of the pool, 200,000 items:,.0f} times"],
    ),
    "while the default learner trains": (
        "waiting",
        [
            "{answer and next question, median, ms:.1f}, {answer and next question, 99 %, ms:.1f}, "
            "{answer and next question, longest, ms:.0f} ms"
        ],
    ),
    "the same while it reads": (
        "waiting, reading",
        [
            "{answer and next question, median, ms:.1f}, {answer and next question, 99 %, ms:.1f}, "
            "{answer and next question, longest, ms:.0f} ms"
        ],
    ),
    "the same of a campaign": (
        "waiting, a campaign that reads",
        [
            "{answer and next question, median, ms:.1f}, {answer and next question, 99 %, ms:.0f}, "
            "{answer and next question, longest, ms:.0f} ms",
            "{of that at work, 99 %, ms:.1f} ms",
            "{the same while nothing is trained, 99 %, ms:.0f} ms",
        ],
    ),
}
#: The data sets of the published learners, by how their rows begin, and our learners in the order of the columns.
HIERARCHIES = {
    "hmc_cellcycle_fun": "cellcycle, FunCat",
    "hmc_cellcycle_go": "cellcycle, Gene Ontology",
    "hmc_diatoms": "diatoms",
    "hmc_enron": "enron",
    "hmc_imclef07d": "imclef07d",
}
LEARNERS = ("field", "pool", "network", "pool with networks")
#: What a session holds in its states, and at most.
HELD = "first question asked|after 2,000 answers|trained in the background|at most at any time".split("|")


def held(size: str) -> list[str]:
    return [", ".join(f"{{{size}, {state}:.1f}}" for state in HELD)]


MEMORY = {
    "a session of 200,000": ("answers are facts", held("200,000 x 100")),
    "a session of 50,000": ("answers are facts", held("50,000 x 272")),
    "answers may be wrong, 200,000": ("answers may be wrong", held("200,000 x 100")),
    "answers may be wrong, 50,000": ("answers may be wrong", held("50,000 x 272")),
    '`stay="label"` keeps': ("staying on labels", held("50,000 x 272")),
    "of a campaign, 50,000": ("a campaign", held("50,000 x 272")),
    "of a campaign where people can be wrong": ("a campaign where people can be wrong", held("50,000 x 272")),
    "items that are all settled": (
        "items that are settled",
        ["{200,000 x 100, all known:.1f}; {200,000 x 100, all known, at most:.1f}"],
    ),
    "1,000,000 items x 26 labels, growth": ("resident", ["{bytes a cell:.1f}"]),
}
TRAINING = {
    "logistic regression against": ("letter", ["{times faster:.1f} times", "loss {log loss of the two, ratio:.2f}"]),
    "the same, nell-13": ("nell-13", ["{times faster:.1f} times", "loss {log loss of the two, ratio:.2f}"]),
}
FIRST_FIT = [
    "{seconds:.0f} s, {times the budget:.2f} times its budget; {seconds of all cores together:.0f} s | {members:} |"
]
BUDGET = {
    "3,757 x 499": ("2,500 x 499", FIRST_FIT),
    "22,500 x 160, texts": ("22,500 x 160", FIRST_FIT),
    "200,000 x 271": ("200,000 x 272", FIRST_FIT),
    "20,000 x 26": ("15,000 x 26", FIRST_FIT),
}
ITEMS = {
    "a page in their order": (
        "pages",
        [
            "{in their order, from 0, ms:.0f}, {by doubt, from 0, ms:.0f}, "
            "{by probability of a label, from 0, ms:.0f} ms"
        ],
    ),
    "a page of those where": (
        "pages",
        ["{a label open, by doubt, from 0, ms:.0f}, {any label implied, from 0, ms:.0f}, {by whom, from 0, ms:.0f} ms"],
    ),
    "a page of a new search": (
        "pages",
        ["{searched for 'weather alarm', ms:.0f}, {searched for 'e', ms:.0f} ms"],
    ),
    "once a model": (
        "pages",
        ["{after a new model, once, ms:.0f} ms", "{memory for texts and probabilities, megabytes:.0f} MB"],
    ),
}
EXPORTING = {
    "23,700 items x 160": ("queries", ["{csv-items, seconds of processor:.1f} s, {csv-items, MB:.1f} MB"]),
    "the same, a line for each label": ("queries", ["{csv-long, seconds of processor:.0f} s, {csv-long, MB:.0f} MB"]),
    "1,000,000 items x 200": (
        "million",
        ["{csv-items, seconds of processor:.0f} s, {csv-items, MB:.0f} MB; {more memory at most, MB:.0f} MB"],
    ),
}
SUITES = {
    "logic": LOGIC,
    "asking": ASKING,
    "memory": MEMORY,
    "training": TRAINING,
    "budget": BUDGET,
    "items": ITEMS,
    "exporting": EXPORTING,
}


@pytest.mark.parametrize(("suite", "rows"), SUITES.items())
def test_figures_of_a_suite(suite, rows):
    cases = results(suite)["cases"]
    for start, (case, patterns) in rows.items():
        for pattern in patterns:
            assert written(pattern, cases[case]) in row(start), f"{suite}, {case}: {written(pattern, cases[case])}"


def test_what_a_session_keeps_for_each_cell():
    cases = results("memory")["cases"]
    sessions = [
        cases[MEMORY[start][0]] for start in MEMORY if start.startswith(("a session", "answers may", "of a campaign"))
    ]
    peaks = [value for case in sessions for name, value in case.items() if name.endswith("at any time")]
    states = [value for case in sessions for name, value in case.items() if name.endswith(tuple(HELD[:3]))]
    told = f"{min(states):.0f} to {np.ceil(max(states)):.0f} bytes for each label"
    page = (DOCS / "howto" / "large.md").read_text(encoding="utf-8")
    assert told in page
    assert f"[{np.ceil(max(peaks)):.0f} at times]" in page


def test_figures_of_the_service():
    found = results("serving")["cases"]
    for column, name in ((2, "rush"), (3, "calm"), (4, "hundred in a rush"), (5, "hundred")):
        case = found[name]

        def cell(start: str, column: int = column) -> str:
            return row(start).split("|")[column].strip()

        rate, models = case["acknowledged answers a second"], case["models taken up"]
        assert cell("answers acknowledged") == (f"{rate:.0f}; {models}" if rate > 20 else f"{rate:.1f}; {models}")
        wrong = ("acknowledged and not in the log", "errors", "questions with two people", "questions answered twice")
        assert cell("acknowledged and not") == "; ".join(str(case[name]) for name in wrong)
        for start, name in (("an answer takes", "answer"), ("the next questions take", "next questions")):
            assert cell(start) == ", ".join(f"{case[f'{name}, ms p{share}']:.0f}" for share in (50, 90, 99)) + " ms"
        assert cell("server time") == f"{case['server, CPU ms an answer']:.1f} ms"
    spent = Counter[str]()
    for place, share in found["hundred in a rush"]["where the server's time goes"].items():
        spent[place if place in ("campaign/storage", "campaign/training") else place.split("/")[0]] += share
    told = " ".join(PAGE.split())
    for words, place in (
        ("storing {} %", "campaign/storage"),
        ("training process {} %", "campaign/training"),
        ("logic {} %", "logic"),
        ("what it keeps {} %", "learning"),
        ("rest of the campaign {} %", "campaign"),
        ("sign-in and API {} %", "web"),
    ):
        assert words.format(f"{100 * spent[place]:.0f}") in told


def test_the_readme_tells_how_fast_choosing_and_serving_are():
    told = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    asking, serving = results("asking")["cases"], results("serving")["cases"]
    each = {one: asking["scoring"][f"{one}, times numpy entropy"] for one in ("posterior", "gain", "log")}
    assert ", ".join(f"{times:.1f} times (`{one}`)" for one, times in each.items()) in told
    following = asking["next-question"]
    at, faster = "answer and next, {} items, microseconds", "times faster than score() of the pool, 200,000 items"
    assert f"answer and next question in {following[at.format('200,000')] / 1000:.2f} ms" in told
    assert f"{following[faster]:,.0f} times faster than scoring the pool" in told
    assert f"{following[at.format('1,000,000')] / 1000:.2f} ms at a million items" in told
    median, most, longest = (
        asking["waiting"][f"answer and next question, {which}, ms"] for which in ("median", "99 %", "longest")
    )
    assert f"{median:.1f} ms in the median, {most:.0f} ms in 99 of 100 cases, {longest:.0f} ms at most" in told
    assert f"acknowledges {serving['rush']['acknowledged answers a second']:.0f} answers a second" in told


def test_figures_of_a_million_answers():
    case = results("million")["cases"]["opened and looked at"]

    def told(*names: str) -> str:
        of = [f"{case[f'{name}, s']:.1f} s ({case[f'{name}, seconds that passed']:.1f} s)" for name in names]
        return "; ".join(of)

    assert case["events"] >= 1_000_000
    for start, names in {
        "opened, until": ("open, until the server answers",),
        "the figures, worked out": ("the figures, worked out once after that",),
        "the figures again": tuple(f"figures and progress, {when}" for when in TWICE),
        "people and how far": tuple(f"people and how far they agree, {when}" for when in TWICE),
        "the list of items": tuple(f"items, {how}, after one more answer" for how in ("by doubt", "searched")),
        "the log: all": tuple(f"the log, {how}after one more answer" for how in ("", "a rare kind, ")),
        "what the model is sure": tuple(f"what the model is sure of, {when}" for when in TWICE),
    }.items():
        assert row(start).split("|")[2].strip() == told(*names)
    views = [seconds for name, seconds in case.items() if name.endswith(tuple(f"{when}, s" for when in TWICE))]
    assert f"take at most {max(views):.1f} s" in PAGE


def test_figures_of_a_pool_larger_than_memory():
    page, cases = (DOCS / "howto" / "large.md").read_text(encoding="utf-8"), results("scale")["cases"]
    found, same = cases["everything"], cases["same questions"]
    for start, figures, patterns in (
        ("all of 10,000,000", found, ["{seconds, two workers:.0f} s, {million cells a second:.1f} million"]),
        (
            "the same: one worker",
            found,
            [
                "{seconds, one worker:.0f} s, two are {times as fast:.2f}",
                "{seconds, one worker with both cores:.0f} s |",
            ],
        ),
        (
            "the same, one of two",
            found,
            ["{seconds with a worker killed halfway:.0f} s, {questions that differ with a worker killed:d} questions"],
        ),
        ("before that", found, ["{seconds to start and train:.0f} s"]),
        ("memory of a worker", found, ["{gigabytes of a worker at most:.2f} GB"]),
        ("the best 1,000", same, ["{items:,} items", "{questions that differ:d} differ"]),
    ):
        for pattern in patterns:
            assert written(pattern, figures) in row(start, page)
    for name, seconds in cases["growth"].items():
        items, labels, best = re.fullmatch(r"seconds, ([\d,]+) items x (\d+) labels, best ([\d,]+)", name).groups()
        assert f"| {items} | {labels} | {best} | {seconds:.1f} s |" in page


def test_learners_beside_published_ones():
    page, cases = part("benchmarks.md", "Learners beside published ones"), results("published")["cases"]
    for name, start in HIERARCHIES.items():
        told = [cell.strip() for cell in row(start, page).strip("|").split("|")][1:]
        of = {learner: cases[f"{name}, {learner}"] for learner in LEARNERS}
        ours = [f"{of[one]['area']:.3f} ({of[one]['seconds of training']:,.0f} s)" for one in LEARNERS]
        published = [f"{of['field'][one]:.3f}" for one in ("C-HMCNN(h)", "HMCN-F", "CLUS-HMC, ensemble")]
        assert told == ours + published
    reached = {learner: [name for name in HIERARCHIES if reaches(cases[f"{name}, {learner}"])] for learner in LEARNERS}
    assert reached["pool with networks"] == list(HIERARCHIES)
    assert "The default learner with networks is at or above C-HMCNN(h) on all five" in page
    assert reached["pool"] == ["hmc_enron"]
    assert "the default learner alone on enron only" in page
    assert len(reached["network"]) == 3
    assert "networks alone on three" in page


def reaches(case) -> bool:
    return case["area"] >= case["C-HMCNN(h)"]


def test_published_ones_are_beaten_by_no_more_than_was_measured():
    page, cases = " ".join(PAGE.split()), results("published")["cases"]
    go = cases["hmc_cellcycle_go, pool with networks"]
    assert f"On the Gene Ontology {go['area']:.4f} against a published {go['C-HMCNN(h)']:.3f} is level" in page
    assert round(go["area"], 3) == go["C-HMCNN(h)"]
    machines = {(name.partition(", ")[2], case["on"]) for name, case in cases.items()}
    assert {learner for learner, on in machines if on == "NVIDIA H200"} == {"network", "pool with networks"}
    assert {on[:7] for learner, on in machines if learner in ("field", "pool")} == {"2 cores"}


@needs_data
def test_what_training_rows_tell_of_siblings():
    shares = sorted(share_that_breaks_exclusive_siblings(name) for name in HIERARCHIES)
    assert shares[:2] == [0, 0]
    told = f"on the other three {100 * shares[2]:.0f} to {100 * shares[-1]:.0f} % of them do."
    assert told in " ".join(part("benchmarks.md", "Learners beside published ones").split())


def test_networks_in_the_default_learner():
    cases, found = results("published")["cases"], {}
    for name in HIERARCHIES:
        pool, network, both = (cases[f"{name}, {learner}"]["area"] for learner in LEARNERS[1:])
        found.setdefault(int(np.sign(both - max(pool, network))), []).append(name)
    assert found == {
        1: ["hmc_cellcycle_fun", "hmc_diatoms"],
        0: ["hmc_cellcycle_go"],
        -1: ["hmc_enron", "hmc_imclef07d"],
    }
    told = " ".join(part("howto/pytorch.md", "Networks as a learner").split())
    assert "on two of five hierarchies (cellcycle with FunCat, diatoms)" in told
    assert "as good as networks alone on a third (cellcycle with the Gene Ontology)" in told
    both, pool = (cases[f"hmc_enron, {learner}"]["area"] for learner in ("pool with networks", "pool"))
    assert f"{both:.3f} against {pool:.3f} of the default learner alone on enron" in told
    both, network = (cases[f"hmc_imclef07d, {learner}"]["area"] for learner in ("pool with networks", "network"))
    assert f"{both:.4f} against {network:.4f} of networks alone on imclef07d" in told


def test_figures_on_a_gpu():
    page, cases = part("howto/pytorch.md", "Figures on a GPU"), results("gpu")["cases"]
    tree, shuffled, nell, imagenet, field = (
        cases[name] for name in ("tree", "tree, shuffled", "nell", "imagenet-21k", "field")
    )
    session = "{GPU, seconds:.2f} s, {times faster:.1f} times faster"
    copy = "{speed of a copy:.2f} of the speed of a copy"
    in_millions = {
        f"{name}, {what}": f"{case[f'{what}, items a second'] / 1e6:.1f} million"
        for name, case in (("tree", tree), ("nell", nell))
        for what in ("posterior", "gain")
    }
    rows = {
        "a plain copy": written("{copy, ms:.2f} ms", tree),
        "exact posterior": written("{kernel alone, ms:.2f} ms, {kernel alone, " + copy[1:], tree)
        + written("; with facts {kernel alone, with facts, ms:.2f} ms", tree),
        "by `marginals`": written("{posterior, ms:.2f} ms, {posterior, " + copy[1:], tree),
        "by the passes": written("{passes in PyTorch, ms:.1f} ms", tree),
        "the same labels": written("{kernel alone, speed of a copy:.2f}; {posterior, " + copy[1:], shuffled),
        "gain on that tree": f"{in_millions['tree, gain']} items a second",
        "NELL": f"{in_millions['nell, posterior']}; {in_millions['nell, gain']} items a second",
        "ImageNet-21k": written(
            "{posterior, items a second:,.0f}; {gain, items a second:,.0f} items a second", imagenet
        ),
        "training of a field": written("{of all on the GPU, ms:.0f} ms, ", field)
        + written("{times faster, the CPU's time taken tenfold:.0f} times faster", field),
        "a session scores all questions": written(session, cases["session, nell"]),
        "the same by the gain": written(session, cases["session, nell, gain"]),
        "a session of 50,000 items": written(session, cases["session, tree"]),
    }
    for start, figures in rows.items():
        assert f"| {figures}" in row(start, page), f"{start}: {figures}"
    assert written("; {whole fit on the GPU, seconds:.1f} s |", field) in row("training of a field", page)
    assert all(case["GPU"] == "NVIDIA H200" for case in cases.values())


def choice(monkeypatch, name: str) -> ChoiceReport:
    """What a table of the evidence tells, worked out from its runs: ratios of the default."""
    monkeypatch.syspath_prepend(str(ROOT))
    from evidence.kept import Kept
    from evidence.tables import TABLES

    table = next(one for one in TABLES if one.name == name)
    curves = Kept(ROOT / "evidence" / "results" / "runs.jsonl.gz").placed(table.jobs())
    assert table.start == (None if name.startswith("full") else 3)
    return make_choice_report(curves, targets=table.targets, about={}, mixed=True, ours=table.ours)


def test_the_readme_has_the_summary_of_the_evidence(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    from evidence.kept import Kept
    from evidence.page import in_short
    from evidence.tables import TABLES

    summary = in_short(TABLES, Kept(ROOT / "evidence" / "results" / "runs.jsonl.gz"))
    assert summary.count("\n") > 5
    assert summary in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_headline_in_words_and_elsewhere(monkeypatch):
    few, whole = (choice(monkeypatch, name).to_targets[-1].ratios for name in ("choice", "full"))
    best, chance, linear = (
        interval_in_words(few[rival]["all"]) for rival in (BEST, "RANDOM-CP", "LINEAR-CP:marginals")
    )
    readme, index = (
        " ".join((ROOT / page).read_text(encoding="utf-8").split()) for page in ("README.md", "docs/index.md")
    )
    assert f"**{best}** of the questions of the best of the paper's scores, and **{chance}** of questions by" in readme
    assert f"LINEAR-CP, given probabilities that agree with the logic, **{linear}**." in readme
    assert f"{best} of those of the best of the paper's scores, and {chance} of questions by chance" in index
    assert f"| {best}; {chance}; {linear} of the questions |" in row("choice of questions alone")
    rivals = (BEST, "RANDOM-CP", "LINEAR-CP:marginals", "margin:items")
    told = "; ".join(interval_in_words(whole[rival]["all"]) for rival in rivals)
    assert f"| {told} of the questions |" in row("the same from a whole training part")


def test_the_headline_tells_of_whole_items_too(monkeypatch):
    ratios = choice(monkeypatch, "others").to_targets[-1].ratios
    names = ("margin", "badge", "core-set", "typiclust", "random")
    margin, *between, chance = (interval_in_words(ratios[f"{name}:items"]["all"]) for name in names)
    readme, index = (
        " ".join((ROOT / page).read_text(encoding="utf-8").split()) for page in ("README.md", "docs/index.md")
    )
    best = interval_in_words(ratios[BEST_OTHER]["all"])
    told = f"**{chance}** of the questions of items by chance, and **{margin}** of items by their margin;"
    assert f"{told} and **{best}** of those of the best of others' strategies" in readme
    assert f"{chance} and {margin} of those for whole items by chance and by margin" in index
    each = "; ".join([margin, *between, chance, best])
    assert f"| {each} of the questions |" in row("the same against strategies of")


def test_the_headline_tells_of_hierarchies_and_texts_too(monkeypatch):
    trees, texts = (choice(monkeypatch, name).to_targets[-1].ratios[BEST] for name in ("hierarchies", "text"))
    images, mails, queries, things = (
        f"{one.value:.2f}" for one in (trees["hmc_imclef07d"], trees["hmc_enron"], texts["clinc150"], texts["things"])
    )
    index = " ".join((DOCS / "index.md").read_text(encoding="utf-8").split())
    assert f"{images} and {mails} of those of the paper's best on two hierarchies, {queries} and {things} on" in index


def climbed(monkeypatch, name: str) -> Climbed:
    """What a ladder of the evidence tells to its highest target, worked out from its runs."""
    monkeypatch.syspath_prepend(str(ROOT))
    from evidence.kept import Kept
    from evidence.page import rungs_of
    from evidence.tables import TABLES

    table = next(one for one in TABLES if one.name == name)
    kept = Kept(ROOT / "evidence" / "results" / "runs.jsonl.gz")
    best, rungs = rungs_of(table, kept)
    assert len(best) == 8
    return make_ladder(kept.placed(rungs), best, targets=table.targets, mixed=True).climbed[-1]


def test_the_readme_tells_what_each_change_brings(monkeypatch):
    found = climbed(monkeypatch, "ladder-small")
    assert found.target == 0.999
    told = (
        "rounds that grow {:.2f}, learning from all that is known {:.2f}, predicting by the posterior {:.2f}, scoring "
        "its marginals {:.2f}, one field over the legal labellings {:.2f}, the pool of learners {:.2f}, choosing by "
        "the posterior's entropy {:.2f}, staying on an item {:.2f}; in all {}."
    ).format(*(step["all"].value for step in found.steps.values()), interval_in_words(list(found.so_far.values())[-1]))
    whole = climbed(monkeypatch, "ladder").steps
    pool, choosing = (interval_in_words(whole[change]["all"]) for change in list(whole)[5:7])
    told += f" From a whole training part the pool brings {pool}, and that choice {choosing}."
    assert told in " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())


def test_limits_tell_where_another_choice_is_better(monkeypatch):
    first = choice(monkeypatch, "choice").to_targets[0]
    worst = interval_in_words(first.ratios["LINEAR-CP:marginals"]["shuttle"])
    limits = " ".join((DOCS / "limits.md").read_text(encoding="utf-8").split())
    assert first.target == 0.99
    assert f"the default, which takes {worst} times as many to AUC 0.99" in limits
    texts = choice(monkeypatch, "full-text")
    ratios = texts.to_targets[-1].ratios["LINEAR-CP:marginals"]
    assert f"of CLINC150 known, {interval_in_words(ratios['clinc150'])} times as many, where of" in limits


def test_readme_and_limits_tell_whose_choice_is_far_ahead_with_a_weak_learner(monkeypatch):
    weak, ours = (choice(monkeypatch, name).to_targets[-1].ratios for name in ("others", "choice-default"))
    contrastive = "smalltext-contrastive:items"
    single = {name: one.value for name, one in weak[contrastive].items() if name in PAPER_ROUNDS and one is not None}
    assert [name for name, times in single.items() if times > 1] == ["shuttle"]
    assert len(single) == 7
    default, best = (interval_in_words(ours[rival]["flat"]) for rival in (contrastive, BEST_OTHER))
    readme, limits = (
        " ".join((ROOT / page).read_text(encoding="utf-8").split()) for page in ("README.md", "docs/limits.md")
    )
    times = f"{single['shuttle']:.2f} times as many on shuttle"
    assert f"the default takes {times}; with the default learner {default} of its questions" in readme
    assert f"and **{best}** of those of the best of others'" in readme
    assert f"it takes {times} as that choice to AUC 0.999" in limits
    assert f"With the default learner it takes {default} of the questions of that choice" in limits


def test_the_readme_tells_of_the_papers_own_learner(monkeypatch):
    ratios = choice(monkeypatch, "choice-logistic").to_targets[-1].ratios
    best, margin, posterior = (interval_in_words(ratios[one]["all"]) for one in (BEST, "margin:items", "posterior"))
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert (
        f"with the paper's own learner **{best}** of those of the best of its scores, and {margin} of items" in readme
    )
    told = " ".join(part("fewer-questions.md", "A learner of your own").split())
    assert (
        f"takes {best} of the questions of the best of the paper's scores, {margin} of those of items by margin" in told
    )
    assert f"and {posterior} of those of the posterior alone" in told


def test_contrast_beside_the_posterior_with_a_weak_learner(monkeypatch):
    ratios = choice(monkeypatch, "others").to_targets[-1].ratios
    told = " ".join(part("fewer-questions.md", "A learner that is sure and wrong").split())
    posterior, best = (interval_in_words(ratios[one]["all"]) for one in ("posterior", BEST_OTHER))
    assert (
        f"it takes {posterior} of the questions of `posterior`, and {best} of those of the best of others' strategies"
        in told
    )
    each = [
        f"{ratios['posterior'][name].value:.2f} on {name}" for name in ("segment", "pendigits", "shuttle", "nell-11")
    ]
    assert (
        f"{each[0]}, {each[1]} and {each[2]} of those of `posterior`, and {each[3]}, where it costs, as on iris" in told
    )
    assert [name for name in PAPER_ROUNDS if ratios["posterior"][name].value > 1] == ["iris", "nell-11"]
    worst = ratios["smalltext-contrastive:items"]["shuttle"].value
    assert (
        f"{worst:.2f} times those of small-text's contrastive choice on shuttle, and fewer than that on the six" in told
    )
    words = choice(monkeypatch, "words").to_targets[-1].ratios
    costs = interval_in_words(words["posterior"]["all"])
    assert f"it takes {costs} of those of `posterior`, and more than the best of the paper's scores" in told
    limits = " ".join((DOCS / "limits.md").read_text(encoding="utf-8").split())
    assert f"it costs: {costs} times the questions of the posterior alone on NELL by its words" in limits
    assert words[BEST]["all"].value > 1
    before = results("contrast-before")
    shuttle, pendigits = (before["small-text's contrastive"][name][0] for name in ("shuttle", "pendigits"))
    value, low, high = before["the best of others', ten data sets"]
    assert (
        f"it took {shuttle:.2f} and {pendigits:.2f} times the questions of the contrastive choice on shuttle and "
        f"pendigits, {value:.2f} ({low:.2f}–{high:.2f}) of the best of others' on the ten"
    ) in told
    whole = interval_in_words(choice(monkeypatch, "full").to_targets[-1].ratios["posterior"]["all"])
    assert f"From a whole training part it takes {whole} of those of `posterior`." in told


def test_the_readme_tells_what_reading_is_worth():
    readme, cases = (ROOT / "README.md").read_text(encoding="utf-8"), results("meaning")["cases"]
    told, read, parts = " ".join(readme.split()), cases["clinc150, static"], cases["parts, clinc150"]
    assert f"**{100 * read['0 questions: right']:.0f} %** are labelled wholly right before the first question" in told
    assert f"and {100 * read['2,400 questions: right']:.0f} % after 2,400" in told
    alone, logic, examples = (
        f"{parts[f'0 questions, {part}: AUC']:.2f}" for part in ("similarity alone", "+ logic", "+ examples")
    )
    assert f"from an AUC of {alone} to {logic}, and probable examples to {examples}" in told


def test_the_headline_tells_all_of_it_by_groups():
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    index = " ".join((DOCS / "index.md").read_text(encoding="utf-8").split())
    small, whole = questions_in("small-start"), questions_in("")
    from_few, from_all = (ratio_on(one, PAPER, dict.fromkeys(one, WHOLE)) for one in (small, whole))
    told = interval_in_words(from_few).replace(" (", "** (")
    assert f"**{told} of the questions of that paper's best of seven" in readme
    assert f"with its own learner {interval_in_words(from_few)} of those of the paper's best as published" in index
    assert f"{interval_in_words(from_all)} from a whole training part" in readme
    groups = groups_of(whole)
    flat, nell = (ratio_on(whole, PAPER, dict.fromkeys(groups[group], WHOLE)).value for group in ("flat", "NELL"))
    assert f"{flat:.2f} on flat classes, {nell:.2f} on the three NELL sets" in readme
    one, other = (
        default_of(comparison(folder), name, 0.99)[1]["ratio"]
        for folder, name in (("imclef07d", "hmc_imclef07d"), ("diatoms", "hmc_diatoms"))
    )
    assert f"{one:.2f} and {other:.2f} to AUC 0.99 on two hierarchies" in readme


def test_the_headline():
    report = comparison("")
    ratios = {one["target"]: one["ratio"] for one in report["overall"]}
    assert f"| {ratios[0.999]:.2f} of the questions |" in row("default against")
    assert f"| {times_of_the_best('posterior')} |" in row("the same with the paper's own learner")
    assert f"| {times_of_the_best('gain')} |" in row("the same for `gain`")
    without = of_reproduction(r"([\d.]+) in the geometric mean")
    assert f"| {without} |" in row("questions without propagation")


def questions_in(folder: str, *, rounded: bool = False):
    """The questions to 0.999 of the paper's methods and the default, by data set and method, seed by seed."""
    found: dict[str, dict[str, dict[int, int]]] = {}
    for job, curve in runs_of(DOCS / "comparison" / folder / "runs.jsonl.gz"):
        ours = job["method"] == "posterior" and job["settings"]["learner"] == "auto"
        if not ours and job["method"] not in PAPER:
            continue
        needed = curve.questions_to(0.999)
        each = PAPER_ROUNDS[job["dataset"]] if ours and rounded else 1
        found.setdefault(job["dataset"], {}).setdefault(job["method"], {})[job["seed"]] = -(-needed // each) * each
    return {
        dataset: {method: tuple(runs[seed] for seed in sorted(runs)) for method, runs in by_method.items()}
        for dataset, by_method in found.items()
        if folder or dataset != "shuttle"
    }


def test_how_sure_the_comparison_is():
    page = part("fewer-questions.md", "How sure that is")
    for column, folder in ((2, ""), (3, "small-start")):
        asked = questions_in(folder)
        seeds = {**{kind: dict.fromkeys(of, WHOLE) for kind, of in groups_of(asked).items()}, **splits_of(asked)}
        assert set(seeds[OFFICIAL]) == {"vowel", "pendigits", "letter"}
        rows = {
            "flat:": (asked, seeds["flat"]),
            "NELL": (asked, seeds["NELL"]),
            "all |": (asked, dict.fromkeys(asked, WHOLE)),
            "all, seed 0": (asked, dict.fromkeys(asked, slice(0, 1))),
            "official splits: vowel, pendigits, letter": (asked, seeds[OFFICIAL]),
            "random splits": (asked, seeds[RANDOM_SPLITS]),
            "all, the default's": (questions_in(folder, rounded=True), dict.fromkeys(asked, WHOLE)),
        }
        for start, (questions, of) in rows.items():
            told = interval_in_words(ratio_on(questions, PAPER, of))
            assert row(start, page).split("|")[column].strip().startswith(told), f"{start}: {told}"
    zeros = {name: by["posterior"].count(0) for name, by in questions_in("").items()}
    assert {name: n for name, n in zeros.items() if n} == {"iris": 2, "pendigits": 2}


@needs_data
@pytest.mark.parametrize(("dataset", "share"), [("letter", "9.2 %"), ("segment", "3.4 %")])
def test_items_in_both_parts(dataset, share):
    data = load_dataset(dataset)
    known = {row.tobytes() for row in np.ascontiguousarray(data.X[data.train])}
    again = mean(row.tobytes() in known for row in np.ascontiguousarray(data.X[data.test]))
    assert f"{100 * again:.1f} %" == share
    assert share in part("fewer-questions.md", "How sure that is")


def test_small_starts():
    report, page = comparison("small-start"), part("fewer-questions.md", "From a small start")
    overall = {one["target"]: one for one in report["overall"]}[0.999]
    assert len(overall["averaged"]) == 10
    assert f"**{overall['ratio']:.2f}**" in page
    assert f"| {overall['ratio']:.2f} |" in row("the same from three known items")
    for dataset in overall["averaged"]:
        best, default = default_of(report, dataset, 0.999)
        shown = f"| {best['name']} | {best['mean']:,.0f} | {default['mean']:,.0f} | {default['ratio']:.2f} |"
        assert shown in row(dataset, page)


def test_hierarchies():
    page, ratios = part("fewer-questions.md", "On hierarchies"), []
    for folder, dataset, unit in (("imclef07d", "hmc_imclef07d", " questions"), ("diatoms", "hmc_diatoms", "")):
        best, default = default_of(comparison(folder), dataset, 0.99)
        said = next(" ".join(point.split()) for point in page.split("\n- ") if point.startswith(dataset))
        low, high = min(default["questions"]), max(default["questions"])
        against = f"against {best['mean']:,.0f} of {best['name']}"
        assert f": {default['mean']:,.0f}{unit} ({low:,} to {high:,}) {against}" in said
        ratios.append(f"{default['ratio']:.2f}")
        assert f": **{ratios[-1]}** ([all" in said
    assert f"| {', '.join(ratios)} |" in row("the same on hierarchies")


def test_labels_never_seen():
    page, cases = part("fewer-questions.md", "Labels never seen"), results("unseen")["cases"]
    for case in ("3% known", "10% known", "30% known", "67% known", "90% known"):
        found = cases[case]
        bits = " | ".join(
            f"{found[f'{field}, without, bits']:.2f} → {found[f'{field}, with, bits']:.2f}"
            for field in ("linear", "Gaussian")
        )
        assert f"| {found['labels that no known item has']} | {bits} |" in row(case.replace("% known", " %"), page)


def test_figures_of_meaning():
    page, cases = part("meaning.md", "What it is worth"), results("meaning")["cases"]
    asked = ("0", "300", "600", "1,200", "2,400")
    rows = {
        "CLINC150": "clinc150, static",
        "the same, `lexical` |": "clinc150, lexical",
        "the demo's things": "things, static",
        "the same, `lexical` (things)": "things, lexical",
    }
    for start, case in rows.items():
        line = next(line for line in page.splitlines() if line.startswith(f"| {start}"))
        found = cases[case]
        cells = [
            f"{found[f'{n} questions: AUC']:.2f}, {found[f'{n} questions: right']:.2f}"
            if f"{n} questions: AUC" in found
            else ""
            for n in asked
        ]
        assert line.endswith("| " + " | ".join(cells) + " |")
    line = next(line for line in page.splitlines() if line.startswith("| CLINC150, `static`, picks"))
    found = cases["clinc150, picks"]
    picks = ("0", "100", "200", "300", "500", "1,000")
    cells = [f"{found[f'{n} picks: AUC']:.2f}, {found[f'{n} picks: right']:.2f}" for n in picks]
    assert line.endswith("| " + " | ".join(cells) + " |")
    of_queries, of_things = (cases[f"misleading names, {name}"] for name in ("clinc150", "things"))
    words, told = " ".join(page.split()), {}
    for name, found in (("things", of_things), ("queries", of_queries)):
        there = [n for n in found["misleading names: questions"] if n is not None]
        ends = "; ".join(f"{auc:.2f}" for auc in found["misleading names: AUC at the end"])
        told[name] = f"ends at {ends}, and {len(there)} of 3 ({', '.join(f'{n:,}' for n in there)} questions) get"
    first = f"{of_things['no names: AUC at the end']:.2f} after 300 questions and first at 95 % of that after"
    assert f"the AUC is {first} {of_things['no names: questions']}; with misleading names it {told['things']} " in words
    assert f"(AUC {of_queries['no names: AUC at the end']:.2f}), it {told['queries']} there" in words
    assert f"`static` in {cases['speed']['100,000 texts, seconds']:.1f} s" in page
    assert f"takes {cases['speed']['fit at 22,500 x 160, seconds']:.1f} s" in page


def test_what_each_part_of_meaning_adds():
    page, cases = part("meaning.md", "What it is worth"), results("meaning")["cases"]
    rows = {
        "0 questions, similarity alone: AUC": ["0 questions, similarity alone: AUC"],
        "+ logic: AUC": ["0 questions, + logic: AUC"],
        "+ examples: AUC": ["0 questions, + examples: AUC"],
        "after 600 and 100 questions, slopes only: AUC, right": [
            "{} questions, slopes: AUC",
            "{} questions, slopes: right",
        ],
        "+ weights: AUC, right": ["{} questions, slopes and weights: AUC", "{} questions, slopes and weights: right"],
        "+ the pool: AUC, right": ["{} questions, the pool: AUC", "{} questions, the pool: right"],
        "the pool, questions at random: AUC, right": [
            "{} questions at random, the pool: AUC",
            "{} questions at random, the pool: right",
        ],
    }
    told = {"clinc150": set(), "things": set()}
    for start, names in rows.items():
        cells = []
        for data, asked in (("clinc150", 600), ("things", 100)):
            keys = [name.format(asked) for name in names]
            cells.append(", ".join(f"{cases[f'parts, {data}'][key]:.2f}" for key in keys))
            told[data] |= set(keys)
        assert row(f"{start} |", page) == f"| {start} | " + " | ".join(cells) + " |"
    for data, keys in told.items():
        assert keys == cases[f"parts, {data}"].keys()


def test_classes_at_once_are_quoted_as_measured():
    found, page = results("classes")["cases"], (DOCS / "howto" / "one-class.md").read_text(encoding="utf-8")
    forms = {"`exclusive` everywhere": "exclusive", "`exactly one`, with": "exactly one"}
    for start, form in forms.items():
        cells = row(start, page).split("|")[2:5]
        for cell, case in zip(cells, ("softmax", "one versus rest", "a clone each"), strict=True):
            figures = found[f"{case}, {form}"]
            assert cell.strip() == f"{100 * figures['right in full']:.1f} %, {figures['fit, seconds']:.0f} s"
    figures = found["softmax, exactly one, C=10"]
    assert f"{100 * figures['right in full']:.1f} %" in row("the same with `C=10`", page)
    assert f"for {100 * found['one versus rest, exclusive']['without any label']:.0f} % of the queries" in page


def test_answers_one_by_one_are_quoted_as_measured():
    page, found = part("witnesses.md", "Does it work?"), results("witnesses")["cases"]["crowd_dog, one by one"]
    for start, way in (("where it tells most", "chosen"), ("at random", "at random")):
        cells = []
        for share in ("25%", "33%", "50%", "75%"):
            low, high = found[f"{share}, {way}, range"]
            cells.append(f"{found[f'{share}, {way}']:.3f} ({low:.3f} to {high:.3f})")
        assert row(start, page) == f"| {start} | " + " | ".join(cells) + " |"
    assert f"the {found['100%, at random']:.3f} of `Consensus` with all" in page
    low, high = found["98%, at random, range"]
    words = " ".join(page.split())
    assert f"drawn twenty times, it is {found['98%, at random']:.3f} ({low:.3f} to {high:.3f})" in words
    assert f"prove best by all answers, give {found['50%, of those who prove best']:.3f}" in words


def test_what_machines_do_to_a_model():
    page, found = part("howto/machine-witnesses.md", "Does it help?"), results("machines")["cases"]
    digits, texts = found["digits in a tree"], found["clinc150"]
    for name in {key.partition(" known, ")[2] for key in digits if " known, " in key}:
        shares = " | ".join(f"{digits[f'{known} known, {name}']:.3f}" for known in (0, 20, 50, 100))
        assert f"| {name} | {shares} |" in page
    assert f"alone it gets {digits['the classifier alone']:.3f} right" in page
    without, sure, plain = (
        f"{texts[f'{said}, share right']:.3f}" for said in ("nothing", "probabilities", "yes and no")
    )
    said = (
        f"{without} of the items are wholly right without a machine, {sure} with the probabilities of a classifier "
        f"that alone gets {texts['the machine alone']:.3f} right, and {plain} with its yes and no"
    )
    assert said in " ".join(page.split())


#: Seconds of a whole item, and the AUCs to get to.
PRICES, TO = (3, 6, 12), (0.99, 0.999)


def seconds_of(figures: dict, target: float) -> tuple[float, dict[int, tuple[float, float]]]:
    """A person's mean seconds by yes or no alone; and for each price of whole items, by these alone and by either."""
    only, either = "whole items only, {} s each, to {}", "either, whole items {} s each, to {}"
    by_price = {whole: tuple(mean(figures[way.format(whole, target)]) for way in (only, either)) for whole in PRICES}
    return mean(figures[f"yes/no only, to {target}"]), by_price


def test_what_a_persons_time_comes_to():
    page, found = part("howto/costs.md", "What a person's time comes to"), results("seconds")["cases"]
    times: dict[str, dict[int, list[float]]] = {name: {whole: [] for whole in PRICES} for name in found}
    quicker: dict[tuple[int, float], list[str]] = {(whole, target): [] for target in TO for whole in PRICES}
    words = " ".join(page.split())
    for name, figures in found.items():
        told = [seconds_of(figures, target) for target in TO]
        columns = zip(*([yes_no, *sum(by_price.values(), ())] for yes_no, by_price in told), strict=True)
        cells = ["; ".join(f"{one:,.0f}" for one in both) for both in columns]
        assert row(name, page) == f"| {name} | " + " | ".join(cells) + " |"
        for target, (yes_no, by_price) in zip(TO, told, strict=True):
            for whole, (only, either) in by_price.items():
                times[name][whole].append(either / min(yes_no, only))
                quicker[whole, target] += [name] if only < yes_no else []
        for target in TO:  # at 12 seconds the same questions, seed by seed
            assert figures[f"either, whole items 12 s each, to {target}"] == figures[f"yes/no only, to {target}"]
    assert quicker[3, 0.99] == ["vowel", "digits in a tree", "hmc_imclef07d", "things"]
    assert quicker[3, 0.999] == ["vowel", "hmc_imclef07d", "things"]
    assert "yes or no to 0.99 everywhere but on segment (to 0.999 not on digits either), at 6 only on things" in words
    assert [quicker[whole, target] for whole in (6, 12) for target in TO] == [["things"], ["things"], [], []]
    saved = [by_price[6][0] / yes_no for yes_no, by_price in (seconds_of(found["things"], target) for target in TO)]
    assert f"({saved[0]:.2f} and {saved[1]:.2f} of the time), at 12 nowhere: there `auto` asks for none" in words
    texts = times.pop("things")
    rest = [one for by_price in times.values() for both in by_price.values() for one in both]
    assert len(times) == 4
    low, high, least, most = (
        f"{one:.2f}" for one in (min(rest), max(rest), min(map(min, texts.values())), max(map(max, texts.values())))
    )
    assert f"On the first four `auto` takes {low} to {high} times as long as the better of the two" in words
    for whole in (6, 3):
        assert f"at {whole} seconds {texts[whole][0]:.2f} and {texts[whole][1]:.2f} times" in words
    assert f"| {low} to {high}; {least} to {most} of the seconds |" in row("a person's time")
    assert f"up to {most} times as long" in (DOCS / "limits.md").read_text(encoding="utf-8")


def test_what_staying_on_an_item_saves():
    page, found = part("fewer-questions.md", "Settle what you began"), results("staying")["cases"]
    ways = ("best question first", "stay on an item")
    for case, figures in found.items():
        cells = [" → ".join(f"{figures[f'{way}, to {target}']:,.0f}" for way in ways) for target in (0.95, 0.99, 0.999)]
        assert f"| {case} | " + " | ".join(cells) + " |" in page
    small = [figures for case, figures in found.items() if "small" in case]
    times = [one[f"{ways[1]}, to 0.999"] / one[f"{ways[0]}, to 0.999"] for one in small]
    assert f"{min(times):.2f} to {max(times):.2f} of the questions to 0.999 from small starts" in page


def test_nothing_is_lost_since_the_comparison():
    page, found = part("fewer-questions.md", "Nothing lost since"), results("kept")["cases"]
    for name, figures in found.items():
        kept, now = (sum(figures[which]) / 3 for which in ("kept", "now"))
        assert f"| {name} | {kept:,.0f} | {now:,.0f} | {figures['times']:.2f} |" in page
    mean = math.prod(figures["times"] for figures in found.values()) ** (1 / len(found))
    assert f"In all {mean:.3f} times" in page
    assert [name for name, figures in found.items() if figures["times"] > 1.02] == ["satimage"]
    satimage = found["satimage"]
    assert f"Worse by more than 0.02: satimage ({satimage['times']:.2f})" in page
    assert f"it takes {satimage['times, by the best question first']:.2f} times" in page


def test_people_who_err_are_quoted_as_measured():
    page, found = part("witnesses.md", "Does it work?"), results("fallible")["cases"]
    before = found.pop("digits, none wrong, best question first")
    counted = found.pop("what was believed before")
    for case, figures in found.items():
        for kind in ("hard", "fallible"):
            shares = " | ".join(f"{figures[f'{kind}, right after {n}']:.3f}" for n in ("200", "400", "600", "1,000"))
            fall = f"{figures[f'{kind}, largest fall']:.3f}"
            assert f"| {case.removeprefix('digits, ')}, {kind} | {shares} | {fall} |" in page
    none, words = found["digits, none wrong"], " ".join(page.split())
    low, high = (none[f"questions to {target}, of hard"] for target in (0.95, 0.99))
    assert (
        f"they take {low:.2f} times the questions of a hard session to 0.95 and {high:.2f} times those to 0.99" in words
    )
    low, high = (none[f"questions to {target}"] / before[f"questions to {target}"] for target in (0.95, 0.99))
    assert f"does not stay on items, {low:.2f} and {high:.2f} times" in words
    first, later = (
        max(figures[f"fallible, largest fall{when}"] for figures in found.values()) for when in ("", " after 200")
    )
    assert f"fall by {first:.4f} at most, and after the first 200 questions by {later:.4f}" in words
    for when, said in (("", "falls by {} with wrong answers"), (" after 200", "still by {} after the first 200")):
        hard = [figures[f"hard, largest fall{when}"] for case, figures in found.items() if "none" not in case]
        assert said.format(f"{min(hard):.3f} to {max(hard):.3f}") in words
    for share in ("0", "0.3", "0.5"):
        cells = [
            f"{counted[f'{share} before, {wrong} wrong, questions to 0.99']:.0f}, "
            f"{counted[f'{share} before, {wrong} wrong, largest fall']:.3f}"
            for wrong in ("0%", "5%", "10%")
        ]
        assert f"| {share} | " + " | ".join(cells) + " |" in page
    estimated = found["digits, three people"]["estimated share of wrong answers, by seed"]
    told = "; ".join(", ".join(f"{100 * share:.0f}" for share in one.values()) for one in estimated)
    assert f"were held for ones of {told} % (three seeds)" in words


def test_mutants_are_counted_as_tried():
    page, found = part("benchmarks.md", "Tests that notice"), results("mutants")
    assert set(found) == set(TRIED)
    for module, one in found.items():
        source = (ROOT / "src" / "corollary" / module).read_text(encoding="utf-8")
        changed = abs(len(mutations(source)) - one["places"])  # since it was tried
        assert changed <= one["places"] / 10, f"try it again: python -m tests.mutants 30 {module}"
        assert f"| `{module}` | {one['tried']} of {one['places']} | {one['killed']} |" in page
        assert one["killed"] == one["tried"] - len(one["survivors"])
    tried, killed = (sum(one[name] for one in found.values()) for name in ("tried", "killed"))
    assert f"| all of these | {tried} of {sum(one['places'] for one in found.values())} | {killed} |" in page
    assert f"{100 * killed / tried:.0f} % are killed" in page
    assert killed / tried >= 0.85
