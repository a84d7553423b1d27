"""Suite `fallible`: people who err, in sessions that doubt them and in sessions that do not."""

from __future__ import annotations

import warnings
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

import corollary as co
from corollary.learning.session import held_out

#: Known items of each digit to begin with, questions between two trainings, trainings, and seeds.
KNOWN, ROUND, ROUNDS, SEEDS = 3, 50, 20, 3
#: By how much what was believed before may count, and other seeds to try that on.
BEFORE, OTHER_SEEDS = (0.0, 0.3, 0.5), (3, 4, 5)


def digits() -> tuple[co.Ontology, Any, Any]:
    """Ten digits under even and odd, siblings exclusive; 1,797 pictures of 8 x 8 pixels."""
    data = load_digits()
    names = {
        parity: [f"d{d}" for d in range(10) if d % 2 == (parity == "odd")]
        for parity in ("even", "odd")
    }
    groups = [co.exclusive(*group) for group in (names, *names.values())]
    below = [co.subsumes(parity, name) for parity, group in names.items() for name in group]
    onto = co.Ontology([*names, *(f"d{d}" for d in range(10))], [*groups, *below])
    true = np.zeros((len(data.target), len(onto)), np.int8)
    true[np.arange(len(true)), 2 + data.target] = 1
    true[np.arange(len(true)), data.target % 2] = 1
    return onto, data.data / 16.0, true


def curve(
    errors: dict[str, float], seed: int, *, fallible: bool, stay: Any = "auto"
) -> tuple[list[float], co.Session]:
    """The share of items wholly right after each round, with people who err so often, asked in turn at random."""
    onto, X, true = digits()
    random = np.random.default_rng(seed)
    facts = np.full(true.shape, -1, np.int8)
    for k in range(2, len(onto)):
        chosen = random.choice(np.flatnonzero(true[:, k]), KNOWN, replace=False)
        facts[chosen] = true[chosen]
    session = co.Session(
        onto,
        X,
        facts=facts,
        random_state=seed,
        annotators=co.Annotators(fallible=fallible),
        asking=co.Asking(stay=stay),
    )
    found = []
    for number in range(ROUNDS + 1):
        session.retrain()
        found.append(float((session.predict() == true).all(axis=1).mean()))
        for _ in range(ROUND if number < ROUNDS else 0):
            who = str(random.choice(list(errors)))
            others = who if fallible and len(errors) > 1 else None
            for question in session.ask(1, who=others):
                said = bool(true[question.item, onto.index[question.label]]) ^ bool(
                    random.random() < errors[who]
                )
                with suppress(
                    co.Contradiction
                ):  # the session that takes answers for the truth refuses it
                    session.answer(question, said, who=who if fallible else None)
    return found, session


def run(errors: dict[str, float]) -> dict[str, Any]:
    """Digits in a tree, 1,000 questions in rounds of 50: items wholly right, three seeds, beside hard facts."""
    warnings.simplefilter("ignore")
    figures: dict[str, Any] = {
        "wrong answers": {who: f"{error:.0%}" for who, error in errors.items()}
    }
    kinds: dict[str, list[list[float]]] = {"hard": [], "fallible": []}
    trust: list[dict[str, Any]] = []
    for seed in range(SEEDS):
        for kind, curves in kinds.items():
            found, session = curve(errors, seed, fallible=kind == "fallible")
            curves.append(found)
            if kind == "fallible":
                told = session.reliability()
                trust.append(
                    {
                        str(who): round(one.wrong / one.answers, 3)
                        for who, one in sorted(told.items())
                    }
                )
    for kind, curves in kinds.items():
        mean = np.mean(curves, axis=0)
        for number in (0, 4, 8, 12, 20):
            figures[f"{kind}, right after {number * ROUND:,}"] = round(float(mean[number]), 4)
        figures[f"{kind}, least after 1,000"] = round(min(found[-1] for found in curves), 4)
        figures[f"{kind}, largest fall"] = round(max(_fall(found) for found in curves), 4)
        figures[f"{kind}, largest fall after 200"] = round(
            max(_fall(found[4:]) for found in curves), 4
        )
    for target in (0.95, 0.99):
        needed = {
            kind: [_questions(found, target) for found in curves] for kind, curves in kinds.items()
        }
        reached = None not in needed["fallible"] + needed["hard"]
        times = (
            round(float(np.sum(needed["fallible"]) / np.sum(needed["hard"])), 3)
            if reached
            else None
        )
        figures[f"questions to {target}, of hard"] = times
        figures[f"questions to {target}"] = (
            round(float(np.mean(needed["fallible"])), 1) if reached else None
        )
    figures["estimated share of wrong answers, by seed"] = trust
    return figures


def best_first() -> dict[str, Any]:
    """The same where nobody errs and answers are the truth, by the best question first, as before: three seeds."""
    curves = [curve({"a": 0.0}, seed, fallible=False, stay=None)[0] for seed in range(SEEDS)]
    return {
        f"questions to {target}": round(
            float(np.mean([_questions(one, target) for one in curves])), 1
        )
        for target in (0.95, 0.99)
    }


def before() -> dict[str, Any]:
    """By how much what was believed before a training should count: other seeds, nobody wrong, 5 and 10 % wrong."""
    warnings.simplefilter("ignore")
    figures: dict[str, Any] = {}
    default = held_out.BEFORE
    try:
        for held_out.BEFORE in BEFORE:
            for error in (0.0, 0.05, 0.1):
                curves = [curve({"a": error}, seed, fallible=True)[0] for seed in OTHER_SEEDS]
                name = f"{held_out.BEFORE:g} before, {error:.0%} wrong"
                figures[f"{name}, largest fall"] = round(max(map(_fall, curves)), 4)
                needed = [_questions(one, 0.99) for one in curves]
                figures[f"{name}, questions to 0.99"] = (
                    None if None in needed else round(float(np.mean(needed)), 1)
                )
                figures[f"{name}, right after 1,000"] = round(
                    float(np.mean([one[-1] for one in curves])), 4
                )
    finally:
        held_out.BEFORE = default
    return figures


def _fall(found: list[float]) -> float:
    return max(max(found[: n + 1]) - right for n, right in enumerate(found))


def _questions(found: list[float], target: float) -> float | None:
    """Questions to a target, in between two rounds by a straight line; None where it is never reached."""
    for n, right in enumerate(found):
        if right >= target:
            before = found[n - 1] if n else 0.0
            return ROUND * (n - (right - target) / (right - before)) if n else 0.0
    return None


def _case(errors: dict[str, float]) -> Any:
    case = partial(run, errors)
    case.__doc__ = run.__doc__
    return case


CASES = {
    "digits, none wrong, best question first": best_first,
    "digits, none wrong": _case({"a": 0.0}),
    "digits, 5 % wrong": _case({"a": 0.05}),
    "digits, 10 % wrong": _case({"a": 0.10}),
    "digits, three people": _case({"a": 0.02, "b": 0.05, "c": 0.15}),
    "what was believed before": before,
}
