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
    "5 % wrong answers": "wrong answers",
    "campaigns": "campaigns",
    "all from small starts": "small starts",
    "of these, sessions": "small starts, sessions",
    "whole training part, drawn by chance": "whole training part, drawn",
    "**all of these**": "all with questions by chance",
    "all without iris": "all without iris",
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
    runs, later = suite.stored(), "cheap learner, by contrast"
    assert all(cases[kind]["runs planned"] == cases[kind]["runs"] for kind in suite.KINDS)
    planned = sum(cases[kind]["runs"] for kind in suite.KINDS if kind != later)
    assert planned + cases[later]["runs"] == len(runs)
    assert {run.score for kind, some in suite.KINDS.items() for run in some if kind != later} == {"posterior"}
    assert len({origin.code for run, origin in suite.origins().items() if run.score == "posterior"}) == 1
    assert f"All {planned} runs are of one commit, and choose by the posterior." in told
    assert sum(cases[kind]["runs"] for kind in suite.COUNTED) == cases["all with questions by chance"]["runs"]


def test_what_contrast_does_to_forecasts(cases, told):
    found = cases["cheap learner, by contrast"]
    assert (
        f"{found['99% kept']} of {found['runs']} kept the promise at {found['asked, in times of needed']:.2f} times"
        in told
    )
    assert f"in its interval in {100 * found['accuracy in its interval']:.1f} % of the looks" in told


def test_the_points_below_the_table(suite, cases, told):
    every, none, wrong, untold, drawn = (
        cases[name]
        for name in (
            "all with questions by chance",
            "nothing by chance",
            "wrong answers",
            "whole training part, not told",
            "whole training part, drawn",
        )
    )
    low, high = every["needed with questions by chance, from to"]
    one_look, pairs = every["by one look, asked in times of needed"], every["pairs with and without"]
    assert pairs == every["pairs in which 99% was so with and without"] == none["runs"]
    kept = suite.stored()
    asked = {
        kind: mean(kept[run].asked for run in suite.KINDS[f"whole training part, {kind}"])
        for kind in ("not told", "drawn")
    }
    for said in (
        f"would have kept {every['by one look, kept']} of {every['runs']} promises at {one_look:.2f} times the "
        f"questions needed (over {every['by one look, asked in times of needed, runs']} runs, as above)",
        f"**Nothing by chance** ({none['runs']} further runs): nothing is promised",
        f"{none['99% kept']} of {none['runs']} runs would have kept it",
        f"{every['needed with questions by chance, in times of without']:.2f} times as many ({low:.2f} to {high:.2f}, "
        f"{pairs} pairs of runs).",
        f"**Wrong answers:** {wrong['99% promised'] - wrong['99% kept']} of them broke their promise of 99 %, and "
        f"{wrong['95% promised'] - wrong['95% kept']} that of 95 %",
        f"inside in {100 * every['50 to 100 asked, in the interval']:.1f} % of the looks",
        f"an interval that is {100 * every['50 to 100 asked, width']:.0f} points wide (the median)",
        f"{untold['99% kept']} of {untold['runs']} runs kept the promise at "
        f"{untold['asked, in times of needed']:.2f} times the questions needed, "
        f"{asked['not told']:.0f} on average; told so it takes "
        f"{drawn['asked, in times of needed']:.2f} times, {asked['drawn']:.0f} on average.",
    ):
        assert said in told


@pytest.mark.parametrize("case", [*ROWS.values(), "nothing by chance"])
def test_questions_are_told_of_runs_that_kept_the_promise(suite, cases, case):
    found = cases[case]
    assert found["asked, in times of needed, runs"] == found["99% kept"]
    # Where no question was needed there is none to foresee.
    kept, none = suite.stored(), int(case in ("whole training part, drawn", "all with questions by chance"))
    assert [run.start for run in kept if run.told and kept[run].needed == 0] == [None]
    assert found["questions in their interval, runs"] == found["99% kept"] - none


def test_the_runs_that_broke_the_promise_are_those_in_which_it_was_never_so(suite, cases, told):
    kept = suite.stored()
    assert {run for run, stopped in kept.items() if not stopped.held} == {
        run for run, stopped in kept.items() if stopped.needed is None
    }
    every = cases["all with questions by chance"]
    so, broken = every["99% kept"], every["runs"] - every["99% kept"]
    assert f"the runs that kept their promise of 99 %, {so} of the {every['runs']}; one of these " in told
    assert f"The other {broken} are left out" in told
    shares = [stopped.questions_coverage for _, stopped in suite.counted() if stopped.held]
    shares = [share for share in shares if share is not None]
    known = every["runs"] - (every["99% kept"] - len(shares))  # where more questions were needed at some look
    assert every["questions in their interval, at worst"] == pytest.approx(sum(shares) / known, abs=6e-4)
    assert f"in their interval in {100 * every['questions in their interval, at worst']:.1f} % over all" in told
    broke = [run for run, stopped in kept.items() if not stopped.held]
    assert all(run.by_chance for run in broke)
    at_end = {(run.data, run.learner, run.campaign): kept[run].checks[-1].true for run in broke if not run.wrong}
    shares = {place: f"{100 * true:.1f} %" for place, true in at_end.items()}
    assert shares == {
        ("pendigits", "crf", False): "96.5 %",
        ("things", "auto", False): "98.4 %",
        ("satimage", "auto", True): "98.8 %",
    }
    right, so = every["answers right, promised"], every["answers right, kept"]
    assert right == so + len(shares)
    assert f"Of the {right} promises that rest on right answers {so} were kept, where nine of ten were promised" in told
    assert "`crf`, which was sure of some items and wrong (96.5 % were right)" in told
    assert "one of things (98.4 %) and a campaign on satimage (98.8 %)" in told
    wrong = [run.data for run in broke if run.wrong]
    assert set(wrong) == {"vowel", "segment"}
    assert f"Of vowel and segment, the {len(wrong)} runs that broke the promise had wrong answers" in told


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
    assert [data for data in names if inside[data] <= 0.9] == ["queries"]
    said = "inside in {:.1f} % where 90 % is meant, and to be sure took {:.2f} times what was needed, over {} runs. "
    times, runs = (found[f"queries: {name}"] for name in ("asked, in times of needed", "runs"))
    assert said.format(100 * inside["queries"], times, runs) in told
    inside = {data: found[f"{data}: accuracy in its interval"] for data in names}
    assert [data for data in sorted(names, key=inside.get) if inside[data] < 0.9] == ["pendigits", "segment"]
    said = "Accuracy is outside most often on pendigits ({:.1f} % inside) and segment ({:.1f} %): there more is right"
    assert said.format(100 * inside["pendigits"], 100 * inside["segment"]) in told
    for data in ("pendigits", "segment"):
        checks = [(run, check) for run, stopped in suite.counted() if run.data == data for check in stopped.checks]
        above = {run.learner: [] for run, _ in checks}
        for run, check in checks:
            above[run.learner].append(check.true > check.high)
        assert mean(above["crf"]) > mean(above["auto"]) > 0.1
        assert mean(check.true < check.low for _, check in checks) < 0.02


def test_whether_what_was_wanted_is_so(suite, cases, told):
    """At most so many times the questions; and intervals that are wide enough."""
    every, small = cases["all with questions by chance"], cases["small starts"]
    bound, most = small["targets"]["asked, in times of needed"]
    assert (bound, most) == tuple(every["targets"]["asked, in times of needed"]) == ("at most", 1.6)
    asked = [one["asked, in times of needed"] for one in (every, small, cases["small starts, sessions"])]
    said = (
        "it is so over all ({:.2f}), from small starts ({:.2f}), and of the sessions among these ({:.2f}); not of iris"
    )
    assert f"We wanted at most {most} times: {said.format(*asked)} alone, nor from whole training parts." in told
    assert max(asked) <= most
    assert cases["by data set"]["iris: asked, in times of needed"] > most
    assert cases["whole training part, drawn"]["asked, in times of needed"] > most
    needed = [suite.stored()[run].needed for run in suite.KINDS["whole training part, drawn"]]
    assert f"there 99 % was so after {min(needed)} to {max(needed)} questions" in told
    assert 0.88 <= every["accuracy in its interval"] <= 0.97
    assert every["99% kept, share"] >= 0.9
    inside = [share for name, share in cases["by data set"].items() if name.endswith("accuracy in its interval")]
    assert f"they do over all, from {100 * min(inside):.1f} to {100 * max(inside):.1f} % by data set" in told


def test_what_was_with_two_bounds(cases, told):
    """By the results of the commit before there was one bound for all of it."""
    before = results("stopping-two-bounds")["cases"]["all with questions by chance"]
    assert before["runs"] == cases["all with questions by chance"]["runs"]
    times = before["asked, in times of needed"]
    assert f"of the same runs {before['99% kept']} kept the promise, at {times:.2f} times" in told


def test_what_was_earlier(told):
    """By the results of the commit before what is wrong was counted by its chance."""
    found = results("stopping-earlier")["cases"]
    every, small, none = (
        found[name] for name in ("all with questions by chance", "small starts, without iris", "nothing by chance")
    )
    assert found["whole training part"]["runs"] == 6
    assert f"cost {every['asked, in times of needed']:.2f} times the questions needed over {every['runs']} runs" in told
    assert f"{small['asked, in times of needed']:.2f} times from small starts without iris" in told
    assert f"it was {none['99% kept']} of {none['runs']}: pendigits with `crf` broke two" in told


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


def test_what_readme_says(cases):
    every, small = cases["all with questions by chance"], cases["small starts"]
    words = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert (
        f"over {every['runs']} runs, campaigns and wrong answers among them, a promise of 99 % was kept in "
        f"**{every['99% kept']}**, of the {every['answers right, promised']} with right answers in "
        f"{every['answers right, kept']}, after **{every['asked, in times of needed']:.2f}** times the questions that "
        f"were needed (from small starts {small['asked, in times of needed']:.2f}, sessions alone "
        f"{cases['small starts, sessions']['asked, in times of needed']:.2f}); its 90 % intervals held the truth in "
        f"{100 * every['accuracy in its interval']:.0f} % of the looks."
    ) in words
