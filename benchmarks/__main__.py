"""Run benchmark suites: `python -m benchmarks [SUITE ...]`; each case in a process of its own, figures to results/."""

from __future__ import annotations

import importlib
import json
import platform
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryFile

from corollary.experiment.origin import origin_here

from . import RESULTS, Missing, machine, page

SUITES = [
    "logic",
    "relations",
    "gpu",
    "asking",
    "memory",
    "training",
    "budget",
    "stopping",
    "comfort",
    "seconds",
    "kept",
    "diverse",
    "neighbours",
    "contrast",
    "own_learner",
    "staying",
    "tuning",
    "unseen",
    "published",
    "fallible",
    "meaning",
    "first_answers",
    "classes",
    "witnesses",
    "machines",
    "serving",
    "million",
    "items",
    "exporting",
    "scale",
    "package",
]


def main(arguments: list[str]) -> int:
    if len(arguments) == 3 and arguments[0] == "--case":
        return run_case(arguments[1], arguments[2])
    suites = SUITES if arguments in ([], ["all"]) else arguments
    unknown = [suite for suite in suites if suite not in SUITES]
    if unknown:
        print(f"no suite {', '.join(unknown)}; there is: {', '.join(SUITES)}", file=sys.stderr)
        return 2
    failed = max(run_suite(suite) for suite in suites)
    page.write()
    return failed


def run_case(suite: str, case: str) -> int:
    try:
        figures = importlib.import_module(f".{suite}", __package__).CASES[case]()
    except Missing as missing:
        figures = {"missing": str(missing)}
    print(json.dumps(figures))
    return 0


def run_suite(suite: str) -> int:
    cases = importlib.import_module(f".{suite}", __package__).CASES
    origin = origin_here()
    print(f"suite {suite} on {machine()}, {origin.code}")
    results: dict[str, dict[str, object]] = {}
    short = failed = 0
    for case, function in cases.items():
        print(f"\n{case}: {function.__doc__.strip().splitlines()[0]}", flush=True)
        started = time.perf_counter()
        code, line, errors = run_apart(suite, case)
        if code:
            failed += 1
            print(errors, file=sys.stderr)
            results[case] = {"failed": errors.strip().splitlines()[-1:]}
            continue
        figures = json.loads(line)
        results[case] = figures
        for name, value in figures.items():
            if name == "targets":
                continue
            target = figures.get("targets", {}).get(name)
            verdict = ""
            if target is not None:
                bound, limit = target
                reached = value <= limit if bound == "at most" else value >= limit
                short += not reached
                verdict = f"   ({bound} {limit:,}: {'reached' if reached else 'NOT reached'})"
            print(f"  {name:<42} {_shown(value)}{verdict}")
        print(f"  [{time.perf_counter() - started:.0f} s]", flush=True)
    if all("missing" in figures for figures in results.values()):
        print("\nnothing was measured; the figures of before stay")
        return 0
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{suite}.json"
    told = {
        "machine": machine(),
        "python": platform.python_version(),
        "origin": origin.to_json(),
        "cases": results,
    }
    path.write_text(json.dumps(told, indent=1) + "\n")
    print(
        f"\n{len(cases)} cases, {short} targets not reached, {failed} failed; figures in {path.relative_to(Path.cwd())}"
    )
    return 1 if failed else 0


def run_apart(suite: str, case: str) -> tuple[int, str, str]:
    """The exit code of a case in a process of its own, the line with its figures, its errors; other lines are shown."""
    command, figures = [sys.executable, "-m", "benchmarks", "--case", suite, case], ""
    with (
        TemporaryFile("w+", encoding="utf-8") as errors,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True) as process,
    ):
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("{"):
                figures = line
            else:
                print(f"  {line}", end="", flush=True)
        code = process.wait()
        errors.seek(0)
        return code, figures, errors.read()


def _shown(value: object) -> str:
    return (
        f"{value:,.4g}"
        if isinstance(value, float)
        else f"{value:,}"
        if isinstance(value, int)
        else str(value)
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
