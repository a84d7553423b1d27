"""Suite `logic`: compiling, propagation and exact posteriors, on made-up trees and on real ontologies."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import corollary as co
from corollary.logic.language.constraints import Subsumes

from . import T, data, peak_megabytes, rows, timed

Figures = dict[str, Any]


def tree(n: int, branch: int = 10) -> tuple[list[str], list[Any]]:
    """A tree of n labels with exclusive siblings."""
    labels = [f"l{k}" for k in range(n)]
    constraints: list[Any] = []
    for parent in range(n):
        children = labels[parent * branch + 1 : parent * branch + branch + 1]
        if children:
            constraints.append(co.subsumes(labels[parent], *children))
        if len(children) > 1:
            constraints.append(co.exclusive(*children))
    return labels, constraints


def compiled(labels: list[str], constraints: list[Any], **options: Any) -> co.Ontology:
    """The ontology with its engines ready."""
    onto = co.Ontology(labels, constraints, **options)
    assert onto.engines
    return onto


def warm_up() -> None:
    """Load every kernel from the cache, so that no figure contains compiling."""
    for onto in (
        compiled(*tree(30)),
        co.Ontology.parse("a > b, c\nb > d\nc > d\nexclusive: b, e\nrule: a & d >> e | b"),
    ):
        beliefs = np.full((4, len(onto)), 0.3)
        onto.infer(beliefs, gain=True)
        onto.most_probable(beliefs)
    onto = co.Ontology.parse("a > b, c\nb > d\nc > d")
    onto.infer(np.full((4, 4), 0.3), gain=True)


def hierarchy(path: str) -> tuple[list[str], list[Any]]:
    """Labels and implications of a child-parent table."""
    edges = [row[:2] for row in rows(path)[1:]]
    labels = list(dict.fromkeys(name for edge in edges for name in edge))
    return labels, [co.implies(child, parent) for child, parent in edges]


def nell() -> tuple[list[str], list[Any]]:
    """NELL's own constraints: subsumptions and exclusive pairs."""
    labels = [row[0] for row in rows("nell_ontology/categories.txt.gz")[1:]]
    constraints: list[Any] = [
        co.implies(*row) for row in rows("nell_ontology/subsumption.tsv.gz")[1:]
    ]
    return labels, constraints + [
        co.exclusive(*row) for row in rows("nell_ontology/mutex_pairs.tsv.gz")[1:]
    ]


def disjoint_subtrees(
    n: int = 713, second_parents: int = 79, pairs: int = 60, seed: int = 0
) -> tuple[list[str], list[Any]]:
    """A random hierarchy like the Cell Ontology's: with second parents and disjoint pairs of subtrees."""
    rng = np.random.default_rng(seed)
    above = [{0}]  # of each label, its ancestors and itself
    parents: list[list[int]] = [[]] + [[int(rng.integers(0, k))] for k in range(1, n)]
    for k in range(1, n):
        above.append({k} | above[parents[k][0]])
    while sum(map(len, parents)) < n - 1 + second_parents:
        k = int(rng.integers(2, n))
        p = int(rng.integers(1, k))
        if p in above[k] or set(parents[k]) & above[p]:
            continue
        parents[k].append(p)
        for below in range(k, n):
            above[below] = {below}.union(*(above[q] for q in parents[below]))
    below = [{k for k in range(n) if j in above[k]} for j in range(n)]
    exclusive: set[tuple[int, int]] = set()
    while len(exclusive) < pairs:
        a, b = sorted(map(int, rng.integers(1, n, 2)))
        if min(len(below[a]), len(below[b])) > 3 and not below[a] & below[b]:
            exclusive.add((a, b))
    labels = [f"t{k}" for k in range(n)]
    constraints: list[Any] = [
        co.implies(labels[k], labels[p]) for k in range(n) for p in parents[k]
    ]
    return labels, constraints + [co.exclusive(labels[a], labels[b]) for a, b in sorted(exclusive)]


def classifier_beliefs(onto: co.Ontology, n_items: int, *, distance: float = 3.0) -> Any:
    """What calibrated classifiers believe, one a label, of items with one or two random labels and their ancestors.

    `distance` is that of the two bells a classifier sees, in standard deviations: 3 is an AUC of 0.98.
    """
    rng = np.random.default_rng(0)
    facts = np.full((n_items, len(onto)), -1, np.int8)
    facts[np.arange(n_items), rng.integers(1, len(onto), n_items)] = 1
    known = onto.propagate(facts)
    for i in range(0, n_items, 2):
        facts[i, rng.choice(np.append(np.flatnonzero(known[i] < 0), np.argmax(facts[i])))] = 1
    truth = onto.propagate(facts) == 1
    share = (truth.sum(axis=0) + 0.5) / (n_items + 1)
    evidence = distance**2 * (truth - 0.5) + distance * rng.normal(size=truth.shape)
    return np.clip(1 / (1 + np.exp(-np.log(share / (1 - share)) - evidence)), 1e-4, 1 - 1e-4)


def disjoint_siblings(labels: list[str], constraints: list[Any]) -> tuple[list[str], list[Any]]:
    """A hierarchy whose siblings are disjoint, unless they have a descendant in common."""
    children: dict[str, list[str]] = {}
    for one in constraints:
        children.setdefault(one.parent, []).append(one.children[0])

    @cache
    def below(label: str) -> frozenset[str]:
        return frozenset({label}).union(*map(below, children.get(label, ())))

    groups = []
    for siblings in children.values():
        apart: list[str] = []
        for label in siblings:
            if not any(below(label) & below(other) for other in apart):
                apart.append(label)
        if len(apart) > 1:
            groups.append(co.exclusive(*apart))
    return labels, constraints + groups


def disjoint_cells() -> Figures:
    """A hierarchy of 713 labels with 79 second parents and 60 disjoint pairs of subtrees, on classifiers' beliefs."""
    return disjoint_hierarchy(*disjoint_subtrees())


def disjoint_dbpedia() -> Figures:
    """A hierarchy like DBpedia's, with 768 labels, 25 second parents and 24 disjoint pairs, on classifiers' beliefs."""
    return disjoint_hierarchy(*disjoint_subtrees(768, 25, 24, seed=3))


def disjoint_nell() -> Figures:
    """NELL's 271 labels with 15,233 exclusive pairs, on classifiers' beliefs."""
    return disjoint_hierarchy(*nell())


def disjoint_imagenet() -> Figures:
    """ImageNet-1k's hierarchy of 1,860 labels with disjoint siblings, on classifiers' beliefs."""
    edges = hierarchy("wordnet_imagenet/imagenet1k_hierarchy.tsv.gz")
    return disjoint_hierarchy(*disjoint_siblings(*edges))


def disjoint_imagenet_12k() -> Figures:
    """ImageNet-12k's hierarchy of 13,636 labels with disjoint siblings: its engine, and how much it certifies."""
    edges = hierarchy("wordnet_imagenet/imagenet12k_hierarchy.tsv.gz")
    onto = co.Ontology(*disjoint_siblings(*edges))
    onto.propagate({})
    figures: Figures = {"labels": len(onto)}
    beliefs = classifier_beliefs(onto, 40)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", co.EstimateWarning)
        for what, function in (
            ("engine decided", lambda: onto.engines),
            ("posterior of 40 items", lambda: onto.infer(beliefs)),
        ):
            before = sum(os.times()[:4])
            found, figures[f"{what}, seconds"] = timed(function)
            figures[f"{what}, seconds of processor"] = sum(os.times()[:4]) - before
    return figures | {
        "engines": "; ".join(map(str, onto.engines)),
        "share of items exact or certified": float(np.mean(found.error <= 1e-6)),
        "targets": {"engine decided, seconds": ("at most", 3)},
    }


def disjoint_hierarchy(labels: list[str], constraints: list[Any]) -> Figures:
    """What it takes to reason under a hierarchy with disjoint labels, and to open a campaign of 200 items under it."""
    warm_up()
    other = co.Ontology(*disjoint_subtrees(seed=1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", co.EstimateWarning)
        other.infer(classifier_beliefs(other, 20), gain=True)  # loads its kernels
    edge = next(one for one in reversed(constraints) if isinstance(one, Subsumes))
    figures: Figures = {}

    def measure(what: str, function: Callable[[], T]) -> T:
        before = sum(os.times()[:4])  # with the processes that it starts
        result, seconds = timed(function)
        figures[f"{what}, seconds"] = seconds
        figures[f"{what}, seconds of processor"] = sum(os.times()[:4]) - before
        return result

    onto = co.Ontology(labels, constraints)
    measure("first propagation", lambda: onto.propagate({labels[-1]: True}))
    measure("explain", lambda: onto.explain({edge.children[0]: True}, edge.parent))
    _, megabytes = measure("engine decided", lambda: peak_megabytes(lambda: onto.engines))
    beliefs = classifier_beliefs(onto, 500)
    found = measure("posterior of 500 items", lambda: onto.infer(beliefs))
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "notes.sqlite"
        items = [f"note {k}" for k in range(200)]
        co.Campaign.create(place, items, co.Ontology(labels, constraints), name="notes").close()
        measure("opening", lambda: co.Campaign.open(place).close())
        status = [sys.executable, "-m", "corollary", "status", str(place)]
        measure("status", lambda: subprocess.run(status, check=True, capture_output=True))
    cpu = figures["posterior of 500 items, seconds of processor"]
    figures |= {
        "engine decided, megabytes": megabytes,
        "engines": "; ".join(map(str, onto.engines)),
        "posterior, items a second": len(beliefs) / figures["posterior of 500 items, seconds"],
        "posterior, items a second of processor": len(beliefs) / cpu,
        "share of items exact or certified": float(np.mean(found.error <= 1e-6)),
        "targets": {
            "first propagation, seconds": ("at most", 0.5),
            "explain, seconds": ("at most", 1.5),
            "engine decided, seconds": ("at most", 3),
            "engine decided, megabytes": ("at most", 300),
            "opening, seconds": ("at most", 3),
            "status, seconds": ("at most", 2),
            "posterior, items a second": ("at least", 500),
            "share of items exact or certified": ("at least", 0.95),
        },
    }
    return figures


def random_beliefs(n_items: int, n_labels: int) -> Any:
    return np.random.default_rng(0).random((n_items, n_labels)) ** 3


def compile_tree() -> Figures:
    """A tree of 10,000 labels with exclusive siblings, from constraints to engines."""
    warm_up()
    labels, constraints = tree(10_000)
    _, megabytes = peak_megabytes(lambda: compiled(labels, constraints))
    _, seconds = timed(lambda: compiled(labels, constraints), repeat=3)
    return {
        "seconds": seconds,
        "megabytes": megabytes,
        "targets": {"seconds": ("at most", 1), "megabytes": ("at most", 200)},
    }


def posterior_tree() -> Figures:
    """Posterior and gain of 10,000 items on a tree of 1,000 labels."""
    warm_up()
    onto = compiled(*tree(1_000))
    beliefs = random_beliefs(10_000, len(onto))
    _, seconds = timed(lambda: onto.infer(beliefs, gain=True), repeat=3)
    return {
        "seconds": seconds,
        "nanoseconds per cell": 1e9 * seconds / beliefs.size,
        "targets": {"seconds": ("at most", 2)},
    }


def propagation() -> Figures:
    """Propagation of 1,000,000 items x 5 answers at 100 labels, against one SAT call an item."""
    from corollary.logic.solving.clauses import to_clauses
    from corollary.logic.solving.sat import Solver

    warm_up()
    labels, constraints = tree(100)
    onto = compiled(labels, constraints)
    rng = np.random.default_rng(0)
    world = onto.most_probable(random_beliefs(1_000, 100))[rng.integers(0, 1_000, 1_000_000)]
    facts = np.full(world.shape, -1, np.int8)
    for answer in rng.integers(0, 100, (5, len(facts))):
        facts[np.arange(len(facts)), answer] = world[np.arange(len(facts)), answer]
    ours, seconds = timed(lambda: onto.propagate(facts), repeat=3)
    solver = Solver(to_clauses(labels, constraints), selectors=False)
    some = range(0, len(facts), 500)
    given = [[2 * k + 1 - int(facts[i, k]) for k in np.flatnonzero(facts[i] >= 0)] for i in some]
    theirs, sat_seconds = timed(lambda: [solver.backbone(literals) for literals in given])
    for i, literals in zip(some, theirs, strict=True):
        assert literals == {2 * int(k) + 1 - int(ours[i, k]) for k in np.flatnonzero(ours[i] >= 0)}
    ratio = (sat_seconds / len(given)) / (seconds / len(facts))
    return {
        "seconds": seconds,
        "microseconds an item": 1e6 * seconds / len(facts),
        "SAT microseconds an item": 1e6 * sat_seconds / len(given),
        "times faster than SAT": ratio,
        "targets": {"times faster than SAT": ("at least", 200)},
    }


def nell_ontology() -> Figures:
    """NELL's own ontology (271 labels, 299 subsumptions, 15,233 exclusive pairs): compile, posterior and gain, lint."""
    warm_up()
    labels, constraints = nell()
    onto, seconds = timed(lambda: compiled(labels, constraints), repeat=3)
    beliefs = random_beliefs(10_000, len(onto))
    _, infer_seconds = timed(lambda: onto.infer(beliefs, gain=True), repeat=3)
    findings, lint_seconds = timed(onto.lint)
    return {
        "compile seconds": seconds,
        "engines": "; ".join(map(str, onto.engines)),
        "posterior and gain of 10,000 items, seconds": infer_seconds,
        "lint seconds": lint_seconds,
        "redundant constraints": sum(finding.kind == "redundant" for finding in findings),
        "targets": {
            "compile seconds": ("at most", 0.5),
            "posterior and gain of 10,000 items, seconds": ("at most", 2),
        },
    }


def imagenet() -> Figures:
    """ImageNet-21k (23,547 labels, a DAG): compile, exact posterior."""
    warm_up()
    labels, constraints = hierarchy("wordnet_imagenet/imagenet21k_goog_hierarchy.tsv.gz")
    _, megabytes = peak_megabytes(lambda: compiled(labels, constraints))
    onto, seconds = timed(lambda: compiled(labels, constraints))
    beliefs = random_beliefs(400, len(onto))
    _, infer_seconds = timed(lambda: onto.posterior(beliefs), repeat=2)
    _, gain_seconds = timed(lambda: onto.gain(beliefs))
    return {
        "compile seconds": seconds,
        "compile megabytes": megabytes,
        "engines": "; ".join(map(str, onto.engines)),
        "posterior, items a second": len(beliefs) / infer_seconds,
        "posterior and gain, items a second": len(beliefs) / gain_seconds,
        "targets": {
            "compile seconds": ("at most", 5),
            "compile megabytes": ("at most", 1000),
            "posterior, items a second": ("at least", 200),
        },
    }


def gene_ontology() -> Figures:
    """The Gene Ontology (4,125 labels, a DAG) on a classifier's beliefs: how many items are certified to 1e-6."""
    warm_up()
    onto, beliefs = gene_beliefs()
    _, seconds = timed(lambda: onto.engines)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", co.EstimateWarning)
        found, infer_seconds = timed(lambda: onto.infer(beliefs))
    return {
        "compile seconds": seconds,
        "engines": "; ".join(map(str, onto.engines)),
        "items": len(beliefs),
        "posterior, items a second": len(beliefs) / infer_seconds,
        "share of items certified": float(np.mean(found.error <= 1e-6)),
        "largest proven error": float(np.nanmax(found.error)),
        "targets": {"share of items certified": ("at least", 0.9)},
    }


def gene_beliefs() -> tuple[co.Ontology, Any]:
    """Logistic models on the yeast cell cycle data, one a label, by gradient descent; beliefs of the test part."""
    import pandas as pd

    table = pd.read_parquet(data("hmc_cellcycle_go/hmc_cellcycle_go.parquet"))
    labels, constraints = hierarchy("hmc_cellcycle_go/hierarchy.tsv.gz")
    onto = co.Ontology(labels, constraints)
    index = {label: k for k, label in enumerate(labels)}
    truth = np.zeros((len(table), len(labels)), np.float32)
    for i, names in enumerate(table["labels"]):
        truth[i, [index[name] for name in names.split("@")]] = 1
    raw = (
        table.drop(columns=["labels", "labels_most_specific", "split"])
        .select_dtypes("number")
        .to_numpy(np.float32)
    )
    raw = np.where(np.isnan(raw), np.nanmean(raw, axis=0), raw)
    raw = (raw - raw.mean(axis=0)) / (raw.std(axis=0) + 1e-9)
    rng = np.random.default_rng(0)
    waves = np.cos(raw @ rng.normal(0, 0.1, (raw.shape[1], 300)) + rng.uniform(0, 2 * np.pi, 300))
    X = np.hstack([raw, waves, np.ones((len(raw), 1))]).astype(np.float32)
    train = (table["split"] == "train").to_numpy()
    weights, speed = np.zeros((X.shape[1], len(labels)), np.float32), 0.0
    for _ in range(60):
        p = 1 / (1 + np.exp(-X[train] @ weights))
        speed = 0.9 * speed - 0.1 * (X[train].T @ (p - truth[train]) / train.sum() + 1e-4 * weights)
        weights = weights + speed
    return onto, np.clip(1 / (1 + np.exp(-X[~train] @ weights)), 1e-4, 1 - 1e-4).astype(np.float64)


def wordnet() -> Figures:
    """All WordNet nouns (82,115 labels): read the table, propagate single items."""
    warm_up()
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore", co.NotExpressedWarning)
        table = Path(folder) / "nouns.tsv"
        table.write_text(
            "\n".join(
                "\t".join(row[:2])
                for row in rows("wordnet_imagenet/wordnet30_noun_hypernyms.tsv.gz")
            )
        )
        onto, read_seconds = timed(lambda: co.Ontology.load(table))
    label = onto.labels[-1]
    (first, megabytes), first_seconds = timed(
        lambda: peak_megabytes(lambda: onto.propagate({label: True}))
    )
    _, seconds = timed(lambda: onto.propagate({label: True}), repeat=5)
    return {
        "labels": len(onto),
        "read seconds": read_seconds,
        "first propagation, seconds": first_seconds,
        "first propagation, megabytes": megabytes,
        "next propagation, milliseconds": 1e3 * seconds,
        "facts that follow": len(first),
    }


CASES = {
    "compile-tree": compile_tree,
    "posterior-tree": posterior_tree,
    "propagation": propagation,
    "nell": nell_ontology,
    "imagenet-21k": imagenet,
    "gene-ontology": gene_ontology,
    "disjoint-subtrees": disjoint_cells,
    "disjoint-dbpedia": disjoint_dbpedia,
    "disjoint-nell": disjoint_nell,
    "disjoint-imagenet": disjoint_imagenet,
    "disjoint-imagenet-12k": disjoint_imagenet_12k,
    "wordnet-nouns": wordnet,
}
