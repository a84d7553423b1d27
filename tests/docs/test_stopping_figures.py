"""What the page on stopping says is what the code of the suite makes of the runs that are kept."""

from __future__ import annotations

import json
from statistics import geometric_mean, mean

import pytest

from .pages import ROOT
from .test_figures import part, results, row

#: The rows of the table, and the cases that they tell of.
ROWS = {
    "default learner": "default learner",
    "`crf`": "cheap learner",
    "both, without iris": "small starts, without iris",
    "whole training part": "whole training part",
    "5 % wrong answers": "wrong answers",
    "**all of these**": "all with questions by chance",
}


@pytest.fixture(scope="module")
def suite():
    """The module of the suite."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT))
        from benchmarks import stopping

        yield stopping


@pytest.fixture(scope="module")
def cases(suite):
    """Every case, worked out from the runs; as it is read from a file."""
    return json.loads(json.dumps(suite.of_file()))


@pytest.fixture(scope="module")
def page():
    return part("stopping.md", "Does it hold?")


@pytest.fixture(scope="module")
def told(page):
    return " ".join(page.split())


def test_the_results_are_what_the_code_makes_of_the_runs(cases):
    assert results("stopping")["cases"] == cases


def test_the_suite_writes_what_is_told_here(suite, cases, monkeypatch):
    kept, kind = suite.stored(), "wrong answers"
    monkeypatch.setattr(suite, "outcomes", lambda kind: [(run, kept[run]) for run in suite.KINDS[kind]])
    assert list(suite.CASES) == list(cases)
    assert json.loads(json.dumps(suite.CASES[kind]())) == cases[kind]


def share(number: float) -> str:
    return f"{number:.0%}".replace("%", " %")


def line(name: str, found) -> str:
    """A row of the table."""
    kept = [
        f"{found[f'{target} kept']} of {found[f'{target} promised']} ({share(low)} to {share(high)})"
        for target, (low, high) in ((target, found[f"{target} kept, share from to"]) for target in ("99%", "95%"))
    ]
    inside = [
        f"{100 * found[what]:.1f} % ({100 * low:.0f} to {100 * high:.0f})"
        for what, (low, high) in (
            (what, found[f"{what}, from to"]) for what in ("accuracy in its interval", "questions in their interval")
        )
    ]
    low, high = found["asked, in times of needed, from to"]
    times = f"{found['asked, in times of needed']:.2f} ({low:.2f} to {high:.2f})"
    return f"| {name} | {found['runs']} | " + " | ".join([*kept, *inside, times]) + " |"


@pytest.mark.parametrize(("name", "case"), ROWS.items())
def test_a_row_of_the_table(cases, page, name, case):
    assert row(name, page) == line(name, cases[case])


def test_how_many_runs_there_are(suite, cases, told):
    planned, run = (sum(cases[kind][name] for kind in suite.KINDS) for name in ("runs planned", "runs"))
    assert run == len(suite.stored())
    assert f"Of {planned} runs {run} have been run so far" in told
    assert f"the {cases['small starts, without iris']['runs']} runs of the third line" in told


def test_the_points_below_the_table(cases, told):
    every, none, wrong = (
        cases[name] for name in ("all with questions by chance", "nothing by chance", "wrong answers")
    )
    low, high = every["needed with questions by chance, from to"]
    one_look, pairs = every["by one look, asked in times of needed"], every["pairs with and without"]
    so = every["pairs in which 99% was so with and without"]
    for said in (
        f"would have kept {every['by one look, kept']} of {every['runs']} promises at {one_look:.2f} times the "
        f"questions needed (over {every['by one look, asked in times of needed, runs']} runs, as above)",
        f"**Nothing by chance** ({none['runs']} further runs): nothing is promised",
        f"{none['99% kept']} of {none['runs']} runs would have kept it",
        f"{every['needed with questions by chance, in times of without']:.2f} times as many ({low:.2f} to {high:.2f}, "
        f"{so} of {pairs} pairs of runs). In the other {pairs - so}, pendigits with `crf`,",
        f"**Wrong answers:** {wrong['99% promised'] - wrong['99% kept']} of them broke their promise",
        f"inside in {100 * every['50 to 100 asked, in the interval']:.1f} % of the looks",
        f"an interval that is {100 * every['50 to 100 asked, width']:.0f} points wide (the median)",
    ):
        assert said in told


@pytest.mark.parametrize("case", [*ROWS.values(), "nothing by chance"])
def test_questions_are_told_of_runs_that_kept_the_promise(cases, case):
    found = cases[case]
    assert found["questions in their interval, runs"] == found["asked, in times of needed, runs"] == found["99% kept"]


def test_the_runs_that_broke_the_promise_are_those_in_which_it_was_never_so(suite, cases, told):
    kept = suite.stored()
    assert {run for run, stopped in kept.items() if not stopped.held} == {
        run for run, stopped in kept.items() if stopped.needed is None
    }
    every = cases["all with questions by chance"]
    so, broken = every["99% kept"], every["runs"] - every["99% kept"]
    assert f"the runs that kept their promise of 99 %, {so} of the {every['runs']}. The other {broken} are left" in told
    shares = [stopped.questions_coverage for run, stopped in kept.items() if run.by_chance and stopped.held]
    assert every["questions in their interval, at worst"] == pytest.approx(sum(shares) / every["runs"], abs=6e-4)
    assert f"in their interval in {100 * every['questions in their interval, at worst']:.1f} % over all" in told
    broke = [run for run, stopped in kept.items() if not stopped.held]
    assert {(run.data, run.learner) for run in broke if not run.by_chance} == {("pendigits", "crf")}
    assert len([run for run in broke if run.data == "vowel"]) == 3
    assert all(run.wrong for run in broke if run.data == "vowel")
    assert "Of vowel, the 3 runs that broke the promise had wrong answers" in told


def test_the_table_by_data_set(suite, cases, page, told):
    found, every = cases["by data set"], cases["all with questions by chance"]
    names = {run.data for run in suite.stored()}
    below = page.split("\n| data set | ")[1]
    assert below.split("\n\n")[0].count("\n") == 1 + len(names)
    for data in names:
        runs, kept, accuracy, questions, times = (found[f"{data}: {name}"] for name in suite.BRIEF)
        cells = (str(runs), str(kept), f"{100 * accuracy:.1f} %", f"{100 * questions:.1f} %", f"{times:.2f}")
        assert row(data, below) == f"| {data} | " + " | ".join(cells) + " |"
    for name in ("runs", "99% kept"):
        assert sum(found[f"{data}: {name}"] for data in names) == every[name]
    inside = {data: found[f"{data}: questions in their interval"] for data in names}
    assert [data for data in sorted(names, key=inside.get) if inside[data] <= 0.9] == ["queries", "pendigits"]
    said = "inside in {:.1f} % where 90 % is meant, and to be sure took {:.2f} times what was needed, over {} runs. "
    said += "On pendigits it is {:.1f} %"
    times, runs = (found[f"queries: {name}"] for name in ("asked, in times of needed", "runs"))
    assert said.format(100 * inside["queries"], times, runs, 100 * inside["pendigits"]) in told


def test_whether_what_was_wanted_is_so(cases, told):
    """At most so many times the questions: on the third line, not over all."""
    every = cases["all with questions by chance"]
    bound, most = every["targets"]["asked, in times of needed"]
    assert bound == "at most"
    assert f"We wanted at most {most} times over all runs; it is so on the third line, not over all" in told
    assert cases["small starts, without iris"]["asked, in times of needed"] <= most < every["asked, in times of needed"]


def test_what_was_before(told):
    before = results("stopping-before")["cases"].values()
    ratios = [
        case["questions at the stop"] / case["questions when it was first so"]
        for case in before
        if case["questions when it was first so"]
    ]
    inside = mean(case["in the interval, share of the rounds"] for case in before)
    said = f"{geometric_mean(ratios):.1f} times the questions that were needed, with intervals that covered"
    assert f"{said} {100 * inside:.1f} %" in told
    assert f"kept on {sum(case['held'] for case in before):.0f} of {len(before)}" in told
