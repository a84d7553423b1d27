from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import corollary as co
from corollary.experiment.origin import Origin, origin_here
from corollary.experiment.runs import (
    ONE_THREAD,
    Job,
    RunError,
    job_key,
    origins_of,
    results,
    run,
    run_all,
)
from corollary.experiment.simulation import Curve

from .made_up import TREE, made_up

pytestmark = pytest.mark.slow

METHODS = ("RANDOM-CP", "ENTROPY", "posterior")


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> list[Job]:
    """Six jobs on files, which other processes can read."""
    folder = tmp_path_factory.mktemp("things")
    data = made_up()
    columns = [*(f"x{j}" for j in range(data.X.shape[1])), *data.labels]
    rows = [",".join(columns)]
    rows += [",".join(map(str, [*x, *y])) for x, y in zip(data.X, data.Y, strict=True)]
    (folder / "things.csv").write_text("\n".join(rows), encoding="utf-8")
    (folder / "things.onto").write_text(TREE, encoding="utf-8")
    files = {"ontology": str(folder / "things.onto"), "train": 0.4}
    return [
        {
            "dataset": str(folder / "things.csv"),
            "files": files,
            "method": method,
            "seed": seed,
            "settings": SETTINGS,
        }
        for method in METHODS
        for seed in range(2)
    ]


SETTINGS = {"per_round": 4, "until": None, "learner": "logistic"}


def content(path: Path) -> list[str]:
    """The lines of a file of results, without timings, sorted."""
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        record["curve"] = {
            name: value for name, value in record["curve"].items() if not name.startswith("seconds")
        }
        lines.append(json.dumps(record, sort_keys=True))
    return sorted(lines)


@pytest.fixture(scope="module")
def whole(jobs: list[Job], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "results.jsonl"
    seen: list[tuple[str, int, int]] = []
    run_all(
        jobs,
        path,
        processes=2,
        progress=lambda job, _, done, total: seen.append((job_key(job), done, total)),
    )
    assert [(done, total) for _, done, total in seen] == [(n, 6) for n in range(1, 7)]
    assert {key for key, _, _ in seen} == set(map(job_key, jobs))
    return path


def test_processes_compute_what_one_call_does(jobs: list[Job], whole: Path) -> None:
    found = {job_key(job): curve for job, curve in results(whole)}
    assert set(found) == set(map(job_key, jobs))
    for job in jobs[::3]:
        assert found[job_key(job)].auc_test.tolist() == run(job).auc_test.tolist()
        assert found[job_key(job)].settings["random_state"] == job["seed"]


def test_finished_jobs_are_not_run_again(jobs: list[Job], whole: Path) -> None:
    before = whole.read_bytes()
    called: list[Job] = []
    run_all(jobs, whole, progress=lambda job, *_: called.append(job))
    assert not called
    assert whole.read_bytes() == before


def test_results_carry_their_origin(jobs: list[Job], whole: Path, tmp_path: Path) -> None:
    here = origin_here()
    assert origins_of(jobs, whole) == [here] * 6
    assert all(
        "origin" in json.loads(line) for line in whole.read_text(encoding="utf-8").splitlines()
    )
    other = Origin("2" * 40, None, {"corollary": "0.0.1"})
    records = [json.loads(line) for line in whole.read_text(encoding="utf-8").splitlines()]
    records[0]["origin"] = other.to_json()
    del records[1]["origin"]  # as those of before
    path = tmp_path / "some.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in records[:3]), encoding="utf-8")
    in_order = [one["job"] for one in records]
    expected = [other, Origin(), here, here, here, here]  # the last three would be made now
    assert origins_of(in_order, path) == expected
    assert len(list(results(path))) == 3


def test_a_torn_line_is_cut_off_and_its_job_run_again(
    jobs: list[Job], whole: Path, tmp_path: Path
) -> None:
    path = tmp_path / "torn.jsonl"
    lines = whole.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]) + lines[-1][:50])
    assert len(list(results(path))) == 5
    run_all(jobs, path, processes=1)
    assert content(path) == content(whole)


def test_killed_and_resumed_gives_the_same_file(
    jobs: list[Job], whole: Path, tmp_path: Path
) -> None:
    path, plan = tmp_path / "killed.jsonl", tmp_path / "jobs.json"
    plan.write_text(json.dumps(jobs), encoding="utf-8")
    script = tmp_path / "runner.py"
    script.write_text(
        "import json, sys\n"
        "from pathlib import Path\n"
        "from corollary.experiment.runs import run_all\n"
        "if __name__ == '__main__':\n"
        "    run_all(json.loads(Path(sys.argv[1]).read_text()), sys.argv[2], processes=1)\n",
        encoding="utf-8",
    )
    process = subprocess.Popen([sys.executable, script, plan, path], start_new_session=True)
    try:
        wait_for(lambda: path.exists() and path.read_bytes().count(b"\n") >= 1)
    finally:
        process.kill()  # it alone: its workers end by themselves
        process.wait()
    wait_for(lambda: not alive(process.pid))
    survived = len(list(results(path)))
    assert survived >= 1
    called: list[Job] = []
    run_all(jobs, path, processes=2, progress=lambda job, *_: called.append(job))
    assert len(called) == len(jobs) - survived
    assert content(path) == content(whole)


def alive(group: int) -> bool:
    """Whether a process of the group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def wait_for(condition: Any, *, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_failing_job_does_not_stop_the_others(jobs: list[Job], tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    wrong = {**jobs[0], "method": "PROPHECY"}
    with pytest.raises(RunError, match=r"1 of 2 jobs failed; the first is .*PROPHECY") as caught:
        run_all([wrong, jobs[0]], path, processes=1)
    assert "no method 'PROPHECY'" in str(caught.value)
    assert [job_key(job) for job, _ in results(path)] == [job_key(jobs[0])]


def test_a_process_that_dies_is_told(
    jobs: list[Job], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from corollary.experiment import runs

    honest = runs._hand_out

    def deadly(worker: Any, queue: Any) -> bool:
        handed = honest(worker, queue)
        worker.process.kill()
        return handed

    monkeypatch.setattr(runs, "_hand_out", deadly)
    with pytest.raises(
        RunError, match="a process ended with exit code -9 while it ran .*RANDOM-CP"
    ):
        run_all(jobs[:1], tmp_path / "results.jsonl", processes=1)


def test_the_environment_is_left_as_it_was(
    jobs: list[Job], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.delenv("COROLLARY_THREADS", raising=False)
    seen: list[dict[str, str | None]] = []

    def look(_job: Job, _curve: Curve, _done: int, _total: int) -> None:
        seen.append({name: os.environ.get(name) for name in ONE_THREAD})

    run_all(jobs[:1], tmp_path / "results.jsonl", processes=1, progress=look)
    assert seen == [ONE_THREAD]
    assert os.environ["OMP_NUM_THREADS"] == "7"
    assert "COROLLARY_THREADS" not in os.environ


def test_nothing_from_the_working_folder_runs(
    jobs: list[Job], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    traces = tmp_path / "traces"
    for name in ("multiprocessing", "uuid"):
        (tmp_path / f"{name}.py").write_text(
            f"open({str(traces)!r}, 'a').write('ran')\nraise SystemExit(3)\n"
        )
    monkeypatch.chdir(tmp_path)
    run_all(jobs[:1], tmp_path / "runs.jsonl", processes=1)
    assert not traces.exists()


def test_bad_files_and_arguments(jobs: list[Job], tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    with pytest.raises(co.CorollaryError, match="processes must be at least 1"):
        run_all(jobs, path, processes=0)
    path.write_text('{"job": {}}\n', encoding="utf-8")
    with pytest.raises(co.CorollaryError, match=r"results.jsonl, line 1 is not a result"):
        list(results(path))
    assert list(results(tmp_path / "none.jsonl")) == []


def test_threads_are_capped_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    from corollary.logic.engines.rows import cores

    monkeypatch.setenv("COROLLARY_THREADS", "3")
    assert cores() == 3
    monkeypatch.setenv("COROLLARY_THREADS", "many")
    with pytest.raises(
        co.CorollaryError, match="COROLLARY_THREADS must be a whole number from 1, got 'many'"
    ):
        cores()
