"""Mutants of the core: python -m tests.mutants [EACH] [MODULE ...]; writes benchmarks/results/mutants.json.

With `survivors` in place of EACH those that survived are tried again, after tests were added.

EACH mutants of each module, drawn by chance with a fixed seed (30; 0: all). One is killed if a test fails, or if they
take minutes more than without it. PROCESSES=1 tries one at a time.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from .mutations import Mutation, mutations

ROOT = Path(__file__).parents[2]
RESULT = ROOT / "benchmarks" / "results" / "mutants.json"
#: Modules of the core, and the tests that should notice: the quick ones first, for the first that fails ends it.
TRIED = {
    "learning/choosing/scores.py": ["learning/choosing/test_scores.py"],
    "learning/choosing/contrast.py": ["learning/choosing/test_contrast.py"],
    "learning/choosing/best_questions.py": [
        "learning/choosing/test_best_questions.py",
        "learning/session",
    ],
    "learning/choosing/question_worth.py": [
        "learning/choosing/test_question_worth.py",
        "learning/session",
    ],
    "learning/stopping/draws.py": [
        "learning/stopping/test_draws.py",
        "learning/stopping/test_forecast.py",
    ],
    "learning/stopping/forecast.py": ["learning/stopping/test_forecast.py"],
    "learning/stopping/calibration.py": [
        "learning/stopping/test_calibration.py",
        "learning/stopping/test_forecast.py",
    ],
    "logic/compiled/posterior.py": [
        "logic/compiled/test_posterior.py",
        "logic/test_ontology.py",
        "together/logic/test_ontology_inference.py",
        "together/logic/test_soft_constraints.py",
        "together/logic/test_evidence.py",
    ],
    "campaign/state/standing.py": [
        "campaign/state/test_standing.py",
        "campaign/state/test_state.py",
        "campaign/state/test_statements.py",
        "campaign/state/test_verdicts.py",
        "together/campaign/test_picks.py",
        "together/campaign/test_withdrawal.py",
    ],
    "campaign/live/ledger.py": [
        "campaign/live/test_ledger.py",
        "campaign/live/test_groups.py",
        "campaign/live/sure/test_under_way.py",
        "campaign/state/test_unreadable.py",
        "campaign/test_campaign.py",
    ],
}
#: So many mutants are tried at once.
PROCESSES = int(os.environ.get("PROCESSES", "2"))


class Copies:
    """Copies of the package, one for each process, so that a mutant is seen by its own tests alone."""

    def __init__(self, folder: Path):
        self._free: SimpleQueue[Path] = SimpleQueue()
        for number in range(PROCESSES):
            shutil.copytree(ROOT / "src", folder / str(number))
            self._free.put(folder / str(number))

    def survives(self, module: str, mutation: Mutation, tests: list[str], limit: float) -> bool:
        """Whether no test notices."""
        copy = self._free.get()
        path = copy / "corollary" / module
        source = path.read_text(encoding="utf-8")
        try:
            path.write_text(mutation.apply(source), encoding="utf-8")
            return passes(copy, tests, limit)
        finally:
            path.write_text(source, encoding="utf-8")
            self._free.put(copy)


def passes(source: Path, tests: list[str], limit: float) -> bool:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:randomly",
    ]
    command += ["--hypothesis-profile", "mutants"]
    env = {
        **os.environ,
        "PYTHONPATH": str(source),
        "PYTHONDONTWRITEBYTECODE": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    env |= {"NUMBA_CACHE_DIR": str(ROOT / ".venv" / "mutants-kernels")}
    try:
        done = subprocess.run(
            [*command, *tests],
            cwd=ROOT,
            env=env,
            capture_output=True,
            timeout=limit,
            check=False,
            text=True,
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def main(arguments: list[str]) -> None:
    again = arguments[:1] == ["survivors"]
    each = int(arguments[0]) if arguments and not again else 30
    found = json.loads(RESULT.read_text(encoding="utf-8")) if RESULT.exists() else {}
    with (
        tempfile.TemporaryDirectory(prefix="mutants-") as folder,
        ThreadPoolExecutor(PROCESSES) as pool,
    ):
        copies = Copies(Path(folder))
        for module in arguments[1:] or list(TRIED):
            began, tests = time.monotonic(), [f"tests/{one}" for one in TRIED[module]]
            assert passes(ROOT / "src", tests, 3600.0), f"{tests} fail without any mutant"
            limit = 60.0 + 3.0 * (time.monotonic() - began)
            there = mutations((ROOT / "src" / "corollary" / module).read_text(encoding="utf-8"))
            drawn = some(there, found[module]["tried"] if again else each, module)
            tried = len(drawn)
            if again:
                drawn = survivors(found[module], drawn)
            lived = list(
                pool.map(
                    lambda one, m=module, t=tests, s=limit: copies.survives(m, one, t, s), drawn
                )
            )
            left = sorted(
                (one for one, lives in zip(drawn, lived, strict=True) if lives),
                key=lambda one: one.begins,
            )
            found[module] = {
                "places": len(there),
                "tried": tried,
                "killed": tried - len(left),
                "survivors": [str(one) for one in left],
            }
            print(
                f"{module}: {tried - len(left)} of {tried} killed, {time.monotonic() - began:.0f} s",
                flush=True,
            )
            for one in left:
                print(f"  {one}", flush=True)
            RESULT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    tried, killed = (sum(one[name] for one in found.values()) for name in ("tried", "killed"))
    print(f"{killed} of {tried} mutants killed ({killed / tried:.0%}), in {len(found)} modules")


def some(there: list[Mutation], each: int, module: str) -> list[Mutation]:
    """So many of them by chance, the same ones each time; all of them for 0."""
    return random.Random(module).sample(there, min(each, len(there))) if each else there


def survivors(before: dict[str, Any], drawn: list[Mutation]) -> list[Mutation]:
    """Those that survived the last time."""
    left = [one for one in drawn if str(one) in before["survivors"]]
    assert {str(one) for one in left} == set(before["survivors"]), (
        "the module has changed: it has to be tried anew"
    )
    return left


if __name__ == "__main__":
    main(sys.argv[1:])
