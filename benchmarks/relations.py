"""Suite `relations`: 100,000 items and pairs of them, in small components and in one giant; ITEMS says how many."""

from __future__ import annotations

import os
import time
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

import corollary as co

from . import timed

Figures = dict[str, Any]
ITEMS = int(os.environ.get("ITEMS") or 100_000)
TYPES = RELATIONS = 10
SIZES = range(2, 7)  # items of a component
ANSWERS = 20


def ontology() -> co.Ontology:
    """Ten types of which each item has exactly one, and ten relations that each join two of them."""
    lines = [f"exactly one: {', '.join(f't{k}' for k in range(TYPES))}"]
    lines += [f"relation r{k}(t{k}, t{(3 * k + 1) % TYPES})" for k in range(RELATIONS)]
    return co.Ontology.parse("\n".join(lines))


def small_components(items: int) -> tuple[int, co.Pairs]:
    """Components of two to six items, in turn, of which every ordered pair is a candidate."""
    ends, n = [], 0
    while n < items:
        size = SIZES[len(ends) % len(SIZES)]
        one = np.arange(size)
        grid = np.stack(np.meshgrid(one, one, indexing="ij"), axis=-1).reshape(-1, 2)
        ends.append(n + grid[grid[:, 0] != grid[:, 1]])
        n += size
    head, tail = np.concatenate(ends).T
    return n, co.Pairs(head, tail)


def one_component(items: int) -> tuple[int, co.Pairs]:
    """A random tree with as many pairs again at random."""
    rng = np.random.default_rng(0)
    parent = (rng.random(items - 1) * np.arange(1, items)).astype(np.int64)
    head = np.concatenate([np.arange(1, items), rng.integers(0, items, items)])
    tail = np.concatenate([parent, rng.integers(0, items, items)])
    ends = np.unique(np.stack([head, tail], axis=1)[head != tail], axis=0)
    return items, co.Pairs(*ends.T)


def beliefs(n: int, pairs: co.Pairs) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    rng = np.random.default_rng(1)
    return rng.random((n, TYPES)), 0.3 * rng.random((len(pairs), RELATIONS))


def timed_twice(function: Any) -> tuple[Any, float, float]:
    """The result, the seconds it took, and the seconds that all cores worked."""
    worked = time.process_time()
    found, seconds = timed(function)
    return found, seconds, time.process_time() - worked


def posterior() -> Figures:
    """Everything about components of two to six items."""
    onto = ontology()
    n, pairs = small_components(20)
    onto.linked(pairs).posterior(*beliefs(n, pairs))  # kernels are compiled
    n, pairs = small_components(ITEMS)
    linked, made = timed(lambda: onto.linked(pairs))
    _, followed = timed(linked.propagate)
    _, seconds, worked = timed_twice(lambda: linked.posterior(*beliefs(n, pairs)))
    return {
        "items": n,
        "pairs": len(pairs),
        "linked, s": made,
        "propagate, s": followed,
        "posterior, s": seconds,
        "posterior, processor s": worked,
        "targets": {"posterior, s": ("at most", 60)},
    }


def next_question() -> Figures:
    """An answer, and the next question after it, among components of two to six items."""
    onto = ontology()
    n, pairs = small_components(ITEMS)
    of_items, of_pairs = beliefs(n, pairs)
    session = co.Session(
        onto, beliefs=of_items, pairs=co.Pairs(pairs.head, pairs.tail, beliefs=of_pairs)
    )
    (question,), first = timed(session.ask)
    took = []
    worked = time.process_time()
    for _ in range(ANSWERS):
        begun = time.perf_counter()
        session.answer(question, False)
        (question,) = session.ask()
        took.append(1e3 * (time.perf_counter() - begun))
    return {
        "items": n,
        "pairs": len(pairs),
        "first question, s": first,
        "next question, processor ms": 1e3 * (time.process_time() - worked) / ANSWERS,
        "next question, ms": float(np.median(took)),
        "next question, slowest, ms": max(took),
        "targets": {"next question, ms": ("at most", 50)},
    }


def giant() -> Figures:
    """Everything about one component, whose posterior is an estimate."""
    onto = ontology()
    n, pairs = one_component(ITEMS)
    linked, made = timed(lambda: onto.linked(pairs))
    facts = np.full((n, TYPES), -1, np.int8)
    facts[::20, 0] = 1
    _, followed = timed(lambda: linked.propagate(facts))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _, seconds, worked = timed_twice(lambda: linked.posterior(*beliefs(n, pairs), facts))
    return {
        "items": n,
        "pairs": len(pairs),
        "linked, s": made,
        "propagate, s": followed,
        "posterior, an estimate, s": seconds,
        "posterior, an estimate, processor s": worked,
        "targets": {"propagate, s": ("at most", 10)},
    }


CASES = {"posterior": posterior, "next question": next_question, "one component": giant}
