"""Tests that fail run once more, alone; what needed it is told by name, what fails twice fails the run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
FIRST_TIME_ONLY = """
from pathlib import Path

def test_shaky():
    before = Path(__file__).with_suffix(".ran")
    if not before.exists():
        before.touch()
        raise AssertionError("a busy machine")
"""
SHAKY = "passed only the second time: test_0.py::test_shaky"


@pytest.fixture
def run(tmp_path):
    """Writes tests and runs them; the exit status and the lines after pytest's own."""
    (tmp_path / "pytest.ini").write_text("[pytest]\n")

    def run(*programs, options=()):
        for n, program in enumerate(programs):
            (tmp_path / f"test_{n}.py").write_text(program)
        command = [
            sys.executable,
            "-m",
            "tests.again",
            *options,
            "-p",
            "no:cacheprovider",
            str(tmp_path),
        ]
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300
        )
        told = [
            line
            for line in done.stdout.splitlines()
            if line.startswith(("passed only", "FAILED TWICE"))
        ]
        return done.returncode, told

    return run


def test_what_passes_is_not_told(run):
    assert run("def test_fine(): pass") == (0, [])


@pytest.mark.parametrize("options", [(), ("-n", "2")], ids=["one process", "two"])
def test_what_passes_the_second_time_is_told_by_name(run, options):
    assert run(FIRST_TIME_ONLY, "def test_fine(): pass", options=options) == (0, [SHAKY])


def test_what_fails_twice_fails_the_run(run):
    status, told = run(FIRST_TIME_ONLY, "def test_wrong(): assert 0")
    assert status == 1
    assert told == [SHAKY, "FAILED TWICE test_1.py::test_wrong"]


def test_many_that_fail_do_not_run_again(run):
    shaky = FIRST_TIME_ONLY.replace(
        "def", "import pytest\n\n@pytest.mark.parametrize('n', range(11))\ndef"
    ).replace("shaky()", "shaky(n)")
    shaky = shaky.replace('".ran"', 'f".ran{n}"')
    assert run(shaky) == (1, [])


def test_what_pytest_cannot_run_is_no_matter_of_running_again(run):
    status, told = run("import nothing_of_this_name")
    assert status not in (0, 1)
    assert told == []
