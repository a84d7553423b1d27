"""Kernels are compiled once and cached: a second process compiles nothing."""

from __future__ import annotations

import json
import subprocess
import sys

EVERYTHING = """
import json, pkgutil, importlib, sys, warnings
import numpy as np
import corollary as co
import corollary.logic

tree = "animal > exclusive: bird, fish\\nanimal > at least one: wild, tame"
dag = "a > b, c\\nb > d\\nc > d"
rules = "exclusive: a, b\\nb > c\\nrule: c & d >> a | e"
small = co.Budget(states=1)
for text, budget in ((tree, None), (dag, None), (dag, small), (rules, None), (rules, small)):
    onto = co.Ontology.parse(text, budget=budget)
    beliefs = np.full((3, len(onto)), 0.4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        onto.infer(beliefs, gain=True)
        onto.most_probable(beliefs)
    onto.lint()
    onto.explain({onto.labels[-1]: True}, onto.labels[-1])

missed, loaded = [], 0
for module in list(sys.modules.values()):
    if getattr(module, "__name__", "").startswith("corollary."):
        for name, value in vars(module).items():
            stats = getattr(value, "stats", None)
            if hasattr(stats, "cache_misses"):
                loaded += sum(stats.cache_hits.values())
                missed += [f"{module.__name__}.{name}"] * sum(stats.cache_misses.values())
print(json.dumps({"missed": sorted(set(missed)), "loaded": loaded}))
"""


def run() -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, "-c", EVERYTHING], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def test_a_second_process_compiles_nothing():
    run()
    again = run()
    assert again["missed"] == []
    assert again["loaded"] > 10
