"""Rounds of faults: python -m tests.chaos [rounds] [sqlite|postgresql ...]; writes benchmarks/results/chaos.json."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

from ..campaign.servers import Server
from .scene import Scene

RESULT = Path(__file__).parents[2] / "benchmarks" / "results" / "chaos.json"
ROUNDS_EACH = (
    50  # in one campaign, then a new one, every second one fallible: checking reads the whole log
)


def run(kind: str, rounds: int) -> dict[str, Any]:
    """So many rounds, the faults in turn and then by chance; the first thing that does not hold ends it."""
    began, dice, done = time.monotonic(), Random(0), Counter[str]()
    acknowledged = resent = cut_commits = 0
    database = Server() if kind == "postgresql" else None
    try:
        while done.total() < rounds:
            fallible = (done.total() // ROUNDS_EACH) % 2 == 1
            scene = Scene(kind, database=database, fallible=fallible)
            try:
                for number in range(min(ROUNDS_EACH, rounds - done.total())):
                    fault = (
                        scene.faults[number]
                        if number < len(scene.faults)
                        else dice.choice(scene.faults)
                    )
                    scene.round(fault, dice)
                    done[fault.__name__] += 1
                acknowledged += scene.acknowledged
                resent += scene.resent
                cut_commits += 0 if scene.proxy is None else scene.proxy.cut_commits
            finally:
                scene.close()
            print(
                f"{kind}: {done.total()} of {rounds} rounds, {acknowledged:,} answers acknowledged, "
                f"{time.monotonic() - began:.0f} s",
                flush=True,
            )
    finally:
        if database is not None:
            database.remove()
    return {
        "rounds": done.total(),
        "acknowledged": acknowledged,
        "sent_again": resent,
        "commits_cut_from_their_acknowledgement": cut_commits,
        "lost": 0,  # or the run would have ended
        "twice": 0,
        "stuck": 0,
        "seconds": round(time.monotonic() - began),
        "faults": dict(sorted(done.items())),
    }


if __name__ == "__main__":
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    kinds = sys.argv[2:] or ["sqlite", "postgresql"]
    results = json.loads(RESULT.read_text(encoding="utf-8")) if RESULT.exists() else {}
    for one in kinds:
        results[one] = run(one, number)
        print(json.dumps(results[one]), flush=True)
        RESULT.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
