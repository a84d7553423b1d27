"""The evidence: a part of its quick form runs and goes on, and its pages are what the runs in the repository give."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from corollary.experiment.data.known import KNOWN
from corollary.experiment.methods import PAPER
from corollary.experiment.runs import job_key, results, run_all
from evidence import tables
from evidence.kept import Kept
from evidence.simulation import check_method, run

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
#: The runs made again by this commit had a machine of two cores for themselves.
QUIET = "4289cbafc95fd806538492ed8461cc842e2b295d"
PAGES = ("evidence.md", "evidence-tables.md")
#: What a run takes its seconds for.
WHAT = ("choosing", "training", "evaluating")


def evidence(*arguments: object) -> str:
    command = [sys.executable, "-m", "evidence", "tables", *map(str, arguments)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_part_of_the_quick_form_goes_on_from_where_it_was(tmp_path: Path) -> None:
    page = tmp_path / "evidence-tables.md"
    arguments = ("--quick", "--out", tmp_path, "--processes", 1, "full")
    assert "22 runs, 0 of them there" in evidence(*arguments)
    text = page.read_text(encoding="utf-8")
    assert '!!! warning "A quick run"' in text
    (table,) = (one for one in tables.quick() if one.name == "full")
    part = text.split(f"## {table.title}\n")[1].split("\n## ")[0]
    assert "| contrast over | all |" in part
    assert text.count("Not run yet: ") == len(tables.TABLES) - 1
    lines = (tmp_path / "runs.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "runs.jsonl").write_text(
        "".join(lines[:-1]) + lines[-1][:30], encoding="utf-8"
    )  # killed while writing
    assert "22 runs, 21 of them there" in evidence(*arguments)
    again = page.read_text(encoding="utf-8")
    assert without_seconds(again) == without_seconds(text)


def without_seconds(text: str) -> str:
    """The page but for how long things took."""
    before, _, after = text.partition("### Seconds of a run")
    return before + after.partition("\n## ")[2]


def test_the_pages_are_what_the_runs_give(tmp_path: Path) -> None:
    evidence("--only-pages", "--pages", tmp_path)
    for name in PAGES:
        made = (tmp_path / name).read_text(encoding="utf-8")
        assert made == (ROOT / "docs" / name).read_text(
            encoding="utf-8"
        )  # else: python -m evidence tables --only-pages


def test_the_summary_is_short() -> None:
    page = (ROOT / "docs" / PAGES[0]).read_text(encoding="utf-8")
    lines = page.splitlines()
    table = [line for line in lines if line.startswith("|")]
    assert 2 < len(table) <= 2 + 7
    assert all(line.count("|") == 6 for line in table)
    assert len(" ".join(line for line in lines if not line.startswith("|")).split()) <= 300
    assert any(float(found) > 1 for line in table for found in re.findall(r"\| (\d\.\d\d)", line))


def test_the_tables_are_on_what_there_is() -> None:
    for table in (*tables.TABLES, *tables.quick()):
        for part in table.parts:
            assert set(part.datasets) <= KNOWN.keys()
            assert table.ladder or {"posterior", table.ours} <= {*part.methods}
            assert len(set(part.methods)) == len(part.methods)
            for method in part.methods:
                check_method(method)
        jobs = table.jobs()
        assert len(set(map(job_key, jobs.values()))) == len(jobs)
        settings = [job["settings"] for job in jobs.values()]
        assert all(one["distinct"] for one in settings)
        shared = [
            {name: value for name, value in one.items() if name != "per_round"} for one in settings
        ]
        assert all(one == shared[0] for one in shared)  # only the choice differs
    everywhere = {name for table in tables.TABLES for part in table.parts for name in part.datasets}
    assert set(tables.TEN) < everywhere
    assert {"clinc150", "hmc_imclef07d"} < everywhere
    assert {table.start for table in tables.TABLES} == {3, None}
    assert [one.name for one in tables.quick()] == [one.name for one in tables.TABLES]
    assert set(tables.RAW) < set(PAPER)


def test_all_of_it_takes_less_than_twelve_hours_on_two_cores() -> None:
    """By the seconds of its runs, taken beside other work, and by those of some made again beside none."""
    runs, again = (
        {
            key: (sum(getattr(curve, f"seconds_{what}") for what in WHAT), origin)
            for key, (_, curve, origin) in Kept(
                ROOT / "evidence" / "results" / f"{name}.jsonl.gz"
            ).runs.items()
        }
        for name in ("runs", "again")
    )
    last = [key for key, (_, origin) in again.items() if origin.commit == QUIET and key in runs]
    assert len(last) >= 30
    share = sum(again[key][0] for key in last) / sum(runs[key][0] for key in last)
    busy = sum(seconds for seconds, _ in runs.values()) / 2 / 3600
    assert sum(table.hours for table in tables.TABLES) == pytest.approx(busy, abs=0.5)
    assert share < 1
    assert share * busy <= 12


def test_a_table_that_does_not_exist(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "evidence", "tables", "--out", str(tmp_path), "nothing"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert (
        f"no table nothing; there are: {', '.join(one.name for one in tables.TABLES)}"
        in done.stderr
    )
    assert not list(results(tmp_path / "runs.jsonl"))


def test_runs_of_earlier_commits_are_made_again_and_compared(tmp_path: Path) -> None:
    (table,) = (one for one in tables.quick() if one.name == "full")
    jobs = [
        job
        for (_, method, _), job in table.jobs().items()
        if method in ("posterior", "margin:items")
    ]
    run_all(jobs, tmp_path / "runs.jsonl", processes=1, runner=run)
    records = [
        json.loads(line)
        for line in (tmp_path / "runs.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert len(records) == 4
    for record in records[:3]:
        record["origin"]["commit"] = "0" * 40  # the fourth is of today's code

    def keep() -> None:
        lines = "".join(json.dumps(record) + "\n" for record in records)
        (tmp_path / "runs.jsonl").write_text(lines, encoding="utf-8")

    def page_after(n: int) -> str:
        evidence("--quick", "--out", tmp_path, "--processes", 1, "--again", n)
        return (tmp_path / "evidence-tables.md").read_text(encoding="utf-8")

    keep()
    page = page_after(2)
    assert "2 of 4, drawn at random, were made again by commit" in page
    assert ": all of them gave the same result, every area to the last digit that is kept." in page
    records[0]["curve"]["auc_test"][0] -= 1e-6
    keep()
    page = page_after(9)
    job = records[0]["job"]
    assert "3 of 4, drawn at random, were made again by commit" in page
    assert (
        f": 2 of them gave the same result; others did not (iris, {job['method']}, seed {job['seed']}: "
        in page
    )
    kept = [job for job, _ in results(tmp_path / "again.jsonl.gz")]
    assert sorted(map(job_key, kept)) == sorted(job_key(record["job"]) for record in records[:3])
