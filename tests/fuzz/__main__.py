"""Fuzz for a while: the harnesses of this folder again and again with new seeds. `python -m tests.fuzz 60`: minutes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

FACTOR = 4  # times the examples of make test in each round
HERE = Path(__file__).parent
RESULT = HERE.parents[1] / "benchmarks" / "results" / "fuzz.json"
COUNTS = re.compile(r"(\d+) passing(?: examples)?, (\d+) failing")


def main(minutes: float) -> int:
    """Rounds until the time is up; the first failure of each harness is printed with what reproduces it."""
    end = time.monotonic() + 60 * minutes
    seed = int(time.time())
    totals: dict[str, int] = {"rounds": 0, "examples": 0, "failures": 0}
    started = time.monotonic()
    harnesses = sorted(HERE.glob("test_*.py"))
    while time.monotonic() < end:
        for harness in harnesses:
            seed += 1
            command = [
                sys.executable,
                "-m",
                "pytest",
                "-q",
                "-p",
                "no:cacheprovider",
                "--hypothesis-show-statistics",
                "--show-capture=no",
            ]
            command += ["-o", "faulthandler_timeout=600", f"--hypothesis-seed={seed}", str(harness)]
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                check=False,
                env=os.environ | {"FUZZ_FACTOR": str(FACTOR)},
            )
            tried = sum(
                int(passing) + int(failing) for passing, failing in COUNTS.findall(done.stdout)
            )
            totals["rounds"] += 1
            totals["examples"] += tried
            left = max(0, int(end - time.monotonic()))
            print(
                f"{harness.stem}, seed {seed}: {tried} examples, {left // 60} min left", flush=True
            )
            if done.returncode:
                totals["failures"] += 1
                print(done.stdout[-8000:], done.stderr[-2000:], sep="\n", flush=True)
            if time.monotonic() >= end:
                break
    result = totals | {
        "minutes": round((time.monotonic() - started) / 60, 1),
        "harnesses": len(harnesses),
    }
    RESULT.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(result))
    return 1 if totals["failures"] else 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 60.0))
