"""The runs of the paper's experiments: which there are, and that they go on where they stopped."""

from __future__ import annotations

import gzip
import json
from inspect import signature

import pytest

from corollary.experiment.methods import BEYOND, PAPER, PAPER_ROUNDS
from corollary.experiment.origin import origin_here
from corollary.experiment.runs import job_key, results
from corollary.experiment.runs import run as run_here
from corollary.experiment.simulation import simulate
from corollary.logic.errors import CorollaryError

pytestmark = pytest.mark.slow


@pytest.fixture
def run(script):
    return script("run")


@pytest.fixture
def few(run, monkeypatch, tmp_path):
    """Three runs of a question or two in place of the quick form's, and a folder of their own."""
    jobs = [
        run.job("iris", method, 0, max_rounds=1) for method in ("RANDOM-CP", "LOG-CP", "posterior")
    ]
    monkeypatch.setattr(run, "HERE", tmp_path)
    monkeypatch.setattr(run, "quick_jobs", lambda: jobs)
    monkeypatch.setattr("sys.argv", ["run.py", "--quick", "--processes", "1"])
    (tmp_path / "quick").mkdir()
    return jobs


def done_before(job, path, **origin):
    """A file of an unfinished run that has the result of one job."""
    made_by = origin_here().to_json() | origin
    record = {"job": job, "curve": run_here(job).to_json(), "origin": made_by}
    path.write_text(json.dumps(record) + "\n", encoding="utf-8")
    return path


def test_the_quick_form_has_every_method_once_on_the_small_data_sets(run):
    quick, every = run.quick_jobs(), run.all_jobs()
    assert {job_key(one) for one in quick} < {job_key(one) for one in every}
    assert len({job_key(one) for one in every}) == len(every)
    assert {one["dataset"] for one in quick} == set(run.QUICK)
    assert {one["seed"] for one in quick} == {0}
    plain = {"per_round", "learner"}
    for dataset in run.QUICK:
        of = [
            one["method"]
            for one in quick
            if one["dataset"] == dataset and one["settings"].keys() == plain
        ]
        assert sorted(of) == sorted((*PAPER, *BEYOND))


def test_all_runs_can_be_run_and_the_short_ones_come_first(run):
    every = run.all_jobs()
    assert {one["dataset"] for one in every} == set(PAPER_ROUNDS) == set(run.SECONDS)
    assert {name for one in every for name in one["settings"]} <= set(
        signature(simulate).parameters
    )
    seconds = [run.SECONDS[one["dataset"]] for one in every]
    assert seconds == sorted(seconds)


def test_it_goes_on_where_it_stopped(run, few, tmp_path, capsys):
    folder = tmp_path / "quick"
    before = done_before(few[1], folder / "unfinished.jsonl").read_text(encoding="utf-8")
    run.main()
    told = capsys.readouterr().out
    assert "3 runs, 1 of them done before, in 1 processes" in told
    assert told.endswith(f" min: {folder / 'curves.jsonl.gz'}\n")
    assert [
        one for one, _ in results(folder / "curves.jsonl.gz")
    ] == few  # in their order, each once
    assert (
        gzip.decompress((folder / "curves.jsonl.gz").read_bytes()).decode().splitlines()[1]
        == before.strip()
    )
    assert json.loads((folder / "run.json").read_text(encoding="utf-8"))["runs"] == 2
    assert {path.name for path in folder.iterdir()} == {"curves.jsonl.gz", "run.json"}


def test_runs_of_another_commit_are_not_gone_on_with_unless_told(
    run, few, tmp_path, monkeypatch, capsys
):
    unfinished = done_before(few[0], tmp_path / "quick" / "unfinished.jsonl", commit="0" * 40)
    with pytest.raises(CorollaryError, match="remove .*unfinished.jsonl to run all anew"):
        run.main()
    assert unfinished.exists()
    monkeypatch.setattr("sys.argv", ["run.py", "--quick", "--processes", "1", "--mix-commits"])
    monkeypatch.setattr(run, "quick_jobs", lambda: few[:1])
    run.main()
    assert "1 runs, 1 of them done before" in capsys.readouterr().out


def test_the_time_left_is_nothing_at_the_end(run):
    jobs = run.quick_jobs()[:3]
    left = run.TimeLeft(jobs)
    seconds = [left.after(one) for one in jobs]
    assert seconds[0] > 0
    assert seconds[-1] == pytest.approx(0.0, abs=1e-9)
