"""The paper's theory in figures: sums by hand agree, what is wrong is noticed, and all of it gets into one file."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import corollary as co

from .conftest import FOLDER


@pytest.fixture
def checks(script):
    return script("checks")


def gain_by_hand(worlds):
    """I(Y_k; Y_-k) of exclusive labels, term by term over the joint probabilities of a label and of all others."""
    labels = range(len(worlds) - 1)
    legal = [tuple(int(j == k) for j in labels) for k in range(len(worlds))]  # the last has none
    of = dict(zip(legal, worlds, strict=True))
    gains = []
    for k in labels:
        own, others, both = ({}, {}, {})
        for world in product((0, 1), repeat=len(labels)):
            p, rest = of.get(world, 0.0), world[:k] + world[k + 1 :]
            own[world[k]] = own.get(world[k], 0.0) + p
            others[rest] = others.get(rest, 0.0) + p
            both[world[k], rest] = both.get((world[k], rest), 0.0) + p
        gains.append(
            sum(p * np.log(p / (own[y] * others[rest])) for (y, rest), p in both.items() if p > 0)
        )
    return np.array(gains)


@pytest.mark.parametrize("worlds", [(0.5, 0.3, 0.2), (0.1, 0.1, 0.2, 0.6), (0.9, 0.05, 0.0, 0.05)])
def test_gains_are_those_summed_by_hand(checks, worlds):
    np.testing.assert_allclose(
        checks.exhaustive_gain(np.array(worlds)), gain_by_hand(worlds), atol=1e-12
    )


def test_the_theorem_holds_and_a_wrong_gain_is_noticed(checks, monkeypatch):
    assert checks.theorem(trials=20) == {"trials": 20, "agree": 1.0}
    assert not checks.same_ranking(np.array([0.1, 0.2]), np.array([2.0, 1.0]))
    assert checks.same_ranking(np.array([0.1, 0.2]), np.array([1.0, 1.0]))  # a tie
    monkeypatch.setattr(checks, "exhaustive_gain", lambda worlds: -worlds[:-1])
    assert checks.theorem(trials=20)["agree"] == 0.0


def test_the_most_probable_and_the_most_uncertain(checks):
    assert checks.pick_alike(np.array([[0.4, 0.1], [0.9, 0.6], [0.7, 0.3]])) == pytest.approx(2 / 3)
    assert checks.best(np.array([[0.1, 0.9], [0.9, 0.3]]), 3) == [1, 2, 3]


def test_all_checks_of_the_quick_form_are_in_one_file(checks, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(checks, "HERE", tmp_path)
    monkeypatch.setattr(checks, "SIZES", (2, 4))
    monkeypatch.setattr(checks, "load_dataset", lambda _: exclusive_data())
    monkeypatch.setattr("sys.argv", ["checks.py", "--quick"])
    checks.main()
    path = tmp_path / "quick" / "checks.json"
    assert f"theory checked: {path}" in capsys.readouterr().out
    found, kept = (
        json.loads(one.read_text(encoding="utf-8"))
        for one in (path, FOLDER / "results" / "checks.json")
    )
    assert found["theorem"] == {"trials": 200, "agree": 1.0}
    assert list(found["beliefs"]) == ["iris", "segment", "satimage"]
    for of_one in found["beliefs"].values():
        assert of_one.keys() == kept["beliefs"]["iris"].keys()
        assert (of_one["items"], of_one["gain_ranks_as_belief"]) == (20, 1.0)
        assert all(0 <= share <= 1 for name, share in of_one.items() if name != "items")
    assert found["costs"].keys() == kept["costs"].keys()
    assert all(
        by_size.keys() == {"2", "4"} and min(by_size.values()) > 0
        for by_size in found["costs"].values()
    )
    assert not Path(tmp_path / "results").exists()


def exclusive_data():
    """Thirty items of three classes in turn."""
    onto = co.Ontology.parse("exclusive: a, b, c")
    kind = np.arange(30) % 3
    X = np.eye(3)[kind] + 0.3 * np.random.default_rng(0).normal(size=(30, 3))
    return co.Dataset(X, np.eye(3, dtype=np.int8)[kind], onto, train=np.arange(30) < 10)
