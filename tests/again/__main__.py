"""Run tests; those that fail run once more, each alone: a busy machine can keep a browser or process waiting too long.

What passes only then is told by name at the end, for it may hide a fault. What fails twice fails the run. Called with
pytest's arguments: `python -m tests.again -n 2 tests/browser`. Many that fail are no matter of luck, and fail at once.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

#: Of pytest: all passed, and some failed. Anything else (no tests, an interruption) is no matter of running again.
PASSED, FAILED = 0, 1
#: With more failures than so many, none runs again.
AT_MOST = 10


class Failures:
    """A plugin that keeps the names of the tests that failed, in their order, and the folder they are relative to."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def pytest_configure(self, config: pytest.Config) -> None:
        self.folder = config.rootpath

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and report.nodeid not in self.names:
            self.names.append(report.nodeid)


def run(arguments: list[str]) -> int:
    """Run them, and again what failed; the exit status."""
    failures = Failures()
    status = int(pytest.main(["-q", *arguments], plugins=[failures]))
    if (
        status != FAILED or not failures.names
    ):  # a file that cannot be read fails without the name of a test
        return status
    if len(failures.names) > AT_MOST:
        print(f"{len(failures.names)} tests failed: too many for chance, and none runs again")
        return FAILED
    print(f"once more what failed, each alone: {len(failures.names)}", flush=True)
    again = [sys.executable, "-m", "pytest", "-q"]
    twice = [
        name for name in failures.names if subprocess.call([*again, name], cwd=failures.folder)
    ]
    for name in failures.names:
        print(f"FAILED TWICE {name}" if name in twice else f"passed only the second time: {name}")
    return FAILED if twice else PASSED


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
