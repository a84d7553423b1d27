"""Machines as witnesses: what counts of their reports, what that does to beliefs, and that bad ones do little."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import corollary as co
from corollary.campaign.storage.reported import Reported
from corollary.campaign.training.machine_witnesses import added, fold, reports_of, weights
from corollary.learning.learners.learner import make_learner

from ..team import TEXT

ONTO = co.Ontology.parse(TEXT)
LABELS = ONTO.labels
KINDS = (
    ("animal", "bird"),
    ("animal", "fish"),
    ("animal", "mammal"),
    ("place", "city"),
    ("place", "river"),
)
WORLDS = np.array([[label in names for label in LABELS] for names in KINDS], np.int8)
N = 200


def told(table, labels=LABELS):
    item, label = np.nonzero(~np.isnan(table))
    return Reported(
        labels, item.astype(np.int32), label.astype(np.int32), table[item, label].astype(np.float32)
    )


cell = st.tuples(
    st.sampled_from("ab"),
    st.integers(0, 3),
    st.sampled_from(["bird", "fish", "gone"]),
    st.floats(0, 1),
)


@given(st.lists(st.lists(cell, min_size=1, max_size=6), max_size=5))
def test_of_several_reports_of_a_cell_the_last_counts_and_labels_that_are_gone_do_not(events):
    heard, naive = [], {}
    for cells in events:
        who = cells[0][0]
        labels = tuple(dict.fromkeys(label for _, _, label, _ in cells))
        said = {(item, label): value for _, item, label, value in cells}
        columns = (
            [item for item, _ in said],
            [labels.index(label) for _, label in said],
            list(said.values()),
        )
        heard.append(
            (who, Reported(labels, *(np.array(c, t) for c, t in zip(columns, "iif", strict=True))))
        )
        naive |= {(who, *at): np.float32(value) for at, value in said.items() if at[1] != "gone"}
    if not heard:
        return
    found = reports_of(heard, ONTO, 4)
    names = [
        (found.witnesses[w], i, LABELS[k])
        for w, i, k in zip(found.witness, found.item, found.label, strict=True)
    ]
    assert dict(zip(names, found.value, strict=True)) == naive
    assert len(names) == len(naive)


def test_nothing_said_changes_nothing():
    beliefs, known = np.full((3, len(LABELS)), 0.3), np.full((3, len(LABELS)), -1, np.int8)
    gone = Reported(("gone",), np.array([1], np.int32), np.array([0], np.int32), np.float32([1]))
    for heard in ([], [("a", gone)]):
        found, trust = fold(ONTO, beliefs, known, reports_of(heard, ONTO, 3))
        assert np.array_equal(found, beliefs)
        assert trust == {}


def test_evidence_is_added_to_the_log_odds():
    beliefs, evidence = np.array([[0.0, 0.2, 0.5, 1.0]]), np.array([[1.0, -1.0, 2.0, 0.0]])
    odds = np.log(beliefs[:, 1:3] / (1 - beliefs[:, 1:3])) + evidence[:, 1:3]
    found = added(beliefs, evidence)
    np.testing.assert_allclose(found[:, 1:3], 1 / (1 + np.exp(-odds)))
    assert 0 < found[0, 0] < 1e-11 < 1 - found[0, 3] + 1e-11


class World:
    """Items of five kinds, what a learner believes of them after some answers, and machines of all sorts."""

    def __init__(self, n_known, seed=0):
        self.rng = np.random.default_rng(seed)
        self.kind = self.rng.integers(5, size=N)
        self.truth = WORLDS[self.kind]
        X = self.rng.normal(size=(N, 8)) + 2.0 * np.eye(5, 8)[self.kind]
        self.known = np.full(self.truth.shape, -1, np.int8)
        self.known[:n_known] = self.truth[:n_known]
        self.beliefs = (
            make_learner("crf", onto=ONTO, random_state=0).fit(X, self.known).predict_proba(X)
        )
        self.unknown = np.arange(n_known, N)

    def machine(self, accuracy):
        wrong = (self.kind + self.rng.integers(1, 5, size=N)) % 5
        return WORLDS[np.where(self.rng.random(N) < accuracy, self.kind, wrong)].astype(np.float64)

    def probable(self, accuracy):
        return np.clip(
            0.1 + 0.8 * self.machine(accuracy) + self.rng.normal(0, 0.05, self.truth.shape),
            0.01,
            0.99,
        )

    def right(self, *machines):
        heard = [(f"machine {k}", told(one)) for k, one in enumerate(machines)]
        reports = reports_of(heard, ONTO, N)
        self.found, self.trust = fold(ONTO, self.beliefs, self.known, reports)
        return (
            (ONTO.most_probable(self.found, self.known) == self.truth)
            .all(axis=1)[self.unknown]
            .mean()
        )


@pytest.fixture(scope="module")
def world():
    return World(40)


def test_before_the_first_answer_a_machine_is_what_there_is():
    world = World(0)
    assert world.right() == 0
    assert world.right(world.machine(0.85)) > 0.8
    assert world.right(world.probable(0.85)) > 0.8


def test_a_good_machine_helps_and_its_trust_is_told(world):
    alone = world.right()
    assert alone < 0.75
    assert world.right(world.machine(0.85)) > alone + 0.1
    trust = world.trust["machine 0"]
    assert (
        trust["sensitivity_interval"][0] < trust["sensitivity"] < trust["sensitivity_interval"][1]
    )
    assert trust["sensitivity"] > 0.75
    assert trust["answers"] == N * len(LABELS)
    assert 0 < trust["wrong"] < 0.3 * N * len(LABELS)
    assert world.right(world.probable(0.85)) > alone + 0.1


def test_a_row_an_item_is_worth_as_much_as_a_column_a_label(world):
    """The probability of the likeliest kind alone; a machine that is right in 70 %, and says so."""
    alone, rng = world.right(), np.random.default_rng(3)
    named = np.where(rng.random(N) < 0.7, world.kind, (world.kind + rng.integers(1, 5, size=N)) % 5)
    sure = rng.uniform(0.5, 0.9, size=(N, 1))
    shares = np.where(np.eye(5)[named] == 1, sure, (1 - sure) / 4)
    wide, long = np.full((2, N, len(LABELS)), np.nan)
    narrow = np.array([LABELS.index(names[1]) for names in KINDS])
    wide[:, narrow] = shares
    long[np.arange(N), narrow[named]] = sure[:, 0]
    as_wide = world.right(wide)
    assert as_wide > alone + 0.05
    assert abs(world.right(long) - as_wide) <= 0.02
    trust, truly = world.trust["machine 0"], (named == world.kind).mean()
    assert trust["votes"] == N
    assert trust["right_interval"][0] < truly < trust["right_interval"][1]
    assert trust["right_interval"][0] < trust["right"] < trust["right_interval"][1]


def test_machines_that_know_nothing_or_the_wrong_thing_move_little(world):
    alone, some = world.right(), np.random.default_rng(1)
    for machine in (
        np.zeros(world.truth.shape),
        np.ones(world.truth.shape),
        some.integers(2, size=world.truth.shape).astype(float),
        some.random(world.truth.shape),
        WORLDS[some.integers(5, size=N)].astype(float),
        world.machine(0.02),
        world.probable(0.5),
    ):
        assert world.right(machine) > alone - 0.08


def test_copies_of_a_bad_machine_do_not_outvote_a_good_one(world):
    good, bad = world.machine(0.85), world.machine(0.05)
    with_good = world.right(good)
    assert world.right(good, *[bad] * 5) > with_good - 0.08
    assert world.trust["machine 0"]["sensitivity"] > 0.7
    assert world.trust["machine 1"]["sensitivity"] < 0.4


def test_items_of_which_nothing_is_said_stay_as_they_are_to_the_bit(world):
    machine = np.full(world.truth.shape, np.nan)
    machine[50:60] = world.machine(0.85)[50:60]
    world.right(machine)
    others = np.setdiff1d(np.arange(N), np.arange(50, 60))
    assert np.array_equal(world.found[others], world.beliefs[others])
    assert not np.array_equal(world.found, world.beliefs)


def test_the_same_again_gives_the_same_bits(world):
    machines = world.machine(0.85), world.probable(0.6)
    world.right(*machines)
    first = world.found.copy()
    world.right(*machines)
    assert np.array_equal(first, world.found)


def naive_cost(weight, usual, known, evidence, leaning=4.0):
    """What is known is so improbable, worked out world by world."""
    total = leaning * ((weight - 1) ** 2).sum() / 2
    legal = np.array([w for w in np.ndindex(*[2] * len(LABELS)) if is_legal(w)])
    for i, row in enumerate(known):
        height = legal @ (usual + sum(w * one[i] for w, one in zip(weight, evidence, strict=True)))
        fits = (legal[:, row >= 0] == row[row >= 0]).all(axis=1)
        total -= np.log(np.exp(height[fits]).sum() / np.exp(height).sum())
    return total


def is_legal(world):
    return not ONTO.closure(np.array([world], np.int8))[1][0]


def test_weights_are_those_under_which_what_is_known_is_most_probable():
    rng = np.random.default_rng(2)
    truth = WORLDS[rng.integers(5, size=12)]
    known = np.where(rng.random(truth.shape) < 0.7, truth, -1).astype(np.int8)
    usual = rng.normal(size=len(LABELS))
    good, bad = (sign * (2.0 * truth - 1) + rng.normal(size=truth.shape) for sign in (1.0, -1.0))
    evidence = np.stack([good, bad])
    found = weights(ONTO, usual, known, evidence)
    least = naive_cost(found, usual, known, evidence)
    assert found[0] > found[1] >= 0
    for step in ([0.05, 0], [-0.05, 0], [0, 0.05], 1 - found, -found):
        other = np.maximum(found + np.array(step), 0)
        assert naive_cost(other, usual, known, evidence) >= least - 1e-6
    assert np.array_equal(weights(ONTO, usual, np.full_like(known, -1), evidence), [1, 1])
